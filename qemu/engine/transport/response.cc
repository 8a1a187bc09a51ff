// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
#include "qemu/engine/transport/response.h"

#include <algorithm>

#include "tern/hw/access.h"

namespace tern::response {

namespace {

constexpr uint8_t kAckSyndrome = TERN_AETH_ACK | TERN_AETH_CREDITS_INVALID;

PendingResponse& append_always(Transport& transport, Qp& qp, PendingResponse::Kind kind) {
    ResponderState& state = qp.responder;
    PendingResponse& response = state.response(state.response_tail++);
    response = PendingResponse{};
    response.kind = kind;
    response.syndrome = kAckSyndrome;
    response.msn = state.msn;
    transport.make_runnable(qp);
    return response;
}

PendingResponse* append(Transport& transport, Qp& qp, PendingResponse::Kind kind) {
    if (qp.responder.response_count() >= ResponderState::kMaxResponses) return nullptr;
    return &append_always(transport, qp, kind);
}

uint8_t read_opcode(bool is_first, bool is_last) {
    if (is_first) return is_last ? TERN_BTH_RC_READ_RESPONSE_ONLY : TERN_BTH_RC_READ_RESPONSE_FIRST;
    return is_last ? TERN_BTH_RC_READ_RESPONSE_LAST : TERN_BTH_RC_READ_RESPONSE_MIDDLE;
}

ExtendedHeaders headers_of(const PendingResponse& response) {
    ExtendedHeaders headers;
    headers.syndrome = response.syndrome;
    headers.msn = response.msn;
    headers.atomic_result = response.original;
    return headers;
}

void send_short(Transport& transport, Qp& qp, const PendingResponse& response, uint8_t opcode) {
    const BthFields bth = {opcode, qp.attributes.dest_qpn, response.psn.value()};
    PacketBuilder builder(transport.begin_frame(qp, qp.attributes.dmac), qp.path, bth, headers_of(response));
    transport.send_frame(qp, qp.attributes.dmac, builder.finish());
}

enum class Sent : uint8_t { kPart, kWhole };

// The region may have gone since the request came, or its pages are not there:
// then the rest is refused.
void refuse_read(Transport& transport, Qp& qp, const PendingResponse& response, bool may_access) {
    PendingResponse nak = response;
    nak.syndrome = TERN_AETH_NAK | (may_access ? TERN_NAK_REMOTE_OPERATION : TERN_NAK_REMOTE_ACCESS);
    send_short(transport, qp, nak, TERN_BTH_RC_ACKNOWLEDGE);
    if (!may_access) transport.port_of(qp).count(TERN_PORT_COUNTER_RESP_REMOTE_ACCESS);
    transport.fail_qp(qp, may_access ? TERN_EVENT_QP_FATAL : TERN_EVENT_QP_ACCESS_ERROR);
}

Sent send_read(Transport& transport, Qp& qp, PendingResponse& response) {
    const uint32_t length = std::min(response.length_bytes, qp.mtu_bytes());
    const bool is_last = response.psn == response.last_psn;
    MemoryTable& memory = transport.rooms.memory;
    const auto slice = memory.check(qp.user(), response.rkey, TERN_ACCESS_REMOTE_READ, response.address, length);
    const BthFields bth = {read_opcode(response.is_first, is_last), qp.attributes.dest_qpn, response.psn.value()};
    PacketBuilder builder(transport.begin_frame(qp, qp.attributes.dmac), qp.path, bth, headers_of(response));
    if (!slice || !memory.read(*slice, 0, builder.payload(length))) {
        refuse_read(transport, qp, response, slice.ok());
        return Sent::kWhole;
    }
    transport.send_frame(qp, qp.attributes.dmac, builder.finish());
    response.is_first = false;
    response.address += length;
    response.length_bytes -= length;
    ++response.psn;
    return is_last ? Sent::kWhole : Sent::kPart;
}

Sent send_one(Transport& transport, Qp& qp, PendingResponse& response) {
    switch (response.kind) {
    case PendingResponse::Kind::kRead: return send_read(transport, qp, response);
    case PendingResponse::Kind::kAtomic:
        send_short(transport, qp, response, TERN_BTH_RC_ATOMIC_ACKNOWLEDGE);
        return Sent::kWhole;
    case PendingResponse::Kind::kAcknowledge:
        send_short(transport, qp, response, TERN_BTH_RC_ACKNOWLEDGE);
        if (response.final_event) transport.fail_qp(qp, static_cast<tern_event>(response.final_event));
        return Sent::kWhole;
    }
    return Sent::kWhole;
}

// There is no way to the peer. Its own timer tells it; the host is told here.
bool give_up(Transport& transport, Qp& qp) {
    ResponderState& state = qp.responder;
    if (!state.is_closing) return false;
    transport.fail_qp(qp, static_cast<tern_event>(state.response(state.response_tail - 1).final_event));
    return false;
}

}  // namespace

bool queue_acknowledge(Transport& transport, Qp& qp, Psn psn, uint8_t syndrome) {
    ResponderState& state = qp.responder;
    if (state.response_count() > 0) {
        PendingResponse& last = state.response(state.response_tail - 1);
        const bool is_plain = last.kind == PendingResponse::Kind::kAcknowledge && last.syndrome == kAckSyndrome;
        if (is_plain && syndrome == kAckSyndrome) {
            last.psn = psn;
            last.msn = state.msn;
            return true;
        }
    }
    PendingResponse* response = append(transport, qp, PendingResponse::Kind::kAcknowledge);
    if (!response) return false;
    response->psn = psn;
    response->syndrome = syndrome;
    return true;
}

void queue_refusal(Transport& transport, Qp& qp, Psn psn, uint8_t syndrome, tern_event event) {
    PendingResponse& response = append_always(transport, qp, PendingResponse::Kind::kAcknowledge);
    response.psn = psn;
    response.syndrome = syndrome;
    response.final_event = static_cast<uint8_t>(event);
    qp.responder.is_closing = true;
}

bool queue_read(Transport& transport, Qp& qp, const ResponderResource& read, Psn from) {
    PendingResponse* response = append(transport, qp, PendingResponse::Kind::kRead);
    if (!response) return false;
    response->psn = from;
    response->last_psn = read.last_psn;
    response->address = read.address;
    response->rkey = read.rkey;
    response->length_bytes = read.length_bytes;
    response->is_first = true;
    response->msn = read.msn;
    return true;
}

bool queue_atomic(Transport& transport, Qp& qp, const ResponderResource& atomic) {
    PendingResponse* response = append(transport, qp, PendingResponse::Kind::kAtomic);
    if (!response) return false;
    response->psn = atomic.first_psn;
    response->original = atomic.original;
    response->msn = atomic.msn;
    return true;
}

bool run(Transport& transport, Qp& qp, uint32_t& budget) {
    ResponderState& state = qp.responder;
    while (state.response_count() > 0) {
        if (budget == 0) return true;
        if (!transport.path_header(qp)) return give_up(transport, qp);
        if (!transport.has_room(qp, qp.attributes.dmac)) return false;
        --budget;
        // Failing the QP empties the queue, so the count is looked at again.
        if (send_one(transport, qp, state.response(state.response_head)) == Sent::kWhole && state.response_count() > 0)
            ++state.response_head;
    }
    return false;
}

}  // namespace tern::response
