// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
//
// Work requests that are wrong in one point (tern/hw/wqe.h): an error of that
// request, nothing on the wire, and all behind it flushed.
#include <gtest/gtest.h>

#include <cstring>

#include "tests/sim/world.h"

namespace tern::test {
namespace {

constexpr uint64_t kRemote = Node::kData + (2 << 20);

struct Wrong {
    const char* name;
    Work work;
    void (*make)(std::vector<uint8_t>& blocks);
    uint8_t status = TERN_CQE_STATUS_LOCAL_QP_OPERATION;
};

void nothing(std::vector<uint8_t>&) {}

std::vector<tern_sge> some_sges(size_t count) { return std::vector<tern_sge>(count, tern_sge{Node::kData, 1, 0}); }

Work plain(uint8_t opcode, uint32_t length = 8) { return {.opcode = opcode, .length = length, .remote = kRemote}; }

std::vector<Wrong> wrong_requests() {
    const Work send = plain(TERN_WQE_OP_SEND), write = plain(TERN_WQE_OP_RDMA_WRITE);
    Work seventeen = send, two = plain(TERN_WQE_OP_ATOMIC_FETCH_AND_ADD), longest = send,
         inline_read = plain(TERN_WQE_OP_RDMA_READ);
    seventeen.sges = some_sges(17);
    two.sges = some_sges(2);
    longest.inline_data.resize(225);
    inline_read.inline_data.resize(8);
    return {
        {"OneSgeTooMany", seventeen, nothing},
        {"OneInlineByteTooMany", longest, nothing},
        {"InlineRead", inline_read, nothing},
        {"AtomicWithTwoSges", two, nothing},
        {"AtomicWithoutSge", plain(TERN_WQE_OP_ATOMIC_CMP_AND_SWP, 0), nothing},
        {"AtomicOfSevenBytes", plain(TERN_WQE_OP_ATOMIC_CMP_AND_SWP, 7), nothing, TERN_CQE_STATUS_LOCAL_LENGTH},
        {"OpcodeZero", send, [](auto& b) { b[3] = 0; }},
        {"OpcodeUnknown", send, [](auto& b) { b[3] = 200; }},
        {"OpcodeOfEthernet", send, [](auto& b) { b[3] = TERN_WQE_OP_ETH_SEND; }},
        {"OtherQpn", send, [](auto& b) { b[0] ^= 1; }},
        {"OtherIndex", send, [](auto& b) { b[4] ^= 1; }},
        {"IndexOfAnotherLap", send, [](auto& b) { b[5] ^= 1; }},
        {"ImmediateWhereNoneIs", send, [](auto& b) { b[8] = 1; }},
        {"QkeyOnAConnection", send, [](auto& b) { b[12] = 1; }},
        {"ChecksumFlagOnAConnection", send, [](auto& b) { b[6] |= TERN_WQE_CSUM; }},
        {"ReservedRemote", write, [](auto& b) { b[28] = 1; }},
        {"MoreBlocksThanPosted", send, [](auto& b) { b[6] |= 7; }},
        {"SgesBeyondTheBlocks", send, [](auto& b) { b[7] = 4; }},
        {"InlineBeyondTheBlocks", send,
         [](auto& b) {
             b[6] |= TERN_WQE_INLINE;
             b[7] = 49;
         }},
        {"InvalidateWithData", plain(TERN_WQE_OP_LOCAL_INV), nothing},
        {"InvalidateOfNoRegion", plain(TERN_WQE_OP_LOCAL_INV, 0), nothing, TERN_CQE_STATUS_MW_BIND},
    };
}

class WrongRequest : public testing::TestWithParam<Wrong> {};

TEST_P(WrongRequest, IsALocalErrorAndSendsNothing) {
    World world(Connection{});
    auto blocks = world.x.encode(GetParam().work);
    GetParam().make(blocks);
    const uint8_t flags_blocks = static_cast<uint8_t>(blocks.size() / 64);
    world.x.write_blocks(blocks);
    world.x.ring();
    const tern_cqe cqe = next(world, world.x);
    EXPECT_EQ(status_of(cqe), GetParam().status);
    EXPECT_EQ(cqe.wqe_index, 0u);
    EXPECT_EQ(world.x.state(), TERN_QP_STATE_ERR);
    EXPECT_EQ(world.a.counter(1, TERN_PORT_COUNTER_ROCE_TX_PACKETS), 0u);
    world.x.post(plain(TERN_WQE_OP_SEND));
    tern_cqe flushed = next(world, world.x);
    // Blocks of a request that did not say how many it has are flushed one by one.
    while (flushed.wqe_index < flags_blocks) flushed = next(world, world.x);
    EXPECT_EQ(status_of(flushed), TERN_CQE_STATUS_FLUSH);
    EXPECT_EQ(flushed.wqe_index, flags_blocks);
}

INSTANTIATE_TEST_SUITE_P(WorkRequest, WrongRequest, testing::ValuesIn(wrong_requests()),
                         [](const auto& wrong) { return std::string(wrong.param.name); });

TEST(WorkRequest, LargestSgeListAndLongestInlineAreRight) {
    World world(Connection{});
    Work sixteen = plain(TERN_WQE_OP_RDMA_WRITE, 0), longest = sixteen;
    sixteen.rkey = longest.rkey = world.b.key;
    for (uint64_t i = 0; i < 16; ++i) sixteen.sges.push_back({Node::kData + 100 * i, 7, world.a.key});
    longest.inline_data.resize(224, 0x5a);
    fill(world.a, Node::kData, 2000, 1);
    for (uint32_t lap = 0; lap < 80; ++lap) {  // at every slot of the ring, also across its end
        world.x.post(sixteen);
        ASSERT_EQ(next_status(world, world.x), TERN_CQE_STATUS_SUCCESS);
        for (uint64_t i = 0; i < 16; ++i)
            ASSERT_TRUE(same(world.a, Node::kData + 100 * i, world.b, kRemote + 7 * i, 7));
        world.x.post(longest);
        ASSERT_EQ(next_status(world, world.x), TERN_CQE_STATUS_SUCCESS);
        ASSERT_EQ(world.b.host.memory[kRemote + 223], 0x5a);
    }
}

}  // namespace
}  // namespace tern::test
