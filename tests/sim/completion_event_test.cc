// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
//
// Events of completion queues through the card: none is lost, whatever delays it.
#include <gtest/gtest.h>

#include "qemu/engine/card/card.h"
#include "tern/hw/eqe.h"
#include "tern/hw/ids.h"
#include "tests/sim/world.h"

namespace tern::test {
namespace {

constexpr uint64_t kLocal = Node::kData;

uint64_t arm_doorbell(const Node& node, uint32_t cons) {
    return TERN_SET64(TERN_DB_CQ_NUMBER, node.cqn) | TERN_SET64(TERN_DB_CQ_COMMAND, TERN_CQ_ARM_NEXT) |
           TERN_SET64(TERN_DB_CQ_CONS, cons);
}

void arm(Node& node, uint32_t cons) {
    node.card->doorbell_write(uint64_t{2} * TERN_PAGE_BYTES + TERN_DOORBELL_CQ, arm_doorbell(node, cons), 8);
}

uint32_t completion_events(Node& node) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < 64; ++i)
        count += node.host.at<tern_eqe>(Node::kEq + i * sizeof(tern_eqe)).type == TERN_EVENT_COMPLETION;
    return count;
}

void write_once(World& world) {
    world.a.post(
        {.opcode = TERN_WQE_OP_RDMA_WRITE, .local = kLocal, .length = 8, .remote = kLocal, .rkey = world.b.key});
}

TEST(CompletionEvents, ArmedQueueFiresOnceForTheNextEntry) {
    World world(1, {});
    arm(world.a, 0);
    write_once(world);
    ASSERT_TRUE(world.run_until([&] { return completion_events(world.a) == 1; }, 1'000'000'000));
    write_once(world);
    EXPECT_FALSE(world.run_until([&] { return completion_events(world.a) > 1; }, 100'000'000));
}

TEST(CompletionEvents, ModeratedQueueFiresWhenItsTimeIsOver) {
    World world(1, {});
    ASSERT_EQ(world.a.card->modify_cq(world.a.cqn, 16, 1000), TERN_STATUS_OK);
    arm(world.a, 0);
    write_once(world);
    EXPECT_TRUE(world.run_until([&] { return completion_events(world.a) == 1; }, 1'000'000'000));
}

TEST(CompletionEvents, EventForWhichTheQueueWasFullComesLater) {
    World world(1, {});
    // Fill the event queue with link changes: 64 entries, no consumer.
    for (int i = 0; i < 32; ++i) {
        world.a.card->set_carrier(0, false);
        world.a.card->set_carrier(0, true);
    }
    arm(world.a, 0);
    write_once(world);
    tern_cqe cqe{};
    ASSERT_TRUE(world.run_until([&] { return world.a.poll(cqe); }, 1'000'000'000));
    EXPECT_EQ(completion_events(world.a), 0u);
    world.a.card->doorbell_write(TERN_DOORBELL_EQ,
                                 TERN_SET64(TERN_DB_EQ_NUMBER, world.a.eqn) | TERN_SET64(TERN_DB_EQ_CONS, 64), 8);
    EXPECT_TRUE(world.run_until([&] { return completion_events(world.a) == 1; }, 1'000'000'000));
}

}  // namespace
}  // namespace tern::test
