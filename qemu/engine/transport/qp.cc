// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
#include "qemu/engine/transport/qp.h"

#include <algorithm>
#include <cstddef>

namespace tern {

namespace {

// Fetched and not completed: bounds the memory of a QP, not its queue.
constexpr uint32_t kMaxPending = 256;

SendQueueKind send_queue_kind(tern_qp_type type) {
    switch (type) {
    case TERN_QP_RC: return SendQueueKind::kRc;
    case TERN_QP_UC: return SendQueueKind::kUc;
    default: return SendQueueKind::kUd;
    }
}

SendQueue make_send_queue(uint32_t number, const QueuePairConfig& config) {
    return SendQueue({
        .kind = send_queue_kind(config.type),
        .number = number,
        .depth_log2 = config.sq_depth_log2,
        .record = config.record,
        .record_offset = offsetof(tern_qp_record, sq_prod),
        .buffer = config.sq,
    });
}

ReceiveQueue make_receive_queue(const QueuePairConfig& config) {
    if (!config.has_rq) return {};
    return ReceiveQueue({
        .depth_log2 = config.rq_depth_log2,
        .stride_log2 = config.rq_stride_log2,
        .record = config.record,
        .record_offset = offsetof(tern_qp_record, rq_prod),
        .buffer = config.rq,
    });
}

}  // namespace

QueuePairAttributes initial_attributes(const QueuePairConfig& config) {
    QueuePairAttributes attributes;
    attributes.port = config.port;
    return attributes;
}

Qp::Qp(uint32_t qp_number, const QueuePairConfig& qp_config)
    : number(qp_number),
      config(qp_config),
      attributes(initial_attributes(qp_config)),
      wire_qpn(qp_config.type == TERN_QP_GSI ? TERN_QPN_GSI : qp_number),
      sq(make_send_queue(qp_number, qp_config)),
      rq(make_receive_queue(qp_config)) {
    requester.pending.resize(std::min(kMaxPending, 1u << config.sq_depth_log2));
}

uint64_t Qp::deadline_ns() const {
    return std::min({requester.ack_deadline_ns, requester.rnr_deadline_ns, flush_deadline_ns});
}

}  // namespace tern
