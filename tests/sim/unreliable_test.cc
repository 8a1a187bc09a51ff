// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
//
// UC: nobody answers, and what is lost takes its message with it (IBTA 9.8).
#include <gtest/gtest.h>

#include "tests/sim/forge.h"

namespace tern::test {
namespace {

constexpr uint64_t kLocal = Node::kData, kRemote = Node::kData + (2 << 20);
constexpr uint64_t kMoment = 50'000'000;
constexpr uint32_t kMtu = 1024;

class Unreliable : public testing::Test {
protected:
    Unreliable() : world({}, 1, {}, {.type = TERN_QP_UC}) {
        fill(world.a, kLocal, 1 << 20, 1);
        world.watch = [&](const Node& from, Frame&) {
            const uint32_t number = frames++;
            answers += &from == &world.b;
            return number != lost;
        };
    }

    Work send(uint32_t length, uint8_t opcode = TERN_WQE_OP_SEND) const {
        return {.opcode = opcode, .local = kLocal, .length = length, .immediate = 0};
    }
    Work write(uint32_t length) const {
        return {.opcode = TERN_WQE_OP_RDMA_WRITE,
                .local = kLocal,
                .length = length,
                .remote = kRemote,
                .rkey = world.b.key};
    }
    // All that has been posted is sent, and nothing arrives any more.
    void settle() { world.run_for(kMoment); }
    std::vector<uint8_t> statuses(Endpoint& endpoint) {
        std::vector<uint8_t> all;
        for (tern_cqe cqe{}; endpoint.poll(cqe);) all.push_back(status_of(cqe));
        return all;
    }
    [[nodiscard]] bool arrived(size_t length) const { return same(world.a, kLocal, world.b, kRemote, length); }

    World world;
    uint32_t frames = 0;
    uint32_t answers = 0;
    uint32_t lost = UINT32_MAX;  // number of the frame that does not arrive
};

TEST_F(Unreliable, WritesArriveAndNobodyAnswers) {
    for (const uint32_t length : {0u, 1u, kMtu, kMtu + 1, 10 * kMtu}) {
        world.x.post(write(length));
        EXPECT_EQ(next_status(world, world.x), TERN_CQE_STATUS_SUCCESS) << length;
        settle();
        EXPECT_TRUE(arrived(length)) << length;
    }
    EXPECT_EQ(answers, 0u);
}

TEST_F(Unreliable, SendsFillReceivesInOrder) {
    for (uint64_t i = 0; i < 3; ++i) world.y.post_receive(kRemote + i * 0x4000, 0x4000);
    world.x.post(send(100));
    world.x.post({.opcode = TERN_WQE_OP_SEND_WITH_IMM, .local = kLocal, .length = 3 * kMtu, .immediate = 0x01020304});
    world.x.post({.opcode = TERN_WQE_OP_RDMA_WRITE_WITH_IMM,
                  .local = kLocal,
                  .length = 2 * kMtu,
                  .remote = kRemote + 0x10000,
                  .rkey = world.b.key,
                  .immediate = 0x05060708});
    const tern_cqe first = next(world, world.y), second = next(world, world.y), third = next(world, world.y);
    EXPECT_EQ(opcode_of(first), TERN_CQE_OP_RECV);
    EXPECT_EQ(first.byte_len, 100u);
    EXPECT_EQ(opcode_of(second), TERN_CQE_OP_RECV_WITH_IMM);
    EXPECT_EQ(second.immediate, 0x01020304u);
    EXPECT_EQ(second.byte_len, 3 * kMtu);
    EXPECT_EQ(opcode_of(third), TERN_CQE_OP_RECV_RDMA_WITH_IMM);
    EXPECT_EQ(third.immediate, 0x05060708u);
    EXPECT_TRUE(same(world.a, kLocal, world.b, kRemote + 0x4000, 3 * kMtu));
    EXPECT_TRUE(same(world.a, kLocal, world.b, kRemote + 0x10000, 2 * kMtu));
    EXPECT_EQ(answers, 0u);
}

// Each packet of a message of four in turn.
TEST_F(Unreliable, WhatIsLostTakesItsMessageAndNoOther) {
    for (uint32_t packet = 0; packet < 4; ++packet) {
        world.y.post_receive(kRemote, 0x4000);
        lost = frames + packet;
        world.x.post(send(4 * kMtu));
        settle();
        EXPECT_EQ(statuses(world.x), std::vector<uint8_t>{TERN_CQE_STATUS_SUCCESS});
        EXPECT_TRUE(statuses(world.y).empty()) << packet;
        world.x.post(send(2 * kMtu));  // into the same receive
        const tern_cqe cqe = next(world, world.y);
        EXPECT_EQ(status_of(cqe), TERN_CQE_STATUS_SUCCESS);
        EXPECT_EQ(cqe.byte_len, 2 * kMtu);
        EXPECT_TRUE(arrived(2 * kMtu));
        settle();
        EXPECT_EQ(statuses(world.x), std::vector<uint8_t>{TERN_CQE_STATUS_SUCCESS});
    }
    EXPECT_EQ(world.y.state(), TERN_QP_STATE_RTS);
}

// The receive of a SEND that was cut short is not the WRITE's.
TEST_F(Unreliable, WriteAfterABrokenSendCompletesNoReceive) {
    world.y.post_receive(kLocal, 0x4000);
    lost = frames + 1;
    world.x.post(send(3 * kMtu));
    world.x.post(write(2 * kMtu));
    settle();
    EXPECT_TRUE(arrived(2 * kMtu));
    EXPECT_TRUE(statuses(world.y).empty());
}

TEST_F(Unreliable, SendWithoutAReceiveIsDropped) {
    world.x.post(send(2 * kMtu));
    settle();
    EXPECT_EQ(statuses(world.x), std::vector<uint8_t>{TERN_CQE_STATUS_SUCCESS});
    world.y.post_receive(kRemote, 0x4000);
    world.x.post(send(3 * kMtu));
    EXPECT_EQ(next(world, world.y).byte_len, 3 * kMtu);
    EXPECT_EQ(answers, 0u);
}

TEST_F(Unreliable, WriteThatIsNotAllowedChangesNothing) {
    Work forbidden = write(3 * kMtu);
    forbidden.rkey = world.b.key + 1;
    world.x.post(forbidden);
    settle();
    EXPECT_EQ(statuses(world.x), std::vector<uint8_t>{TERN_CQE_STATUS_SUCCESS});
    EXPECT_FALSE(arrived(1));
    EXPECT_EQ(world.y.state(), TERN_QP_STATE_RTS);
    world.x.post(write(3 * kMtu));
    settle();
    EXPECT_TRUE(arrived(3 * kMtu));
    EXPECT_EQ(answers, 0u);
}

TEST_F(Unreliable, MessageLongerThanItsReceiveEndsTheReceiver) {
    world.y.post_receive(kRemote, 2 * kMtu - 1);
    world.y.post_receive(kRemote, 0x4000);
    world.x.post(send(2 * kMtu));
    settle();
    EXPECT_EQ(statuses(world.y), (std::vector<uint8_t>{TERN_CQE_STATUS_LOCAL_LENGTH, TERN_CQE_STATUS_FLUSH}));
    EXPECT_EQ(world.y.state(), TERN_QP_STATE_ERR);
    EXPECT_EQ(world.x.state(), TERN_QP_STATE_RTS);
}

// IBTA 10.3.1.6: what fails here stops the send side only, until the host says go on.
TEST_F(Unreliable, LocalErrorStopsTheSendSideUntilItIsResumed) {
    Work bad = write(3 * kMtu);
    bad.lkey = world.a.key + 1;
    world.x.post(write(10));
    world.x.post(bad);
    world.x.post(write(20));
    settle();
    EXPECT_EQ(statuses(world.x),
              (std::vector<uint8_t>{TERN_CQE_STATUS_SUCCESS, TERN_CQE_STATUS_LOCAL_PROTECTION, TERN_CQE_STATUS_FLUSH}));
    EXPECT_EQ(world.x.state(), TERN_QP_STATE_SQE);
    world.x.post_receive(kRemote, 0x4000);
    world.y.post(send(kMtu));
    EXPECT_EQ(next_status(world, world.x), TERN_CQE_STATUS_SUCCESS);
    ASSERT_EQ(world.x.to_state(TERN_QP_STATE_RTS), TERN_STATUS_OK);
    for (int i = 0; i < 3; ++i) world.x.post(write(2 * kMtu));
    settle();
    EXPECT_EQ(statuses(world.x), std::vector<uint8_t>(3, TERN_CQE_STATUS_SUCCESS));
    EXPECT_TRUE(arrived(2 * kMtu));
}

TEST_F(Unreliable, WhatNeedsAnAnswerIsRefused) {
    for (const uint8_t opcode : {TERN_WQE_OP_RDMA_READ, TERN_WQE_OP_ATOMIC_FETCH_AND_ADD, TERN_WQE_OP_SEND_WITH_INV}) {
        world.x.post({.opcode = opcode, .local = kLocal, .length = 8, .remote = kRemote, .rkey = world.b.key});
        settle();
        EXPECT_EQ(statuses(world.x), std::vector<uint8_t>{TERN_CQE_STATUS_LOCAL_QP_OPERATION}) << int{opcode};
        ASSERT_EQ(world.x.to_state(TERN_QP_STATE_RTS), TERN_STATUS_OK);
    }
    EXPECT_EQ(frames, 0u);
}

// Loss of every kind: each message that arrives is whole, none twice, none out of order.
TEST(UnreliableOnABadCable, MessagesArriveWholeOnceAndInOrder) {
    const uint32_t seed = std::random_device{}();
    SCOPED_TRACE("seed " + std::to_string(seed));
    World world({}, seed, {.drop = 0.02, .duplicate = 0.02, .reorder = 0.02, .corrupt = 0.01}, {.type = TERN_QP_UC});
    constexpr uint32_t kMessages = 60, kBytes = 3 * kMtu + 17;
    for (uint32_t i = 0; i < kMessages; ++i) {
        fill(world.a, kLocal + i * 0x2000, kBytes, seed + i);
        world.y.post_receive(kRemote + i * 0x2000, 0x2000);
    }
    for (uint32_t i = 0; i < kMessages; ++i)
        world.x.post(
            {.opcode = TERN_WQE_OP_SEND_WITH_IMM, .local = kLocal + i * 0x2000, .length = kBytes, .immediate = i});
    world.run_for(20 * kMoment);
    uint32_t previous = UINT32_MAX, count = 0;
    for (tern_cqe cqe{}; world.y.poll(cqe); ++count) {
        ASSERT_EQ(status_of(cqe), TERN_CQE_STATUS_SUCCESS);
        const uint32_t message = cqe.immediate;
        EXPECT_EQ(cqe.byte_len, kBytes);
        EXPECT_GT(message + 1, previous + 1);
        EXPECT_TRUE(same(world.a, kLocal + message * 0x2000, world.b, kRemote + cqe.wqe_index * 0x2000ull, kBytes));
        previous = message;
    }
    EXPECT_GT(count, 0u);
    EXPECT_EQ(world.y.state(), TERN_QP_STATE_RTS);
}

}  // namespace
}  // namespace tern::test
