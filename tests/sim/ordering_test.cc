// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
//
// What may overtake what at the requester, and how much it asks for at once
// (IBTA 10.8.3.3, 9.7.5.1); SQD.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/sim/forge.h"

namespace tern::test {
namespace {

constexpr uint64_t kLocal = Node::kData, kRemote = Node::kData + (2 << 20), kBack = Node::kData + (4 << 20);
constexpr uint64_t kMoment = 50'000'000;

bool is_request(const Packet& packet) { return packet.is(bth::REQUEST); }

// C12
TEST(Ordering, FencedSendCarriesWhatTheReadsBrought) {
    for (const bool is_fenced : {false, true}) {
        World world(Connection{});
        constexpr uint32_t kBytes = 40000, kReads = 6;  // two more than max_rd_atomic
        fill(world.b, kRemote, kReads * kBytes, 3);
        bool has_sent = false, was_early = false;
        uint32_t responses = 0;
        world.watch = [&](const Node&, Frame& frame) {
            const auto packet = read(frame);
            has_sent |= packet->is(bth::SEND);
            if (packet->is(bth::READ | bth::RESPONSE)) {
                was_early |= has_sent;
                return ++responses % 17 != 5 || responses > 40;  // some are lost
            }
            return true;
        };
        for (uint32_t i = 0; i < kReads; ++i)
            world.x.write_blocks(world.x.encode({.opcode = TERN_WQE_OP_RDMA_READ,
                                                 .local = kBack + i * kBytes,
                                                 .length = kBytes,
                                                 .remote = kRemote + i * kBytes,
                                                 .rkey = world.b.key}));
        world.y.post_receive(kLocal, 1 << 20);
        world.x.write_blocks(world.x.encode({.local = kBack,
                                             .length = kReads * kBytes,
                                             .flags = static_cast<uint8_t>(is_fenced ? TERN_WQE_FENCE : 0)}));
        world.x.ring();
        for (uint32_t i = 0; i <= kReads; ++i) EXPECT_EQ(next_status(world, world.x), TERN_CQE_STATUS_SUCCESS);
        EXPECT_EQ(next(world, world.y).byte_len, kReads * kBytes);
        EXPECT_EQ(was_early, !is_fenced);
        if (is_fenced) {
            EXPECT_TRUE(same(world.b, kLocal, world.b, kRemote, kReads * kBytes));
        }
    }
}

// C12
TEST(Ordering, LocalInvalidateWaitsForTheReadIntoItsRegion) {
    World world(Connection{}, 1, {}, {.is_kernel = true});
    MemoryRegion region;
    region.pdn = world.a.kernel_pdn;
    region.is_fast_registration = true;
    region.max_pages = 16;
    const uint32_t key = *world.a.card->create_mr(region);
    const uint32_t remote = world.b.create_region(0, 0, Node::kMemory, TERN_ACCESS_MASK, world.b.kernel_pdn);
    constexpr uint64_t kList = Node::kData - 4096;
    for (uint64_t i = 0; i < 16; ++i) world.a.host.at<uint64_t>(kList + 8 * i) = kBack + 4096 * i;
    fill(world.b, kRemote, 65536, 4);
    Work registration{.opcode = TERN_WQE_OP_REG_MR};
    registration.registration.iova = 0x7000;
    registration.registration.length_bytes = 65536;
    registration.registration.page_list = kList;
    registration.registration.page_count = 16;
    registration.registration.page_shift = 12;
    registration.registration.access = TERN_ACCESS_LOCAL_WRITE;
    for (uint8_t round = 1; round <= 20; ++round) {
        registration.registration.key = key | round;
        world.x.write_blocks(world.x.encode(registration));
        world.x.write_blocks(world.x.encode({.opcode = TERN_WQE_OP_RDMA_READ,
                                             .local = 0x7000,
                                             .length = 65536,
                                             .remote = kRemote,
                                             .rkey = remote,
                                             .lkey = key | round}));
        world.x.write_blocks(
            world.x.encode({.opcode = TERN_WQE_OP_LOCAL_INV, .immediate = __builtin_bswap32(key | round)}));
        world.x.ring();
        EXPECT_EQ(opcode_of(next(world, world.x)), TERN_CQE_OP_REG_MR);
        EXPECT_EQ(next_status(world, world.x), TERN_CQE_STATUS_SUCCESS);
        EXPECT_EQ(opcode_of(next(world, world.x)), TERN_CQE_OP_LOCAL_INV);
        ASSERT_EQ(world.x.state(), TERN_QP_STATE_RTS);
    }
    EXPECT_TRUE(same(world.b, kRemote, world.a, kBack, 65536));
    // The key is free now: not even the QP's own work may use it.
    world.x.post({.opcode = TERN_WQE_OP_SEND, .local = 0x7000, .length = 8, .lkey = key | 20});
    EXPECT_EQ(next_status(world, world.x), TERN_CQE_STATUS_LOCAL_PROTECTION);
}

TEST(Ordering, NoMoreReadsAndAtomicsAreOutThanAllowed) {
    for (const uint8_t depth : {uint8_t{1}, uint8_t{3}, uint8_t{16}}) {
        World world(Connection{.max_rd_atomic = depth});
        int32_t out = 0, most = 0;
        world.watch = [&](const Node&, Frame& frame) {
            const auto packet = read(frame);
            const bool counts = packet->is(bth::READ) || packet->is(bth::ATOMIC);
            if (counts && is_request(*packet)) most = std::max(most, ++out);
            if (counts && !is_request(*packet) && packet->is(bth::END)) --out;
            return true;
        };
        for (uint32_t i = 0; i < 60; ++i)
            world.x.write_blocks(
                world.x.encode({.opcode = i % 3 ? TERN_WQE_OP_RDMA_READ : TERN_WQE_OP_ATOMIC_FETCH_AND_ADD,
                                .local = kBack,
                                .length = i % 3 ? 3000u : 8u,
                                .remote = kRemote,
                                .rkey = world.b.key}));
        world.x.ring();
        for (uint32_t i = 0; i < 60; ++i) EXPECT_EQ(next_status(world, world.x), TERN_CQE_STATUS_SUCCESS);
        EXPECT_EQ(most, depth);
    }
}

TEST(Ordering, ReadWithoutInitiatorDepthIsALocalError) {
    for (const uint8_t opcode : {TERN_WQE_OP_RDMA_READ, TERN_WQE_OP_ATOMIC_FETCH_AND_ADD}) {
        World world(Connection{.max_rd_atomic = 0});
        world.x.post({.opcode = opcode, .length = 8, .remote = kRemote, .rkey = world.b.key});
        EXPECT_EQ(next_status(world, world.x), TERN_CQE_STATUS_LOCAL_QP_OPERATION);
    }
}

TEST(Ordering, ReadWithoutResponderResourcesIsRefused) {
    Cable cable;
    Endpoint x(cable.a, {}), y(cable.b, {});
    connect_one(x, y, {.max_rd_atomic = 4});
    connect_one(y, x, {.max_rd_atomic = 0});
    x.post({.opcode = TERN_WQE_OP_RDMA_READ, .length = 8, .remote = kRemote, .rkey = cable.b.key});
    EXPECT_EQ(next_status(cable, x), TERN_CQE_STATUS_REMOTE_INVALID_REQUEST);
    EXPECT_EQ(cable.b.events(TERN_EVENT_QP_REQUEST_ERROR, y.qpn), 1u);
}

TEST(Ordering, PacketsBehindAnUnansweredReadAreBounded) {
    World world(Connection{.timeout = 0, .mtu_log2 = 8});
    uint32_t writes = 0;
    world.watch = [&](const Node&, Frame& frame) {
        writes += read(frame)->is(bth::WRITE);
        return false;
    };
    world.x.post(
        {.opcode = TERN_WQE_OP_RDMA_READ, .local = kBack, .length = 1 << 20, .remote = kRemote, .rkey = world.b.key});
    world.x.post({.opcode = TERN_WQE_OP_RDMA_WRITE, .length = 1 << 20, .remote = kRemote, .rkey = world.b.key});
    world.run_for(kMoment);
    EXPECT_GT(writes, 0u);
    EXPECT_LE(writes, 256u);
}

// Two PSNs half the space apart cannot be told in order (IBTA 9.7.2).
TEST(Ordering, HalfOfThePsnSpaceIsNeverExceeded) {
    World world(Connection{.timeout = 0, .mtu_log2 = 8});
    std::vector<uint32_t> asked;
    world.watch = [&](const Node&, Frame& frame) {
        if (const auto packet = read(frame); packet->is(bth::READ)) asked.push_back(packet->dma_length);
        return false;
    };
    for (const uint32_t length : {0x7fffff00u, 0x200u, 0x40000000u})
        world.x.post({.opcode = TERN_WQE_OP_RDMA_READ, .length = length, .remote = kRemote, .rkey = world.b.key});
    world.run_for(kMoment);
    EXPECT_EQ(asked, std::vector<uint32_t>{0x7fffff00});
}

TEST(Sqd, FinishesWhatWasBegunAndHoldsTheRest) {
    World world(Connection{});
    world.x.post({.opcode = TERN_WQE_OP_RDMA_WRITE, .length = 200000, .remote = kRemote, .rkey = world.b.key});
    (void)world.a.card->run(20);
    QueuePairAttributes wants_event;
    wants_event.sqd_async = 1;
    ASSERT_EQ(world.x.to_state(TERN_QP_STATE_SQD, TERN_QP_ATTR_SQD_ASYNC, wants_event), TERN_STATUS_OK);
    EXPECT_EQ(world.a.card->query_qp(world.x.qpn)->sqd_async, 1);
    world.x.post({.opcode = TERN_WQE_OP_RDMA_WRITE, .length = 8, .remote = kRemote, .rkey = world.b.key});
    EXPECT_EQ(next_status(world, world.x), TERN_CQE_STATUS_SUCCESS);
    EXPECT_TRUE(world.run_until([&] { return world.a.events(TERN_EVENT_QP_SQ_DRAINED, world.x.qpn) == 1; }, kMoment));
    EXPECT_EQ(world.a.card->query_qp(world.x.qpn)->sqd_async, 0);
    tern_cqe cqe{};
    EXPECT_FALSE(world.run_until([&] { return world.x.poll(cqe); }, kMoment));
    ASSERT_EQ(world.x.to_state(TERN_QP_STATE_RTS), TERN_STATUS_OK);
    EXPECT_EQ(next_status(world, world.x), TERN_CQE_STATUS_SUCCESS);
    world.run_for(kMoment);
    EXPECT_EQ(world.a.events(TERN_EVENT_QP_SQ_DRAINED), 1u);
}

TEST(Sqd, AnswersThePeerMeanwhile) {
    World world(Connection{});
    ASSERT_EQ(world.y.to_state(TERN_QP_STATE_SQD), TERN_STATUS_OK);
    world.x.post(
        {.opcode = TERN_WQE_OP_RDMA_READ, .local = kBack, .length = 5000, .remote = kRemote, .rkey = world.b.key});
    EXPECT_EQ(next_status(world, world.x), TERN_CQE_STATUS_SUCCESS);
}

TEST(Sqd, ManyTurnsUnderLossLoseNothing) {
    World world(Connection{.timeout = 8}, 7, {.drop = 0.02, .reorder = 0.02});
    constexpr uint32_t kTotal = 200;
    uint32_t posted = 0, done = 0, turns = 0;
    tern_cqe cqe{};
    ASSERT_TRUE(world.run_until([&] {
        while (posted < kTotal && posted - done < 20) {
            world.x.post({.opcode = posted % 4 ? TERN_WQE_OP_RDMA_WRITE : TERN_WQE_OP_RDMA_READ,
                          .local = kBack,
                          .length = 9000,
                          .remote = kRemote,
                          .rkey = world.b.key});
            ++posted;
        }
        while (world.x.poll(cqe)) {
            EXPECT_EQ(status_of(cqe), TERN_CQE_STATUS_SUCCESS);
            EXPECT_EQ(cqe.wqe_index, done++);
        }
        if (++turns % 50 == 0) {
            EXPECT_EQ(world.x.to_state(turns % 100 ? TERN_QP_STATE_SQD : TERN_QP_STATE_RTS), TERN_STATUS_OK);
        }
        return done == kTotal;
    }));
}

}  // namespace
}  // namespace tern::test
