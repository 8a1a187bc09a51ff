// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
//
// Time-outs, RNR and sequence errors: who repeats what, when, and how often
// (IBTA 9.7.5.2.8, 9.7.6.1.3, 9.9.2.4).
#include <gtest/gtest.h>

#include "tests/sim/forge.h"

namespace tern::test {
namespace {

constexpr uint64_t kLocal = Node::kData, kRemote = Node::kData + (2 << 20);
constexpr uint64_t kSecond = 1'000'000'000, kMoment = 50'000'000;

Work write(const World& world, uint32_t length) {
    return {.opcode = TERN_WQE_OP_RDMA_WRITE, .length = length, .remote = kRemote, .rkey = world.b.key};
}

TEST(Retry, SilentPeerIsTriedRetryCountTimesMore) {
    for (const uint8_t retries : {uint8_t{0}, uint8_t{1}, uint8_t{7}}) {
        World world(Connection{.timeout = 8, .retries = retries});
        uint32_t sent = 0;
        world.watch = [&](const Node& from, Frame&) {
            sent += &from == &world.a;
            return false;
        };
        world.x.post(write(world, 8));
        EXPECT_EQ(next_status(world, world.x), TERN_CQE_STATUS_RETRY_EXCEEDED);
        EXPECT_EQ(sent, retries + 1u);
        EXPECT_EQ(world.a.counter(1, TERN_PORT_COUNTER_ACK_TIMEOUT), retries + 1u);
        EXPECT_EQ(world.a.counter(1, TERN_PORT_COUNTER_RETRANSMITTED), retries);
        EXPECT_EQ(world.a.counter(1, TERN_PORT_COUNTER_RETRY_EXCEEDED), 1u);
    }
}

TEST(Retry, ExhaustionFlushesAllThatFollowsAlsoWhatIsPostedLater) {
    World world(Connection{.timeout = 8, .retries = 1});
    world.watch = [](const Node&, Frame&) { return false; };
    for (int i = 0; i < 10; ++i) world.x.post(write(world, 3000));
    for (int i = 0; i < 3; ++i) world.x.post_receive(kLocal, 100);
    EXPECT_EQ(next_status(world, world.x), TERN_CQE_STATUS_RETRY_EXCEEDED);
    for (uint16_t i = 1; i < 10; ++i) {
        tern_cqe cqe{};
        do cqe = next(world, world.x);
        while (opcode_of(cqe) >= TERN_CQE_OP_RECEIVE_FIRST);
        EXPECT_EQ(status_of(cqe), TERN_CQE_STATUS_FLUSH);
        EXPECT_EQ(cqe.wqe_index, i);
    }
    EXPECT_EQ(world.x.state(), TERN_QP_STATE_ERR);
    world.run_for(kMoment);
    tern_cqe cqe{};
    while (world.x.poll(cqe)) EXPECT_EQ(status_of(cqe), TERN_CQE_STATUS_FLUSH);
    world.x.write_blocks(world.x.encode(write(world, 8)));  // the doorbell is lost
    EXPECT_EQ(next(world, world.x).wqe_index, 10u);
    world.x.post_receive(kLocal, 100);
    EXPECT_EQ(next(world, world.x).wqe_index, 3u);
}

TEST(Retry, TimeoutZeroWaitsForEver) {
    World world(Connection{.timeout = 0, .retries = 0});
    world.watch = [](const Node&, Frame&) { return false; };
    world.x.post(write(world, 8));
    tern_cqe cqe{};
    EXPECT_FALSE(world.run_until([&] { return world.x.poll(cqe); }, 3600 * kSecond));
    EXPECT_EQ(world.x.state(), TERN_QP_STATE_RTS);
    EXPECT_EQ(world.a.counter(1, TERN_PORT_COUNTER_ACK_TIMEOUT), 0u);
}

TEST(Retry, LocalAckTimeoutIsFourMicrosecondsTimesTwoToThePower) {
    World world(Connection{.timeout = 12, .retries = 1});
    std::vector<uint64_t> times;
    world.watch = [&](const Node&, Frame&) {
        times.push_back(world.a.host.now);
        return false;
    };
    world.x.post(write(world, 8));
    EXPECT_EQ(next_status(world, world.x), TERN_CQE_STATUS_RETRY_EXCEEDED);
    ASSERT_EQ(times.size(), 2u);
    EXPECT_NEAR(static_cast<double>(times[1] - times[0]), 4096.0 * 4096, 2000);
}

TEST(Retry, ProgressGivesAllRetriesBack) {
    World world(Connection{.timeout = 8, .retries = 1});
    uint32_t frames = 0;
    // Every other packet of the requester is lost: each needs one retry.
    world.watch = [&](const Node& from, Frame&) { return &from != &world.a || ++frames % 2 == 0; };
    for (int i = 0; i < 20; ++i) {
        world.x.post(write(world, 8));
        EXPECT_EQ(next_status(world, world.x), TERN_CQE_STATUS_SUCCESS);
    }
}

// C11
TEST(Rnr, AckTimerDoesNotCutTheWaitShort) {
    World world(Connection{.timeout = 8, .retries = 1, .min_rnr_timer = 0});  // 655.36 ms
    std::vector<uint64_t> times;
    world.watch = [&](const Node&, Frame& frame) {
        if (read(frame)->is(bth::SEND)) times.push_back(world.a.host.now);
        return true;
    };
    world.x.post({.length = 8});
    world.run_for(500'000'000);
    world.y.post_receive(kLocal, 8);
    EXPECT_EQ(next_status(world, world.x), TERN_CQE_STATUS_SUCCESS);
    ASSERT_EQ(times.size(), 2u);
    EXPECT_GE(times[1] - times[0], 655'360'000u);
    EXPECT_EQ(world.a.counter(1, TERN_PORT_COUNTER_ACK_TIMEOUT), 0u);
}

TEST(Rnr, IsRetriedExactlyRnrRetryTimes) {
    for (const uint8_t rnr_retry : {uint8_t{0}, uint8_t{1}, uint8_t{6}}) {
        World world(Connection{.rnr_retry = rnr_retry});
        world.x.post({.length = 8});
        EXPECT_EQ(next_status(world, world.x), TERN_CQE_STATUS_RNR_RETRY_EXCEEDED);
        EXPECT_EQ(world.b.counter(1, TERN_PORT_COUNTER_RNR_NAK_SENT), rnr_retry + 1u);
        EXPECT_EQ(world.a.counter(1, TERN_PORT_COUNTER_RNR_NAK_RECEIVED), rnr_retry + 1u);
        EXPECT_EQ(world.y.state(), TERN_QP_STATE_RTS);
    }
}

TEST(Rnr, SevenIsForEver) {
    World world(Connection{.retries = 0, .rnr_retry = 7, .min_rnr_timer = 20});
    world.x.post({.length = 8});
    tern_cqe cqe{};
    EXPECT_FALSE(world.run_until([&] { return world.x.poll(cqe); }, 30 * kSecond));
    EXPECT_GT(world.a.counter(1, TERN_PORT_COUNTER_RNR_NAK_RECEIVED), 1000u);
    world.y.post_receive(kLocal, 8);
    EXPECT_EQ(next_status(world, world.x), TERN_CQE_STATUS_SUCCESS);
}

TEST(Rnr, NakThatArrivesTwiceCountsOnce) {
    World world(Connection{.rnr_retry = 3});
    uint32_t sends = 0;
    world.watch = [&](const Node& from, Frame& frame) {
        const auto packet = read(frame);
        sends += packet->is(bth::SEND);
        if (&from == &world.b && packet->is(bth::ACK)) {
            const Frame twice = frame;
            world.inject(world.a, twice);
        }
        return true;
    };
    world.x.post({.length = 8});
    EXPECT_EQ(next_status(world, world.x), TERN_CQE_STATUS_RNR_RETRY_EXCEEDED);
    EXPECT_EQ(sends, 4u);
}

TEST(Rnr, WriteWithImmediateWaitsForItsReceiveAtItsLastPacket) {
    World world(Connection{});
    fill(world.a, kLocal, 5000, 3);
    Work work = write(world, 5000);
    work.opcode = TERN_WQE_OP_RDMA_WRITE_WITH_IMM;
    work.immediate = 0x01020304;
    world.x.post(work);
    world.run_for(1'000'000);
    EXPECT_GE(world.b.counter(1, TERN_PORT_COUNTER_RNR_NAK_SENT), 1u);
    world.y.post_receive(kLocal, 0);
    const tern_cqe cqe = next(world, world.y);
    EXPECT_EQ(opcode_of(cqe), TERN_CQE_OP_RECV_RDMA_WITH_IMM);
    EXPECT_EQ(cqe.byte_len, 5000u);
    EXPECT_EQ(cqe.immediate, 0x01020304u);
    EXPECT_TRUE(same(world.a, kLocal, world.b, kRemote, 5000));
}

TEST(SequenceError, IsNakedOnceForEachGap) {
    World world(Connection{.timeout = 0});
    uint32_t packets = 0, naks = 0;
    world.watch = [&](const Node& from, Frame& frame) {
        const auto packet = read(frame);
        naks += packet->is(bth::ACK) && packet->syndrome == TERN_AETH_NAK;
        if (&from == &world.b) return true;
        ++packets;
        return packets != 5 && packets != 150;  // 98 the first time, then 94 from the gap on
    };
    fill(world.a, kLocal, 100000, 9);
    world.x.post(write(world, 100000));
    EXPECT_EQ(next_status(world, world.x), TERN_CQE_STATUS_SUCCESS);
    EXPECT_TRUE(same(world.a, kLocal, world.b, kRemote, 100000));
    EXPECT_EQ(naks, 2u);
    EXPECT_EQ(world.a.counter(1, TERN_PORT_COUNTER_PACKET_SEQ_ERR), 2u);
    EXPECT_GT(world.b.counter(1, TERN_PORT_COUNTER_OUT_OF_SEQUENCE), 0u);
}

TEST(SequenceError, LostReadResponseIsAskedForAgainFromWhereItIsMissing) {
    World world(Connection{.timeout = 0, .psn = 100});
    std::vector<std::pair<uint32_t, uint64_t>> asked;  // PSN and address
    uint32_t responses = 0;
    world.watch = [&](const Node&, Frame& frame) {
        const auto packet = read(frame);
        if (packet->is(bth::READ | bth::REQUEST)) asked.emplace_back(packet->psn, packet->remote_address);
        return !packet->is(bth::READ | bth::RESPONSE) || ++responses != 4;
    };
    fill(world.b, kRemote, 9000, 9);
    world.x.post(
        {.opcode = TERN_WQE_OP_RDMA_READ, .local = kLocal, .length = 9000, .remote = kRemote, .rkey = world.b.key});
    EXPECT_EQ(next_status(world, world.x), TERN_CQE_STATUS_SUCCESS);
    EXPECT_TRUE(same(world.a, kLocal, world.b, kRemote, 9000));
    ASSERT_EQ(asked.size(), 2u);
    EXPECT_EQ(asked[1].first, 103u);
    EXPECT_EQ(asked[1].second, kRemote + 3 * 1024);
    EXPECT_EQ(world.a.counter(1, TERN_PORT_COUNTER_IMPLIED_NAK), 1u);
}

TEST(Responses, StaleForgedAndReservedOnesChangeNothing) {
    World world(Connection{.timeout = 0, .psn = 100});
    world.watch = [&](const Node& from, Frame&) { return &from == &world.b; };
    world.x.post(write(world, 2500));  // PSN 100 to 102, unanswered
    world.run_for(1'000'000);
    const auto answer = [&](uint32_t psn, uint8_t syndrome) {
        Forged packet{.opcode = TERN_BTH_RC_ACKNOWLEDGE, .psn = psn, .requests_ack = false};
        packet.headers.syndrome = syndrome;
        world.inject(world.a, forge(world.b, world.x, packet));
        world.run_for(1'000'000);
    };
    tern_cqe cqe{};
    for (const uint32_t psn : {99u, 103u, 0x800064u})
        for (const uint8_t syndrome : {0x1f, 0x60, 0x61, 0x62, 0x63, 0x20}) answer(psn, syndrome);
    answer(101, 0x40);  // reserved
    answer(101, 0x80);
    EXPECT_FALSE(world.x.poll(cqe));
    EXPECT_EQ(world.x.state(), TERN_QP_STATE_RTS);
    answer(102, 0x1f);
    EXPECT_TRUE(world.x.poll(cqe));
    EXPECT_EQ(status_of(cqe), TERN_CQE_STATUS_SUCCESS);
}

TEST(Responses, AnswerOfAnotherKindIsABadResponse) {
    for (const uint8_t opcode : {TERN_BTH_RC_ATOMIC_ACKNOWLEDGE, TERN_BTH_RC_READ_RESPONSE_ONLY}) {
        World world(Connection{.timeout = 0, .psn = 100});
        world.watch = [](const Node&, Frame&) { return false; };
        world.x.post(
            {.opcode = TERN_WQE_OP_RDMA_READ, .local = kLocal, .length = 4000, .remote = kRemote, .rkey = world.b.key});
        world.run_for(1'000'000);
        Forged packet{.opcode = opcode, .psn = 100, .requests_ack = false};
        packet.headers.syndrome = 0x1f;
        if (opcode == TERN_BTH_RC_READ_RESPONSE_ONLY) packet.payload.resize(1024);
        world.inject(world.a, forge(world.b, world.x, packet));
        EXPECT_EQ(next_status(world, world.x), TERN_CQE_STATUS_BAD_RESPONSE);
        EXPECT_EQ(world.x.state(), TERN_QP_STATE_ERR);
    }
}

}  // namespace
}  // namespace tern::test
