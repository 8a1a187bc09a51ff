// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
#include "qemu/engine/transport/responder.h"

#include <algorithm>

#include "qemu/engine/transport/gather.h"
#include "qemu/engine/transport/response.h"
#include "tern/hw/access.h"

namespace tern::responder {

namespace {

// What a step decides. kNext: the following step; the rest end the packet's way.
enum class Verdict : uint8_t {
    kNext,
    kDone,              // dealt with, or to be dropped silently
    kSequenceError,     // NAK, PSN sequence (class B)
    kRnr,               // RNR NAK, no receive WQE
    kInvalidRequest,    // NAK, to ERR (class C)
    kRemoteAccess,      // NAK, to ERR (class C)
    kRemoteOperation,   // NAK, to ERR (class A: fault of this side)
    kLength,            // message longer than the receive WQE: NAK invalid request, LOC_LEN here
};

constexpr uint8_t kAckSyndrome = TERN_AETH_ACK | TERN_AETH_CREDITS_INVALID;

struct Work {
    Transport& transport;
    Qp& qp;
    const Packet& packet;
    ResponderState& state;
    Port& port;
};

uint32_t packets_of(const Qp& qp, uint32_t length_bytes) {
    return std::max<uint32_t>(
        1, static_cast<uint32_t>((uint64_t{length_bytes} + qp.mtu_bytes() - 1) >> qp.attributes.path_mtu_log2));
}

void remember(ResponderState& state, const Qp& qp, const ResponderResource& resource) {
    state.resources[state.resource_count++ % std::max<uint32_t>(1, qp.attributes.max_dest_rd_atomic)] = resource;
}

const ResponderResource* recall(const ResponderState& state, const Qp& qp, Psn psn) {
    const uint64_t kept = std::min<uint64_t>(state.resource_count, qp.attributes.max_dest_rd_atomic);
    for (uint64_t i = 0; i < kept; ++i) {
        const ResponderResource& resource = state.resources[i];
        if (!psn.is_before(resource.first_psn) && !psn.is_after(resource.last_psn)) return &resource;
    }
    return nullptr;
}

// Duplicates (IBTA 9.7.5.1.2, table 26)

void replay_read(Work& work) {
    const ResponderResource* known = recall(work.state, work.qp, Psn(work.packet.psn));
    if (!known || known->is_atomic) return;
    // Executed again from where the peer asks, with the address it names now.
    ResponderResource again = *known;
    again.first_psn = Psn(work.packet.psn);
    again.address = work.packet.remote_address;
    again.rkey = work.packet.rkey;
    again.length_bytes = work.packet.dma_length;
    if (again.first_psn + (packets_of(work.qp, again.length_bytes) - 1) != known->last_psn) return;
    (void)response::queue_read(work.transport, work.qp, again, again.first_psn);
}

void replay_atomic(Work& work) {
    const ResponderResource* known = recall(work.state, work.qp, Psn(work.packet.psn));
    if (known && known->is_atomic) (void)response::queue_atomic(work.transport, work.qp, *known);
}

void answer_duplicate(Work& work) {
    work.port.count(TERN_PORT_COUNTER_DUPLICATE_REQUEST);
    if (work.packet.is(bth::READ)) return replay_read(work);
    if (work.packet.is(bth::ATOMIC)) return replay_atomic(work);
    // SEND and WRITE are not executed again, but their ACK may have been lost.
    (void)response::queue_acknowledge(work.transport, work.qp, work.state.expected - 1, kAckSyndrome);
}

// Steps

// The message in progress will not end. Its receive WQE waits for the next one.
void abandon(ResponderState& state) {
    state.message_kind = 0;
    state.received_bytes = 0;
}

// UC: what is lost takes the rest of its message with it (IBTA 9.8.3.1).
Verdict check_unreliable_psn(Work& work) {
    ResponderState& state = work.state;
    if (Psn(work.packet.psn) != state.expected) {
        work.port.count(TERN_PORT_COUNTER_OUT_OF_SEQUENCE);
        abandon(state);
        state.expected = Psn(work.packet.psn);
    }
    if (work.packet.is(bth::START)) abandon(state);
    return Verdict::kNext;
}

Verdict check_psn(Work& work) {
    if (work.qp.is_uc()) return check_unreliable_psn(work);
    const int32_t distance = Psn(work.packet.psn).distance_from(work.state.expected);
    if (distance == 0) return Verdict::kNext;
    if (distance < 0) {
        answer_duplicate(work);
        return Verdict::kDone;
    }
    work.port.count(TERN_PORT_COUNTER_OUT_OF_SEQUENCE);
    return work.state.has_nak ? Verdict::kDone : Verdict::kSequenceError;
}

// FIRST or ONLY between messages; MIDDLE or LAST of the same kind within one (IBTA 9.7.4.1.2).
Verdict check_order(Work& work) {
    const uint16_t kind = work.packet.row->flags & (bth::SEND | bth::WRITE);
    const bool starts = work.packet.is(bth::START);
    if (starts != (work.state.message_kind == 0)) return Verdict::kInvalidRequest;
    if (!starts && kind != work.state.message_kind) return Verdict::kInvalidRequest;
    return Verdict::kNext;
}

// IBTA 9.7.4.1.6: all but the last packet are full, and none is longer.
Verdict check_length(Work& work) {
    const size_t bytes = work.packet.payload.size();
    const uint32_t mtu = work.qp.mtu_bytes();
    if (!work.packet.is(bth::PAYLOAD)) return Verdict::kNext;
    if (!work.packet.is(bth::END) ? bytes != mtu : bytes > mtu) return Verdict::kInvalidRequest;
    const bool is_empty_last = work.packet.is(bth::END) && !work.packet.is(bth::START) && bytes == 0;
    return is_empty_last ? Verdict::kInvalidRequest : Verdict::kNext;
}

uint32_t access_of(const Packet& packet) {
    if (packet.is(bth::WRITE)) return TERN_ACCESS_REMOTE_WRITE;
    if (packet.is(bth::READ)) return TERN_ACCESS_REMOTE_READ;
    if (packet.is(bth::ATOMIC)) return TERN_ACCESS_REMOTE_ATOMIC;
    return 0;
}

// The QP itself must allow the operation (IBTA 9.7.4.1.7: refused as invalid request).
Verdict check_rights(Work& work) {
    const uint32_t access = access_of(work.packet);
    if ((work.qp.attributes.access & access) != access) return Verdict::kInvalidRequest;
    const bool needs_resource = access & (TERN_ACCESS_REMOTE_READ | TERN_ACCESS_REMOTE_ATOMIC);
    return needs_resource && work.qp.attributes.max_dest_rd_atomic == 0 ? Verdict::kInvalidRequest : Verdict::kNext;
}

// A SEND needs a receive WQE with its first packet, an immediate with the last.
bool needs_receive(const Packet& packet) { return packet.is(bth::SEND) || (packet.row->headers & bth::IMMDT); }

Verdict take_receive(Work& work) {
    ResponderState& state = work.state;
    if (!needs_receive(work.packet) || state.has_wqe) return Verdict::kNext;
    const auto taken = work.qp.rq.take(work.transport.rooms.host, state.wqe);
    if (taken) {
        state.has_wqe = true;
        return Verdict::kNext;
    }
    return taken.error() == ReceiveError::kEmpty ? Verdict::kRnr : Verdict::kRemoteOperation;
}

// WRITE

Verdict begin_write(Work& work) {
    ResponderState& state = work.state;
    const Packet& packet = work.packet;
    if (packet.dma_length > TERN_MAX_MESSAGE_BYTES) return Verdict::kInvalidRequest;
    if (!work.transport.rooms.memory.check(work.qp.user(), packet.rkey, TERN_ACCESS_REMOTE_WRITE, packet.remote_address,
                                           packet.dma_length))
        return Verdict::kRemoteAccess;
    state.write_address = packet.remote_address;
    state.write_rkey = packet.rkey;
    state.write_left = state.write_length = packet.dma_length;
    return Verdict::kNext;
}

Verdict execute_write(Work& work) {
    ResponderState& state = work.state;
    const auto bytes = static_cast<uint32_t>(work.packet.payload.size());
    if (work.packet.is(bth::START)) {
        if (const Verdict verdict = begin_write(work); verdict != Verdict::kNext) return verdict;
    }
    if (bytes > state.write_left || (work.packet.is(bth::END) && bytes != state.write_left))
        return Verdict::kInvalidRequest;
    MemoryTable& memory = work.transport.rooms.memory;
    const auto slice =
        memory.check(work.qp.user(), state.write_rkey, TERN_ACCESS_REMOTE_WRITE, state.write_address, bytes);
    if (!slice) return Verdict::kRemoteAccess;
    if (!memory.write(*slice, 0, work.packet.payload)) return Verdict::kRemoteOperation;
    state.write_address += bytes;
    state.write_left -= bytes;
    return Verdict::kNext;
}

// SEND

Verdict execute_send(Work& work) {
    ResponderState& state = work.state;
    const size_t bytes = work.packet.payload.size();
    if (state.received_bytes + bytes > TERN_MAX_MESSAGE_BYTES) return Verdict::kInvalidRequest;
    if (state.received_bytes + bytes > state.wqe.length_bytes) return Verdict::kLength;
    if (!scatter(work.transport.rooms.memory, work.qp.user(), std::span(state.wqe.sges).first(state.wqe.num_sge),
                 state.received_bytes, work.packet.payload))
        return Verdict::kRemoteOperation;
    state.received_bytes += bytes;
    const bool invalidates = work.packet.row->headers & bth::IETH;
    if (invalidates && !work.transport.rooms.memory.invalidate(work.qp.user(), work.packet.invalidate_key))
        return Verdict::kRemoteAccess;
    return Verdict::kNext;
}

// READ and atomics

Verdict execute_read(Work& work) {
    const Packet& packet = work.packet;
    if (packet.dma_length > TERN_MAX_MESSAGE_BYTES) return Verdict::kInvalidRequest;
    if (!work.transport.rooms.memory.check(work.qp.user(), packet.rkey, TERN_ACCESS_REMOTE_READ, packet.remote_address,
                                           packet.dma_length))
        return Verdict::kRemoteAccess;
    ResponderResource resource{};
    resource.first_psn = work.state.expected;
    resource.last_psn = work.state.expected + (packets_of(work.qp, packet.dma_length) - 1);
    resource.address = packet.remote_address;
    resource.rkey = packet.rkey;
    resource.length_bytes = packet.dma_length;
    resource.msn = (work.state.msn + 1) & TERN_PSN_MASK;
    if (!response::queue_read(work.transport, work.qp, resource, resource.first_psn)) return Verdict::kDone;
    remember(work.state, work.qp, resource);
    work.state.expected = resource.last_psn;
    work.port.count(TERN_PORT_COUNTER_RX_READ_REQUESTS);
    return Verdict::kNext;
}

Verdict execute_atomic(Work& work) {
    const Packet& packet = work.packet;
    if (packet.remote_address % sizeof(uint64_t)) return Verdict::kInvalidRequest;
    if (work.state.response_count() == ResponderState::kMaxResponses) return Verdict::kDone;
    MemoryTable& memory = work.transport.rooms.memory;
    const auto slice =
        memory.check(work.qp.user(), packet.rkey, TERN_ACCESS_REMOTE_ATOMIC, packet.remote_address, sizeof(uint64_t));
    if (!slice) return Verdict::kRemoteAccess;
    ResponderResource resource{};
    resource.first_psn = resource.last_psn = work.state.expected;
    resource.is_atomic = true;
    resource.msn = (work.state.msn + 1) & TERN_PSN_MASK;
    const auto operation = packet.opcode == TERN_BTH_RC_COMPARE_SWAP ? TERN_ATOMIC_COMPARE_SWAP : TERN_ATOMIC_FETCH_ADD;
    if (!memory.atomic64(*slice, operation, packet.swap_or_add, packet.compare, resource.original))
        return Verdict::kRemoteOperation;
    if (!response::queue_atomic(work.transport, work.qp, resource)) return Verdict::kDone;
    remember(work.state, work.qp, resource);
    work.port.count(TERN_PORT_COUNTER_RX_ATOMIC_REQUESTS);
    return Verdict::kNext;
}

Verdict execute(Work& work) {
    if (work.packet.is(bth::SEND)) return execute_send(work);
    if (work.packet.is(bth::WRITE)) return execute_write(work);
    if (work.packet.is(bth::READ)) return execute_read(work);
    return execute_atomic(work);
}

uint8_t receive_opcode(const Packet& packet) {
    if (packet.is(bth::WRITE)) return TERN_CQE_OP_RECV_RDMA_WITH_IMM;
    if (packet.row->headers & bth::IMMDT) return TERN_CQE_OP_RECV_WITH_IMM;
    return packet.row->headers & bth::IETH ? TERN_CQE_OP_RECV_WITH_INV : TERN_CQE_OP_RECV;
}

void complete_message(Work& work) {
    ResponderState& state = work.state;
    const Packet& packet = work.packet;
    Completion completion;
    completion.opcode = receive_opcode(packet);
    completion.wqe_index = state.wqe.index;
    completion.byte_len = packet.is(bth::WRITE) ? state.write_length : static_cast<uint32_t>(state.received_bytes);
    // Both stand as they are on the wire: the key too is read back big endian.
    completion.immediate =
        packet.row->headers & bth::IETH ? __builtin_bswap32(packet.invalidate_key) : packet.immediate;
    completion.source = TERN_SET32(TERN_CQE_SRC_QPN, work.qp.attributes.dest_qpn);
    completion.is_solicited = packet.is_solicited;
    state.has_wqe = false;
    work.transport.complete_receive(work.qp, completion);
}

// The packet is done: what it moves on, and what it is answered with.
Verdict finish(Work& work) {
    ResponderState& state = work.state;
    const Packet& packet = work.packet;
    const Psn psn = Psn(packet.psn);
    ++state.expected;
    state.has_nak = false;
    const bool is_message = packet.is(bth::SEND) || packet.is(bth::WRITE);
    if (is_message) state.message_kind = packet.is(bth::END) ? 0 : packet.row->flags & (bth::SEND | bth::WRITE);
    if (packet.is(bth::END)) {
        state.msn = (state.msn + 1) & TERN_PSN_MASK;
        if (packet.is(bth::WRITE)) work.port.count(TERN_PORT_COUNTER_RX_WRITE_REQUESTS);
        if (is_message && needs_receive(packet)) complete_message(work);
        state.received_bytes = 0;
    }
    if (work.qp.is_rc() && is_message && packet.requests_ack && work.qp.state() != TERN_QP_STATE_ERR)
        (void)response::queue_acknowledge(work.transport, work.qp, psn, kAckSyndrome);
    return Verdict::kDone;
}

using Step = Verdict (*)(Work&);
constexpr Step kSteps[] = {check_psn, check_order, check_length, check_rights, take_receive, execute, finish};

// Ends

void nak(Work& work, uint8_t syndrome) {
    (void)response::queue_acknowledge(work.transport, work.qp, work.state.expected, syndrome);
}

// The NAK leaves before the QP does, then the host is told (C16).
void fail(Work& work, uint8_t code, tern_event event) {
    if (work.qp.state() == TERN_QP_STATE_ERR) return;
    response::queue_refusal(work.transport, work.qp, work.state.expected, static_cast<uint8_t>(TERN_AETH_NAK | code),
                            event);
}

void fail_receive(Work& work, uint8_t status) {
    if (!work.state.has_wqe) return;
    Completion completion;
    completion.opcode = TERN_CQE_OP_RECV;
    completion.status = status;
    completion.wqe_index = work.state.wqe.index;
    work.state.has_wqe = false;
    work.transport.complete_receive(work.qp, completion);
}

// UC: nobody is told of what the peer did wrong; it is as if the rest of the message
// were lost. What failed here ends the QP (IBTA 9.8.3.2, table 61).
void conclude_unreliable(Work& work, Verdict verdict) {
    const bool is_own = verdict == Verdict::kLength || verdict == Verdict::kRemoteOperation;
    if (is_own) {
        fail_receive(work,
                     verdict == Verdict::kLength ? TERN_CQE_STATUS_LOCAL_LENGTH : TERN_CQE_STATUS_LOCAL_PROTECTION);
        if (work.qp.state() != TERN_QP_STATE_ERR) work.transport.fail_qp(work.qp, TERN_EVENT_QP_FATAL);
        return;
    }
    abandon(work.state);
    work.state.expected = Psn(work.packet.psn) + 1;
}

void conclude(Work& work, Verdict verdict) {
    if (verdict == Verdict::kNext || verdict == Verdict::kDone) return;
    if (work.qp.is_uc()) return conclude_unreliable(work, verdict);
    switch (verdict) {
    case Verdict::kNext:
    case Verdict::kDone: return;
    case Verdict::kSequenceError: work.state.has_nak = true; return nak(work, TERN_AETH_NAK | TERN_NAK_PSN_SEQUENCE);
    case Verdict::kRnr:
        // What follows is out of sequence until this one comes again; no NAK for it.
        work.state.has_nak = true;
        work.port.count(TERN_PORT_COUNTER_RNR_NAK_SENT);
        return nak(work, static_cast<uint8_t>(TERN_AETH_RNR_NAK | work.qp.attributes.min_rnr_timer));
    case Verdict::kInvalidRequest:
        work.port.count(TERN_PORT_COUNTER_RESP_REMOTE_INVALID);
        fail_receive(work, TERN_CQE_STATUS_LOCAL_QP_OPERATION);
        return fail(work, TERN_NAK_INVALID_REQUEST, TERN_EVENT_QP_REQUEST_ERROR);
    case Verdict::kLength:
        work.port.count(TERN_PORT_COUNTER_RESP_REMOTE_INVALID);
        fail_receive(work, TERN_CQE_STATUS_LOCAL_LENGTH);
        return fail(work, TERN_NAK_INVALID_REQUEST, TERN_EVENT_QP_REQUEST_ERROR);
    case Verdict::kRemoteAccess:
        work.port.count(TERN_PORT_COUNTER_RESP_REMOTE_ACCESS);
        fail_receive(work, TERN_CQE_STATUS_LOCAL_ACCESS);
        return fail(work, TERN_NAK_REMOTE_ACCESS, TERN_EVENT_QP_ACCESS_ERROR);
    case Verdict::kRemoteOperation:
        fail_receive(work, TERN_CQE_STATUS_LOCAL_PROTECTION);
        return fail(work, TERN_NAK_REMOTE_OPERATION, TERN_EVENT_QP_FATAL);
    }
}

}  // namespace

void receive(Transport& transport, Qp& qp, const Packet& packet) {
    if (qp.responder.is_closing) return;
    Work work{transport, qp, packet, qp.responder, transport.port_of(qp)};
    for (const Step step : kSteps) {
        const Verdict verdict = step(work);
        if (verdict != Verdict::kNext) return conclude(work, verdict);
    }
}

void start(Qp& qp) { qp.responder.expected = Psn(qp.attributes.rq_psn); }

void reset(Qp& qp) {
    qp.responder = ResponderState{};
    qp.rq.reset();
}

}  // namespace tern::responder
