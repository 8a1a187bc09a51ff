// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
#include "qemu/engine/transport/acknowledge.h"

#include <algorithm>
#include <array>

#include "qemu/engine/base/endian.h"
#include "qemu/engine/transport/gather.h"
#include "qemu/engine/transport/requester.h"
#include "qemu/engine/transport/rnr_timer.h"
#include "tern/wire/roce.h"

namespace tern::acknowledge {

namespace {

// Progress gives all retries back (IBTA 9.9.2.4.1).
void note_progress(Transport& transport, Qp& qp, Psn acknowledged) {
    RequesterState& state = qp.requester;
    if (acknowledged.is_before(state.unacked)) return;
    state.unacked = acknowledged + 1;
    state.has_implied_nak = false;
    if (state.send_psn.is_before(state.unacked)) {
        // An answer to what was sent before going back: no need to send it again.
        state.send_psn = state.unacked;
        while (state.cursor != state.tail && !state.entry(state.cursor).is_local &&
               state.entry(state.cursor).last_psn.is_before(state.send_psn))
            ++state.cursor;
    }
    state.retries_left = qp.attributes.retry_count;
    state.rnr_retries_left = qp.attributes.rnr_retry;
    requester::restart_ack_timer(transport, qp);
    transport.make_runnable(qp);
}

// One more try from @psn on, if there is one left.
void retry_from(Transport& transport, Qp& qp, Psn psn) {
    RequesterState& state = qp.requester;
    if (state.retries_left == 0) return requester::fail_head(transport, qp, TERN_CQE_STATUS_RETRY_EXCEEDED, 0);
    --state.retries_left;
    requester::go_back(qp, psn);
    requester::restart_ack_timer(transport, qp);
    transport.make_runnable(qp);
}

// Retires what an acknowledge of @psn finishes. False: a READ or atomic before
// it has no answer yet, so the answer was lost (implied NAK, IBTA 9.9.2.4.2).
bool retire_through(Transport& transport, Qp& qp, Psn psn) {
    RequesterState& state = qp.requester;
    while (state.pending_count() && qp.state() != TERN_QP_STATE_ERR) {
        requester::retire_local(transport, qp);
        if (!state.pending_count() || qp.state() == TERN_QP_STATE_ERR) return true;
        const PendingSend& head = state.entry(state.head);
        if (head.first_psn.is_after(psn)) return true;
        if (head.needs_response) return false;
        if (head.last_psn.is_after(psn)) break;
        note_progress(transport, qp, head.last_psn);
        requester::retire_head(transport, qp, TERN_CQE_STATUS_SUCCESS, 0);
    }
    if (qp.state() != TERN_QP_STATE_ERR) note_progress(transport, qp, psn);
    return true;
}

// Answers that follow a lost one are many; they ask once.
void implied_nak(Transport& transport, Qp& qp) {
    if (qp.requester.has_implied_nak) return;
    qp.requester.has_implied_nak = true;
    transport.port_of(qp).count(TERN_PORT_COUNTER_IMPLIED_NAK);
    retry_from(transport, qp, qp.requester.unacked);
}

void receive_ack(Transport& transport, Qp& qp, const Packet& packet) {
    if (!retire_through(transport, qp, Psn(packet.psn))) implied_nak(transport, qp);
}

void receive_rnr_nak(Transport& transport, Qp& qp, const Packet& packet) {
    RequesterState& state = qp.requester;
    const Psn psn(packet.psn);
    transport.port_of(qp).count(TERN_PORT_COUNTER_RNR_NAK_RECEIVED);
    // It waits already, and has sent nothing since: this one came twice.
    if (state.rnr_deadline_ns != UINT64_MAX) return;
    if (state.unacked.is_before(psn) && !retire_through(transport, qp, psn - 1)) return implied_nak(transport, qp);
    if (qp.state() == TERN_QP_STATE_ERR || state.pending_count() == 0) return;
    if (state.rnr_retries_left == 0) return requester::fail_head(transport, qp, TERN_CQE_STATUS_RNR_RETRY_EXCEEDED, 0);
    if (qp.attributes.rnr_retry != 7) --state.rnr_retries_left;  // 7: for ever
    requester::go_back(qp, psn);
    // While it waits for the receiver the ACK timer must not run (C11).
    state.ack_deadline_ns = UINT64_MAX;
    state.rnr_deadline_ns = transport.rooms.host.now_ns() + rnr_timer_ns(packet.syndrome & TERN_AETH_VALUE_MASK);
    transport.update_timer(qp);
}

void receive_fatal_nak(Transport& transport, Qp& qp, uint8_t code) {
    Port& port = transport.port_of(qp);
    uint8_t status = TERN_CQE_STATUS_REMOTE_OPERATION;
    if (code == TERN_NAK_REMOTE_ACCESS) {
        port.count(TERN_PORT_COUNTER_REMOTE_ACCESS);
        status = TERN_CQE_STATUS_REMOTE_ACCESS;
    } else if (code != TERN_NAK_REMOTE_OPERATION) {
        port.count(TERN_PORT_COUNTER_REMOTE_INVALID);
        status = TERN_CQE_STATUS_REMOTE_INVALID_REQUEST;
    }
    requester::fail_head(transport, qp, status, code);
}

void receive_nak(Transport& transport, Qp& qp, const Packet& packet) {
    const Psn psn(packet.psn);
    const uint8_t code = packet.syndrome & TERN_AETH_VALUE_MASK;
    // All before the refused PSN has arrived.
    if (qp.requester.unacked.is_before(psn) && !retire_through(transport, qp, psn - 1))
        return implied_nak(transport, qp);
    if (qp.state() == TERN_QP_STATE_ERR || qp.requester.pending_count() == 0) return;
    if (code != TERN_NAK_PSN_SEQUENCE) return receive_fatal_nak(transport, qp, code);
    transport.port_of(qp).count(TERN_PORT_COUNTER_PACKET_SEQ_ERR);
    retry_from(transport, qp, psn);
}

void receive_acknowledge(Transport& transport, Qp& qp, const Packet& packet) {
    switch (packet.syndrome & TERN_AETH_TYPE_MASK) {
    case TERN_AETH_ACK: return receive_ack(transport, qp, packet);
    case TERN_AETH_RNR_NAK: return receive_rnr_nak(transport, qp, packet);
    case TERN_AETH_NAK: return receive_nak(transport, qp, packet);
    default: transport.port_of(qp).count(TERN_PORT_COUNTER_RX_MALFORMED);
    }
}

// The decoded WQE of the head, into which its responses go.
bool load_response_wqe(Transport& transport, Qp& qp) {
    RequesterState& state = qp.requester;
    if (state.response_entry == state.head) return true;
    if (!requester::refetch(transport, qp, state.head, state.response_wqe)) return false;
    state.response_entry = state.head;
    return true;
}

// Brings the head to the READ or atomic that @psn answers. False: another answer
// before it is missing.
bool find_response_head(Transport& transport, Qp& qp, Psn psn) {
    RequesterState& state = qp.requester;
    // Everything before the READ is acknowledged by its response.
    if (!retire_through(transport, qp, psn - 1)) {
        const PendingSend& head = state.entry(state.head);
        const bool is_next_of_head = psn == state.unacked && !head.last_psn.is_before(psn);
        if (!is_next_of_head) implied_nak(transport, qp);
        return is_next_of_head;
    }
    if (qp.state() == TERN_QP_STATE_ERR || state.pending_count() == 0) return false;
    const PendingSend& head = state.entry(state.head);
    return head.needs_response && !head.is_local && psn == head.first_psn;
}

bool place(Transport& transport, Qp& qp, uint64_t offset_bytes, std::span<const std::byte> data) {
    const SendWqe& wqe = qp.requester.response_wqe;
    return scatter(transport.rooms.memory, qp.user(), std::span(wqe.sges).first(wqe.num_sge), offset_bytes, data);
}

// How many bytes a READ response with this PSN must have.
uint32_t expected_bytes(const Qp& qp, const PendingSend& head, uint32_t offset_bytes) {
    return std::min(head.length_bytes - offset_bytes, qp.mtu_bytes());
}

void receive_read_response(Transport& transport, Qp& qp, const Packet& packet) {
    RequesterState& state = qp.requester;
    const Psn psn(packet.psn);
    if (!find_response_head(transport, qp, psn)) return;
    const PendingSend head = state.entry(state.head);
    const uint32_t offset = static_cast<uint32_t>(psn.distance_from(head.first_psn)) << qp.attributes.path_mtu_log2;
    const bool is_last = psn == head.last_psn;
    if (head.opcode != TERN_WQE_OP_RDMA_READ || packet.payload.size() != expected_bytes(qp, head, offset) ||
        packet.is(bth::END) != is_last)
        return requester::fail_head(transport, qp, TERN_CQE_STATUS_BAD_RESPONSE, 0);
    if (!load_response_wqe(transport, qp))
        return requester::fail_head(transport, qp, TERN_CQE_STATUS_LOCAL_QP_OPERATION, 0);
    if (!place(transport, qp, offset, packet.payload))
        return requester::fail_head(transport, qp, TERN_CQE_STATUS_LOCAL_PROTECTION, 0);
    note_progress(transport, qp, psn);
    if (!is_last) return;
    requester::retire_head(transport, qp, TERN_CQE_STATUS_SUCCESS, 0);
    requester::retire_local(transport, qp);
}

void receive_atomic_response(Transport& transport, Qp& qp, const Packet& packet) {
    const Psn psn(packet.psn);
    if (!find_response_head(transport, qp, psn)) return;
    const PendingSend head = qp.requester.entry(qp.requester.head);
    if (head.opcode == TERN_WQE_OP_RDMA_READ)
        return requester::fail_head(transport, qp, TERN_CQE_STATUS_BAD_RESPONSE, 0);
    if (!load_response_wqe(transport, qp))
        return requester::fail_head(transport, qp, TERN_CQE_STATUS_LOCAL_QP_OPERATION, 0);
    std::array<std::byte, sizeof(uint64_t)> original;
    store_le(original.data(), packet.atomic_result);
    if (!place(transport, qp, 0, original))
        return requester::fail_head(transport, qp, TERN_CQE_STATUS_LOCAL_PROTECTION, 0);
    note_progress(transport, qp, psn);
    requester::retire_head(transport, qp, TERN_CQE_STATUS_SUCCESS, 0);
    requester::retire_local(transport, qp);
}

}  // namespace

void receive(Transport& transport, Qp& qp, const Packet& packet) {
    // Ghosts: an answer to nothing that is on its way (IBTA 9.7.5.2.8, stale or forged).
    const RequesterState& state = qp.requester;
    const Psn psn(packet.psn);
    if (state.pending_count() == 0 || psn.is_before(state.unacked) || !psn.is_before(state.highest_psn)) return;
    if (packet.is(bth::ACK)) return receive_acknowledge(transport, qp, packet);
    if (packet.is(bth::READ)) return receive_read_response(transport, qp, packet);
    receive_atomic_response(transport, qp, packet);
}

}  // namespace tern::acknowledge
