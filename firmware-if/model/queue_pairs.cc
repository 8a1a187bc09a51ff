// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
#include <algorithm>

#include "firmware-if/model/handlers.h"
#include "tern/fw/qp.h"
#include "tern/hw/access.h"
#include "tern/hw/doorbell.h"
#include "tern/hw/ids.h"
#include "tern/wire/roce.h"

namespace tern::firmware {

namespace {

using Create = tern_cmd_create_qp;
using Attributes = tern_cmd_qp_attributes;
using Modify = tern_cmd_modify_qp;

CommandAnswer check_reserved(const Create& raw) {
    if (raw.flags & ~(TERN_QP_KERNEL | TERN_QP_SIGNAL_ALL))
        return refuse(TERN_STATUS_BAD_RESERVED, offsetof(Create, flags));
    if (raw.reserved_07) return refuse(TERN_STATUS_BAD_RESERVED, offsetof(Create, reserved_07));
    if (raw.reserved_1c) return refuse(TERN_STATUS_BAD_RESERVED, offsetof(Create, reserved_1c));
    if (!is_zero(raw.reserved_48)) return refuse(TERN_STATUS_BAD_RESERVED, offsetof(Create, reserved_48));
    return {};
}

CommandAnswer check_send_queue(const Create& raw) {
    if (!is_depth(raw.sq_depth_log2, TERN_SQ_MAX_DEPTH_LOG2))
        return refuse(TERN_STATUS_BAD_PARAMETER, offsetof(Create, sq_depth_log2));
    if (!PageList::is_valid(raw.sq, uint64_t{TERN_SQ_BLOCK_BYTES} << raw.sq_depth_log2))
        return refuse(TERN_STATUS_BAD_PARAMETER, offsetof(Create, sq));
    return {};
}

CommandAnswer check_receive_queue(const Create& raw) {
    if (raw.has_rq > 1) return refuse(TERN_STATUS_BAD_PARAMETER, offsetof(Create, has_rq));
    if (raw.has_rq ? !is_depth(raw.rq_depth_log2, TERN_RQ_MAX_DEPTH_LOG2) : raw.rq_depth_log2 != 0)
        return refuse(TERN_STATUS_BAD_PARAMETER, offsetof(Create, rq_depth_log2));
    if (raw.rq_stride_log2 > (raw.has_rq ? TERN_RQ_MAX_STRIDE_LOG2 : 0))
        return refuse(TERN_STATUS_BAD_PARAMETER, offsetof(Create, rq_stride_log2));
    const uint64_t bytes = uint64_t{16} << (raw.rq_depth_log2 + raw.rq_stride_log2);
    if (raw.has_rq ? !PageList::is_valid(raw.rq, bytes) : !is_empty(raw.rq))
        return refuse(TERN_STATUS_BAD_PARAMETER, offsetof(Create, rq));
    return {};
}

CommandAnswer check_identity(Control& control, const Create& raw) {
    const bool is_kernel = raw.flags & TERN_QP_KERNEL;
    const uint32_t pair = little(raw.doorbell_pair);
    if (raw.type < TERN_QP_RC || raw.type > TERN_QP_GSI)
        return refuse(TERN_STATUS_BAD_PARAMETER, offsetof(Create, type));
    if (raw.type == TERN_QP_GSI ? !is_port(control, raw.port) : raw.port != 0)
        return refuse(TERN_STATUS_BAD_PARAMETER, offsetof(Create, port));
    if (pair >= TERN_DOORBELL_PAGE_PAIRS || is_kernel != (pair == 0))
        return refuse(TERN_STATUS_BAD_PARAMETER, offsetof(Create, doorbell_pair));
    if (little(raw.uidx) > TERN_OBJECT_NUMBER_MASK) return refuse(TERN_STATUS_BAD_PARAMETER, offsetof(Create, uidx));
    if (little(raw.record) % TERN_RECORD_BYTES) return refuse(TERN_STATUS_BAD_PARAMETER, offsetof(Create, record));
    if (!control.has_pd(little(raw.pdn))) return refuse(TERN_STATUS_BAD_HANDLE, offsetof(Create, pdn));
    if (!control.has_cq(little(raw.send_cqn))) return refuse(TERN_STATUS_BAD_HANDLE, offsetof(Create, send_cqn));
    if (!control.has_cq(little(raw.recv_cqn))) return refuse(TERN_STATUS_BAD_HANDLE, offsetof(Create, recv_cqn));
    return {};
}

// The first that is not OK.
CommandAnswer first_refusal(std::initializer_list<CommandAnswer> answers) {
    for (const CommandAnswer& answer : answers)
        if (answer.status != TERN_STATUS_OK) return answer;
    return {};
}

// A value in its field, the attribute that makes it count, and its range.
struct Range {
    uint32_t attribute;
    size_t offset;
    uint32_t value, min, max;
};

CommandAnswer check_ranges(Control& control, uint32_t valid, const Attributes& raw) {
    const Range ranges[] = {
        {TERN_QP_ATTR_STATE, offsetof(Attributes, state), raw.state, 0, TERN_QP_STATE_ERR},
        {TERN_QP_ATTR_CURRENT_STATE, offsetof(Attributes, current_state), raw.current_state, 0, TERN_QP_STATE_ERR},
        {TERN_QP_ATTR_PORT, offsetof(Attributes, port), raw.port, 1, control.identity().ports},
        {TERN_QP_ATTR_PATH_MTU, offsetof(Attributes, path_mtu), raw.path_mtu, 8, 12},
        {TERN_QP_ATTR_PKEY_INDEX, offsetof(Attributes, pkey_index), raw.pkey_index, 0, 0},
        {TERN_QP_ATTR_TIMEOUT, offsetof(Attributes, timeout), raw.timeout, 0, 31},
        {TERN_QP_ATTR_RETRY_COUNT, offsetof(Attributes, retry_count), raw.retry_count, 0, 7},
        {TERN_QP_ATTR_RNR_RETRY, offsetof(Attributes, rnr_retry), raw.rnr_retry, 0, 7},
        {TERN_QP_ATTR_MIN_RNR_TIMER, offsetof(Attributes, min_rnr_timer), raw.min_rnr_timer, 0, 31},
        {TERN_QP_ATTR_MAX_RD_ATOMIC, offsetof(Attributes, max_rd_atomic), raw.max_rd_atomic, 0, TERN_MAX_RD_ATOMIC},
        {TERN_QP_ATTR_MAX_DEST_RD_ATOMIC, offsetof(Attributes, max_dest_rd_atomic), raw.max_dest_rd_atomic, 0,
         TERN_MAX_RD_ATOMIC},
        {TERN_QP_ATTR_SQD_ASYNC, offsetof(Attributes, sqd_async), raw.sqd_async, 0, 1},
        {TERN_QP_ATTR_ACCESS, offsetof(Attributes, access), little(raw.access), 0, TERN_ACCESS_MASK},
        {TERN_QP_ATTR_DEST_QPN, offsetof(Attributes, dest_qpn), little(raw.dest_qpn), 0, TERN_OBJECT_NUMBER_MASK},
        {TERN_QP_ATTR_RQ_PSN, offsetof(Attributes, rq_psn), little(raw.rq_psn), 0, TERN_PSN_MASK},
        {TERN_QP_ATTR_SQ_PSN, offsetof(Attributes, sq_psn), little(raw.sq_psn), 0, TERN_PSN_MASK},
        {TERN_QP_ATTR_ADDRESS_VECTOR, offsetof(Attributes, path.sgid_index), raw.path.sgid_index, 0,
         TERN_GID_TABLE_LENGTH - 1},
    };
    for (const Range& range : ranges)
        if ((valid & range.attribute) && (range.value < range.min || range.value > range.max))
            return refuse(TERN_STATUS_BAD_PARAMETER, offsetof(Modify, attributes) + range.offset);
    return {};
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
    const auto raw = decode<Create>(in);
    const CommandAnswer answer = first_refusal(
        {check_reserved(raw), check_identity(control, raw), check_send_queue(raw), check_receive_queue(raw)});
    if (answer.status != TERN_STATUS_OK) return answer;
    return answer_handle(control.create_qp({.type = static_cast<tern_qp_type>(raw.type),
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
                                            .rq = raw.has_rq ? PageList(raw.rq) : PageList()}),
                         out);
}

CommandAnswer destroy_qp(Control& control, Request in, Response) {
    return with_handle(in, [&](uint32_t qpn) { return control.destroy_qp(qpn); });
}

CommandAnswer modify_qp(Control& control, Request in, Response) {
    const auto raw = decode<Modify>(in);
    const Attributes& attributes = raw.attributes;
    const uint32_t valid = little(raw.valid);
    if (valid & ~TERN_QP_ATTR_ALL) return refuse(TERN_STATUS_BAD_RESERVED, offsetof(Modify, valid));
    if (attributes.path.reserved_1c)
        return refuse(TERN_STATUS_BAD_RESERVED, offsetof(Modify, attributes.path.reserved_1c));
    if (!is_zero(attributes.reserved_40))
        return refuse(TERN_STATUS_BAD_RESERVED, offsetof(Modify, attributes.reserved_40));
    if (const CommandAnswer answer = check_ranges(control, valid, attributes); answer.status != TERN_STATUS_OK)
        return answer;
    const Status status = control.modify_qp(little(raw.qpn), valid, from_raw(attributes));
    // All that the hardware can still find out of range is a GID that is not there.
    if (status == TERN_STATUS_BAD_PARAMETER) return refuse(status, offsetof(Modify, attributes.path.sgid_index));
    return {status};
}

CommandAnswer query_qp(Control& control, Request in, Response out) {
    return with_handle(in, [&](uint32_t qpn) -> Status {
        const auto attributes = control.query_qp(qpn);
        if (!attributes) return attributes.error();
        encode(out, to_raw(*attributes));
        return TERN_STATUS_OK;
    });
}

}  // namespace tern::firmware
