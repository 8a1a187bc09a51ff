// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
#include "qemu/engine/transport/qp_attributes.h"

#include "tern/hw/access.h"

namespace tern {

Status check_attributes(const Qp& qp, uint32_t valid, const QueuePairAttributes& a, size_t ports) {
    const auto has = [valid](uint32_t attribute) { return (valid & attribute) != 0; };
    const bool is_bad =
        (has(TERN_QP_ATTR_PORT) && (a.port == 0 || a.port > ports)) ||
        (has(TERN_QP_ATTR_PORT) && qp.config.type == TERN_QP_GSI && a.port != qp.config.port) ||
        (has(TERN_QP_ATTR_PKEY_INDEX) && a.pkey_index != 0) ||
        (has(TERN_QP_ATTR_ACCESS) && (a.access & ~TERN_ACCESS_MASK)) ||
        (has(TERN_QP_ATTR_PATH_MTU) && (a.path_mtu_log2 < 8 || a.path_mtu_log2 > 12)) ||
        (has(TERN_QP_ATTR_TIMEOUT) && a.timeout > 31) || (has(TERN_QP_ATTR_RETRY_COUNT) && a.retry_count > 7) ||
        (has(TERN_QP_ATTR_RNR_RETRY) && a.rnr_retry > 7) || (has(TERN_QP_ATTR_MIN_RNR_TIMER) && a.min_rnr_timer > 31) ||
        (has(TERN_QP_ATTR_MAX_RD_ATOMIC) && a.max_rd_atomic > TERN_MAX_RD_ATOMIC) ||
        (has(TERN_QP_ATTR_MAX_DEST_RD_ATOMIC) && a.max_dest_rd_atomic > TERN_MAX_RD_ATOMIC) ||
        (has(TERN_QP_ATTR_DEST_QPN) && a.dest_qpn > TERN_OBJECT_NUMBER_MASK) ||
        (has(TERN_QP_ATTR_RQ_PSN) && a.rq_psn > TERN_PSN_MASK) ||
        (has(TERN_QP_ATTR_SQ_PSN) && a.sq_psn > TERN_PSN_MASK) ||
        (has(TERN_QP_ATTR_ADDRESS_VECTOR) && a.sgid_index >= TERN_GID_TABLE_LENGTH);
    return is_bad ? TERN_STATUS_BAD_PARAMETER : TERN_STATUS_OK;
}

void take_attributes(Qp& qp, uint32_t valid, const QueuePairAttributes& from) {
    QueuePairAttributes& to = qp.attributes;
    const auto take = [&](uint32_t attribute, auto member) {
        if (valid & attribute) to.*member = from.*member;
    };
    using A = QueuePairAttributes;
    take(TERN_QP_ATTR_PORT, &A::port);
    take(TERN_QP_ATTR_PKEY_INDEX, &A::pkey_index);
    take(TERN_QP_ATTR_ACCESS, &A::access);
    take(TERN_QP_ATTR_QKEY, &A::qkey);
    take(TERN_QP_ATTR_PATH_MTU, &A::path_mtu_log2);
    take(TERN_QP_ATTR_TIMEOUT, &A::timeout);
    take(TERN_QP_ATTR_RETRY_COUNT, &A::retry_count);
    take(TERN_QP_ATTR_RNR_RETRY, &A::rnr_retry);
    take(TERN_QP_ATTR_MIN_RNR_TIMER, &A::min_rnr_timer);
    take(TERN_QP_ATTR_MAX_RD_ATOMIC, &A::max_rd_atomic);
    take(TERN_QP_ATTR_MAX_DEST_RD_ATOMIC, &A::max_dest_rd_atomic);
    take(TERN_QP_ATTR_DEST_QPN, &A::dest_qpn);
    take(TERN_QP_ATTR_RQ_PSN, &A::rq_psn);
    take(TERN_QP_ATTR_SQ_PSN, &A::sq_psn);
    take(TERN_QP_ATTR_SQD_ASYNC, &A::sqd_async);
    for (const auto member : {&A::sgid_index, &A::hop_limit}) take(TERN_QP_ATTR_ADDRESS_VECTOR, member);
    take(TERN_QP_ATTR_ADDRESS_VECTOR, &A::dgid);
    take(TERN_QP_ATTR_ADDRESS_VECTOR, &A::dmac);
    take(TERN_QP_ATTR_ADDRESS_VECTOR, &A::flow_class);
}

}  // namespace tern
