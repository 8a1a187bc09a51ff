// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
//
// UD and GSI between two cards (IBTA 9.8.3).
#include <gtest/gtest.h>

#include <cstring>

#include "tests/sim/forge.h"

namespace tern::test {
namespace {

constexpr uint64_t kLocal = Node::kData, kLanding = Node::kData + (1 << 20);
constexpr uint32_t kQkey = 0x1234;
constexpr uint64_t kMoment = 50'000'000;

// Two UD QPs on one port of both cards.
struct Pair : Cable {
    explicit Pair(uint8_t port = 1)
        : x(a, {.type = TERN_QP_UD, .port = port}), y(b, {.type = TERN_QP_UD, .port = port}) {
        x.to_rts_datagram(kQkey);
        y.to_rts_datagram(kQkey);
        fill(a, kLocal, 8192, 7);
    }

    [[nodiscard]] Work datagram(uint32_t length, uint8_t gid_index = kIpv4) const {
        return {.length = length,
                .remote_qpn = y.qpn,
                .qkey = kQkey,
                .dgid = b.gid(y.options.port, gid_index),
                .dmac = b.mac(y.options.port),
                .sgid_index = gid_index};
    }

    Endpoint x, y;
};

bool has_completion(Cable& cable, Endpoint& endpoint) {
    tern_cqe cqe{};
    return cable.run_until([&] { return endpoint.poll(cqe); }, kMoment);
}

TEST(Datagram, PayloadStandsBehindFortyBytesOfGrh) {
    for (const uint8_t gid : {kIpv4, kIpv6}) {
        Pair pair;
        pair.y.post_receive(kLanding, 2048);
        pair.x.post(pair.datagram(999, gid));
        EXPECT_EQ(next_status(pair, pair.x), TERN_CQE_STATUS_SUCCESS);
        const tern_cqe cqe = next(pair, pair.y);
        EXPECT_EQ(status_of(cqe), TERN_CQE_STATUS_SUCCESS);
        EXPECT_EQ(opcode_of(cqe), TERN_CQE_OP_RECV);
        EXPECT_EQ(cqe.byte_len, 40u + 999);
        EXPECT_TRUE(cqe.source & TERN_CQE_GRH);
        EXPECT_EQ((cqe.source & TERN_CQE_IPV6) != 0, gid == kIpv6);
        EXPECT_EQ(TERN_GET32(TERN_CQE_SRC_QPN, cqe.source), pair.x.qpn);
        EXPECT_TRUE(same(pair.a, kLocal, pair.b, kLanding + 40, 999));
        const uint8_t* grh = pair.b.host.memory.data() + kLanding;
        const Gid source = pair.a.gid(1, gid), destination = pair.b.gid(1, gid);
        const bool is_ipv6 = gid == kIpv6;
        EXPECT_EQ(grh[is_ipv6 ? 0 : 20] >> 4, is_ipv6 ? 6 : 4);
        EXPECT_EQ(std::memcmp(grh + (is_ipv6 ? 8 : 32), source.data() + (is_ipv6 ? 0 : 12), is_ipv6 ? 16 : 4), 0);
        EXPECT_EQ(std::memcmp(grh + (is_ipv6 ? 24 : 36), destination.data() + (is_ipv6 ? 0 : 12), is_ipv6 ? 16 : 4), 0);
    }
}

TEST(Datagram, EmptyAndFullMessagesArrive) {
    Pair pair;
    for (const uint32_t length : {0u, 1u, 4096u}) {
        pair.y.post_receive(kLanding, 8192);
        pair.x.post(pair.datagram(length));
        EXPECT_EQ(next_status(pair, pair.x), TERN_CQE_STATUS_SUCCESS);
        EXPECT_EQ(next(pair, pair.y).byte_len, 40 + length);
        EXPECT_TRUE(same(pair.a, kLocal, pair.b, kLanding + 40, length));
    }
}

TEST(Datagram, ImmediateArrivesAsItWasGiven) {
    Pair pair;
    pair.y.post_receive(kLanding, 2048);
    Work work = pair.datagram(8);
    work.opcode = TERN_WQE_OP_SEND_WITH_IMM;
    work.immediate = 0x44332211;
    pair.x.post(work);
    const tern_cqe cqe = next(pair, pair.y);
    EXPECT_EQ(opcode_of(cqe), TERN_CQE_OP_RECV_WITH_IMM);
    EXPECT_EQ(cqe.immediate, 0x44332211u);
    EXPECT_EQ(cqe.byte_len, 48u);
}

TEST(Datagram, InlineDataNeedsNoKey) {
    Pair pair;
    pair.y.post_receive(kLanding, 2048);
    Work work = pair.datagram(0);
    for (uint8_t i = 0; i < 100; ++i) work.inline_data.push_back(i);
    pair.x.post(work);
    EXPECT_EQ(next(pair, pair.y).byte_len, 140u);
    EXPECT_EQ(std::memcmp(pair.b.host.memory.data() + kLanding + 40, work.inline_data.data(), 100), 0);
}

TEST(Datagram, ScattersOverSeveralBuffersAcrossTheGrhsEnd) {
    Cable cable;
    Endpoint x(cable.a, {.type = TERN_QP_UD}), y(cable.b, {.type = TERN_QP_UD, .rq_stride_log2 = 2});
    x.to_rts_datagram(kQkey);
    y.to_rts_datagram(kQkey);
    fill(cable.a, kLocal, 512, 3);
    const uint32_t key = cable.b.key;
    y.post_receive({{kLanding, 39, key}, {kLanding + 100, 2, key}, {kLanding + 200, 1000, key}});
    x.post({.length = 300, .remote_qpn = y.qpn, .qkey = kQkey, .dgid = cable.b.gid(1, kIpv4), .dmac = cable.b.mac(1)});
    EXPECT_EQ(next(cable, y).byte_len, 340u);
    EXPECT_TRUE(same(cable.a, kLocal, cable.b, kLanding + 101, 1));
    EXPECT_TRUE(same(cable.a, kLocal + 1, cable.b, kLanding + 200, 299));
}

TEST(Datagram, WrongQkeyIsDroppedSilentlyAndCounted) {
    Pair pair;
    pair.y.post_receive(kLanding, 2048);
    Work work = pair.datagram(8);
    work.qkey = kQkey + 1;
    pair.x.post(work);
    EXPECT_EQ(next_status(pair, pair.x), TERN_CQE_STATUS_SUCCESS);
    EXPECT_FALSE(has_completion(pair, pair.y));
    EXPECT_EQ(pair.b.counter(1, TERN_PORT_COUNTER_RX_BAD_QKEY), 1u);
    EXPECT_EQ(pair.b.counter(1, TERN_PORT_COUNTER_ROCE_TX_PACKETS), 0u);
    pair.x.post(pair.datagram(8));  // the receive WQE is still there
    EXPECT_EQ(next(pair, pair.y).wqe_index, 0u);
}

TEST(Datagram, PrivilegedQkeyOfAWorkRequestStandsForThatOfTheQp) {
    Pair pair;
    pair.y.post_receive(kLanding, 2048);
    Work work = pair.datagram(8);
    work.qkey = TERN_QKEY_GSI;
    pair.x.post(work);
    EXPECT_EQ(next(pair, pair.y).byte_len, 48u);
}

TEST(Datagram, WithoutAReceiveItIsDroppedAndCounted) {
    Pair pair;
    pair.x.post(pair.datagram(8));
    EXPECT_EQ(next_status(pair, pair.x), TERN_CQE_STATUS_SUCCESS);
    EXPECT_FALSE(has_completion(pair, pair.y));
    EXPECT_EQ(pair.b.counter(1, TERN_PORT_COUNTER_RX_UD_DROPPED), 1u);
    EXPECT_EQ(pair.y.state(), TERN_QP_STATE_RTS);
}

TEST(Datagram, ReceiveTooSmallForGrhAndPayloadIsALocalLengthError) {
    Pair pair;
    pair.y.post_receive(kLanding, 40 + 99);
    fill(pair.b, kLanding + 139, 64, 5);
    const std::vector<uint8_t> before(pair.b.host.memory.begin() + kLanding + 139,
                                      pair.b.host.memory.begin() + kLanding + 203);
    pair.x.post(pair.datagram(100));
    EXPECT_EQ(next_status(pair, pair.y), TERN_CQE_STATUS_LOCAL_LENGTH);
    EXPECT_EQ(std::memcmp(before.data(), pair.b.host.memory.data() + kLanding + 139, 64), 0);
    EXPECT_EQ(pair.y.state(), TERN_QP_STATE_ERR);
    EXPECT_EQ(next_status(pair, pair.x), TERN_CQE_STATUS_SUCCESS);
}

TEST(Datagram, SendErrorStopsTheSendSideOnlyAndRtsRepairsIt) {
    Pair pair;
    pair.y.post_receive(kLanding, 8192);
    for (const uint32_t length : {4097u, 8u, 16u}) pair.x.write_blocks(pair.x.encode(pair.datagram(length)));
    pair.x.ring();
    EXPECT_EQ(next_status(pair, pair.x), TERN_CQE_STATUS_LOCAL_LENGTH);
    EXPECT_EQ(next_status(pair, pair.x), TERN_CQE_STATUS_FLUSH);
    EXPECT_EQ(next_status(pair, pair.x), TERN_CQE_STATUS_FLUSH);
    EXPECT_EQ(pair.x.state(), TERN_QP_STATE_SQE);
    // It still receives.
    pair.x.post_receive(kLanding, 2048);
    pair.y.post(
        {.length = 4, .remote_qpn = pair.x.qpn, .qkey = kQkey, .dgid = pair.a.gid(1, 0), .dmac = pair.a.mac(1)});
    EXPECT_EQ(next(pair, pair.x).byte_len, 44u);
    EXPECT_EQ(next_status(pair, pair.y), TERN_CQE_STATUS_SUCCESS);
    ASSERT_EQ(pair.x.to_state(TERN_QP_STATE_RTS), TERN_STATUS_OK);
    pair.x.post(pair.datagram(24));
    EXPECT_EQ(next_status(pair, pair.x), TERN_CQE_STATUS_SUCCESS);
    EXPECT_EQ(next(pair, pair.y).byte_len, 64u);
}

TEST(Datagram, EmptyGidIndexIsALocalError) {
    Pair pair;
    Work work = pair.datagram(8);
    work.sgid_index = 99;
    pair.x.post(work);
    EXPECT_EQ(next_status(pair, pair.x), TERN_CQE_STATUS_LOCAL_QP_OPERATION);
}

TEST(Datagram, UnknownQpnIsDroppedAndCounted) {
    Pair pair;
    Work work = pair.datagram(8);
    work.remote_qpn = pair.y.qpn ^ 1;
    pair.x.post(work);
    EXPECT_EQ(next_status(pair, pair.x), TERN_CQE_STATUS_SUCCESS);
    pair.run_for(kMoment);
    EXPECT_EQ(pair.b.counter(1, TERN_PORT_COUNTER_RX_BAD_QP), 1u);
}

TEST(Datagram, VlanAndPriorityAreInTheCompletion) {
    Pair pair;
    pair.y.post_receive(kLanding, 2048);
    Work work = pair.datagram(8, kIpv6Vlan);
    work.flow_class = TERN_SET32(TERN_AV_SL, 5);
    pair.x.post(work);
    const tern_cqe cqe = next(pair, pair.y);
    EXPECT_TRUE(cqe.source & TERN_CQE_VLAN);
    EXPECT_EQ(TERN_GET32(TERN_CQE_PCP, cqe.source), 5u);
    EXPECT_EQ(cqe.vlan_tci & 0xfff, kVlan);
}

TEST(Datagram, SqdRaisesDrainedAndSendsNothingMore) {
    Pair pair;
    QueuePairAttributes wants_event;
    wants_event.sqd_async = 1;
    ASSERT_EQ(pair.x.to_state(TERN_QP_STATE_SQD, TERN_QP_ATTR_SQD_ASYNC, wants_event), TERN_STATUS_OK);
    EXPECT_TRUE(pair.run_until([&] { return pair.a.events(TERN_EVENT_QP_SQ_DRAINED, pair.x.qpn) == 1; }, kMoment));
    EXPECT_EQ(pair.a.card->query_qp(pair.x.qpn)->sqd_async, 0);
    pair.x.post(pair.datagram(8));
    EXPECT_FALSE(has_completion(pair, pair.x));
    ASSERT_EQ(pair.x.to_state(TERN_QP_STATE_RTS), TERN_STATUS_OK);
    EXPECT_EQ(next_status(pair, pair.x), TERN_CQE_STATUS_SUCCESS);
}

TEST(Gsi, SpeaksAsQpOneOnEachPortApart) {
    Cable cable;
    std::vector<std::unique_ptr<Endpoint>> ends;
    for (Node* node : {&cable.a, &cable.b})
        for (const uint8_t port : {uint8_t{1}, uint8_t{2}}) {
            ends.push_back(std::make_unique<Endpoint>(
                *node, Endpoint::Options{.type = TERN_QP_GSI, .is_kernel = true, .port = port}));
            ends.back()->to_rts_datagram(TERN_QKEY_GSI);
        }
    uint32_t wire_source = 0;
    cable.watch = [&](const Node&, Frame& frame) {
        wire_source = read(frame)->source_qpn;
        return true;
    };
    const uint32_t key = cable.b.create_region(0, 0, Node::kMemory, TERN_ACCESS_MASK, cable.b.kernel_pdn);
    for (const uint8_t port : {uint8_t{1}, uint8_t{2}}) {
        Endpoint& from = *ends[port - 1u];
        Endpoint& to = *ends[1u + port];
        Endpoint& other = *ends[4u - port];
        to.post_receive(kLanding, 512, key);
        other.post_receive(kLanding, 512, key);
        from.post({.length = 256,
                   .lkey = TERN_LOCAL_DMA_LKEY,
                   .remote_qpn = TERN_QPN_GSI,
                   .qkey = TERN_QKEY_GSI,
                   .dgid = cable.b.gid(port, kIpv4),
                   .dmac = cable.b.mac(port)});
        EXPECT_EQ(next_status(cable, from), TERN_CQE_STATUS_SUCCESS);
        const tern_cqe cqe = next(cable, to);
        EXPECT_EQ(cqe.byte_len, 296u);
        EXPECT_EQ(TERN_GET32(TERN_CQE_SRC_QPN, cqe.source), 1u);
        EXPECT_EQ(wire_source, 1u);
        EXPECT_FALSE(has_completion(cable, other));
    }
}

TEST(Gsi, IsOneForEachPort) {
    Cable cable;
    const Endpoint first(cable.a, {.type = TERN_QP_GSI, .is_kernel = true});
    QueuePairConfig config{};
    config.type = TERN_QP_GSI;
    config.is_kernel = true;
    config.port = 1;
    config.sq_depth_log2 = 4;
    config.pdn = cable.a.kernel_pdn;
    config.send_cqn = config.recv_cqn = first.cqn;
    const auto second = cable.a.card->create_qp(config);
    ASSERT_FALSE(second.ok());
    EXPECT_EQ(second.error(), TERN_STATUS_BUSY);
    EXPECT_EQ(cable.a.card->destroy_qp(first.qpn), TERN_STATUS_OK);
    EXPECT_TRUE(cable.a.card->create_qp(config).ok());
}

}  // namespace
}  // namespace tern::test
