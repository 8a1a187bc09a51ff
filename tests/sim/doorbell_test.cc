// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
//
// Doorbells, pushes and records: any of them may be lost, late or wrong.
#include <gtest/gtest.h>

#include <cstring>

#include "tests/sim/world.h"

namespace tern::test {
namespace {

constexpr uint64_t kLocal = Node::kData, kRemote = Node::kData + (2 << 20);
constexpr uint64_t kMoment = 50'000'000;

Work write(const World& world, uint8_t byte) {
    return {.opcode = TERN_WQE_OP_RDMA_WRITE, .remote = kRemote, .rkey = world.b.key, .inline_data = {byte}};
}

uint64_t device_counter(Node& node, tern_device_counter which) {
    std::array<uint64_t, TERN_DEVICE_COUNTER_SLOTS> counts{};
    node.card->object_counts(counts);
    return counts[which];
}

void store(Node& node, const std::vector<uint8_t>& block, uint32_t at) {
    uint64_t value;
    std::memcpy(&value, block.data() + at, 8);
    node.doorbell(1, TERN_PAGE_BYTES + at, value);
}

TEST(Push, IsTheWqeAndTheDoorbellInOne) {
    World world(Connection{});
    for (uint8_t i = 1; i <= 200; ++i) {
        world.x.push(world.x.encode(write(world, i)));
        ASSERT_EQ(next_status(world, world.x), TERN_CQE_STATUS_SUCCESS);
        ASSERT_EQ(world.b.host.memory[kRemote], i);
    }
    EXPECT_EQ(device_counter(world.a, TERN_DEVICE_COUNTER_PUSHES), 200u);
}

TEST(Push, IsTakenInPlaceOfTheMemory) {
    World world(Connection{});
    const auto block = world.x.encode(write(world, 9));
    world.x.write_blocks(world.x.encode(write(world, 8)));
    for (uint32_t at = 0; at < 64; at += 8) store(world.a, block, at);
    EXPECT_EQ(next_status(world, world.x), TERN_CQE_STATUS_SUCCESS);
    EXPECT_EQ(world.b.host.memory[kRemote], 9);
}

TEST(Push, DisorderedOrCutOneIsDroppedAndTheNextDoorbellCoversIt) {
    World world(Connection{});
    world.x.write_blocks(world.x.encode(write(world, 1)));
    const auto block = world.x.encode(write(world, 2));
    for (const uint32_t at : {0, 8, 24, 16, 32, 40, 48, 56}) store(world.a, block, at);
    for (const uint32_t at : {8, 16, 24, 32, 40, 48, 56}) store(world.a, block, at);
    tern_cqe cqe{};
    EXPECT_FALSE(world.run_until([&] { return world.x.poll(cqe); }, kMoment));
    world.x.post(write(world, 2));
    for (int i = 0; i < 2; ++i) EXPECT_EQ(next_status(world, world.x), TERN_CQE_STATUS_SUCCESS);
    EXPECT_EQ(device_counter(world.a, TERN_DEVICE_COUNTER_PUSHES), 0u);
}

TEST(Push, OfAnIndexThatIsNotNextFallsBackToTheQueue) {
    World world(Connection{});
    for (uint8_t i = 1; i <= 3; ++i) world.x.write_blocks(world.x.encode(write(world, i)));
    const auto late = world.x.encode(write(world, 4));
    world.x.push(late);  // index 3, while the card knows of none
    for (uint16_t i = 0; i < 4; ++i) {
        const tern_cqe cqe = next(world, world.x);
        EXPECT_EQ(cqe.wqe_index, i);
        EXPECT_EQ(status_of(cqe), TERN_CQE_STATUS_SUCCESS);
    }
    EXPECT_EQ(world.b.host.memory[kRemote], 4);
}

TEST(Push, OfAnotherPairOrUnknownQpIsRefused) {
    World world(Connection{});
    const auto block = world.x.encode(write(world, 1));
    for (uint32_t at = 0; at < 64; at += 8) {
        uint64_t value;
        std::memcpy(&value, block.data() + at, 8);
        world.a.doorbell(2, TERN_PAGE_BYTES + at, value);
    }
    tern_cqe cqe{};
    EXPECT_FALSE(world.run_until([&] { return world.x.poll(cqe); }, kMoment));
    EXPECT_EQ(device_counter(world.a, TERN_DEVICE_COUNTER_DOORBELL_REFUSED), 1u);
}

TEST(Doorbell, LostOnesAreMadeUpFromTheRecords) {
    World world(Connection{});
    for (uint8_t i = 1; i <= 5; ++i) world.x.write_blocks(world.x.encode(write(world, i)));
    world.a.card->doorbells_lost();
    world.a.wake();
    for (int i = 0; i < 5; ++i) EXPECT_EQ(next_status(world, world.x), TERN_CQE_STATUS_SUCCESS);
}

TEST(Doorbell, OldCountThatArrivesLateIsNoNews) {
    World world(Connection{});
    for (uint8_t i = 1; i <= 5; ++i) world.x.post(write(world, i));
    for (int i = 0; i < 5; ++i) EXPECT_EQ(next_status(world, world.x), TERN_CQE_STATUS_SUCCESS);
    for (const uint64_t prod : {5, 3, 0})
        world.a.doorbell(1, TERN_DOORBELL_SQ,
                         TERN_SET64(TERN_DB_QUEUE_NUMBER, world.x.qpn) | TERN_SET64(TERN_DB_QUEUE_PROD, prod));
    world.x.post(write(world, 6));
    EXPECT_EQ(next(world, world.x).wqe_index, 5u);
    EXPECT_EQ(world.x.state(), TERN_QP_STATE_RTS);
}

TEST(Doorbell, CountBeyondTheRingIsFatalForTheQp) {
    World world(Connection{});
    world.a.doorbell(1, TERN_DOORBELL_SQ,
                     TERN_SET64(TERN_DB_QUEUE_NUMBER, world.x.qpn) | TERN_SET64(TERN_DB_QUEUE_PROD, 257));
    EXPECT_EQ(world.x.state(), TERN_QP_STATE_ERR);
    EXPECT_EQ(world.a.events(TERN_EVENT_QP_FATAL, world.x.qpn), 1u);
}

TEST(Doorbell, OfAnotherPairIsRefused) {
    World world(Connection{});
    world.x.write_blocks(world.x.encode(write(world, 1)));
    for (const uint32_t pair : {0u, 2u, 500u})
        world.a.doorbell(pair, TERN_DOORBELL_SQ,
                         TERN_SET64(TERN_DB_QUEUE_NUMBER, world.x.qpn) | TERN_SET64(TERN_DB_QUEUE_PROD, 1));
    tern_cqe cqe{};
    EXPECT_FALSE(world.run_until([&] { return world.x.poll(cqe); }, kMoment));
    EXPECT_GE(device_counter(world.a, TERN_DEVICE_COUNTER_DOORBELL_REFUSED), 2u);
}

// C15: the index is 16 bits, the counts are 32; more than one lap of both rings.
TEST(Doorbell, ManyLapsOfMixedSizesKeepTheirOrder) {
    World world(Connection{}, 1, {}, {.sq_log2 = 4});
    uint32_t done = 0;
    for (uint32_t i = 0; i < 600; ++i) {
        Work work = write(world, static_cast<uint8_t>(i));
        if (i % 3) work.inline_data.resize(i % 224 + 1, static_cast<uint8_t>(i));
        const uint32_t start = world.x.sq_prod;
        world.x.post(work);
        const tern_cqe cqe = next(world, world.x);
        ASSERT_EQ(cqe.wqe_index, static_cast<uint16_t>(start));
        ASSERT_EQ(status_of(cqe), TERN_CQE_STATUS_SUCCESS) << i;
        ASSERT_EQ(world.b.host.memory[kRemote], static_cast<uint8_t>(i));
        ++done;
    }
    EXPECT_EQ(done, 600u);
}

}  // namespace
}  // namespace tern::test
