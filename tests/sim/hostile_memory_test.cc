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

// SQ, RQ, record and CQ of a node.
struct Area {
    uint64_t address;
    uint32_t bytes;
};
constexpr Area kAreas[] = {{Node::kSq, 0x4000}, {Node::kRq, 0x1000}, {Node::kRecord, 64}, {Node::kCq, 0x4000}};

void change(Node& node, std::mt19937& random) {
    constexpr uint8_t kLiked[] = {0, 1, 0x7f, 0x80, 0xff};
    const Area& area = kAreas[random() % std::size(kAreas)];
    // Most of it where the card is about to look.
    const uint32_t offset = random() % 4 ? random() % std::min(area.bytes, 1024u) : random() % area.bytes;
    const bool likes = random() % 2;
    node.host.memory[area.address + offset] =
        likes ? kLiked[random() % std::size(kLiked)] : static_cast<uint8_t>(random());
}

void post_something(Node& from, Node& to, std::mt19937& random) {
    constexpr uint8_t kOpcodes[] = {TERN_WQE_OP_RDMA_WRITE, TERN_WQE_OP_RDMA_READ, TERN_WQE_OP_SEND};
    to.post_receive(Node::kData, 4096);
    from.post({.opcode = kOpcodes[random() % std::size(kOpcodes)],
               .local = Node::kData + random() % 4096,
               .length = static_cast<uint32_t>(random() % 8192),
               .remote = Node::kData + 65536,
               .rkey = to.key});
}

TEST(HostileMemory, ChangingQueuesUnderTheCardHurtsNothingElse) {
    const uint32_t seed = std::random_device{}();
    std::printf("seed %u\n", seed);
    std::mt19937 random(seed);
    for (uint32_t i = 0; i < kWorlds; ++i) {
        World world(seed + i, {});
        for (uint32_t step = 0; step < kChanges; ++step) {
            if (step % 8 == 0) post_something(world.a, world.b, random);
            change(world.a, random);
            if (step % 3 == 0) change(world.b, random);
            (void)world.run_until([] { return false; }, 2000);
        }
        for (Node* node : {&world.a, &world.b}) {
            EXPECT_EQ(node->card->destroy_qp(node->qpn), TERN_STATUS_OK) << "world " << i;
            EXPECT_EQ(node->card->destroy_cq(node->cqn), TERN_STATUS_OK) << "world " << i;
            EXPECT_EQ(node->card->destroy_mr(node->key), TERN_STATUS_OK) << "world " << i;
            EXPECT_EQ(node->card->dealloc_pd(node->pdn), TERN_STATUS_OK) << "world " << i;
        }
    }
}

}  // namespace
}  // namespace tern::test
