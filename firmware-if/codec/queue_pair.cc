// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
#include "firmware-if/codec/rules.h"
#include "tern/hw/access.h"
#include "tern/hw/doorbell.h"
#include "tern/hw/ids.h"
#include "tern/wire/roce.h"

namespace tern::codec {

namespace {

using Create = tern_cmd_create_qp;
using Attributes = tern_cmd_qp_attributes;
using Modify = tern_cmd_modify_qp;

Refusal check_reserved(const Create& request) {
    if (request.flags & ~(TERN_QP_KERNEL | TERN_QP_SIGNAL_ALL)) return bad_reserved(offsetof(Create, flags));
    if (request.reserved_07) return bad_reserved(offsetof(Create, reserved_07));
    if (request.reserved_1c) return bad_reserved(offsetof(Create, reserved_1c));
    if (!is_zero(request.reserved_48)) return bad_reserved(offsetof(Create, reserved_48));
    return {};
}

Refusal check_identity(const Create& request, const Limits& limits) {
    const bool is_kernel = request.flags & TERN_QP_KERNEL;
    const uint32_t pair = little(request.doorbell_pair);
    if (request.type < TERN_QP_RC || request.type > TERN_QP_UC) return bad_parameter(offsetof(Create, type));
    if (request.type == TERN_QP_GSI ? !is_port(request.port, limits) : request.port != 0)
        return bad_parameter(offsetof(Create, port));
    if (pair >= TERN_DOORBELL_PAGE_PAIRS || is_kernel != (pair == 0))
        return bad_parameter(offsetof(Create, doorbell_pair));
    if (little(request.uidx) > TERN_OBJECT_NUMBER_MASK) return bad_parameter(offsetof(Create, uidx));
    if (little(request.record) % TERN_RECORD_BYTES) return bad_parameter(offsetof(Create, record));
    return {};
}

Refusal check_send_queue(const Create& request) {
    if (!is_depth(request.sq_depth_log2, TERN_SQ_MAX_DEPTH_LOG2)) return bad_parameter(offsetof(Create, sq_depth_log2));
    if (!PageList::is_valid(request.sq, uint64_t{TERN_SQ_BLOCK_BYTES} << request.sq_depth_log2))
        return bad_parameter(offsetof(Create, sq));
    return {};
}

Refusal check_receive_queue(const Create& request) {
    if (request.has_rq > 1) return bad_parameter(offsetof(Create, has_rq));
    if (request.has_rq ? !is_depth(request.rq_depth_log2, TERN_RQ_MAX_DEPTH_LOG2) : request.rq_depth_log2 != 0)
        return bad_parameter(offsetof(Create, rq_depth_log2));
    if (request.rq_stride_log2 > (request.has_rq ? TERN_RQ_MAX_STRIDE_LOG2 : 0))
        return bad_parameter(offsetof(Create, rq_stride_log2));
    const uint64_t bytes = uint64_t{16} << (request.rq_depth_log2 + request.rq_stride_log2);
    if (request.has_rq ? !PageList::is_valid(request.rq, bytes) : !is_empty(request.rq))
        return bad_parameter(offsetof(Create, rq));
    return {};
}

// A value in its field, the attribute that makes it count, and its range.
struct Range {
    uint32_t attribute;
    size_t offset;
    uint32_t value, min, max;
};

Refusal check_ranges(uint32_t valid, const Attributes& raw, const Limits& limits) {
    const Range ranges[] = {
        {TERN_QP_ATTR_STATE, offsetof(Attributes, state), raw.state, 0, TERN_QP_STATE_ERR},
        {TERN_QP_ATTR_CURRENT_STATE, offsetof(Attributes, current_state), raw.current_state, 0, TERN_QP_STATE_ERR},
        {TERN_QP_ATTR_PORT, offsetof(Attributes, port), raw.port, 1, limits.ports},
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
            return bad_parameter(offsetof(Modify, attributes) + range.offset);
    return {};
}

}  // namespace

Refusal check(const tern_cmd_create_qp& request, const Limits& limits) {
    if (const Refusal refusal = check_reserved(request)) return refusal;
    if (const Refusal refusal = check_identity(request, limits)) return refusal;
    if (const Refusal refusal = check_send_queue(request)) return refusal;
    return check_receive_queue(request);
}

Refusal check(const tern_cmd_modify_qp& request, const Limits& limits) {
    const Attributes& attributes = request.attributes;
    const uint32_t valid = little(request.valid);
    if (valid & ~TERN_QP_ATTR_ALL) return bad_reserved(offsetof(Modify, valid));
    if (attributes.path.reserved_1c) return bad_reserved(offsetof(Modify, attributes.path.reserved_1c));
    if (!is_zero(attributes.reserved_40)) return bad_reserved(offsetof(Modify, attributes.reserved_40));
    return check_ranges(valid, attributes, limits);
}

}  // namespace tern::codec
