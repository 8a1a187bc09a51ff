// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
//
// However a CQ is polled, each completion is seen once, in order and whole.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "tests/provider/world.h"

namespace tern::test {
namespace {

struct Way {
    const char* name;
    bool single_threaded;
    int at_a_time;
};

class Polling : public testing::TestWithParam<Way> {
protected:
    static constexpr int kCqes = 64;

    void SetUp() override {
        ibv_cq_init_attr_ex attr{};
        attr.cqe = kCqes;
        attr.comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS;
        attr.flags = GetParam().single_threaded ? unsigned{IBV_CREATE_CQ_ATTR_SINGLE_THREADED} : 0;
        cq = ibv_cq_ex_to_cq(ibv_create_cq_ex(world.context, &attr));
        for (ibv_qp*& qp : qps) qp = create();
        for (size_t i = 0; i < qps.size(); i += 2) join(qps[i], qps[i + 1]);
    }

    void TearDown() override {
        for (ibv_qp* qp : qps)
            if (qp) world.destroy(qp);
        EXPECT_EQ(ibv_destroy_cq(cq), 0);
    }

    ibv_qp* create() { return world.create_qp({.send_cq = cq, .recv_cq = cq}); }

    void join(ibv_qp* one, ibv_qp* other) {
        world.connect(one, other);
        world.connect(other, one);
    }

    void write(ibv_qp* qp, uint64_t id, uint32_t rkey_change = 0) {
        Work work(id, IBV_WR_RDMA_WRITE, {memory.sge(0, 8)});
        ASSERT_EQ(work.to(memory.address(64), memory.mr->rkey ^ rkey_change).post(qp), 0);
        world.run();
    }

    std::vector<ibv_wc> poll() {
        std::vector<ibv_wc> all;
        std::array<ibv_wc, 16> some{};
        for (int polled; (polled = ibv_poll_cq(cq, GetParam().at_a_time, some.data())) != 0;) {
            EXPECT_GT(polled, 0);
            if (polled < 0) break;
            all.insert(all.end(), some.begin(), some.begin() + polled);
        }
        return all;
    }

    World world;
    Region memory{world.pd, 4096};
    ibv_cq* cq = nullptr;
    std::array<ibv_qp*, 4> qps{};
};

// Sends and receives of several QPs, mixed, over many laps of the ring.
TEST_P(Polling, EachCompletionIsSeenOnceAndInOrder) {
    const unsigned seed = std::random_device{}();
    RecordProperty("seed", std::to_string(seed));
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    uint64_t id = 0;
    for (int round = 0; round < 200; ++round) {
        std::vector<std::pair<uint64_t, uint32_t>> wanted;
        const unsigned count = random() % 12;
        unsigned receives = 0;
        for (unsigned i = 0; i < count; ++i) {
            ibv_qp* qp = qps[random() % qps.size()];
            if (random() % 4) {
                write(qp, id);
            } else {
                ibv_qp* peer = qps[static_cast<size_t>(std::ranges::find(qps, qp) - qps.begin()) ^ 1];
                ASSERT_EQ(post_receive(peer, 1000000 + id, {memory.sge(0, 64)}), 0);
                Work work(id, IBV_WR_SEND, {memory.sge(0, 16)});
                ASSERT_EQ(work.post(qp), 0);
                world.run();
                ++receives;
            }
            wanted.emplace_back(id++, qp->qp_num);
        }
        unsigned seen_receives = 0;
        size_t at = 0;
        for (const ibv_wc& completion : poll()) {
            ASSERT_EQ(completion.status, IBV_WC_SUCCESS);
            if (completion.opcode & IBV_WC_RECV) {
                ++seen_receives;
                ASSERT_EQ(completion.byte_len, 16u);
                continue;
            }
            ASSERT_LT(at, wanted.size());
            ASSERT_EQ(completion.wr_id, wanted[at].first);
            ASSERT_EQ(completion.qp_num, wanted[at].second);
            ASSERT_EQ(completion.wc_flags, 0u);
            ++at;
        }
        ASSERT_EQ(at, wanted.size());
        ASSERT_EQ(seen_receives, receives);
    }
}

// The entries before and after those of a QP that is gone are of one QP, and alike.
TEST_P(Polling, WhatADestroyedQpLeftIsSteppedOver) {
    for (uint64_t id = 0; id < 9; ++id) write(qps[id % 3 == 1 ? 2 : 0], id);
    world.destroy(qps[2]);
    qps[2] = nullptr;
    std::vector<uint64_t> ids;
    for (const ibv_wc& completion : poll()) {
        EXPECT_EQ(completion.qp_num, qps[0]->qp_num);
        ids.push_back(completion.wr_id);
    }
    EXPECT_EQ(ids, (std::vector<uint64_t>{0, 2, 3, 5, 6, 8}));
}

TEST_P(Polling, AFailureBetweenSuccessesIsToldApart) {
    write(qps[0], 1);
    write(qps[2], 2, 0xff00);
    write(qps[0], 3);
    const auto completions = poll();
    ASSERT_EQ(completions.size(), 3u);
    EXPECT_EQ(completions[0].status, IBV_WC_SUCCESS);
    EXPECT_EQ(completions[1].status, IBV_WC_REM_ACCESS_ERR);
    EXPECT_EQ(completions[1].wr_id, 2u);
    EXPECT_EQ(completions[1].qp_num, qps[2]->qp_num);
    EXPECT_EQ(completions[2].status, IBV_WC_SUCCESS);
    EXPECT_EQ(completions[2].vendor_err, 0u);
}

TEST_P(Polling, NoneAreAskedForAndNoneCome) {
    write(qps[0], 1);
    ibv_wc completion{};
    EXPECT_EQ(ibv_poll_cq(cq, 0, &completion), 0);
    EXPECT_EQ(poll().size(), 1u);
}

INSTANTIATE_TEST_SUITE_P(Ways, Polling,
                         testing::Values(Way{"LockedOne", false, 1}, Way{"LockedMany", false, 16},
                                         Way{"SingleThreadedOne", true, 1}, Way{"SingleThreadedMany", true, 16}),
                         [](const auto& way) { return std::string(way.param.name); });

}  // namespace
}  // namespace tern::test
