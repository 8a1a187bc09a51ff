// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
//
// The provider's fast path, its own source files, on a card in this process.
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <numeric>

#include "tern/hw/doorbell.h"
#include "tern/hw/wqe.h"
#include "tests/provider/world.h"

namespace tern::test {
namespace {

class FastPath : public testing::Test {
protected:
    void connect(const QpOptions& options = {}) {
        left = world.create_qp(options, &granted);
        right = world.create_qp(options);
        ASSERT_NE(left, nullptr);
        ASSERT_NE(right, nullptr);
        world.connect(left, right);
        world.connect(right, left);
        std::iota(source.data.begin(), source.data.end(), uint8_t{1});
    }

    void expect_success(uint64_t id, ibv_wc_opcode opcode) {
        const auto completion = world.next();
        ASSERT_TRUE(completion) << "no completion";
        EXPECT_EQ(completion->status, IBV_WC_SUCCESS) << ibv_wc_status_str(completion->status);
        EXPECT_EQ(completion->wr_id, id);
        EXPECT_EQ(completion->opcode, opcode);
    }

    World world;
    Region source{world.pd, 8192};
    Region target{world.pd, 8192};
    ibv_qp* left = nullptr;
    ibv_qp* right = nullptr;
    ibv_qp_cap granted{};
};

TEST_F(FastPath, WriteMovesBytes) {
    connect();
    Work work(7, IBV_WR_RDMA_WRITE, {source.sge(1, 3000)});
    ASSERT_EQ(work.to(target.address(5), target.mr->rkey).post(left), 0);
    expect_success(7, IBV_WC_RDMA_WRITE);
    EXPECT_TRUE(std::equal(source.data.begin() + 1, source.data.begin() + 3001, target.data.begin() + 5));
}

TEST_F(FastPath, ReadBringsBytes) {
    connect();
    Work work(8, IBV_WR_RDMA_READ, {target.sge(5, 3000)});
    ASSERT_EQ(work.to(source.address(1), source.mr->rkey).post(left), 0);
    expect_success(8, IBV_WC_RDMA_READ);
    EXPECT_TRUE(std::equal(source.data.begin() + 1, source.data.begin() + 3001, target.data.begin() + 5));
}

TEST_F(FastPath, SendFillsAScatteredReceive) {
    connect();
    ASSERT_EQ(post_receive(right, 3, {target.sge(0, 10), target.sge(100, 1000)}), 0);
    Work work(4, IBV_WR_SEND_WITH_IMM, {source.sge(0, 500)});
    work.wr.imm_data = htobe32(0x12345678);
    ASSERT_EQ(work.post(left), 0);
    std::vector<ibv_wc> completions;
    while (const auto completion = world.next()) completions.push_back(*completion);
    ASSERT_EQ(completions.size(), 2u);
    const auto& receive = completions[completions[0].wr_id == 3 ? 0 : 1];
    EXPECT_EQ(receive.opcode, IBV_WC_RECV);
    EXPECT_EQ(receive.byte_len, 500u);
    EXPECT_TRUE(receive.wc_flags & IBV_WC_WITH_IMM);
    EXPECT_EQ(be32toh(receive.imm_data), 0x12345678u);
    EXPECT_EQ(receive.qp_num, right->qp_num);
    EXPECT_TRUE(std::equal(source.data.begin(), source.data.begin() + 10, target.data.begin()));
    EXPECT_TRUE(std::equal(source.data.begin() + 10, source.data.begin() + 500, target.data.begin() + 100));
}

TEST_F(FastPath, AtomicsReturnTheOldValue) {
    connect();
    auto* word = reinterpret_cast<uint64_t*>(target.data.data());
    *word = 41;
    Work add(1, IBV_WR_ATOMIC_FETCH_AND_ADD, {source.sge(0, 8)});
    add.wr.wr.atomic = {target.address(0), 1, 0, target.mr->rkey};
    ASSERT_EQ(add.post(left), 0);
    expect_success(1, IBV_WC_FETCH_ADD);
    EXPECT_EQ(*word, 42u);
    EXPECT_EQ(*reinterpret_cast<uint64_t*>(source.data.data()), 41u);
    Work swap(2, IBV_WR_ATOMIC_CMP_AND_SWP, {source.sge(8, 8)});
    swap.wr.wr.atomic = {target.address(0), 42, 7, target.mr->rkey};
    ASSERT_EQ(swap.post(left), 0);
    expect_success(2, IBV_WC_COMP_SWAP);
    EXPECT_EQ(*word, 7u);
}

// A WQE may wrap at any block: every position of the ring, many laps.
TEST_F(FastPath, EveryRingPositionCarriesEveryShape) {
    connect({.cap = {16, 16, 4, 4, 64}});
    for (uint32_t i = 0; i < 500; ++i) {
        std::fill(target.data.begin(), target.data.end(), uint8_t{0});
        std::vector<ibv_sge> sges;
        for (uint32_t part = 0; part <= i % 4; ++part) sges.push_back(source.sge(part * 100 + i % 7, 10 + i % 50));
        const uint32_t bytes = static_cast<uint32_t>(sges.size()) * (10 + i % 50);
        Work work(i, IBV_WR_RDMA_WRITE, sges);
        ASSERT_EQ(work.to(target.address(i % 13), target.mr->rkey).post(left), 0) << i;
        expect_success(i, IBV_WC_RDMA_WRITE);
        size_t at = i % 13;
        for (const ibv_sge& sge : sges) {
            const auto* bytes_of = reinterpret_cast<const uint8_t*>(sge.addr);
            ASSERT_TRUE(std::equal(bytes_of, bytes_of + sge.length, target.data.data() + at)) << i;
            at += sge.length;
        }
        ASSERT_EQ(target.data[bytes + i % 13], 0) << i;
    }
}

TEST_F(FastPath, InlineOfEverySizeNeedsNoRegion) {
    connect({.cap = {16, 16, 4, 4, 200}});
    ASSERT_GE(granted.max_inline_data, 200u);
    std::vector<uint8_t> unregistered(512);
    std::iota(unregistered.begin(), unregistered.end(), uint8_t{3});
    for (uint32_t size = 0; size <= granted.max_inline_data; ++size) {
        const uint32_t split = size / 3;
        const uint64_t base = reinterpret_cast<uint64_t>(unregistered.data());
        std::fill(target.data.begin(), target.data.begin() + 512, uint8_t{0});
        Work work(size, IBV_WR_RDMA_WRITE, {{base, split, 0}, {base + split, size - split, 0}},
                  IBV_SEND_SIGNALED | IBV_SEND_INLINE);
        ASSERT_EQ(work.to(target.address(0), target.mr->rkey).post(left), 0) << size;
        std::fill(unregistered.begin(), unregistered.end(), uint8_t{0});  // taken at the post
        expect_success(size, IBV_WC_RDMA_WRITE);
        std::iota(unregistered.begin(), unregistered.end(), uint8_t{3});
        ASSERT_TRUE(std::equal(unregistered.begin(), unregistered.begin() + size, target.data.begin())) << size;
        ASSERT_EQ(target.data[size], 0) << size;
    }
}

// C02: lengths that only overflow 32 bits together
TEST_F(FastPath, InlineLengthsAreSummedInFull) {
    connect();
    Work work(1, IBV_WR_RDMA_WRITE, {source.sge(0, 0x80000000u), source.sge(0, 0x80000008u)},
              IBV_SEND_SIGNALED | IBV_SEND_INLINE);
    EXPECT_EQ(work.to(target.address(0), target.mr->rkey).post(left), EINVAL);
    EXPECT_EQ(work.bad, &work.wr);
    EXPECT_FALSE(world.next());
}

// C15: what was granted can be posted, and not one more
TEST_F(FastPath, GrantedCapacityIsExact) {
    for (const uint32_t wanted : {1u, 2u, 3u, 7u, 16u, 100u}) {
        for (const uint32_t sges : {1u, 2u, 4u, 13u}) {
            QpOptions options{.cap = {wanted, wanted, sges, sges, 0}};
            ibv_qp_cap cap{};
            ibv_qp* qp = world.create_qp(options, &cap);
            ibv_qp* peer = world.create_qp(options);
            world.connect(qp, peer);
            world.connect(peer, qp);
            EXPECT_GE(cap.max_send_wr, wanted);
            EXPECT_GE(cap.max_send_sge, sges);
            world.options.forward = false;  // the card does not look, so nothing completes
            const std::vector<ibv_sge> list(cap.max_send_sge, source.sge(0, 1));
            for (uint32_t i = 0; i < cap.max_send_wr; ++i) {
                Work work(i, IBV_WR_RDMA_WRITE, list, 0);
                ASSERT_EQ(work.to(target.address(0), target.mr->rkey).post(qp), 0) << wanted << " " << i;
            }
            Work one_more(0, IBV_WR_RDMA_WRITE, list, 0);
            EXPECT_EQ(one_more.to(target.address(0), target.mr->rkey).post(qp), ENOMEM) << wanted;
            for (uint32_t i = 0; i < cap.max_recv_wr; ++i)
                ASSERT_EQ(post_receive(qp, i, {target.sge(0, 1)}), 0) << wanted << " " << i;
            EXPECT_EQ(post_receive(qp, 0, {target.sge(0, 1)}), ENOMEM) << wanted;
            world.options.forward = true;
            world.destroy(qp);
            world.destroy(peer);
        }
    }
}

TEST_F(FastPath, TooManySgesAreEinval) {
    connect();
    const std::vector<ibv_sge> list(granted.max_send_sge + 1, source.sge(0, 1));
    Work work(1, IBV_WR_RDMA_WRITE, list);
    EXPECT_EQ(work.to(target.address(0), target.mr->rkey).post(left), EINVAL);
    EXPECT_EQ(post_receive(left, 1, std::vector<ibv_sge>(granted.max_recv_sge + 1, target.sge(0, 1))), EINVAL);
}

// IBTA 10.8.2.1: an immediate error, which is not the one of a full queue.
TEST_F(FastPath, AStateThatForbidsPostingIsEinval) {
    connect();
    const auto send = [&] {
        Work work(1, IBV_WR_RDMA_WRITE, {source.sge(0, 8)});
        return work.to(target.address(0), target.mr->rkey).post(left);
    };
    ibv_qp_attr attr{};
    attr.qp_state = IBV_QPS_RESET;
    ASSERT_EQ(ibv_modify_qp(left, &attr, IBV_QP_STATE), 0);
    EXPECT_EQ(send(), EINVAL);
    EXPECT_EQ(post_receive(left, 1, {target.sge(0, 8)}), EINVAL);
    attr.qp_state = IBV_QPS_INIT;
    attr.port_num = 1;
    ASSERT_EQ(ibv_modify_qp(left, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS), 0);
    EXPECT_EQ(send(), EINVAL);
    EXPECT_EQ(post_receive(left, 2, {target.sge(0, 8)}), 0);
    attr.qp_state = IBV_QPS_ERR;
    ASSERT_EQ(ibv_modify_qp(left, &attr, IBV_QP_STATE), 0);
    EXPECT_EQ(send(), 0);
    EXPECT_FALSE(world.stores.empty());
    for (int flushed = 0; flushed < 2; ++flushed) {
        const auto completion = world.next();
        ASSERT_TRUE(completion);
        EXPECT_EQ(completion->status, IBV_WC_WR_FLUSH_ERR);
    }
}

TEST_F(FastPath, AnUnreliableConnectionTakesWhatNeedsNoAnswer) {
    connect({.type = IBV_QPT_UC});
    Work work(1, IBV_WR_RDMA_WRITE, {source.sge(0, 3000)});
    ASSERT_EQ(work.to(target.address(0), target.mr->rkey).post(left), 0);
    expect_success(1, IBV_WC_RDMA_WRITE);
    EXPECT_TRUE(std::equal(source.data.begin(), source.data.begin() + 3000, target.data.begin()));
    Work read(2, IBV_WR_RDMA_READ, {source.sge(0, 8)});
    EXPECT_EQ(read.to(target.address(0), target.mr->rkey).post(left), EINVAL);
}

TEST_F(FastPath, AListRingsOneDoorbell) {
    connect();
    Work first(1, IBV_WR_RDMA_WRITE, {source.sge(0, 8)}, 0);
    Work second(2, IBV_WR_RDMA_WRITE, {source.sge(8, 8)}, 0);
    Work third(3, IBV_WR_RDMA_WRITE, {source.sge(16, 8)});
    for (Work* work : {&first, &second, &third}) work->to(target.address(0), target.mr->rkey);
    first.then(second).then(third);
    world.stores.clear();
    ASSERT_EQ(first.post(left), 0);
    EXPECT_EQ(std::ranges::count_if(world.stores, [](const MmioStore& store) { return !store.is_push; }), 1);
    expect_success(3, IBV_WC_RDMA_WRITE);
    EXPECT_FALSE(world.next());
}

TEST_F(FastPath, AListStopsAtItsFirstMistake) {
    connect();
    Work good(1, IBV_WR_RDMA_WRITE, {source.sge(0, 8)});
    Work bad(2, static_cast<ibv_wr_opcode>(77), {source.sge(0, 8)});
    good.to(target.address(0), target.mr->rkey);
    good.then(bad);
    EXPECT_EQ(good.post(left), EINVAL);
    EXPECT_EQ(good.bad, &bad.wr);
    expect_success(1, IBV_WC_RDMA_WRITE);  // what came before the mistake was posted
    EXPECT_FALSE(world.next());
}

TEST_F(FastPath, RecordAndDoorbellSayTheSame) {
    connect();
    world.stores.clear();
    Work work(1, IBV_WR_RDMA_WRITE, {source.sge(0, 8)});
    ASSERT_EQ(work.to(target.address(0), target.mr->rkey).post(left), 0);
    const auto queues = provider_queues_of(left);
    ASSERT_FALSE(world.stores.empty());
    EXPECT_EQ(world.stores.back().value >> 32, queues.record_sq_prod);
    EXPECT_EQ(world.stores.back().value & TERN_OBJECT_NUMBER_MASK, queues.qpn);
}

TEST_F(FastPath, ADomainThatIsMissingIsEinval) {
    ibv_qp_init_attr_ex qp{};
    qp.qp_type = IBV_QPT_RC;
    qp.send_cq = qp.recv_cq = world.cq;
    qp.cap = {16, 16, 1, 1, 0};
    qp.send_ops_flags = IBV_QP_EX_WITH_SEND;
    for (const uint32_t mask : {unsigned{IBV_QP_INIT_ATTR_PD}, 0u}) {
        qp.comp_mask = mask | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
        errno = 0;
        EXPECT_EQ(ibv_create_qp_ex(world.context, &qp), nullptr);
        EXPECT_EQ(errno, EINVAL);
    }

    ibv_cq_init_attr_ex cq{};
    cq.cqe = 16;
    cq.comp_mask = IBV_CQ_INIT_ATTR_MASK_PD;
    for (ibv_pd* pd : {static_cast<ibv_pd*>(nullptr), world.pd}) {
        cq.parent_domain = pd;
        errno = 0;
        EXPECT_EQ(ibv_create_cq_ex(world.context, &cq), nullptr);
        EXPECT_EQ(errno, EINVAL);
    }
}

TEST_F(FastPath, DestroyedQpLeavesNoCompletion) {
    connect();
    Work work(1, IBV_WR_RDMA_WRITE, {source.sge(0, 8)});
    ASSERT_EQ(work.to(target.address(0), target.mr->rkey).post(left), 0);
    world.run();
    world.destroy(left);
    EXPECT_FALSE(world.next());
    ibv_qp* again = world.create_qp();
    world.connect(again, right);
}

TEST_F(FastPath, FailureFlushesWhatFollowsInOrder) {
    connect();
    Work wrong(1, IBV_WR_RDMA_WRITE, {source.sge(0, 8)}, 0);  // failures are always signaled
    wrong.to(target.address(0), target.mr->rkey ^ 0xff00);
    Work after(2, IBV_WR_RDMA_WRITE, {source.sge(0, 8)}, 0);
    after.to(target.address(0), target.mr->rkey);
    ASSERT_EQ(post_receive(left, 9, {target.sge(0, 8)}), 0);
    wrong.then(after);
    ASSERT_EQ(wrong.post(left), 0);
    std::vector<ibv_wc> completions;
    while (const auto completion = world.next()) completions.push_back(*completion);
    ASSERT_EQ(completions.size(), 3u);
    EXPECT_EQ(completions[0].wr_id, 1u);
    EXPECT_EQ(completions[0].status, IBV_WC_REM_ACCESS_ERR);
    for (size_t i = 1; i < 3; ++i) EXPECT_EQ(completions[i].status, IBV_WC_WR_FLUSH_ERR);
}

TEST_F(FastPath, DatagramsCarryTheirHeaderAndSource) {
    QpOptions options{.type = IBV_QPT_UD};
    left = world.create_qp(options);
    right = world.create_qp(options);
    world.to_rts_ud(left);
    world.to_rts_ud(right);
    ibv_ah* ah = world.create_ah();
    ASSERT_EQ(post_receive(right, 5, {target.sge(0, 2000)}), 0);
    Work work(6, IBV_WR_SEND, {source.sge(0, 300)});
    work.wr.wr.ud.ah = ah;
    work.wr.wr.ud.remote_qpn = right->qp_num;
    work.wr.wr.ud.remote_qkey = 0x11111111;
    ASSERT_EQ(work.post(left), 0);
    std::vector<ibv_wc> completions;
    while (const auto completion = world.next()) completions.push_back(*completion);
    ASSERT_EQ(completions.size(), 2u);
    const auto& receive = completions[completions[0].wr_id == 5 ? 0 : 1];
    EXPECT_EQ(receive.status, IBV_WC_SUCCESS);
    EXPECT_EQ(receive.byte_len, 340u);
    EXPECT_TRUE(receive.wc_flags & IBV_WC_GRH);
    EXPECT_EQ(receive.src_qp, left->qp_num);
    EXPECT_TRUE(std::equal(source.data.begin(), source.data.begin() + 300, target.data.begin() + 40));
    ibv_destroy_ah(ah);
}

// Arming after the last poll never loses an event, whenever the completion comes.
TEST_F(FastPath, ArmAfterPollMissesNothing) {
    connect();
    for (int i = 0; i < 20; ++i) {
        const bool completes_first = i % 2;
        Work work(1, IBV_WR_RDMA_WRITE, {source.sge(0, 8)});
        work.to(target.address(0), target.mr->rkey);
        if (completes_first) {
            ASSERT_EQ(work.post(left), 0);
            world.run();
        }
        ASSERT_EQ(ibv_req_notify_cq(world.cq, 0), 0);
        if (!completes_first) {
            ASSERT_EQ(work.post(left), 0);
        }
        world.run();
        EXPECT_EQ(world.events(), static_cast<uint32_t>(i + 1)) << "an event is lost, or one comes too often";
        expect_success(1, IBV_WC_RDMA_WRITE);
        EXPECT_FALSE(world.next());
    }
}

TEST(Push, OneBlockGoesThroughThePushPage) {
    World world({.push = true});
    Region source(world.pd, 4096), target(world.pd, 4096);
    ibv_qp* left = world.create_qp();
    ibv_qp* right = world.create_qp();
    world.connect(left, right);
    world.connect(right, left);
    ASSERT_TRUE(provider_queues_of(left).has_push);
    std::fill(source.data.begin(), source.data.end(), uint8_t{0x5a});
    for (uint32_t i = 0; i < 100; ++i) {
        world.stores.clear();
        Work work(i, IBV_WR_RDMA_WRITE, {source.sge(0, 8)});
        ASSERT_EQ(work.to(target.address(8 * i), target.mr->rkey).post(left), 0);
        ASSERT_EQ(world.stores.size(), 8u) << i;
        for (size_t store = 0; store < 8; ++store) {
            EXPECT_TRUE(world.stores[store].is_push);
            EXPECT_EQ(world.stores[store].offset, world.stores[0].offset + 8 * store);
        }
        const auto completion = world.next();
        ASSERT_TRUE(completion);
        EXPECT_EQ(completion->status, IBV_WC_SUCCESS);
        EXPECT_EQ(target.data[8 * i], 0x5a);
    }
}

}  // namespace
}  // namespace tern::test
