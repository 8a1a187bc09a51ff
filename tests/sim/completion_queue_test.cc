// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
//
// Completion queues that overrun, and queues that flush.
#include <gtest/gtest.h>

#include "tests/sim/world.h"

namespace tern::test {
namespace {

constexpr uint64_t kLocal = Node::kData, kRemote = Node::kData + (2 << 20);
constexpr uint64_t kMoment = 50'000'000;

Work write(const Cable& cable) {
    return {.opcode = TERN_WQE_OP_RDMA_WRITE, .length = 8, .remote = kRemote, .rkey = cable.b.key};
}

// C09
TEST(CqOverrun, IsAnErrorOfTheCqAndOfItsQpsAndOfNoOther) {
    Cable cable;
    Endpoint x(cable.a, {.cq_log2 = 4}), shares(cable.a, {.cq_log2 = 4, .cq_of = &x}), other(cable.a, {});
    Endpoint y(cable.b, {}), y2(cable.b, {}), y3(cable.b, {});
    connect(x, y, {});
    connect(shares, y2, {});
    connect(other, y3, {});
    x.stop_publishing();
    for (int i = 0; i < 64; ++i) x.post(write(cable));
    EXPECT_TRUE(cable.run_until([&] { return cable.a.events(TERN_EVENT_CQ_ERROR, x.cqn) == 1; }, kMoment));
    cable.run_for(kMoment);
    EXPECT_EQ(cable.a.events(TERN_EVENT_CQ_ERROR), 1u);
    EXPECT_EQ(x.state(), TERN_QP_STATE_ERR);
    EXPECT_EQ(shares.state(), TERN_QP_STATE_ERR);
    EXPECT_EQ(cable.a.events(TERN_EVENT_QP_FATAL, shares.qpn), 1u);
    tern_cqe cqe{};
    for (uint16_t i = 0; i < 16; ++i) {  // unread entries stand as they were
        ASSERT_TRUE(x.poll(cqe));
        EXPECT_EQ(cqe.wqe_index, i);
        EXPECT_EQ(status_of(cqe), TERN_CQE_STATUS_SUCCESS);
    }
    EXPECT_FALSE(x.poll(cqe));
    other.post(write(cable));
    EXPECT_EQ(next_status(cable, other), TERN_CQE_STATUS_SUCCESS);
}

TEST(CqOverrun, OfTheReceiveSideEndsTheConnection) {
    Cable cable;
    Endpoint x(cable.a, {}), y(cable.b, {.cq_log2 = 2});
    connect(x, y, {.timeout = 8, .retries = 1});
    y.stop_publishing();
    for (int i = 0; i < 6; ++i) y.post_receive(kLocal, 64);
    for (int i = 0; i < 6; ++i) x.post({.length = 8});
    EXPECT_TRUE(cable.run_until([&] { return cable.b.events(TERN_EVENT_CQ_ERROR, y.cqn) == 1; }, kMoment));
    EXPECT_EQ(y.state(), TERN_QP_STATE_ERR);
    uint8_t last = 0;
    for (int i = 0; i < 6; ++i) {
        const uint8_t status = next_status(cable, x);
        if (status == TERN_CQE_STATUS_RETRY_EXCEEDED) last = status;
    }
    EXPECT_EQ(last, TERN_CQE_STATUS_RETRY_EXCEEDED);
}

TEST(CqOverrun, HostThatPollsInTimeNeverSeesOneThroughManyLaps) {
    World world(Connection{}, 1, {}, {.sq_log2 = 3, .cq_log2 = 3});
    for (uint32_t i = 0; i < 500; i += 8) {
        for (int n = 0; n < 8; ++n) world.x.post(write(world));
        for (int n = 0; n < 8; ++n) EXPECT_EQ(next_status(world, world.x), TERN_CQE_STATUS_SUCCESS);
    }
    EXPECT_EQ(world.a.events(TERN_EVENT_CQ_ERROR), 0u);
}

TEST(CqOverrun, ConsumerCountBeyondWhatWasPostedIsAnError) {
    World world(Connection{}, 1, {}, {.cq_log2 = 3});
    world.x.stop_publishing();
    world.a.host.at<tern_cq_record>(world.x.record + TERN_RECORD_BYTES).cons = 0x7fffffff;
    for (int i = 0; i < 20; ++i) world.x.post(write(world));
    EXPECT_TRUE(world.run_until([&] { return world.a.events(TERN_EVENT_CQ_ERROR, world.x.cqn) == 1; }, kMoment));
}

// C07
TEST(SharedCq, KeepsTheSurvivorsEntriesWhenTheOtherQpGoes) {
    Cable cable;
    Endpoint x(cable.a, {.uidx = 7}), other(cable.a, {.uidx = 8, .cq_of = &x}), y(cable.b, {}), y2(cable.b, {});
    connect(x, y, {});
    connect(other, y2, {});
    for (int i = 0; i < 8; ++i) {
        x.post(write(cable));
        other.post(write(cable));
    }
    cable.run_for(kMoment);
    EXPECT_EQ(cable.a.card->destroy_qp(other.qpn), TERN_STATUS_OK);
    EXPECT_EQ(cable.a.card->destroy_cq(x.cqn), TERN_STATUS_BUSY);
    uint16_t own = 0;
    tern_cqe cqe{};
    while (x.poll(cqe)) own += TERN_GET32(TERN_CQE_UIDX, cqe.owner) == 7 && cqe.wqe_index == own;
    EXPECT_EQ(own, 8);
    x.post(write(cable));
    EXPECT_EQ(next_status(cable, x), TERN_CQE_STATUS_SUCCESS);
}

TEST(Flush, ErrByModifyCompletesEverythingInOrderAndStaysQuiet) {
    World world(Connection{.timeout = 0});
    world.watch = [](const Node&, Frame&) { return false; };
    for (int i = 0; i < 20; ++i) world.x.post(write(world));
    for (int i = 0; i < 10; ++i) world.x.post_receive(kLocal, 64);
    world.run_for(1'000'000);
    ASSERT_EQ(world.x.to_state(TERN_QP_STATE_ERR), TERN_STATUS_OK);
    uint16_t sends = 0, receives = 0;
    tern_cqe cqe{};
    EXPECT_TRUE(world.run_until(
        [&] {
            while (world.x.poll(cqe)) {
                EXPECT_EQ(status_of(cqe), TERN_CQE_STATUS_FLUSH);
                EXPECT_EQ(cqe.wqe_index, opcode_of(cqe) >= TERN_CQE_OP_RECEIVE_FIRST ? receives++ : sends++);
            }
            return sends == 20 && receives == 10;
        },
        kMoment));
    world.run_for(kMoment);
    EXPECT_FALSE(world.x.poll(cqe));
    for (const tern_event event : {TERN_EVENT_QP_FATAL, TERN_EVENT_QP_REQUEST_ERROR, TERN_EVENT_QP_ACCESS_ERROR})
        EXPECT_EQ(world.a.events(event), 0u);
}

TEST(Flush, ReceiveOfAMessageThatNeverEndedComesFirst) {
    World world(Connection{.timeout = 0});
    uint32_t packets = 0;
    world.watch = [&](const Node& from, Frame&) { return &from != &world.a || ++packets < 3; };
    world.y.post_receive(kLocal, 1 << 20);
    world.y.post_receive(kLocal, 1 << 20);
    world.x.post({.length = 10000});
    world.run_for(1'000'000);
    ASSERT_EQ(world.y.to_state(TERN_QP_STATE_ERR), TERN_STATUS_OK);
    for (uint16_t i = 0; i < 2; ++i) {
        const tern_cqe cqe = next(world, world.y);
        EXPECT_EQ(status_of(cqe), TERN_CQE_STATUS_FLUSH);
        EXPECT_EQ(cqe.wqe_index, i);
    }
}

TEST(Flush, ResetForgetsAllAndTheQpWorksAgain) {
    World world(Connection{.timeout = 0});
    world.x.post_receive(kLocal, 64);
    for (int round = 0; round < 3; ++round) {
        world.watch = [](const Node&, Frame&) { return false; };
        for (int i = 0; i < 5; ++i) world.x.post(write(world));
        world.run_for(1'000'000);
        for (Endpoint* end : {&world.x, &world.y}) {
            ASSERT_EQ(end->to_state(TERN_QP_STATE_RESET), TERN_STATUS_OK);
            end->sq_prod = end->rq_prod = 0;
            end->node.host.at<tern_qp_record>(end->record) = {};
        }
        world.watch = nullptr;
        connect(world.x, world.y, {.psn = 77});
        tern_cqe cqe{};
        EXPECT_FALSE(world.run_until([&] { return world.x.poll(cqe); }, kMoment));
        world.x.post(write(world));
        EXPECT_EQ(next_status(world, world.x), TERN_CQE_STATUS_SUCCESS);
    }
}

}  // namespace
}  // namespace tern::test
