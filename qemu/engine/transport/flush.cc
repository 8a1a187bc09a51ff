// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
#include "qemu/engine/transport/flush.h"

#include <algorithm>

namespace tern::flush {

namespace {

constexpr uint64_t kFirstIntervalNs = 1'000'000;
constexpr uint64_t kLastIntervalNs = 16'000'000;

PendingSend flushed(uint32_t start) {
    PendingSend send{};
    send.start = start;
    send.opcode = TERN_WQE_OP_SEND;
    return send;
}

bool flush_send(Transport& transport, Qp& qp) {
    RequesterState& state = qp.requester;
    if (state.pending_count() > 0) {
        const PendingSend send = state.entry(state.head++);
        transport.complete_send(qp, send, TERN_CQE_STATUS_FLUSH, 0);
        return true;
    }
    if (qp.sq.is_empty()) return false;
    transport.complete_send(qp, flushed(qp.sq.skip(transport.rooms.host)), TERN_CQE_STATUS_FLUSH, 0);
    return true;
}

void complete_flushed_receive(Transport& transport, Qp& qp, uint16_t index) {
    Completion completion;
    completion.opcode = TERN_CQE_OP_RECV;
    completion.status = TERN_CQE_STATUS_FLUSH;
    completion.wqe_index = index;
    transport.complete_receive(qp, completion);
}

bool flush_receive(Transport& transport, Qp& qp) {
    ResponderState& state = qp.responder;
    if (state.has_wqe) {  // of a message that will not end
        state.has_wqe = false;
        complete_flushed_receive(transport, qp, state.wqe.index);
        return true;
    }
    if (qp.state() == TERN_QP_STATE_SQE) return false;  // only its send side failed
    const auto index = qp.rq.skip(transport.rooms.host);
    if (!index) return false;
    complete_flushed_receive(transport, qp, *index);
    return true;
}

}  // namespace

bool run(Transport& transport, Qp& qp, uint32_t& budget) {
    bool found = false;
    (void)qp.sq.load_prod(transport.rooms.host);
    while (budget > 0) {
        const bool sent = flush_send(transport, qp);
        const bool received = flush_receive(transport, qp);
        if (!sent && !received) break;
        found = true;
        --budget;
    }
    if (found) qp.flush_interval_ns = 0;
    if (budget > 0 && qp.flush_deadline_ns == UINT64_MAX) {
        qp.flush_interval_ns = std::clamp(qp.flush_interval_ns * 2, kFirstIntervalNs, kLastIntervalNs);
        qp.flush_deadline_ns = transport.rooms.host.now_ns() + qp.flush_interval_ns;
        transport.update_timer(qp);
    }
    return budget == 0;
}

void wake(Transport& transport, Qp& qp) {
    qp.flush_interval_ns = 0;
    transport.make_runnable(qp);
}

void timer_due(Transport& transport, Qp& qp, uint64_t now_ns) {
    if (now_ns < qp.flush_deadline_ns) return;
    qp.flush_deadline_ns = UINT64_MAX;
    transport.make_runnable(qp);
}

}  // namespace tern::flush
