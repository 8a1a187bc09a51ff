// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
//
// Every path MTU with the sizes around its packets, odd addresses and SGE
// lists; PSNs that wrap; what completions say.
#include <gtest/gtest.h>

#include <cstring>

#include "tests/sim/forge.h"

namespace tern::test {
namespace {

constexpr uint64_t kLocal = Node::kData + 1, kRemote = Node::kData + (2 << 20) + 3, kBack = Node::kData + (4 << 20) + 5;

class EachMtu : public testing::TestWithParam<std::tuple<int, int>> {};

TEST_P(EachMtu, AllOperationsCarryEveryByteAndNoneBeyond) {
    const auto [mtu_log2, which] = GetParam();
    const uint32_t mtu = 1u << mtu_log2;
    const uint32_t sizes[] = {0, 1, mtu - 1, mtu, mtu + 1, 2 * mtu, 1 << 20};
    const uint32_t size = sizes[which];
    World world(Connection{.mtu_log2 = static_cast<uint8_t>(mtu_log2), .psn = 0xffffff});
    fill(world.a, kLocal, size, 11);
    fill(world.b, kRemote - 64, size + 128, 12);
    const std::vector<uint8_t> before(world.b.host.memory.begin() + kRemote - 64,
                                      world.b.host.memory.begin() + kRemote + size + 64);
    const auto edges_stand = [&] {
        return std::memcmp(before.data(), &world.b.host.memory[kRemote - 64], 64) == 0 &&
               std::memcmp(before.data() + 64 + size, &world.b.host.memory[kRemote + size], 64) == 0;
    };
    world.x.post(
        {.opcode = TERN_WQE_OP_RDMA_WRITE, .local = kLocal, .length = size, .remote = kRemote, .rkey = world.b.key});
    EXPECT_EQ(next_status(world, world.x), TERN_CQE_STATUS_SUCCESS);
    EXPECT_TRUE(same(world.a, kLocal, world.b, kRemote, size));
    EXPECT_TRUE(edges_stand());
    world.x.post(
        {.opcode = TERN_WQE_OP_RDMA_READ, .local = kBack, .length = size, .remote = kRemote, .rkey = world.b.key});
    const tern_cqe read_done = next(world, world.x);
    EXPECT_EQ(status_of(read_done), TERN_CQE_STATUS_SUCCESS);
    EXPECT_EQ(opcode_of(read_done), TERN_CQE_OP_RDMA_READ);
    EXPECT_TRUE(same(world.a, kLocal, world.a, kBack, size));
    world.y.post_receive(kBack, size);
    world.x.post({.local = kLocal, .length = size});
    EXPECT_EQ(next_status(world, world.x), TERN_CQE_STATUS_SUCCESS);
    EXPECT_EQ(next(world, world.y).byte_len, size);
    EXPECT_TRUE(same(world.a, kLocal, world.b, kBack, size));
}

INSTANTIATE_TEST_SUITE_P(Transfer, EachMtu, testing::Combine(testing::Range(8, 13), testing::Range(0, 7)));

// C47
TEST(Transfer, UnevenSgesSurviveLossAcrossThePsnWrap) {
    for (uint32_t seed = 1; seed <= 4; ++seed) {
        World world(Connection{.timeout = 8, .mtu_log2 = 8, .psn = 0xfffff0}, seed,
                    {.drop = 0.03, .duplicate = 0.03, .reorder = 0.03, .corrupt = 0.01}, {.rq_stride_log2 = 2});
        std::mt19937 random(seed);
        for (uint32_t round = 0; round < 12; ++round) {
            std::vector<tern_sge> from, to;
            uint32_t total = 0;
            for (uint64_t i = 0; i < 16; ++i) {
                const uint32_t length = random() % 700;
                from.push_back({kLocal + i * 1000, length, world.a.key});
                total += length;
            }
            for (uint64_t i = 0; i < 4; ++i)
                to.push_back({kBack + i * 0x1111, total / 4 + 2 * uint32_t(i), world.b.key});
            fill(world.a, kLocal, 16000, round);
            world.y.post_receive(to);
            world.x.post({.opcode = TERN_WQE_OP_SEND, .sges = from});
            ASSERT_EQ(next_status(world, world.x), TERN_CQE_STATUS_SUCCESS) << "seed " << seed;
            ASSERT_EQ(next(world, world.y).byte_len, total) << "seed " << seed;
            std::vector<uint8_t> sent, got;
            for (const tern_sge& sge : from)
                sent.insert(sent.end(), &world.a.host.memory[sge.address],
                            &world.a.host.memory[sge.address] + sge.length_bytes);
            for (const tern_sge& sge : to)
                got.insert(got.end(), &world.b.host.memory[sge.address],
                           &world.b.host.memory[sge.address] + sge.length_bytes);
            got.resize(total);
            ASSERT_EQ(sent, got) << "seed " << seed << " round " << round;
        }
    }
}

// C14
TEST(Transfer, CompletionsSayWhatWasDone) {
    World world(Connection{});
    const std::pair<uint8_t, uint8_t> kinds[] = {
        {TERN_WQE_OP_SEND, TERN_CQE_OP_SEND},
        {TERN_WQE_OP_SEND_WITH_IMM, TERN_CQE_OP_SEND},
        {TERN_WQE_OP_RDMA_WRITE, TERN_CQE_OP_RDMA_WRITE},
        {TERN_WQE_OP_RDMA_WRITE_WITH_IMM, TERN_CQE_OP_RDMA_WRITE},
        {TERN_WQE_OP_RDMA_READ, TERN_CQE_OP_RDMA_READ},
        {TERN_WQE_OP_ATOMIC_CMP_AND_SWP, TERN_CQE_OP_COMP_SWAP},
        {TERN_WQE_OP_ATOMIC_FETCH_AND_ADD, TERN_CQE_OP_FETCH_ADD},
    };
    for (int i = 0; i < 3; ++i) world.y.post_receive(kBack, 64);
    const uint64_t aligned = Node::kData + (2 << 20);
    for (const auto& [work, done] : kinds) {
        const bool has_immediate = work == TERN_WQE_OP_SEND_WITH_IMM || work == TERN_WQE_OP_RDMA_WRITE_WITH_IMM;
        world.x.post({.opcode = work,
                      .local = Node::kData,
                      .length = 8,
                      .remote = aligned,
                      .rkey = world.b.key,
                      .immediate = has_immediate ? 0x44332211u : 0});
        const tern_cqe cqe = next(world, world.x);
        EXPECT_EQ(status_of(cqe), TERN_CQE_STATUS_SUCCESS);
        EXPECT_EQ(opcode_of(cqe), done);
        EXPECT_EQ(TERN_GET32(TERN_CQE_UIDX, cqe.owner), 3u);
        EXPECT_FALSE(cqe.owner & TERN_CQE_FAILED);
    }
    const std::pair<uint8_t, uint32_t> receives[] = {
        {TERN_CQE_OP_RECV, 0}, {TERN_CQE_OP_RECV_WITH_IMM, 0x44332211}, {TERN_CQE_OP_RECV_RDMA_WITH_IMM, 0x44332211}};
    for (const auto& [opcode, immediate] : receives) {
        const tern_cqe cqe = next(world, world.y);
        EXPECT_EQ(opcode_of(cqe), opcode);
        EXPECT_EQ(cqe.byte_len, 8u);
        EXPECT_EQ(cqe.immediate, immediate);
        EXPECT_EQ(TERN_GET32(TERN_CQE_SRC_QPN, cqe.source), world.x.qpn);
    }
}

// C14
TEST(Transfer, SendWithInvalidateNamesTheKeyAndEndsItsUse) {
    World world(Connection{}, 1, {}, {.is_kernel = true});
    MemoryRegion region;
    region.pdn = world.b.kernel_pdn;
    region.is_fast_registration = true;
    region.max_pages = 1;
    const uint32_t key = *world.b.card->create_mr(region);
    constexpr uint64_t kList = Node::kData - 4096;
    world.b.host.at<uint64_t>(kList) = Node::kData;
    Work registration{.opcode = TERN_WQE_OP_REG_MR};
    registration.registration = {0, 4096, kList, 1, key | 0x42, TERN_ACCESS_MASK, 12, {}};
    world.y.post(registration);
    EXPECT_EQ(next_status(world, world.y), TERN_CQE_STATUS_SUCCESS);
    const uint32_t landing = world.b.create_region(0, 0, Node::kMemory, TERN_ACCESS_MASK, world.b.kernel_pdn);
    world.y.post_receive(kBack, 64, landing);
    world.x.post({.opcode = TERN_WQE_OP_SEND_WITH_INV, .immediate = __builtin_bswap32(key | 0x42), .inline_data = {1}});
    EXPECT_EQ(next_status(world, world.x), TERN_CQE_STATUS_SUCCESS);
    const tern_cqe cqe = next(world, world.y);
    EXPECT_EQ(opcode_of(cqe), TERN_CQE_OP_RECV_WITH_INV);
    EXPECT_EQ(__builtin_bswap32(cqe.immediate), key | 0x42);
    world.x.post({.opcode = TERN_WQE_OP_RDMA_WRITE, .rkey = key | 0x42, .inline_data = {1}});
    EXPECT_EQ(next_status(world, world.x), TERN_CQE_STATUS_REMOTE_ACCESS);
}

TEST(Transfer, CompareAndSwapSwapsOnlyWhatItExpects) {
    World world(Connection{});
    const uint64_t word = Node::kData + (2 << 20);
    world.b.host.at<uint64_t>(word) = 5;
    const std::pair<uint64_t, uint64_t> tries[] = {{4, 5}, {5, 77}, {5, 77}};  // compare, what stands afterwards
    uint64_t original = 5;
    for (const auto& [compare, after] : tries) {
        world.x.post({.opcode = TERN_WQE_OP_ATOMIC_CMP_AND_SWP,
                      .local = Node::kData,
                      .length = 8,
                      .remote = word,
                      .rkey = world.b.key,
                      .swap_or_add = 77,
                      .compare = compare});
        EXPECT_EQ(next_status(world, world.x), TERN_CQE_STATUS_SUCCESS);
        EXPECT_EQ(world.a.host.at<uint64_t>(Node::kData), original);
        EXPECT_EQ(world.b.host.at<uint64_t>(word), after);
        original = after;
    }
}

TEST(Transfer, PsnsWrapThroughManyShortMessages) {
    World world(Connection{.psn = 0xffffc0});
    for (uint32_t i = 0; i < 200; ++i) {
        world.x.post({.opcode = i % 2 ? TERN_WQE_OP_RDMA_READ : TERN_WQE_OP_RDMA_WRITE,
                      .local = Node::kData,
                      .length = 2000,
                      .remote = kRemote,
                      .rkey = world.b.key});
        ASSERT_EQ(next_status(world, world.x), TERN_CQE_STATUS_SUCCESS) << i;
    }
    EXPECT_EQ(world.a.card->query_qp(world.x.qpn)->sq_psn, (0xffffc0u + 400) & TERN_PSN_MASK);
    EXPECT_EQ(world.b.card->query_qp(world.y.qpn)->rq_psn, (0xffffc0u + 400) & TERN_PSN_MASK);
}

}  // namespace
}  // namespace tern::test
