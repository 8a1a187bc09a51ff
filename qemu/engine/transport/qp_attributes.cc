// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
#include "qemu/engine/transport/qp_attributes.h"

namespace tern {

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
