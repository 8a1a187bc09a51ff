// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
//
// Keys, bounds, protection domains and rights, remote and local; what both
// ends learn of a refusal (IBTA 9.7.4.1, 9.9.3).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "tests/sim/forge.h"

namespace tern::test {
namespace {

constexpr uint64_t kLocal = Node::kData, kRemote = Node::kData + (2 << 20), kBack = Node::kData + (4 << 20);
constexpr uint64_t kMoment = 50'000'000;

enum class Fault { kKey, kVariant, kPd, kRight, kBefore, kBeyond, kWrap, kDeregistered, kHuge };

constexpr uint64_t kRegion = 12345;  // bytes, from kRemote on
constexpr uint64_t kIova = 0xffff'ffff'ffff'0000;

class Refusal : public testing::TestWithParam<std::tuple<Fault, uint8_t>> {};

// C16, C35
TEST_P(Refusal, IsToldToBothEndsOnceAndTouchesNothing) {
    const auto [fault, opcode] = GetParam();
    World world(Connection{});
    uint32_t rights = TERN_ACCESS_MASK;
    if (fault == Fault::kRight)
        rights &= opcode == TERN_WQE_OP_RDMA_READ    ? ~TERN_ACCESS_REMOTE_READ
                  : opcode == TERN_WQE_OP_RDMA_WRITE ? ~TERN_ACCESS_REMOTE_WRITE
                                                     : ~TERN_ACCESS_REMOTE_ATOMIC;
    const uint32_t owner = fault == Fault::kPd ? *world.b.card->alloc_pd(false) : world.b.pdn;
    const uint32_t key = world.b.create_region(kIova, kRemote, kRegion, rights, owner);
    Work work{.opcode = opcode, .length = 8, .remote = kIova, .rkey = key};
    switch (fault) {
    case Fault::kKey: work.rkey = key ^ 0x100; break;
    case Fault::kVariant: work.rkey = key ^ 1; break;
    case Fault::kBefore: work.remote = kIova - 8; break;
    case Fault::kBeyond: work.remote = kIova + kRegion / 8 * 8; break;
    case Fault::kWrap: work.remote = 0xffff'ffff'ffff'fff8; break;  // with 16 bytes: over the top
    case Fault::kHuge: work.length = opcode == TERN_WQE_OP_ATOMIC_FETCH_AND_ADD ? 8 : kRegion + 1; break;
    case Fault::kDeregistered: ASSERT_EQ(world.b.card->destroy_mr(key), TERN_STATUS_OK); break;
    default: break;
    }
    if (fault == Fault::kWrap && opcode != TERN_WQE_OP_ATOMIC_FETCH_AND_ADD) work.length = 16;
    const bool is_huge_atomic = fault == Fault::kHuge && opcode == TERN_WQE_OP_ATOMIC_FETCH_AND_ADD;
    if (is_huge_atomic) work.remote = kIova + kRegion;
    if (is_huge_atomic) work.remote -= work.remote % 8;
    std::vector<uint8_t> naks;
    world.watch = [&](const Node&, Frame& frame) {
        const auto packet = read(frame);
        if (packet->is(bth::ACK) && (packet->syndrome & TERN_AETH_TYPE_MASK) == TERN_AETH_NAK)
            naks.push_back(packet->syndrome);
        return true;
    };
    fill(world.a, kLocal, 2 * kRegion, 1);
    fill(world.b, kRemote - 8192, 8192 + 2 * kRegion, 2);
    const auto before = world.b.host.memory;
    world.y.post_receive(kBack, 64);
    world.x.post(work);
    world.x.post({.length = 8});
    EXPECT_EQ(next_status(world, world.x), TERN_CQE_STATUS_REMOTE_ACCESS);
    EXPECT_EQ(next_status(world, world.x), TERN_CQE_STATUS_FLUSH);
    EXPECT_EQ(next_status(world, world.y), TERN_CQE_STATUS_FLUSH);
    EXPECT_EQ(naks, std::vector<uint8_t>{0x62});
    EXPECT_EQ(world.b.events(TERN_EVENT_QP_ACCESS_ERROR, world.y.qpn), 1u);
    EXPECT_EQ(world.b.events(TERN_EVENT_QP_ACCESS_ERROR), 1u);
    EXPECT_EQ(world.x.state(), TERN_QP_STATE_ERR);
    EXPECT_EQ(world.y.state(), TERN_QP_STATE_ERR);
    EXPECT_EQ(world.a.counter(1, TERN_PORT_COUNTER_REMOTE_ACCESS), 1u);
    EXPECT_EQ(world.b.counter(1, TERN_PORT_COUNTER_RESP_REMOTE_ACCESS), 1u);
    EXPECT_EQ(
        std::memcmp(before.data() + kRemote - 8192, world.b.host.memory.data() + kRemote - 8192, 8192 + 2 * kRegion),
        0);
}

INSTANTIATE_TEST_SUITE_P(
    Access, Refusal,
    testing::Combine(testing::Values(Fault::kKey, Fault::kVariant, Fault::kPd, Fault::kRight, Fault::kBefore,
                                     Fault::kBeyond, Fault::kWrap, Fault::kDeregistered, Fault::kHuge),
                     testing::Values(TERN_WQE_OP_RDMA_WRITE, TERN_WQE_OP_RDMA_READ, TERN_WQE_OP_ATOMIC_FETCH_AND_ADD)));

TEST(RemoteAccess, RegionWorksToItsLastByteAndAtTheTopOfTheAddressSpace) {
    World world(Connection{});
    const uint64_t iova = uint64_t{0} - 8192;
    const uint32_t key = world.b.create_region(iova, kRemote, 8192, TERN_ACCESS_MASK, world.b.pdn);
    fill(world.a, kLocal, 8192, 3);
    world.x.post({.opcode = TERN_WQE_OP_RDMA_WRITE, .length = 8192, .remote = iova, .rkey = key});
    EXPECT_EQ(next_status(world, world.x), TERN_CQE_STATUS_SUCCESS);
    EXPECT_TRUE(same(world.a, kLocal, world.b, kRemote, 8192));
    world.x.post({.opcode = TERN_WQE_OP_RDMA_READ, .local = kBack, .length = 1, .remote = ~uint64_t{0}, .rkey = key});
    EXPECT_EQ(next_status(world, world.x), TERN_CQE_STATUS_SUCCESS);
    EXPECT_TRUE(same(world.a, kLocal + 8191, world.a, kBack, 1));
}

// C04: nothing is touched, so nothing is checked (IBTA 9.7.5.2.4).
TEST(RemoteAccess, LengthZeroNeedsNoKey) {
    World world(Connection{});
    for (const uint8_t opcode : {TERN_WQE_OP_RDMA_WRITE, TERN_WQE_OP_RDMA_READ}) {
        world.x.post({.opcode = opcode, .length = 0, .remote = ~uint64_t{0}, .rkey = 0xdeadbeef});
        EXPECT_EQ(next_status(world, world.x), TERN_CQE_STATUS_SUCCESS);
    }
}

TEST(RemoteAccess, OperationThatTheQpDoesNotGrantIsAnInvalidRequest) {
    const std::pair<uint8_t, uint32_t> kinds[] = {{TERN_WQE_OP_RDMA_WRITE, TERN_ACCESS_REMOTE_WRITE},
                                                  {TERN_WQE_OP_RDMA_READ, TERN_ACCESS_REMOTE_READ},
                                                  {TERN_WQE_OP_ATOMIC_CMP_AND_SWP, TERN_ACCESS_REMOTE_ATOMIC}};
    for (const auto& [opcode, access] : kinds) {
        World world(Connection{.access = TERN_ACCESS_MASK & ~access});
        world.x.post({.opcode = opcode, .length = 8, .remote = kRemote, .rkey = world.b.key});
        EXPECT_EQ(next_status(world, world.x), TERN_CQE_STATUS_REMOTE_INVALID_REQUEST);
        EXPECT_EQ(world.b.events(TERN_EVENT_QP_REQUEST_ERROR, world.y.qpn), 1u);
        EXPECT_EQ(world.a.counter(1, TERN_PORT_COUNTER_REMOTE_INVALID), 1u);
        EXPECT_EQ(world.b.counter(1, TERN_PORT_COUNTER_RESP_REMOTE_INVALID), 1u);
    }
}

TEST(RemoteAccess, MisalignedAtomicIsAnInvalidRequest) {
    World world(Connection{});
    world.x.post({.opcode = TERN_WQE_OP_ATOMIC_FETCH_AND_ADD, .length = 8, .remote = kRemote + 4, .rkey = world.b.key});
    EXPECT_EQ(next_status(world, world.x), TERN_CQE_STATUS_REMOTE_INVALID_REQUEST);
}

// C04, C14
TEST(RemoteAccess, SendLongerThanItsReceiveIsALengthErrorThereAndAnInvalidRequestHere) {
    for (const uint32_t length : {1u, 5000u}) {
        World world(Connection{});
        world.y.post_receive(kRemote, length - 1);
        world.y.post_receive(kRemote, 1 << 20);
        world.x.post({.length = length});
        EXPECT_EQ(next_status(world, world.x), TERN_CQE_STATUS_REMOTE_INVALID_REQUEST);
        EXPECT_EQ(next_status(world, world.y), TERN_CQE_STATUS_LOCAL_LENGTH);
        EXPECT_EQ(next_status(world, world.y), TERN_CQE_STATUS_FLUSH);
        EXPECT_EQ(world.b.events(TERN_EVENT_QP_REQUEST_ERROR, world.y.qpn), 1u);
    }
}

TEST(RemoteAccess, ReceiveBufferThatIsNotWritableIsAnErrorOfTheResponder) {
    World world(Connection{});
    const uint32_t read_only = world.b.create_region(0, 0, Node::kMemory, TERN_ACCESS_REMOTE_READ, world.b.pdn);
    world.y.post_receive(kRemote, 100, read_only);
    world.x.post({.length = 100});
    EXPECT_EQ(next_status(world, world.x), TERN_CQE_STATUS_REMOTE_OPERATION);
    EXPECT_EQ(next_status(world, world.y), TERN_CQE_STATUS_LOCAL_PROTECTION);
    EXPECT_EQ(world.b.events(TERN_EVENT_QP_FATAL, world.y.qpn), 1u);
}

// What came before the refused request is answered first.
TEST(RemoteAccess, LongReadBeforeARefusalIsAnsweredInFull) {
    World world(Connection{});
    fill(world.b, kRemote, 1 << 20, 5);
    world.x.write_blocks(world.x.encode(
        {.opcode = TERN_WQE_OP_RDMA_READ, .local = kBack, .length = 1 << 20, .remote = kRemote, .rkey = world.b.key}));
    world.x.write_blocks(
        world.x.encode({.opcode = TERN_WQE_OP_RDMA_WRITE, .length = 8, .remote = kRemote, .rkey = world.b.key ^ 1}));
    world.x.ring();
    EXPECT_EQ(next_status(world, world.x), TERN_CQE_STATUS_SUCCESS);
    EXPECT_TRUE(same(world.b, kRemote, world.a, kBack, 1 << 20));
    EXPECT_EQ(next_status(world, world.x), TERN_CQE_STATUS_REMOTE_ACCESS);
    EXPECT_EQ(world.b.events(TERN_EVENT_QP_ACCESS_ERROR, world.y.qpn), 1u);
}

TEST(RemoteAccess, RefusalFindsItsWayThroughAFullPort) {
    World world(Connection{.timeout = 18});
    world.x.post({.opcode = TERN_WQE_OP_RDMA_WRITE, .length = 8, .remote = kRemote, .rkey = world.b.key ^ 1});
    world.b.host.room = 0;
    world.run_for(1'000'000);
    world.b.host.room = 1000;
    world.b.wake();
    EXPECT_EQ(next_status(world, world.x), TERN_CQE_STATUS_REMOTE_ACCESS);
    EXPECT_EQ(world.b.events(TERN_EVENT_QP_ACCESS_ERROR, world.y.qpn), 1u);
    EXPECT_EQ(world.b.counter(1, TERN_PORT_COUNTER_RESP_REMOTE_ACCESS), 1u);
}

TEST(RemoteAccess, NothingIsExecutedBehindARefusalThatWaits) {
    World world(Connection{.psn = 40});
    world.b.host.room = 0;
    Forged packet{.opcode = TERN_BTH_RC_WRITE_ONLY, .psn = 40, .payload = {1, 2, 3, 4}};
    packet.headers.remote_address = kRemote;
    packet.headers.dma_length = 4;
    for (const uint32_t key : {world.b.key ^ 1, world.b.key}) {
        packet.headers.rkey = key;
        world.inject(world.b, forge(world.a, world.y, packet));
    }
    world.run_for(1'000'000);
    EXPECT_EQ(world.b.host.at<uint32_t>(kRemote), 0u);
    world.b.host.room = 1000;
    world.b.wake();
    world.run_for(1'000'000);
    EXPECT_EQ(world.y.state(), TERN_QP_STATE_ERR);
    EXPECT_EQ(world.b.host.at<uint32_t>(kRemote), 0u);
}

TEST(RemoteAccess, RegionThatGoesAwayUnderAReadEndsItWithAnAccessError) {
    World world(Connection{});
    const uint32_t key = world.b.create_region(0, 0, Node::kMemory, TERN_ACCESS_MASK, world.b.pdn);
    uint32_t responses = 0;
    world.watch = [&](const Node&, Frame& frame) {
        responses += read(frame)->is(bth::READ | bth::RESPONSE);
        if (responses == 10) (void)world.b.card->destroy_mr(key);
        return true;
    };
    world.x.post({.opcode = TERN_WQE_OP_RDMA_READ, .local = kBack, .length = 1 << 20, .remote = kRemote, .rkey = key});
    EXPECT_EQ(next_status(world, world.x), TERN_CQE_STATUS_REMOTE_ACCESS);
    EXPECT_EQ(world.b.events(TERN_EVENT_QP_ACCESS_ERROR, world.y.qpn), 1u);
}

// C14: a refused immediate has taken a receive, which is told.
TEST(RemoteAccess, RefusedWriteWithImmediateCompletesItsReceiveWithAccessError) {
    World world(Connection{});
    world.y.post_receive(kBack, 64);
    world.x.post({.opcode = TERN_WQE_OP_RDMA_WRITE_WITH_IMM, .length = 8, .remote = kRemote, .rkey = world.b.key ^ 1});
    EXPECT_EQ(next_status(world, world.x), TERN_CQE_STATUS_REMOTE_ACCESS);
    EXPECT_EQ(next_status(world, world.y), TERN_CQE_STATUS_LOCAL_ACCESS);
}

TEST(LocalAccess, EachFaultOfASendBufferIsAProtectionError) {
    for (int fault = 0; fault < 4; ++fault) {
        World world(Connection{});
        const uint32_t other = *world.a.card->alloc_pd(false);
        Work work{.opcode = TERN_WQE_OP_RDMA_WRITE, .length = 64, .remote = kRemote, .rkey = world.b.key};
        if (fault == 0) work.lkey = world.a.key ^ 0x100;
        if (fault == 1) work.local = Node::kMemory - 63;
        if (fault == 2) work.local = ~uint64_t{0} - 7;
        if (fault == 3) work.lkey = world.a.create_region(0, 0, Node::kMemory, TERN_ACCESS_MASK, other);
        world.x.post(work);
        EXPECT_EQ(next_status(world, world.x), TERN_CQE_STATUS_LOCAL_PROTECTION) << fault;
        EXPECT_EQ(world.b.counter(1, TERN_PORT_COUNTER_ROCE_RX_PACKETS), 0u) << fault;
    }
}

TEST(LocalAccess, ReadIntoABufferThatIsNotWritableIsAProtectionError) {
    World world(Connection{});
    const uint32_t read_only = world.a.create_region(0, 0, Node::kMemory, 0, world.a.pdn);
    for (const uint8_t opcode : {TERN_WQE_OP_RDMA_WRITE, TERN_WQE_OP_RDMA_READ}) {
        world.x.post({.opcode = opcode,
                      .local = kBack,
                      .length = 64,
                      .remote = kRemote,
                      .rkey = world.b.key,
                      .lkey = read_only});
        EXPECT_EQ(next_status(world, world.x),
                  opcode == TERN_WQE_OP_RDMA_READ ? TERN_CQE_STATUS_LOCAL_PROTECTION : TERN_CQE_STATUS_SUCCESS);
    }
}

// C02, C04
TEST(LocalAccess, SumsOfLengthsDoNotWrap) {
    World world(Connection{});
    const uint32_t key = world.a.key;
    world.x.post({.sges = {{kLocal, 0x80000000, key}, {kLocal, 0x80000000, key}}});
    EXPECT_EQ(next_status(world, world.x), TERN_CQE_STATUS_LOCAL_LENGTH);
}

// C06
TEST(LocalAccess, UnsignaledFailureIsReportedAndAllBehindIsFlushed) {
    World world(Connection{}, 1, {}, {.signal_all = false});
    for (uint16_t i = 1; i <= 12; ++i)
        world.x.post({.opcode = TERN_WQE_OP_RDMA_WRITE,
                      .length = 8,
                      .remote = kRemote,
                      .rkey = i == 4 ? world.b.key ^ 1 : world.b.key,
                      .flags = static_cast<uint8_t>(i == 9 ? TERN_WQE_SIGNALED : 0)});
    for (uint16_t i = 4; i <= 12; ++i) {
        const tern_cqe cqe = next(world, world.x);
        EXPECT_EQ(cqe.wqe_index, i - 1);
        EXPECT_EQ(status_of(cqe), i == 4 ? TERN_CQE_STATUS_REMOTE_ACCESS : TERN_CQE_STATUS_FLUSH);
    }
    world.run_for(kMoment);
    tern_cqe cqe{};
    EXPECT_FALSE(world.x.poll(cqe));
}

TEST(Keys, StaleKeyIsRefusedWhileItsNumberRests) {
    World world(Connection{});
    const uint32_t stale = world.b.create_region(0, 0, Node::kMemory, TERN_ACCESS_MASK, world.b.pdn);
    ASSERT_EQ(world.b.card->destroy_mr(stale), TERN_STATUS_OK);
    for (int i = 0; i < 50; ++i)
        EXPECT_NE(world.b.create_region(0, 0, Node::kMemory, TERN_ACCESS_MASK, world.b.pdn), stale);
    EXPECT_EQ(world.b.card->destroy_mr(stale), TERN_STATUS_BAD_HANDLE);
    world.x.post({.opcode = TERN_WQE_OP_RDMA_WRITE, .length = 8, .remote = kRemote, .rkey = stale});
    EXPECT_EQ(next_status(world, world.x), TERN_CQE_STATUS_REMOTE_ACCESS);
}

}  // namespace
}  // namespace tern::test
