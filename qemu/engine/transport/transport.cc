// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
#include "qemu/engine/transport/transport.h"

#include <algorithm>

#include "qemu/engine/base/endian.h"
#include "qemu/engine/transport/acknowledge.h"
#include "qemu/engine/transport/datagram.h"
#include "qemu/engine/transport/flush.h"
#include "qemu/engine/transport/qp_attributes.h"
#include "qemu/engine/transport/qp_states.h"
#include "qemu/engine/transport/requester.h"
#include "qemu/engine/transport/responder.h"
#include "qemu/engine/transport/response.h"
#include "tern/hw/eqe.h"

namespace tern {

namespace {

// Packets of one QP before the next has its turn.
constexpr uint32_t kTurnPackets = 32;

bool accepts_requests(uint8_t state) {
    return state == TERN_QP_STATE_RTR || state == TERN_QP_STATE_RTS || state == TERN_QP_STATE_SQD ||
           state == TERN_QP_STATE_SQE;
}

bool accepts_responses(uint8_t state) { return state == TERN_QP_STATE_RTS || state == TERN_QP_STATE_SQD; }

bth::Flag service_of(const Qp& qp) {
    switch (qp.config.type) {
    case TERN_QP_RC: return bth::RC;
    case TERN_QP_UC: return bth::UC;
    default: return bth::UD;
    }
}

uint8_t completion_opcode(uint8_t opcode) {
    switch (opcode) {
    case TERN_WQE_OP_RDMA_WRITE:
    case TERN_WQE_OP_RDMA_WRITE_WITH_IMM: return TERN_CQE_OP_RDMA_WRITE;
    case TERN_WQE_OP_RDMA_READ: return TERN_CQE_OP_RDMA_READ;
    case TERN_WQE_OP_ATOMIC_CMP_AND_SWP: return TERN_CQE_OP_COMP_SWAP;
    case TERN_WQE_OP_ATOMIC_FETCH_AND_ADD: return TERN_CQE_OP_FETCH_ADD;
    case TERN_WQE_OP_LOCAL_INV: return TERN_CQE_OP_LOCAL_INV;
    case TERN_WQE_OP_REG_MR: return TERN_CQE_OP_REG_MR;
    default: return TERN_CQE_OP_SEND;
    }
}

}  // namespace

Transport::Transport(const Rooms& card_rooms, uint32_t max_qps, const Permutation& numbers)
    : rooms(card_rooms), qps_(max_qps, numbers) {}

// Control path

Result<uint32_t, Status> Transport::create_qp(const QueuePairConfig& config) {
    const bool is_gsi = config.type == TERN_QP_GSI;
    if (is_gsi && gsi_[config.port - 1u]) return TERN_STATUS_BUSY;
    auto number = qps_.create(config);
    if (number && is_gsi) gsi_[config.port - 1u] = qps_.find(*number);
    return number;
}

Status Transport::destroy_qp(uint32_t qpn) {
    Qp* qp = qps_.find(qpn);
    if (!qp) return TERN_STATUS_BAD_HANDLE;
    remove_runnable(*qp);
    timers_.remove(*qp);
    std::ranges::replace(gsi_, qp, static_cast<Qp*>(nullptr));
    return qps_.destroy(qpn) ? TERN_STATUS_OK : TERN_STATUS_BAD_HANDLE;
}

const QueuePairConfig* Transport::config(uint32_t qpn) const {
    const Qp* qp = qps_.find(qpn);
    return qp ? &qp->config : nullptr;
}

Status Transport::modify_qp(uint32_t qpn, uint32_t valid, const QueuePairAttributes& attributes) {
    Qp* qp = qps_.find(qpn);
    if (!qp) return TERN_STATUS_BAD_HANDLE;
    const uint8_t from = qp->state();
    const uint8_t to = valid & TERN_QP_ATTR_STATE ? attributes.state : from;
    if ((valid & TERN_QP_ATTR_CURRENT_STATE) && attributes.current_state != from) return TERN_STATUS_BAD_STATE;
    if (!is_transition_ok(from, to, qp->config.type, valid)) return TERN_STATUS_BAD_STATE;
    if ((valid & TERN_QP_ATTR_ADDRESS_VECTOR) && !rooms.ports[qp->attributes.port - 1u]->gid_at(attributes.sgid_index))
        return TERN_STATUS_BAD_PARAMETER;
    take_attributes(*qp, valid, attributes);
    qp->path_generation = UINT32_MAX;
    if (to != from || to == TERN_QP_STATE_RESET) set_state(*qp, static_cast<tern_qp_state>(to));
    return TERN_STATUS_OK;
}

Result<QueuePairAttributes, Status> Transport::query_qp(uint32_t qpn) {
    const Qp* qp = qps_.find(qpn);
    if (!qp) return TERN_STATUS_BAD_HANDLE;
    QueuePairAttributes attributes = qp->attributes;
    attributes.current_state = attributes.state;
    attributes.rq_psn = qp->responder.expected.value();
    attributes.sq_psn = qp->requester.next_psn.value();
    attributes.sqd_async = qp->state() == TERN_QP_STATE_SQD && !qp->reported_drained;
    return attributes;
}

void Transport::addresses_changed() {
    ++address_generation_;
    // Those whose source GID was missing may have it now.
    qps_.for_each([this](Qp& qp) {
        if (qp.is_connected() && accepts_requests(qp.state())) make_runnable(qp);
    });
}

void Transport::clear() {
    first_runnable_ = last_runnable_ = nullptr;
    runnable_count_ = 0;
    timers_.clear();
    gsi_.fill(nullptr);
    for (Loopback& loopback : loopback_) loopback.clear();
    qps_.clear();
}

// State

void Transport::set_state(Qp& qp, tern_qp_state state) {
    const uint8_t from = qp.attributes.state;
    qp.attributes.state = state;
    switch (state) {
    case TERN_QP_STATE_RESET:
        remove_runnable(qp);
        timers_.remove(qp);
        requester::reset(qp);
        responder::reset(qp);
        qp.attributes = initial_attributes(qp.config);
        qp.flush_deadline_ns = UINT64_MAX;
        qp.has_established = false;
        return;
    case TERN_QP_STATE_RTR: return responder::start(qp);
    case TERN_QP_STATE_RTS:
        if (from == TERN_QP_STATE_RTR) requester::start(qp);
        if (from == TERN_QP_STATE_SQE) requester::resume(qp);
        return make_runnable(qp);
    case TERN_QP_STATE_SQD: qp.reported_drained = false; return make_runnable(qp);
    case TERN_QP_STATE_SQE:
    case TERN_QP_STATE_ERR:
        qp.requester.ack_deadline_ns = qp.requester.rnr_deadline_ns = UINT64_MAX;
        qp.responder.response_head = qp.responder.response_tail;
        return flush::wake(*this, qp);
    case TERN_QP_STATE_INIT: return;
    }
}

void Transport::fail_qp(Qp& qp, tern_event event) {
    set_state(qp, TERN_QP_STATE_ERR);
    raise(qp, event);
}

void Transport::raise(const Qp& qp, tern_event event) {
    rooms.events.raise({.type = static_cast<uint8_t>(event),
                        .port = qp.attributes.port,
                        .object = qp.number,
                        .token = qp.config.uidx});
}

// Completions

void Transport::complete_send(Qp& qp, const PendingSend& send, uint8_t status, uint32_t vendor_error) {
    Completion completion;
    completion.uidx = qp.config.uidx;
    completion.opcode = completion_opcode(send.opcode);
    completion.status = status;
    completion.vendor_error = vendor_error;
    completion.wqe_index = static_cast<uint16_t>(send.start);
    completion.byte_len = send.length_bytes;
    completion.is_solicited = status != TERN_CQE_STATUS_SUCCESS;
    complete(qp, qp.config.send_cqn, completion);
}

void Transport::complete_receive(Qp& qp, Completion completion) {
    completion.uidx = qp.config.uidx;
    complete(qp, qp.config.recv_cqn, completion);
}

void Transport::complete(Qp& qp, uint32_t cqn, const Completion& completion) {
    CompletionQueue* cq = rooms.cqs.find(cqn);
    if (!cq) return;
    const bool was_broken = cq->is_broken();
    if (cq->post(rooms.host, rooms.events, completion)) return;
    if (!was_broken) return fail_users(cqn);
    if (qp.state() != TERN_QP_STATE_ERR) fail_qp(qp, TERN_EVENT_QP_FATAL);
}

void Transport::fail_users(uint32_t cqn) {
    qps_.for_each([&](Qp& qp) {
        const bool is_user = qp.config.send_cqn == cqn || qp.config.recv_cqn == cqn;
        const bool is_alive = qp.state() != TERN_QP_STATE_RESET && qp.state() != TERN_QP_STATE_ERR;
        if (is_user && is_alive) fail_qp(qp, TERN_EVENT_QP_FATAL);
    });
}

// Doorbells

Qp* Transport::find_owned(uint32_t qpn, uint32_t pair) const {
    Qp* qp = qps_.find(qpn);
    return qp && qp->config.doorbell_pair == pair ? qp : nullptr;
}

bool Transport::sq_doorbell(uint32_t qpn, uint32_t prod, uint32_t pair) {
    Qp* qp = find_owned(qpn, pair);
    if (!qp) return false;
    // Of before the reset: counts start at 0 again.
    if (qp->state() == TERN_QP_STATE_RESET) return true;
    if (qp->state() == TERN_QP_STATE_ERR || qp->state() == TERN_QP_STATE_SQE) {
        flush::wake(*this, *qp);
    } else if (qp->sq.set_prod(prod)) {
        make_runnable(*qp);
    } else if (accepts_requests(qp->state())) {
        fail_qp(*qp, TERN_EVENT_QP_FATAL);
    }
    return true;
}

bool Transport::rq_doorbell(uint32_t qpn, uint32_t pair) {
    Qp* qp = find_owned(qpn, pair);
    if (qp && qp->state() == TERN_QP_STATE_ERR) flush::wake(*this, *qp);
    return qp != nullptr;
}

bool Transport::push(uint32_t pair, std::span<const std::byte, TERN_SQ_BLOCK_BYTES> block) {
    const uint32_t word = load_le<uint32_t>(block.data());
    Qp* qp = find_owned(TERN_GET32(TERN_WQE_QPN, word), pair);
    if (!qp) return false;
    if (qp->state() == TERN_QP_STATE_RESET) return true;
    // Not the next one: the queue in memory and its record tell.
    const bool is_running = qp->state() == TERN_QP_STATE_RTS || qp->state() == TERN_QP_STATE_SQD;
    if (!is_running || !qp->sq.push(block)) (void)qp->sq.load_prod(rooms.host);
    make_runnable(*qp);
    return true;
}

void Transport::doorbells_lost() {
    qps_.for_each([this](Qp& qp) {
        if (qp.state() == TERN_QP_STATE_RESET || qp.state() == TERN_QP_STATE_INIT) return;
        (void)qp.sq.load_prod(rooms.host);
        make_runnable(qp);
    });
}

// Scheduling

void Transport::make_runnable(Qp& qp) {
    if (qp.is_runnable) return;
    qp.is_runnable = true;
    qp.next_runnable = nullptr;
    (last_runnable_ ? last_runnable_->next_runnable : first_runnable_) = &qp;
    last_runnable_ = &qp;
    ++runnable_count_;
}

void Transport::remove_runnable(Qp& qp) {
    if (!qp.is_runnable) return;
    Qp* previous = nullptr;
    for (Qp* at = first_runnable_; at != &qp; at = at->next_runnable) previous = at;
    (previous ? previous->next_runnable : first_runnable_) = qp.next_runnable;
    if (last_runnable_ == &qp) last_runnable_ = previous;
    qp.is_runnable = false;
    --runnable_count_;
}

// Answers first: the peer waits for them, and they free its window.
bool Transport::run_connected(Qp& qp, uint32_t& budget) {
    const bool has_responses = response::run(*this, qp, budget);
    const bool has_requests = requester::run(*this, qp, budget);
    return has_responses || has_requests;
}

// SQD is left to the host once nothing is outstanding (IBTA 10.3.1.5).
void Transport::report_drained(Qp& qp) {
    if (qp.state() != TERN_QP_STATE_SQD || qp.reported_drained || qp.requester.pending_count() != 0) return;
    qp.reported_drained = true;
    if (qp.attributes.sqd_async) raise(qp, TERN_EVENT_QP_SQ_DRAINED);
}

bool Transport::run_qp(Qp& qp, uint32_t& budget) {
    switch (qp.state()) {
    case TERN_QP_STATE_ERR:
    case TERN_QP_STATE_SQE: return flush::run(*this, qp, budget);
    case TERN_QP_STATE_RESET:
    case TERN_QP_STATE_INIT: return false;
    default: break;
    }
    const bool has_more = qp.is_connected() ? run_connected(qp, budget) : datagram::run(*this, qp, budget);
    report_drained(qp);
    return has_more;
}

bool Transport::waits_for_room(const Qp& qp) const {
    // A datagram waits for the way of its own destination.
    if (!qp.is_connected())
        return qp.state() == TERN_QP_STATE_RTS && !qp.sq.is_empty() && !has_room(qp, qp.requester.wqe.dmac);
    const bool has_work = qp.responder.response_count() > 0 || !qp.sq.is_empty() ||
                          (qp.requester.cursor != qp.requester.tail && qp.requester.rnr_deadline_ns == UINT64_MAX);
    return has_work && accepts_requests(qp.state()) && !has_room(qp, qp.attributes.dmac);
}

bool Transport::run(uint32_t& budget) {
    run_loopback(budget);
    uint32_t waiting = 0;  // runnable, but for want of room
    for (uint32_t turns = runnable_count_; turns > 0 && budget > 0 && first_runnable_; --turns) {
        Qp& qp = *first_runnable_;
        remove_runnable(qp);
        uint32_t turn = std::min(budget, kTurnPackets);
        budget -= turn;
        const bool wants_more = run_qp(qp, turn);
        budget += turn;
        if (wants_more) make_runnable(qp);
        if (qp.is_runnable || !waits_for_room(qp)) continue;  // runnable also if its turn changed its state
        make_runnable(qp);
        ++waiting;
    }
    const bool has_loopback = std::ranges::any_of(loopback_, [](const Loopback& l) { return !l.is_empty(); });
    return has_loopback || runnable_count_ > waiting;
}

void Transport::run_loopback(uint32_t& budget) {
    for (Port* port : rooms.ports) {
        Loopback& loopback = loopback_[port->index()];
        for (; budget > 0 && !loopback.is_empty(); --budget) {
            receive(*port, loopback.front());
            loopback.pop();
        }
    }
}

void Transport::timer_due(uint64_t now_ns) {
    while (Qp* qp = timers_.take_due(now_ns)) {
        if (now_ns >= qp->requester.rnr_deadline_ns) {
            requester::rnr_timer_due(*qp);
            make_runnable(*qp);
        }
        requester::ack_timer_due(*this, *qp, now_ns);
        flush::timer_due(*this, *qp, now_ns);
        timers_.update(*qp);
    }
}

// Sending

bool Transport::has_room(const Qp& qp, const MacAddress& destination) const {
    const Port& port = port_of(qp);
    return port.owns_mac(destination) ? loopback_[port.index()].has_room() : port.room() > 0;
}

std::span<std::byte> Transport::begin_frame(Qp& qp, const MacAddress& destination) {
    Port& port = port_of(qp);
    if (port.owns_mac(destination)) return loopback_[port.index()].begin();
    return port.begin_frame();
}

void Transport::send_frame(Qp& qp, const MacAddress& destination, uint32_t length_bytes) {
    Port& port = port_of(qp);
    if (port.owns_mac(destination))
        loopback_[port.index()].commit(length_bytes);
    else if (!port.commit_frame(length_bytes))
        return;  // lost like any other on the way
    port.count(TERN_PORT_COUNTER_ROCE_TX_PACKETS);
    port.count(TERN_PORT_COUNTER_ROCE_TX_BYTES, length_bytes);
}

const PathHeader* Transport::path_header(Qp& qp) {
    if (qp.path_generation == address_generation_) return &qp.path;
    const GidEntry* source = port_of(qp).gid_at(qp.attributes.sgid_index);
    if (!source) return nullptr;
    Path path;
    path.source = *source;
    path.destination = qp.attributes.dgid;
    path.destination_mac = qp.attributes.dmac;
    path.hop_limit = qp.attributes.hop_limit;
    path.traffic_class = static_cast<uint8_t>(TERN_GET32(TERN_AV_TRAFFIC_CLASS, qp.attributes.flow_class));
    path.service_level = static_cast<uint8_t>(TERN_GET32(TERN_AV_SL, qp.attributes.flow_class));
    path.flow_label = TERN_GET32(TERN_AV_FLOW_LABEL, qp.attributes.flow_class);
    path.udp_source_port = roce_source_port(path.flow_label, qp.number, qp.attributes.dest_qpn);
    qp.path = PathHeader(path);
    qp.path_generation = address_generation_;
    return &qp.path;
}

// Receiving

Qp* Transport::find_destination(const Port& port, const Packet& packet) const {
    Qp* qp = packet.dest_qpn == TERN_QPN_GSI ? gsi_[port.index()] : qps_.find(packet.dest_qpn);
    if (!qp || qp->wire_qpn != packet.dest_qpn || qp->attributes.port != port.number()) return nullptr;
    if (!packet.is(service_of(*qp)) || !accepts_requests(qp->state())) return nullptr;
    if (!qp->is_connected()) return qp;
    // Nobody but the peer speaks on a connection (C46).
    const GidEntry* own = port.gid_at(qp->attributes.sgid_index);
    const bool is_peer = packet.source == qp->attributes.dgid && own && packet.destination == own->gid;
    return is_peer ? qp : nullptr;
}

void Transport::deliver_connected(Qp& qp, const Packet& packet) {
    if (packet.is(bth::RESPONSE)) {
        if (accepts_responses(qp.state())) acknowledge::receive(*this, qp, packet);
        return;
    }
    if (qp.state() == TERN_QP_STATE_RTR && !qp.has_established) {
        qp.has_established = true;
        raise(qp, TERN_EVENT_QP_COMM_EST);
    }
    responder::receive(*this, qp, packet);
}

void Transport::deliver(Port& port, const Packet& packet) {
    Qp* qp = find_destination(port, packet);
    if (!qp) return port.count(TERN_PORT_COUNTER_RX_BAD_QP);
    // Bit 15 is membership; the base must agree (IBTA 10.9.3).
    if ((packet.pkey ^ TERN_PKEY_DEFAULT) & 0x7fff) return port.count(TERN_PORT_COUNTER_RX_BAD_PKEY);
    qp->is_connected() ? deliver_connected(*qp, packet) : datagram::receive(*this, *qp, port, packet);
}

void Transport::receive(Port& port, std::span<const std::byte> frame) {
    const auto packet = parse_packet(frame);
    if (!packet)
        return port.count(packet.error() == PacketError::kIcrc ? TERN_PORT_COUNTER_RX_ICRC_ERRORS
                                                               : TERN_PORT_COUNTER_RX_MALFORMED);
    port.count(TERN_PORT_COUNTER_ROCE_RX_PACKETS);
    port.count(TERN_PORT_COUNTER_ROCE_RX_BYTES, frame.size());
    if (!port.find_gid(packet->destination, packet->vlan_id())) return port.count(TERN_PORT_COUNTER_RX_NO_GID);
    deliver(port, *packet);
}

}  // namespace tern
