// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
//
// C41: queue memory that its owner changes while the card reads it. Whatever
// the bytes say, the card stays whole and lets go of everything.
#include <gtest/gtest.h>

#include <random>

#include "tests/sim/world.h"

namespace tern::test {
namespace {

constexpr uint32_t kWorlds = 150;
constexpr uint32_t kChanges = 300;

// Where a QP's rings, records and CQ lie in a node's memory.
constexpr uint64_t kFirst = Node::kRings, kLast = Node::kRings + 0x20000;

void change(Node& node, std::mt19937& random) {
    constexpr uint8_t kLiked[] = {0, 1, 0x7f, 0x80, 0xff};
    // Most of it at the start of a page, where the card is about to look.
    const uint64_t page = kFirst + random() % ((kLast - kFirst) / 4096) * 4096;
    const uint64_t offset = random() % (random() % 4 ? 512 : 4096);
    const bool likes = random() % 2;
    node.host.memory[page + offset] = likes ? kLiked[random() % std::size(kLiked)] : static_cast<uint8_t>(random());
}

void post_something(Endpoint& from, Endpoint& to, std::mt19937& random) {
    constexpr uint8_t kOpcodes[] = {TERN_WQE_OP_RDMA_WRITE, TERN_WQE_OP_RDMA_READ, TERN_WQE_OP_SEND};
    to.post_receive(Node::kData, 4096);
    from.post({.opcode = kOpcodes[random() % std::size(kOpcodes)],
               .local = Node::kData + random() % 4096,
               .length = static_cast<uint32_t>(random() % 8192),
               .remote = Node::kData + 65536,
               .rkey = to.node.key});
}

TEST(HostileMemory, ChangingQueuesUnderTheCardHurtsNothingElse) {
    const uint32_t seed = std::random_device{}();
    std::printf("seed %u\n", seed);
    std::mt19937 random(seed);
    for (uint32_t i = 0; i < kWorlds; ++i) {
        World world(seed + i, {});
        for (uint32_t step = 0; step < kChanges; ++step) {
            if (step % 8 == 0) post_something(world.x, world.y, random);
            change(world.a, random);
            if (step % 3 == 0) change(world.b, random);
            world.run_for(2000);
        }
        for (Endpoint* endpoint : {&world.x, &world.y}) {
            Card& card = *endpoint->node.card;
            EXPECT_EQ(card.destroy_qp(endpoint->qpn), TERN_STATUS_OK) << "world " << i;
            EXPECT_EQ(card.destroy_cq(endpoint->cqn), TERN_STATUS_OK) << "world " << i;
            EXPECT_EQ(card.destroy_mr(endpoint->node.key), TERN_STATUS_OK) << "world " << i;
        }
    }
}

}  // namespace
}  // namespace tern::test
