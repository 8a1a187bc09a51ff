// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
//
// Requests that make and change queues (chapter 21 of the guide).
#include "tern/fw/cq.h"
#include "tern/fw/eth.h"
#include "tern/fw/qp.h"
#include "tests/abi/golden.h"
#include "tests/abi/golden_bytes.h"

namespace tern::test {
namespace {

using namespace golden;

constexpr uint32_t kPdn = 0x5a17c3, kEqn = 0x0b31f2, kCqn = 0x7e02d9, kQpn = 0x4a3b2c, kRxq = 0x91d447;

TEST(GoldenQueue, CreateEq) {
    using T = tern_cmd_create_eq;
    Golden<T>(kCreateEq)
        .has(&T::flags, TERN_EQ_ASYNCHRONOUS)
        .has(&T::depth_log2, 7)
        .has(&T::vector, 0)
        .has(&T::buffer, contiguous(0x14000, 1));
}

TEST(GoldenQueue, CreateCq) {
    using T = tern_cmd_create_cq;
    Golden<T>(kCreateCq)
        .has(&T::eqn, kEqn)
        .has(&T::depth_log2, 7)
        .has(&T::doorbell_pair, 0)
        .has(&T::record, 0x16000)
        .has(&T::buffer, contiguous(0x15000, 1));
}

TEST(GoldenQueue, ModifyCq) {
    using T = tern_cmd_modify_cq;
    Golden<T>(kModifyCq).has(&T::cqn, kCqn).has(&T::moderation_count, 16).has(&T::moderation_usec, 50);
}

TEST(GoldenQueue, CreateQp) {
    using T = tern_cmd_create_qp;
    Golden<T>(kCreateQp)
        .has(&T::type, TERN_QP_RC)
        .has(&T::flags, TERN_QP_KERNEL)
        .has(&T::port, 0)
        .has(&T::sq_depth_log2, 6)
        .has(&T::rq_depth_log2, 8)
        .has(&T::rq_stride_log2, 0)
        .has(&T::has_rq, 1)
        .has(&T::pdn, kPdn)
        .has(&T::send_cqn, kCqn)
        .has(&T::recv_cqn, kCqn)
        .has(&T::doorbell_pair, 0)
        .has(&T::uidx, 7)
        .has(&T::record, 0x16040)
        .has(&T::sq, contiguous(0x17000, 1))
        .has(&T::rq, contiguous(0x18000, 1));
}

// MODIFY_QP and, within it, the attributes alone.
void modify_is(std::span<const uint8_t> bytes, uint32_t valid, const tern_cmd_qp_attributes& attributes) {
    using T = tern_cmd_modify_qp;
    Golden<T>(bytes).has(&T::qpn, kQpn).has(&T::valid, valid).has(&T::attributes, attributes);
}

TEST(GoldenQueue, ModifyQpToInit) {
    tern_cmd_qp_attributes attributes{};
    attributes.state = TERN_QP_STATE_INIT;
    attributes.port = 1;
    attributes.access = 6;
    modify_is(kModifyQpInit, TERN_QP_ATTR_STATE | TERN_QP_ATTR_ACCESS | TERN_QP_ATTR_PKEY_INDEX | TERN_QP_ATTR_PORT,
              attributes);
}

TEST(GoldenQueue, ModifyQpToRtr) {
    tern_cmd_qp_attributes attributes{};
    attributes.state = TERN_QP_STATE_RTR;
    attributes.path_mtu = 10;
    attributes.min_rnr_timer = 12;
    attributes.max_dest_rd_atomic = 4;
    attributes.dest_qpn = kQpn;
    attributes.rq_psn = 0x100;
    attributes.path = {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, 1}, {2, 0, 0, 0, 0, 1}, 0, 64, 0, 0};
    modify_is(kModifyQpRtr,
              TERN_QP_ATTR_STATE | TERN_QP_ATTR_ADDRESS_VECTOR | TERN_QP_ATTR_PATH_MTU | TERN_QP_ATTR_RQ_PSN |
                  TERN_QP_ATTR_MIN_RNR_TIMER | TERN_QP_ATTR_MAX_DEST_RD_ATOMIC | TERN_QP_ATTR_DEST_QPN,
              attributes);
}

TEST(GoldenQueue, ModifyQpToRts) {
    tern_cmd_qp_attributes attributes{};
    attributes.state = TERN_QP_STATE_RTS;
    attributes.timeout = 14;
    attributes.retry_count = 7;
    attributes.rnr_retry = 7;
    attributes.max_rd_atomic = 4;
    attributes.sq_psn = 0x100;
    modify_is(kModifyQpRts,
              TERN_QP_ATTR_STATE | TERN_QP_ATTR_TIMEOUT | TERN_QP_ATTR_RETRY_COUNT | TERN_QP_ATTR_RNR_RETRY |
                  TERN_QP_ATTR_MAX_RD_ATOMIC | TERN_QP_ATTR_SQ_PSN,
              attributes);
}

TEST(GoldenQueue, CreateEthernetQueues) {
    using T = tern_cmd_create_eth_queue;
    Golden<T>(kCreateTxq)
        .has(&T::port, 1)
        .has(&T::depth_log2, 8)
        .has(&T::cqn, kCqn)
        .has(&T::uidx, 9)
        .has(&T::record, 0x16080)
        .has(&T::buffer, contiguous(0x40000, 4));
    Golden<T>(kCreateRxq)
        .has(&T::port, 1)
        .has(&T::depth_log2, 8)
        .has(&T::stride_log2, 1)
        .has(&T::cqn, kCqn)
        .has(&T::uidx, 10)
        .has(&T::record, 0x160c0)
        .has(&T::buffer, contiguous(0x44000, 2));
}

TEST(GoldenQueue, SetRss) {
    using T = tern_cmd_set_rss;
    Golden<T> golden(kSetRss);
    golden.has(&T::port, 1)
        .has(&T::enabled, 1)
        .has(&T::hash_fields, TERN_RSS_HASH_IPV4 | TERN_RSS_HASH_IPV6 | TERN_RSS_HASH_TCP | TERN_RSS_HASH_UDP)
        .has(&T::key, {0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67, 0x25, 0x3d, 0x43, 0xa3,
                       0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb, 0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3,
                       0x80, 0x30, 0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa});
    for (__le32& entry : golden.encoded().table) entry = kRxq;
    for (const __le32 entry : golden.decoded().table) EXPECT_EQ(entry, kRxq);
}

}  // namespace
}  // namespace tern::test
