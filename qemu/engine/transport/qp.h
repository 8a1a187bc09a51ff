// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
//
// A queue pair: what it was made with, its attributes, and the running state
// of its two halves. Requester and responder know nothing of each other's
// members; both change the state only through Transport's gate.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "qemu/engine/api/control.h"
#include "qemu/engine/queues/receive_queue.h"
#include "qemu/engine/queues/send_queue.h"
#include "qemu/engine/transport/psn.h"
#include "qemu/engine/wire/packet_builder.h"
#include "tern/hw/cqe.h"

namespace tern {

// A send WQE that has been fetched and not yet completed, in posting order.
// Data and addresses stay in host memory and are read again when needed.
struct PendingSend {
    uint32_t start;  // count of its first block
    uint8_t opcode;  // enum tern_wqe_opcode
    bool is_signaled;
    bool needs_response;  // READ, atomics: an ACK alone does not finish it
    bool is_local;        // LOCAL_INV, REG_MR, or refused before any packet: no PSN
    uint8_t status;       // failed here; reported when all before it are done
    uint32_t vendor_error;
    uint32_t length_bytes;
    Psn first_psn;
    Psn last_psn;
};

// Sending half of a connected QP (IBTA 9.7.5, 9.9.2).
struct RequesterState {
    // Ring of pending WQEs: [head, tail) in free-running counts.
    std::vector<PendingSend> pending;
    uint32_t head = 0;
    uint32_t tail = 0;
    uint32_t outstanding_responses = 0;  // READs and atomics among them

    Psn next_psn;    // of the next new packet
    Psn unacked;     // oldest packet not acknowledged
    Psn send_psn;    // next to put on the wire: next_psn, or behind it after go-back
    Psn highest_psn;  // beyond the last PSN asked for; a READ asks for many
    bool has_implied_nak = false;  // went back for a lost answer; once per loss
    uint32_t cursor = 0;  // pending entry that send_psn is in; == tail: none

    SendWqe wqe{};          // decoded WQE of entry wqe_entry
    uint32_t wqe_entry = UINT32_MAX;
    SendWqe response_wqe{};  // decoded WQE into which responses are placed
    uint32_t response_entry = UINT32_MAX;

    uint8_t retries_left = 0;
    uint8_t rnr_retries_left = 0;
    bool is_blocked = false;  // a WQE failed here; nothing after it is sent
    uint64_t ack_deadline_ns = UINT64_MAX;
    uint64_t rnr_deadline_ns = UINT64_MAX;
    uint32_t packets_since_ack_request = 0;

    [[nodiscard]] PendingSend& entry(uint32_t count) { return pending[count & (pending.size() - 1)]; }
    [[nodiscard]] const PendingSend& entry(uint32_t count) const { return pending[count & (pending.size() - 1)]; }
    [[nodiscard]] uint32_t pending_count() const { return tail - head; }
    [[nodiscard]] bool is_full() const { return pending_count() == pending.size(); }
};

// What the responder must be able to send again (IBTA 9.4.5, 9.7.5.1.2).
struct ResponderResource {
    Psn first_psn;
    Psn last_psn;
    bool is_atomic;
    uint64_t address;  // READ
    uint32_t rkey;
    uint32_t length_bytes;
    uint64_t original;  // atomic
    uint32_t msn;
};

// A response that waits for room on the port, in order.
struct PendingResponse {
    enum class Kind : uint8_t { kAcknowledge, kRead, kAtomic } kind;
    uint8_t syndrome;
    Psn psn;        // of the next packet
    Psn last_psn;   // READ
    uint64_t address;
    uint32_t rkey;
    uint32_t length_bytes;  // READ: left
    bool is_first;
    uint64_t original;
    uint32_t msn;
    uint8_t final_event;  // enum tern_event: sent, this ends the QP; 0: it goes on
};

// Receiving half of a connected QP.
struct ResponderState {
    Psn expected;
    uint32_t msn = 0;
    bool has_nak = false;  // one NAK per gap: no other until the expected PSN arrives
    bool is_closing = false;  // a refusal is queued behind earlier answers: nothing more is heard

    // Message in progress
    uint16_t message_kind = 0;  // bth::SEND or bth::WRITE, 0: between messages
    bool has_wqe = false;
    ReceiveWqe wqe{};
    uint64_t received_bytes = 0;
    uint64_t write_address = 0;
    uint32_t write_rkey = 0;
    uint32_t write_left = 0;
    uint32_t write_length = 0;

    static constexpr uint32_t kMaxResponses = 2 * TERN_MAX_RD_ATOMIC + 4;
    // With room for the refusal; a power of two, as the counts wrap.
    static constexpr uint32_t kResponseSlots = std::bit_ceil(kMaxResponses + 1);
    std::array<PendingResponse, kResponseSlots> responses{};
    uint32_t response_head = 0;
    uint32_t response_tail = 0;
    [[nodiscard]] uint32_t response_count() const { return response_tail - response_head; }
    [[nodiscard]] PendingResponse& response(uint32_t count) { return responses[count % kResponseSlots]; }

    std::array<ResponderResource, TERN_MAX_RD_ATOMIC> resources{};
    uint64_t resource_count = 0;  // ever used; the ring keeps the newest
};

// Of a QP in RESET: a GSI QP has its port already, others none.
[[nodiscard]] QueuePairAttributes initial_attributes(const QueuePairConfig& config);

struct Qp {
    Qp(uint32_t qp_number, const QueuePairConfig& qp_config);

    const uint32_t number;
    const QueuePairConfig config;
    QueuePairAttributes attributes;
    uint32_t wire_qpn;  // 1 for GSI

    SendQueue sq;
    ReceiveQueue rq;
    RequesterState requester;
    ResponderState responder;

    PathHeader path;  // RC: to the peer
    uint32_t path_generation = UINT32_MAX;
    bool has_established = false;
    bool reported_drained = false;

    // ERR: records are polled, with back-off, for work posted after the error.
    uint64_t flush_deadline_ns = UINT64_MAX;
    uint64_t flush_interval_ns = 0;

    // Scheduling, by Transport only
    bool is_runnable = false;
    Qp* next_runnable = nullptr;
    uint32_t timer_slot = UINT32_MAX;
    uint64_t timer_deadline_ns = UINT64_MAX;

    [[nodiscard]] uint8_t state() const { return attributes.state; }
    [[nodiscard]] bool is_rc() const { return config.type == TERN_QP_RC; }
    [[nodiscard]] bool is_uc() const { return config.type == TERN_QP_UC; }
    [[nodiscard]] bool is_connected() const { return is_rc() || is_uc(); }
    [[nodiscard]] uint32_t mtu_bytes() const { return 1u << attributes.path_mtu_log2; }
    [[nodiscard]] MemoryUser user() const { return {config.pdn, config.is_kernel}; }
    [[nodiscard]] uint64_t deadline_ns() const;
};

}  // namespace tern
