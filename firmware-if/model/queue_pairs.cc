// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
#include <algorithm>

#include "firmware-if/model/handlers.h"

namespace tern::firmware {

namespace {

using Create = tern_cmd_create_qp;
using Attributes = tern_cmd_qp_attributes;
using Modify = tern_cmd_modify_qp;

// Which of the objects that a QP names is not there.
CommandAnswer check_handles(Control& control, const Create& raw) {
    if (!control.has_pd(little(raw.pdn))) return refuse(TERN_STATUS_BAD_HANDLE, offsetof(Create, pdn));
    if (!control.has_cq(little(raw.send_cqn))) return refuse(TERN_STATUS_BAD_HANDLE, offsetof(Create, send_cqn));
    if (!control.has_cq(little(raw.recv_cqn))) return refuse(TERN_STATUS_BAD_HANDLE, offsetof(Create, recv_cqn));
    return {};
}

QueuePairConfig config_of(const Create& raw) {
    return {.type = static_cast<tern_qp_type>(raw.type),
            .is_kernel = (raw.flags & TERN_QP_KERNEL) != 0,
            .signal_all = (raw.flags & TERN_QP_SIGNAL_ALL) != 0,
            .port = raw.port,
            .sq_depth_log2 = raw.sq_depth_log2,
            .has_rq = raw.has_rq != 0,
            .rq_depth_log2 = raw.rq_depth_log2,
            .rq_stride_log2 = raw.rq_stride_log2,
            .pdn = little(raw.pdn),
            .send_cqn = little(raw.send_cqn),
            .recv_cqn = little(raw.recv_cqn),
            .doorbell_pair = little(raw.doorbell_pair),
            .uidx = little(raw.uidx),
            .record = little(raw.record),
            .sq = PageList(raw.sq),
            .rq = raw.has_rq ? PageList(raw.rq) : PageList()};
}

QueuePairAttributes from_raw(const Attributes& raw) {
    QueuePairAttributes to;
    to.state = raw.state;
    to.current_state = raw.current_state;
    to.port = raw.port;
    to.path_mtu_log2 = raw.path_mtu;
    to.pkey_index = raw.pkey_index;
    to.timeout = raw.timeout;
    to.retry_count = raw.retry_count;
    to.rnr_retry = raw.rnr_retry;
    to.min_rnr_timer = raw.min_rnr_timer;
    to.max_rd_atomic = raw.max_rd_atomic;
    to.max_dest_rd_atomic = raw.max_dest_rd_atomic;
    to.sqd_async = raw.sqd_async;
    to.access = little(raw.access);
    to.qkey = little(raw.qkey);
    to.dest_qpn = little(raw.dest_qpn);
    to.rq_psn = little(raw.rq_psn);
    to.sq_psn = little(raw.sq_psn);
    std::ranges::copy(raw.path.dgid, to.dgid.begin());
    std::ranges::copy(raw.path.dmac, to.dmac.begin());
    to.sgid_index = raw.path.sgid_index;
    to.hop_limit = raw.path.hop_limit;
    to.flow_class = little(raw.path.flow_class);
    return to;
}

Attributes to_raw(const QueuePairAttributes& from) {
    Attributes raw{};
    raw.state = from.state;
    raw.current_state = from.current_state;
    raw.port = from.port;
    raw.path_mtu = from.path_mtu_log2;
    raw.pkey_index = from.pkey_index;
    raw.timeout = from.timeout;
    raw.retry_count = from.retry_count;
    raw.rnr_retry = from.rnr_retry;
    raw.min_rnr_timer = from.min_rnr_timer;
    raw.max_rd_atomic = from.max_rd_atomic;
    raw.max_dest_rd_atomic = from.max_dest_rd_atomic;
    raw.sqd_async = from.sqd_async;
    raw.access = little(from.access);
    raw.qkey = little(from.qkey);
    raw.dest_qpn = little(from.dest_qpn);
    raw.rq_psn = little(from.rq_psn);
    raw.sq_psn = little(from.sq_psn);
    std::ranges::copy(from.dgid, raw.path.dgid);
    std::ranges::copy(from.dmac, raw.path.dmac);
    raw.path.sgid_index = from.sgid_index;
    raw.path.hop_limit = from.hop_limit;
    raw.path.flow_class = little(from.flow_class);
    return raw;
}

}  // namespace

CommandAnswer create_qp(Control& control, Request in, Response out) {
    return with<Create>(control, in, [&](const Create& raw) {
        const CommandAnswer answer = check_handles(control, raw);
        return answer.status == TERN_STATUS_OK ? answer_handle(control.create_qp(config_of(raw)), out) : answer;
    });
}

CommandAnswer destroy_qp(Control& control, Request in, Response) {
    return with_handle(control, in, [&](uint32_t qpn) { return control.destroy_qp(qpn); });
}

CommandAnswer modify_qp(Control& control, Request in, Response) {
    return with<Modify>(control, in, [&](const Modify& raw) -> CommandAnswer {
        const Status status = control.modify_qp(little(raw.qpn), little(raw.valid), from_raw(raw.attributes));
        // All that the hardware can still find out of range is a GID that is not there.
        if (status == TERN_STATUS_BAD_PARAMETER) return refuse(status, offsetof(Modify, attributes.path.sgid_index));
        return {status};
    });
}

CommandAnswer query_qp(Control& control, Request in, Response out) {
    return with_handle(control, in, [&](uint32_t qpn) -> Status {
        const auto attributes = control.query_qp(qpn);
        if (!attributes) return attributes.error();
        codec::encode(out, to_raw(*attributes));
        return TERN_STATUS_OK;
    });
}

}  // namespace tern::firmware
