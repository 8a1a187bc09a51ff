// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
//
// Events of completion queues through the card: none is lost, whatever delays it.
#include <gtest/gtest.h>

#include <random>

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

TEST(CompletionEvents, SolicitedArmSleepsThroughOrdinaryEntries) {
    World world(1, {});
    world.y.arm(TERN_CQ_ARM_SOLICITED);
    for (int i = 0; i < 3; ++i) world.y.post_receive(kLocal, 64);
    world.x.post({.length = 8});
    EXPECT_EQ(next_status(world, world.y), TERN_CQE_STATUS_SUCCESS);
    world.run_for(1'000'000);
    EXPECT_EQ(completion_events(world.b), 0u);
    world.x.post({.length = 8, .flags = TERN_WQE_SOLICITED});
    EXPECT_TRUE(world.run_until([&] { return completion_events(world.b) == 1; }, 1'000'000'000));
}

TEST(CompletionEvents, SolicitedArmWakesForAFailure) {
    World world(1, {});
    world.x.arm(TERN_CQ_ARM_SOLICITED);
    world.x.post({.length = 8, .lkey = world.a.key ^ 1});
    EXPECT_TRUE(world.run_until([&] { return completion_events(world.a) == 1; }, 1'000'000'000));
}

// IBTA 11.4.2.2: asked for the next, one is not content with a solicited one.
TEST(CompletionEvents, SolicitedArmDoesNotWeakenOneForTheNext) {
    World world(1, {});
    world.x.arm(TERN_CQ_ARM_NEXT);
    world.x.arm(TERN_CQ_ARM_SOLICITED);
    write_once(world);
    EXPECT_TRUE(world.run_until([&] { return completion_events(world.a) == 1; }, 1'000'000'000));
}

TEST(CompletionEvents, EntriesThatWereNotPolledFireAtOnce) {
    World world(1, {});
    write_once(world);
    world.run_for(1'000'000);
    world.x.arm(TERN_CQ_ARM_NEXT);
    EXPECT_EQ(completion_events(world.a), 1u);
}

TEST(CompletionEvents, ArmOfAnotherPairIsRefused) {
    World world(1, {});
    world.a.doorbell(2, TERN_DOORBELL_CQ,
                     TERN_SET64(TERN_DB_CQ_NUMBER, world.x.cqn) | TERN_SET64(TERN_DB_CQ_COMMAND, TERN_CQ_ARM_NEXT));
    write_once(world);
    world.run_for(1'000'000);
    EXPECT_EQ(completion_events(world.a), 0u);
}

TEST(CompletionEvents, LostArmIsFoundInTheRecord) {
    World world(1, {});
    auto& record = world.a.host.at<tern_cq_record>(world.x.record + TERN_RECORD_BYTES);
    record.arm = TERN_SET32(TERN_DB_CQ_COMMAND, TERN_CQ_ARM_NEXT) | TERN_SET32(TERN_DB_CQ_SEQ, 1);
    world.a.card->doorbells_lost();
    world.a.wake();
    write_once(world);
    EXPECT_TRUE(world.run_until([&] { return completion_events(world.a) == 1; }, 1'000'000'000));
    world.a.card->doorbells_lost();  // the same arm is not obeyed twice
    write_once(world);
    world.run_for(1'000'000);
    EXPECT_EQ(completion_events(world.a), 1u);
}

// Poll until empty, arm, poll once more, sleep: the loop of every consumer. With
// completions coming in between at any moment it never sleeps for ever.
TEST(CompletionEvents, NoWakeUpIsLostInTheRaceWithArming) {
    uint32_t slept = 0;
    for (uint32_t seed = 1; seed <= 40; ++seed) {
        World world(seed, {.reorder = 0.05}, 10);
        std::mt19937 random(seed);
        constexpr uint32_t kTotal = 60;
        uint32_t posted = 0, done = 0;
        tern_cqe cqe{};
        const auto drain = [&] {
            bool found = false;
            for (; world.x.poll(cqe); ++done) found = true;
            return found;
        };
        while (done < kTotal) {
            for (; posted < kTotal && random() % 3; ++posted) write_once(world);
            if (posted == done) continue;
            drain();
            world.run_for(random() % 800);
            const uint32_t before = completion_events(world.a);
            world.x.arm(random() % 8 ? TERN_CQ_ARM_NEXT : TERN_CQ_ARM_NONE);
            if (random() % 2) world.run_for(random() % 800);
            if (drain() || posted == done) continue;
            world.x.arm(TERN_CQ_ARM_NEXT);
            if (drain()) continue;
            ++slept;
            ASSERT_TRUE(world.run_until([&] { return completion_events(world.a) > before; }, 1'000'000'000))
                << "seed " << seed << " done " << done << " posted " << posted;
        }
    }
    EXPECT_GT(slept, 40u);
}

}  // namespace
}  // namespace tern::test
