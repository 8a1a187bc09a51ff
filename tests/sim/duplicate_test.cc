// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
//
// Requests that arrive again (IBTA 9.7.5.1.2, table 26).
#include <gtest/gtest.h>

#include "tests/sim/forge.h"

namespace tern::test {
namespace {

constexpr uint64_t kLocal = Node::kData, kRemote = Node::kData + (2 << 20);
constexpr uint64_t kMoment = 50'000'000;

// Keeps what both ends sent.
struct Recorded : World {
    Recorded() : World(Connection{.timeout = 0, .psn = 0xfffffe}) {
        watch = [this](const Node& from, Frame& frame) {
            (&from == &a ? requests : responses).push_back(frame);
            return true;
        };
    }
    // One WQE, done; its request frames stay in requests.
    void execute(const Work& work) {
        requests.clear();
        x.post(work);
        EXPECT_EQ(next_status(*this, x), TERN_CQE_STATUS_SUCCESS);
        responses.clear();
    }
    void repeat() {
        const std::vector<Frame> again = requests;
        for (const Frame& frame : again) inject(b, frame);
        run_for(kMoment);
    }
    std::vector<Frame> requests, responses;
};

TEST(Duplicate, SendIsAcknowledgedAndNotDeliveredAgain) {
    Recorded world;
    world.y.post_receive(kLocal, 4096);
    world.y.post_receive(kLocal, 4096);
    world.execute({.length = 3000});
    EXPECT_EQ(next(world, world.y).byte_len, 3000u);
    world.repeat();
    tern_cqe cqe{};
    EXPECT_FALSE(world.y.poll(cqe));
    ASSERT_FALSE(world.responses.empty());
    const auto answer = read(world.responses.back());
    EXPECT_EQ(answer->syndrome, TERN_AETH_ACK | TERN_AETH_CREDITS_INVALID);
    EXPECT_EQ(answer->psn, 0u);  // 0xfffffe, 0xffffff, 0
    EXPECT_EQ(world.b.counter(1, TERN_PORT_COUNTER_DUPLICATE_REQUEST), 3u);
}

TEST(Duplicate, WriteIsNotWrittenAgain) {
    Recorded world;
    fill(world.a, kLocal, 3000, 1);
    world.execute({.opcode = TERN_WQE_OP_RDMA_WRITE, .length = 3000, .remote = kRemote, .rkey = world.b.key});
    world.b.host.memory[kRemote + 5] ^= 0xff;
    world.repeat();
    EXPECT_FALSE(same(world.a, kLocal, world.b, kRemote, 3000));
    EXPECT_FALSE(world.responses.empty());
}

TEST(Duplicate, ReadIsExecutedAgainWithTheMemoryOfNow) {
    Recorded world;
    world.execute(
        {.opcode = TERN_WQE_OP_RDMA_READ, .local = kLocal, .length = 3000, .remote = kRemote, .rkey = world.b.key});
    world.b.host.memory[kRemote + 2999] = 0x5a;
    world.repeat();
    ASSERT_EQ(world.responses.size(), 3u);
    EXPECT_EQ(read(world.responses[0])->psn, 0xfffffeu);
    EXPECT_EQ(read(world.responses[2])->payload.back(), std::byte{0x5a});
}

TEST(Duplicate, AtomicIsAnsweredFromMemoryOfTheFirstAndNotExecutedAgain) {
    Recorded world;
    world.b.host.at<uint64_t>(kRemote) = 40;
    world.execute({.opcode = TERN_WQE_OP_ATOMIC_FETCH_AND_ADD,
                   .length = 8,
                   .remote = kRemote,
                   .rkey = world.b.key,
                   .swap_or_add = 2});
    world.b.host.at<uint64_t>(kRemote) = 1000;
    world.repeat();
    EXPECT_EQ(world.b.host.at<uint64_t>(kRemote), 1000u);
    ASSERT_EQ(world.responses.size(), 1u);
    EXPECT_EQ(read(world.responses[0])->atomic_result, 40u);
    EXPECT_EQ(world.b.counter(1, TERN_PORT_COUNTER_RX_ATOMIC_REQUESTS), 1u);
}

TEST(Duplicate, AtomicOlderThanTheResourcesIsNotAnswered) {
    Recorded world;
    const Work add{.opcode = TERN_WQE_OP_ATOMIC_FETCH_AND_ADD,
                   .length = 8,
                   .remote = kRemote,
                   .rkey = world.b.key,
                   .swap_or_add = 1};
    world.execute(add);
    const std::vector<Frame> first = world.requests;
    for (int i = 0; i < 4; ++i) world.execute(add);
    world.requests = first;
    world.repeat();
    EXPECT_TRUE(world.responses.empty());
    EXPECT_EQ(world.b.host.at<uint64_t>(kRemote), 5u);
}

TEST(Duplicate, ReadThatReachesBeyondTheFirstOneIsNotAnswered) {
    Recorded world;
    world.execute(
        {.opcode = TERN_WQE_OP_RDMA_READ, .local = kLocal, .length = 2048, .remote = kRemote, .rkey = world.b.key});
    Forged packet{.opcode = TERN_BTH_RC_READ_REQUEST, .psn = 0xfffffe};
    packet.headers.remote_address = kRemote;
    packet.headers.rkey = world.b.key;
    for (const uint32_t length : {1024u, 4096u, 0xffffffffu}) {
        packet.headers.dma_length = length;
        world.inject(world.b, forge(world.a, world.y, packet));
    }
    world.run_for(kMoment);
    EXPECT_TRUE(world.responses.empty());
    EXPECT_EQ(world.y.state(), TERN_QP_STATE_RTS);
}

TEST(Duplicate, ReadWithAKeyThatIsGoneIsRefused) {
    Recorded world;
    const uint32_t key = world.b.create_region(0, 0, Node::kMemory, TERN_ACCESS_MASK, world.b.pdn);
    world.execute({.opcode = TERN_WQE_OP_RDMA_READ, .local = kLocal, .length = 2048, .remote = kRemote, .rkey = key});
    EXPECT_EQ(world.b.card->destroy_mr(key), TERN_STATUS_OK);
    world.repeat();
    ASSERT_EQ(world.responses.size(), 1u);
    EXPECT_EQ(read(world.responses[0])->syndrome, TERN_AETH_NAK | TERN_NAK_REMOTE_ACCESS);
    EXPECT_EQ(world.b.events(TERN_EVENT_QP_ACCESS_ERROR, world.y.qpn), 1u);
}

}  // namespace
}  // namespace tern::test
