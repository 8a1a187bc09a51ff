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

uint32_t completion_events(Node& node) { return node.events(TERN_EVENT_COMPLETION); }

void write_once(World& world) {
    world.x.post(
        {.opcode = TERN_WQE_OP_RDMA_WRITE, .local = kLocal, .length = 8, .remote = kLocal, .rkey = world.b.key});
}

TEST(CompletionEvents, ArmedQueueFiresOnceForTheNextEntry) {
    World world(1, {});
    world.x.arm(TERN_CQ_ARM_NEXT);
    write_once(world);
    ASSERT_TRUE(world.run_until([&] { return completion_events(world.a) == 1; }, 1'000'000'000));
    write_once(world);
    EXPECT_FALSE(world.run_until([&] { return completion_events(world.a) > 1; }, 100'000'000));
}

TEST(CompletionEvents, ModeratedQueueFiresWhenItsTimeIsOver) {
    World world(1, {});
    ASSERT_EQ(world.a.card->modify_cq(world.x.cqn, 16, 1000), TERN_STATUS_OK);
    world.x.arm(TERN_CQ_ARM_NEXT);
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
    world.x.arm(TERN_CQ_ARM_NEXT);
    write_once(world);
    tern_cqe cqe{};
    ASSERT_TRUE(world.run_until([&] { return world.x.poll(cqe); }, 1'000'000'000));
    // Looking takes them off the queue, and then there is room.
    EXPECT_EQ(completion_events(world.a), 0u);
    EXPECT_TRUE(world.run_until([&] { return completion_events(world.a) == 1; }, 1'000'000'000));
}

}  // namespace
}  // namespace tern::test
