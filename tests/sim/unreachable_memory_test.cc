// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
//
// Rings, records, page lists and buffers that a guest names and that are not
// there: a clear error of that queue, and the card goes on.
#include <gtest/gtest.h>

#include "tests/sim/world.h"

namespace tern::test {
namespace {

constexpr uint64_t kRemote = Node::kData + (2 << 20), kBack = Node::kData + (4 << 20);
constexpr uint64_t kNowhere = uint64_t{1} << 40;
constexpr uint64_t kMoment = 50'000'000;

Work write(const Cable& cable) {
    return {.opcode = TERN_WQE_OP_RDMA_WRITE, .length = 3000, .remote = kRemote, .rkey = cable.b.key};
}

// A connection of a's QP, made with changes to its configuration.
struct Hostile : Cable {
    template <typename Change>
    explicit Hostile(Change change) : x(a, {}), y(b, {}) {
        QueuePairConfig config{};
        config.type = TERN_QP_RC;
        config.signal_all = true;
        config.sq_depth_log2 = 8;
        config.has_rq = true;
        config.rq_depth_log2 = 6;
        config.pdn = a.pdn;
        config.send_cqn = config.recv_cqn = x.cqn;
        config.doorbell_pair = 1;
        config.uidx = 3;
        config.record = x.record;
        config.sq = PageList(tern_page_list{x.sq, 4, 0, 12, 0});
        config.rq = PageList(tern_page_list{x.rq, 1, 0, 12, 0});
        change(config);
        EXPECT_EQ(a.card->destroy_qp(x.qpn), TERN_STATUS_OK);
        x.qpn = *a.card->create_qp(config);
        connect(x, y, {.timeout = 8, .retries = 1});
    }
    Endpoint x, y;
};

void expect_card_works(Cable& cable) {
    Endpoint x(cable.a, {}), y(cable.b, {});
    connect(x, y, {});
    x.post(write(cable));
    EXPECT_EQ(next_status(cable, x), TERN_CQE_STATUS_SUCCESS);
}

TEST(UnreachableMemory, SendQueueThatIsNotThereIsALocalErrorAndAFlush) {
    Hostile world([](QueuePairConfig& config) { config.sq = PageList(tern_page_list{kNowhere, 4, 0, 12, 0}); });
    for (int i = 0; i < 3; ++i) world.x.post(write(world));
    EXPECT_EQ(next_status(world, world.x), TERN_CQE_STATUS_LOCAL_PROTECTION);
    EXPECT_EQ(next_status(world, world.x), TERN_CQE_STATUS_FLUSH);
    EXPECT_EQ(next_status(world, world.x), TERN_CQE_STATUS_FLUSH);
    expect_card_works(world);
}

TEST(UnreachableMemory, SendQueueWhoseListIsNotThereIsALocalError) {
    const tern_page_list lists[] = {
        {kNowhere, 4, 1, 12, 0},           // the list
        {Node::kData, 4, 1, 12, 0},        // entries are zero, then...
        {Node::kData + 4096, 4, 1, 12, 0},  // entry of no alignment
        {Node::kData + 4096, 4, 3, 12, 0},  // a tree that names itself, misaligned
        {Node::kData + 8192, 4, 2, 12, 0},  // a tree that leads out of memory
        {Node::kData + 12288, 4, 3, 12, 0},  // a tree that is its own page
    };
    for (const tern_page_list& list : lists) {
        Hostile world([&](QueuePairConfig& config) { config.sq = PageList(list); });
        for (uint64_t i = 0; i < 512; ++i) {
            world.a.host.at<uint64_t>(Node::kData + 8 * i) = kNowhere + 4096 * i;
            world.a.host.at<uint64_t>(Node::kData + 4096 + 8 * i) = Node::kData + 4097;
            world.a.host.at<uint64_t>(Node::kData + 8192 + 8 * i) = kNowhere;
            world.a.host.at<uint64_t>(Node::kData + 12288 + 8 * i) = Node::kData + 12288;
        }
        world.x.post(write(world));
        const uint8_t status = next_status(world, world.x);
        EXPECT_TRUE(status == TERN_CQE_STATUS_LOCAL_PROTECTION || status == TERN_CQE_STATUS_LOCAL_QP_OPERATION);
        EXPECT_EQ(world.x.state(), TERN_QP_STATE_ERR);
        expect_card_works(world);
    }
}

TEST(UnreachableMemory, ReceiveQueueThatIsNotThereIsAnErrorOfTheResponder) {
    Hostile world([](QueuePairConfig& config) { config.rq = PageList(tern_page_list{kNowhere, 1, 0, 12, 0}); });
    world.x.post_receive(kBack, 64);
    world.y.post({.length = 8});
    EXPECT_EQ(next_status(world, world.y), TERN_CQE_STATUS_REMOTE_OPERATION);
    EXPECT_EQ(world.a.events(TERN_EVENT_QP_FATAL, world.x.qpn), 1u);
    expect_card_works(world);
}

TEST(UnreachableMemory, RecordThatIsNotThereFailsReceivesAndTheFlushStaysQuiet) {
    Hostile world([](QueuePairConfig& config) { config.record = kNowhere; });
    world.y.post({.length = 8});
    EXPECT_EQ(next_status(world, world.y), TERN_CQE_STATUS_REMOTE_OPERATION);
    EXPECT_EQ(world.x.state(), TERN_QP_STATE_ERR);
    world.run_for(kMoment);
    expect_card_works(world);
}

TEST(UnreachableMemory, RecordWithAnImpossibleReceiveCountIsAnErrorOfTheResponder) {
    World world(Connection{});
    world.a.host.at<tern_qp_record>(world.x.record).rq_prod = 65;
    world.y.post({.length = 8});
    EXPECT_EQ(next_status(world, world.y), TERN_CQE_STATUS_REMOTE_OPERATION);
    EXPECT_EQ(world.a.events(TERN_EVENT_QP_FATAL, world.x.qpn), 1u);
    world.run_for(kMoment);
    expect_card_works(world);
}

TEST(UnreachableMemory, CompletionQueueThatIsNotThereIsAnErrorOfThatCq) {
    for (const bool is_list : {false, true}) {
        Cable cable;
        Endpoint y(cable.b, {});
        const uint32_t cqn =
            *cable.a.card->create_cq({cable.a.eqn, 9, 1, kNowhere,
                                      PageList(tern_page_list{kNowhere, 4, is_list ? uint8_t{1} : uint8_t{0}, 12, 0})});
        Endpoint x(cable.a, {});
        QueuePairConfig config{};
        config.type = TERN_QP_RC;
        config.signal_all = true;
        config.sq_depth_log2 = 8;
        config.pdn = cable.a.pdn;
        config.send_cqn = config.recv_cqn = cqn;
        config.doorbell_pair = 1;
        config.record = x.record;
        config.sq = PageList(tern_page_list{x.sq, 4, 0, 12, 0});
        EXPECT_EQ(cable.a.card->destroy_qp(x.qpn), TERN_STATUS_OK);
        x.qpn = *cable.a.card->create_qp(config);
        connect(x, y, {});
        for (int i = 0; i < 3; ++i) x.post(write(cable));
        EXPECT_TRUE(cable.run_until([&] { return cable.a.events(TERN_EVENT_CQ_ERROR, cqn) == 1; }, kMoment));
        cable.run_for(kMoment);
        EXPECT_EQ(cable.a.events(TERN_EVENT_CQ_ERROR), 1u);
        EXPECT_EQ(x.state(), TERN_QP_STATE_ERR);
        expect_card_works(cable);
    }
}

TEST(UnreachableMemory, RegionWhosePagesAreNotThereFailsTheAccessAtItsSide) {
    for (const uint8_t opcode : {TERN_WQE_OP_RDMA_WRITE, TERN_WQE_OP_RDMA_READ, TERN_WQE_OP_ATOMIC_FETCH_AND_ADD}) {
        World world(Connection{});
        const uint32_t key = world.b.create_region(0, kNowhere, 4096, TERN_ACCESS_MASK, world.b.pdn);
        world.x.post({.opcode = opcode, .length = 8, .remote = 0, .rkey = key});
        EXPECT_EQ(next_status(world, world.x), TERN_CQE_STATUS_REMOTE_OPERATION);
        EXPECT_EQ(world.b.events(TERN_EVENT_QP_FATAL, world.y.qpn), 1u);
        EXPECT_EQ(world.y.state(), TERN_QP_STATE_ERR);
    }
    World world(Connection{});
    const uint32_t key = world.a.create_region(0, kNowhere, 4096, TERN_ACCESS_MASK, world.a.pdn);
    world.x.post({.opcode = TERN_WQE_OP_RDMA_WRITE,
                  .local = 0,
                  .length = 8,
                  .remote = kRemote,
                  .rkey = world.b.key,
                  .lkey = key});
    EXPECT_EQ(next_status(world, world.x), TERN_CQE_STATUS_LOCAL_PROTECTION);
}

TEST(UnreachableMemory, RegisteredListThatIsNotThereFailsWhenItIsUsed) {
    World world(Connection{}, 1, {}, {.is_kernel = true});
    MemoryRegion region;
    region.pdn = world.a.kernel_pdn;
    region.is_fast_registration = true;
    region.max_pages = 8;
    const uint32_t key = *world.a.card->create_mr(region);
    Work registration{.opcode = TERN_WQE_OP_REG_MR};
    registration.registration = {0, 4096, kNowhere, 1, key | 1, TERN_ACCESS_MASK, 12, {}};
    world.x.post(registration);
    EXPECT_EQ(next_status(world, world.x), TERN_CQE_STATUS_SUCCESS);
    world.x.post({.opcode = TERN_WQE_OP_RDMA_WRITE,
                  .local = 0,
                  .length = 8,
                  .remote = kRemote,
                  .rkey = world.b.key,
                  .lkey = key | 1});
    EXPECT_EQ(next_status(world, world.x), TERN_CQE_STATUS_LOCAL_PROTECTION);
}

TEST(UnreachableMemory, ImpossibleRegistrationsAreRefused) {
    const tern_wqe_registration wrong[] = {
        {0, 4096, 0x1000, 9, 1, TERN_ACCESS_MASK, 12, {}},               // more pages than the region has
        {0, 4096, 0x1000, 0, 1, TERN_ACCESS_MASK, 12, {}},               // none
        {0, 8193, 0x1000, 2, 1, TERN_ACCESS_MASK, 12, {}},               // longer than its pages
        {0xfff, 8192, 0x1000, 2, 1, TERN_ACCESS_MASK, 12, {}},           // with the offset
        {0, 4096, 0x1001, 1, 1, TERN_ACCESS_MASK, 12, {}},               // misaligned list
        {0, 4096, 0x1000, 1, 1, 0x10, 12, {}},                           // unknown right
        {0, 4096, 0x1000, 1, 1, TERN_ACCESS_MASK, 11, {}},               // page size
        {0, 4096, 0x1000, 1, 1, TERN_ACCESS_MASK, 31, {}},               // page size
        {~uint64_t{0}, 4096, 0x1000, 2, 1, TERN_ACCESS_MASK, 12, {}},    // wraps
    };
    for (const tern_wqe_registration& one : wrong) {
        World world(Connection{}, 1, {}, {.is_kernel = true});
        MemoryRegion region;
        region.pdn = world.a.kernel_pdn;
        region.is_fast_registration = true;
        region.max_pages = 8;
        Work work{.opcode = TERN_WQE_OP_REG_MR};
        work.registration = one;
        work.registration.key = *world.a.card->create_mr(region) | 1;
        world.x.post(work);
        EXPECT_EQ(next_status(world, world.x), TERN_CQE_STATUS_MW_BIND);
    }
}

TEST(UnreachableMemory, RegistrationIsForKernelQueuesOnly) {
    World world(Connection{});
    Work work{.opcode = TERN_WQE_OP_REG_MR};
    work.registration = {0, 4096, 0x1000, 1, world.a.key, TERN_ACCESS_MASK, 12, {}};
    world.x.post(work);
    EXPECT_EQ(next_status(world, world.x), TERN_CQE_STATUS_LOCAL_QP_OPERATION);
}

TEST(UnreachableMemory, BusMasteringThatStopsUnderTrafficStopsAllAccess) {
    World world(Connection{.timeout = 8, .retries = 1});
    for (int i = 0; i < 10; ++i) world.x.post(write(world));
    (void)world.a.card->run(5);
    world.b.card->set_bus_master(false);
    const auto before = world.b.host.memory;
    world.run_for(kMoment);
    EXPECT_EQ(before, world.b.host.memory);
}

}  // namespace
}  // namespace tern::test
