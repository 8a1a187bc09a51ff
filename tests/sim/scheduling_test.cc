// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
//
// Work is never forgotten: whatever ends or holds up a QP, the card comes back
// to it without another doorbell.
#include <gtest/gtest.h>

#include "tests/sim/world.h"

namespace tern::test {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;

TEST(Scheduling, FlushFollowsALocalErrorWithoutAnotherDoorbell) {
    World world(Connection{});
    for (int i = 0; i < 5; ++i)
        world.x.write_blocks(world.x.encode({.length = 8, .lkey = i == 0 ? world.a.key ^ 1 : world.a.key}));
    world.x.ring();
    // One batch of runs, as a host thread makes it: no frame, no timer, no doorbell.
    while (world.a.card->run(64)) {
    }
    tern_cqe cqe{};
    for (int i = 0; i < 5; ++i) {
        ASSERT_TRUE(world.x.poll(cqe)) << i;
        EXPECT_EQ(status_of(cqe), i == 0 ? TERN_CQE_STATUS_LOCAL_PROTECTION : TERN_CQE_STATUS_FLUSH);
    }
}

TEST(Scheduling, RunReturnsFalseWhenNothingIsLeft) {
    World world(Connection{});
    world.x.post({.opcode = TERN_WQE_OP_RDMA_WRITE, .length = 8, .rkey = world.b.key});
    int runs = 0;
    while (world.a.card->run(64)) ASSERT_LT(++runs, 10);
}

TEST(Scheduling, FullLoopbackHoldsUpDatagramsOnlyForAMoment) {
    Cable cable;
    constexpr uint32_t kQkey = 17, kEach = 60;
    std::vector<std::unique_ptr<Endpoint>> senders;
    Endpoint receiver(cable.a, {.type = TERN_QP_UD, .rq_log2 = 8});
    receiver.to_rts_datagram(kQkey);
    for (uint32_t i = 0; i < 4 * kEach; ++i) receiver.post_receive(Node::kData + 4096, 1024);
    for (int i = 0; i < 4; ++i) {
        senders.push_back(std::make_unique<Endpoint>(cable.a, Endpoint::Options{.type = TERN_QP_UD, .cq_log2 = 7}));
        senders.back()->to_rts_datagram(kQkey);
        for (uint32_t n = 0; n < kEach; ++n)
            senders.back()->write_blocks(senders.back()->encode({.length = 16,
                                                                 .remote_qpn = receiver.qpn,
                                                                 .qkey = kQkey,
                                                                 .dgid = cable.a.gid(1, kIpv4),
                                                                 .dmac = cable.a.mac(1)}));
    }
    for (const auto& sender : senders) sender->ring();
    while (cable.a.card->run(256)) {
    }
    uint32_t received = 0;
    tern_cqe cqe{};
    while (receiver.poll(cqe)) ++received;
    EXPECT_EQ(received, 4 * kEach);
}

TEST(Scheduling, FullPortHoldsUpDatagramsUntilItHasRoom) {
    Cable cable;
    Endpoint sender(cable.a, {.type = TERN_QP_UD});
    sender.to_rts_datagram(17);
    cable.a.host.room = 0;
    sender.post({.length = 16, .remote_qpn = 5, .qkey = 17, .dgid = cable.b.gid(1, kIpv4), .dmac = cable.b.mac(1)});
    tern_cqe cqe{};
    EXPECT_FALSE(cable.run_until([&] { return sender.poll(cqe); }, kSecond));
    cable.a.host.room = 10;
    cable.a.wake();
    EXPECT_TRUE(cable.run_until([&] { return sender.poll(cqe); }, kSecond));
}

TEST(Scheduling, WorkWhoseSourceGidIsGoneEndsInRetryExceeded) {
    World world(Connection{.timeout = 8, .retries = 2});
    world.x.post({.opcode = TERN_WQE_OP_RDMA_WRITE, .length = 8, .rkey = world.b.key});
    EXPECT_EQ(next_status(world, world.x), TERN_CQE_STATUS_SUCCESS);
    world.a.card->set_gid(1, kIpv4, {});
    world.x.post({.opcode = TERN_WQE_OP_RDMA_WRITE, .length = 8, .rkey = world.b.key});
    tern_cqe cqe{};
    ASSERT_TRUE(world.run_until([&] { return world.x.poll(cqe); }, kSecond));
    EXPECT_EQ(status_of(cqe), TERN_CQE_STATUS_RETRY_EXCEEDED);
}

TEST(Scheduling, WorkGoesOnWhenTheSourceGidIsBack) {
    for (const uint8_t timeout : {uint8_t{0}, uint8_t{14}}) {
        World world(Connection{.timeout = timeout});
        world.a.card->set_gid(1, kIpv4, {});
        world.x.post({.opcode = TERN_WQE_OP_RDMA_WRITE, .length = 8, .rkey = world.b.key});
        tern_cqe cqe{};
        EXPECT_FALSE(world.run_until([&] { return world.x.poll(cqe); }, 100'000'000));
        world.a.card->set_gid(1, kIpv4, {TERN_GID_ROCE_V2_IPV4, TERN_VLAN_NONE, world.a.mac(1), world.a.gid(1, kIpv4)});
        world.a.wake();
        ASSERT_TRUE(world.run_until([&] { return world.x.poll(cqe); }, kSecond)) << "timeout " << int{timeout};
        EXPECT_EQ(status_of(cqe), TERN_CQE_STATUS_SUCCESS);
    }
}

TEST(Scheduling, LocalWorkRequestsCountAgainstTheBudget) {
    World world(Connection{}, 1, {}, {.is_kernel = true, .sq_log2 = 8});
    MemoryRegion region;
    region.pdn = world.a.kernel_pdn;
    region.is_fast_registration = true;
    region.max_pages = 4;
    const uint32_t key = *world.a.card->create_mr(region);
    for (int i = 0; i < 100; ++i)
        world.x.write_blocks(world.x.encode({.opcode = TERN_WQE_OP_LOCAL_INV, .immediate = __builtin_bswap32(key)}));
    world.x.ring();
    EXPECT_TRUE(world.a.card->run(16));
    tern_cqe cqe{};
    int done = 0;
    while (world.x.poll(cqe)) ++done;
    EXPECT_LE(done, 16);
    while (world.a.card->run(16)) {
    }
    while (world.x.poll(cqe)) ++done;
    EXPECT_EQ(done, 100);
}

// A doorbell of before the reset, which was on its way, announces nothing after it.
TEST(Scheduling, DoorbellInResetAnnouncesNothing) {
    World world(Connection{});
    ASSERT_EQ(world.x.to_state(TERN_QP_STATE_RESET), TERN_STATUS_OK);
    world.a.doorbell(1, TERN_DOORBELL_SQ,
                     TERN_SET64(TERN_DB_QUEUE_NUMBER, world.x.qpn) | TERN_SET64(TERN_DB_QUEUE_PROD, 7));
    connect_one(world.x, world.y, {});
    world.run_for(1'000'000);
    tern_cqe cqe{};
    EXPECT_FALSE(world.x.poll(cqe));
    EXPECT_EQ(world.x.state(), TERN_QP_STATE_RTS);
}

}  // namespace
}  // namespace tern::test
