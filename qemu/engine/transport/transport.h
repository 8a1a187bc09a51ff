// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
//
// The RoCE v2 transport: all QPs of the card, which of them may run, their
// timers, and the way of packets in and out. The protocol itself is in the
// rooms beside: requester and acknowledge (sending half), responder and
// response (receiving half), datagram (UD and GSI), flush (error state).
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "qemu/engine/api/control.h"
#include "qemu/engine/net/port.h"
#include "qemu/engine/transport/loopback.h"
#include "qemu/engine/transport/qp.h"
#include "qemu/engine/transport/timer_heap.h"
#include "qemu/engine/wire/packet.h"
#include "tern/hw/eqe.h"

namespace tern {

class Transport {
public:
    // What it works with; belongs to the card and outlives it.
    struct Rooms {
        Host& host;
        MemoryTable& memory;
        CompletionQueueTable& cqs;
        EventQueueTable& events;
        std::span<Port* const> ports;
    };

    Transport(const Rooms& rooms, uint32_t max_qps, const Permutation& numbers);

    // Control path. The card has checked PD and CQs and counts their users.
    [[nodiscard]] Result<uint32_t, Status> create_qp(const QueuePairConfig& config);
    [[nodiscard]] Status destroy_qp(uint32_t qpn);
    [[nodiscard]] const QueuePairConfig* config(uint32_t qpn) const;
    [[nodiscard]] Status modify_qp(uint32_t qpn, uint32_t valid, const QueuePairAttributes& attributes);
    [[nodiscard]] Result<QueuePairAttributes, Status> query_qp(uint32_t qpn);
    [[nodiscard]] uint32_t count() const { return qps_.count(); }
    void clear();
    // A GID or MAC of a port changed: headers made from it are made again.
    void addresses_changed();

    // Doorbells. False: no such QP, or one of another doorbell pair.
    [[nodiscard]] bool sq_doorbell(uint32_t qpn, uint32_t prod, uint32_t pair);
    [[nodiscard]] bool rq_doorbell(uint32_t qpn, uint32_t pair);
    [[nodiscard]] bool push(uint32_t pair, std::span<const std::byte, TERN_SQ_BLOCK_BYTES> block);
    void doorbells_lost();

    // A frame for UDP port 4791 whose destination MAC the port accepts.
    void receive(Port& port, std::span<const std::byte> frame);
    // Lets runnable QPs work, one packet per unit of budget, in turn. True: more can be done now.
    [[nodiscard]] bool run(uint32_t& budget);
    [[nodiscard]] uint64_t deadline_ns() const { return timers_.first_deadline_ns(); }
    void timer_due(uint64_t now_ns);

    // For the rooms beside.

    Rooms rooms;
    [[nodiscard]] Port& port_of(const Qp& qp) const { return *rooms.ports[qp.attributes.port - 1u]; }
    void make_runnable(Qp& qp);
    void update_timer(Qp& qp) { timers_.update(qp); }
    // The only place where a QP's state changes.
    void set_state(Qp& qp, tern_qp_state state);
    // To ERR by a fault of its own or its peer's, with the event that tells the host.
    void fail_qp(Qp& qp, tern_event event);
    void raise(const Qp& qp, tern_event event);
    // Posts a completion; a CQ that breaks puts all its QPs into ERR.
    void complete_send(Qp& qp, const PendingSend& send, uint8_t status, uint32_t vendor_error);
    void complete_receive(Qp& qp, Completion completion);

    // Sending: room first, then a frame is built in place and sent.
    [[nodiscard]] bool has_room(const Qp& qp, const MacAddress& destination) const;
    [[nodiscard]] std::span<std::byte> begin_frame(Qp& qp, const MacAddress& destination);
    void send_frame(Qp& qp, const MacAddress& destination, uint32_t length_bytes);
    // Headers towards an RC peer, up to date. nullptr: its source GID is gone.
    [[nodiscard]] const PathHeader* path_header(Qp& qp);

private:
    [[nodiscard]] Qp* find_owned(uint32_t qpn, uint32_t pair) const;
    [[nodiscard]] Qp* find_destination(const Port& port, const Packet& packet) const;
    void deliver(Port& port, const Packet& packet);
    void deliver_connected(Qp& qp, const Packet& packet);
    // One turn of a QP. True: it has more to do and room to do it.
    [[nodiscard]] bool run_qp(Qp& qp, uint32_t& budget);
    [[nodiscard]] bool run_connected(Qp& qp, uint32_t& budget);
    void report_drained(Qp& qp);
    // It has work that only a full port or loopback holds up.
    [[nodiscard]] bool waits_for_room(const Qp& qp) const;
    void run_loopback(uint32_t& budget);
    void complete(Qp& qp, uint32_t cqn, const Completion& completion);
    void fail_users(uint32_t cqn);
    void remove_runnable(Qp& qp);

    ObjectTable<Qp> qps_;
    std::array<Qp*, TERN_MAX_PORTS> gsi_{};
    TimerHeap timers_;
    std::array<Loopback, TERN_MAX_PORTS> loopback_;
    Qp* first_runnable_ = nullptr;
    Qp* last_runnable_ = nullptr;
    uint32_t runnable_count_ = 0;
    uint32_t address_generation_ = 0;
};

}  // namespace tern
