// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
//
// Both ends on one port: nothing leaves the card, and the rules are the same.
#include <gtest/gtest.h>

#include "tests/sim/world.h"

namespace tern::test {
namespace {

constexpr uint64_t kLocal = Node::kData, kRemote = Node::kData + (2 << 20), kBack = Node::kData + (4 << 20);

struct Looped : Cable {
    Looped() : x(a, {}), y(a, {}) {
        connect(x, y, {});
        watch = [this](const Node&, Frame&) {
            ++frames;
            return true;
        };
    }
    Endpoint x, y;
    uint32_t frames = 0;
};

TEST(Loopback, WritesReadsAndSendsCarryEveryByte) {
    Looped loop;
    for (const uint32_t size : {0u, 1u, 1025u, 1u << 20}) {
        fill(loop.a, kLocal, size, size);
        loop.x.post({.opcode = TERN_WQE_OP_RDMA_WRITE, .length = size, .remote = kRemote, .rkey = loop.a.key});
        EXPECT_EQ(next_status(loop, loop.x), TERN_CQE_STATUS_SUCCESS);
        EXPECT_TRUE(same(loop.a, kLocal, loop.a, kRemote, size));
        loop.x.post(
            {.opcode = TERN_WQE_OP_RDMA_READ, .local = kBack, .length = size, .remote = kRemote, .rkey = loop.a.key});
        EXPECT_EQ(next_status(loop, loop.x), TERN_CQE_STATUS_SUCCESS);
        EXPECT_TRUE(same(loop.a, kLocal, loop.a, kBack, size));
        loop.x.post_receive(kBack, 2 << 20);
        loop.y.post({.length = size});
        EXPECT_EQ(next_status(loop, loop.y), TERN_CQE_STATUS_SUCCESS);
        EXPECT_EQ(next(loop, loop.x).byte_len, size);
    }
    EXPECT_EQ(loop.frames, 0u);
}

TEST(Loopback, BothDirectionsAtOnceEnd) {
    Looped loop;
    for (int i = 0; i < 32; ++i)
        for (Endpoint* end : {&loop.x, &loop.y})
            end->post({.opcode = i % 2 ? TERN_WQE_OP_RDMA_READ : TERN_WQE_OP_RDMA_WRITE,
                       .local = end == &loop.x ? kLocal : kBack,
                       .length = 50000,
                       .remote = kRemote,
                       .rkey = loop.a.key});
    for (int i = 0; i < 32; ++i)
        for (Endpoint* end : {&loop.x, &loop.y}) EXPECT_EQ(next_status(loop, *end), TERN_CQE_STATUS_SUCCESS);
}

TEST(Loopback, RefusalAndErrorArriveAtBothEnds) {
    Looped loop;
    loop.y.post_receive(kBack, 64);
    loop.x.post({.opcode = TERN_WQE_OP_RDMA_WRITE, .length = 8, .remote = kRemote, .rkey = loop.a.key ^ 1});
    EXPECT_EQ(next_status(loop, loop.x), TERN_CQE_STATUS_REMOTE_ACCESS);
    EXPECT_EQ(next_status(loop, loop.y), TERN_CQE_STATUS_FLUSH);
    EXPECT_EQ(loop.a.events(TERN_EVENT_QP_ACCESS_ERROR, loop.y.qpn), 1u);
}

TEST(Loopback, QpConnectedToItselfWorks) {
    Cable cable;
    Endpoint self(cable.a, {});
    connect_one(self, self, {});
    fill(cable.a, kLocal, 5000, 1);
    self.post_receive(kBack, 8192);
    self.post({.length = 5000});
    uint32_t successes = 0;
    for (int i = 0; i < 2; ++i) successes += next_status(cable, self) == TERN_CQE_STATUS_SUCCESS;
    EXPECT_EQ(successes, 2u);
    EXPECT_TRUE(same(cable.a, kLocal, cable.a, kBack, 5000));
}

TEST(Loopback, DestroyedPeerWithFramesOnTheWayIsNoTrouble) {
    Looped loop;
    loop.x.post({.opcode = TERN_WQE_OP_RDMA_WRITE, .length = 60000, .remote = kRemote, .rkey = loop.a.key});
    (void)loop.a.card->run(40);
    EXPECT_EQ(loop.a.card->destroy_qp(loop.y.qpn), TERN_STATUS_OK);
    EXPECT_EQ(next_status(loop, loop.x), TERN_CQE_STATUS_RETRY_EXCEEDED);
    EXPECT_EQ(loop.a.card->destroy_qp(loop.x.qpn), TERN_STATUS_OK);
    loop.run_for(1'000'000'000);
}

TEST(Loopback, ResetOfTheCardForgetsFramesOnTheWay) {
    Looped loop;
    loop.x.post({.opcode = TERN_WQE_OP_RDMA_WRITE, .length = 60000, .remote = kRemote, .rkey = loop.a.key});
    (void)loop.a.card->run(40);
    loop.a.card->reset();
    EXPECT_FALSE(loop.a.card->run(64));
    EXPECT_EQ(loop.a.card->query_qp(loop.x.qpn).ok(), false);
}

}  // namespace
}  // namespace tern::test
