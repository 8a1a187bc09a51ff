// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
//
// ibv_wr_*(): what is built is what moves, and a batch is posted whole or not at all.
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <numeric>

#include "tests/provider/world.h"

namespace tern::test {
namespace {

constexpr uint64_t kRcOps =
    IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_READ | IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD;

class Builders : public testing::Test {
protected:
    void SetUp() override {
        const QpOptions options{.cap = {16, 16, 4, 4, 64}, .send_ops = kRcOps};
        left = world.create_qp(options, &granted);
        right = world.create_qp(options);
        world.connect(left, right);
        world.connect(right, left);
        qpx = ibv_qp_to_qp_ex(left);
        std::iota(source.data.begin(), source.data.end(), uint8_t{1});
    }

    void name_write(uint64_t id, size_t offset) {
        qpx->wr_id = id;
        qpx->wr_flags = IBV_SEND_SIGNALED;
        ibv_wr_rdma_write(qpx, target.mr->rkey, target.address(offset));
    }

    void expect_success(uint64_t id) {
        const auto completion = world.next();
        ASSERT_TRUE(completion) << "no completion of " << id;
        EXPECT_EQ(completion->status, IBV_WC_SUCCESS) << ibv_wc_status_str(completion->status);
        EXPECT_EQ(completion->wr_id, id);
    }

    // After whatever was refused, the queue takes and does what is right.
    void expect_works() {
        EXPECT_FALSE(world.next());
        ibv_wr_start(qpx);
        name_write(99, 64);
        ibv_wr_set_sge(qpx, source.mr->lkey, source.address(0), 100);
        ASSERT_EQ(ibv_wr_complete(qpx), 0);
        expect_success(99);
        EXPECT_TRUE(std::equal(source.data.begin(), source.data.begin() + 100, target.data.begin() + 64));
        EXPECT_TRUE(std::all_of(target.data.begin(), target.data.begin() + 64, [](uint8_t byte) { return !byte; }));
    }

    World world;
    Region source{world.pd, 8192};
    Region target{world.pd, 8192};
    ibv_qp* left = nullptr;
    ibv_qp* right = nullptr;
    ibv_qp_ex* qpx = nullptr;
    ibv_qp_cap granted{};
};

// Every way to set data, at every place of the ring.
TEST_F(Builders, EveryWayToSetDataMovesIt) {
    for (uint32_t round = 0; round < 100; ++round) {
        std::fill(target.data.begin(), target.data.end(), uint8_t{0});
        const uint32_t bytes = 1 + round % granted.max_inline_data;
        const ibv_sge list[] = {source.sge(0, 7), source.sge(7, 0), source.sge(7, bytes)};
        ibv_data_buf buffers[] = {{source.data.data(), 3}, {nullptr, 0}, {source.data.data() + 3, bytes - bytes / 2}};
        const size_t in_list = std::min<size_t>(3 + bytes - bytes / 2, granted.max_inline_data);
        buffers[2].length = in_list - 3;

        ibv_wr_start(qpx);
        name_write(0, 0);
        ibv_wr_set_sge(qpx, source.mr->lkey, source.address(0), bytes);
        name_write(1, 1000);
        ibv_wr_set_sge_list(qpx, 3, list);
        name_write(2, 2000);
        ibv_wr_set_inline_data(qpx, source.data.data(), bytes);
        name_write(3, 3000);
        ibv_wr_set_inline_data_list(qpx, 3, buffers);
        name_write(4, 4000);  // no data
        ASSERT_EQ(ibv_wr_complete(qpx), 0);

        for (uint64_t id = 0; id < 5; ++id) expect_success(id);
        const size_t lengths[] = {bytes, 7 + bytes, bytes, in_list, 0};
        for (size_t i = 0; i < 5; ++i) {
            const auto at = target.data.begin() + static_cast<ptrdiff_t>(i * 1000);
            const auto length = static_cast<ptrdiff_t>(lengths[i]);
            ASSERT_TRUE(std::equal(at, at + length, source.data.begin())) << round << " " << i;
            ASSERT_EQ(at[length], 0) << round << " " << i;
        }
    }
}

TEST_F(Builders, AnAbortedBatchIsNotPosted) {
    ibv_wr_start(qpx);
    name_write(1, 0);
    ibv_wr_set_sge(qpx, source.mr->lkey, source.address(0), 8);
    ibv_wr_abort(qpx);
    expect_works();
}

TEST_F(Builders, InlineDataOfAReadRefuseTheBatch) {
    ibv_wr_start(qpx);
    name_write(1, 0);
    ibv_wr_set_sge(qpx, source.mr->lkey, source.address(0), 8);
    ibv_wr_rdma_read(qpx, source.mr->rkey, source.address(0));
    ibv_wr_set_inline_data(qpx, source.data.data(), 8);
    name_write(2, 0);
    ibv_wr_set_sge(qpx, source.mr->lkey, source.address(0), 8);
    EXPECT_EQ(ibv_wr_complete(qpx), EINVAL);
    expect_works();
}

TEST_F(Builders, TooMuchDataRefuseTheBatch) {
    const std::vector<ibv_sge> list(granted.max_send_sge + 1, source.sge(0, 1));
    const ibv_data_buf buffers[] = {{source.data.data(), granted.max_inline_data}, {source.data.data(), 1}};
    for (int way = 0; way < 4; ++way) {
        ibv_wr_start(qpx);
        name_write(1, 0);
        if (way == 0) ibv_wr_set_sge_list(qpx, list.size(), list.data());
        if (way == 1) ibv_wr_set_inline_data(qpx, source.data.data(), granted.max_inline_data + 1);
        if (way == 2) ibv_wr_set_inline_data_list(qpx, 2, buffers);
        if (way == 3) ibv_wr_set_inline_data(qpx, source.data.data(), SIZE_MAX);
        EXPECT_EQ(ibv_wr_complete(qpx), EINVAL) << way;
    }
    expect_works();
}

TEST_F(Builders, AFlagThatIsUnknownRefusesTheBatch) {
    ibv_wr_start(qpx);
    qpx->wr_id = 1;
    qpx->wr_flags = IBV_SEND_SIGNALED | IBV_SEND_IP_CSUM;
    ibv_wr_atomic_fetch_add(qpx, target.mr->rkey, target.address(0), 1);
    ibv_wr_set_sge(qpx, source.mr->lkey, source.address(0), 8);
    EXPECT_EQ(ibv_wr_complete(qpx), EINVAL);
    expect_works();
}

TEST_F(Builders, OneMoreThanThereIsRoomForRefusesAll) {
    ibv_wr_start(qpx);
    for (uint32_t i = 0; i < granted.max_send_wr + 3; ++i) {
        name_write(i, 0);
        ibv_wr_set_sge(qpx, source.mr->lkey, source.address(0), 8);
    }
    EXPECT_EQ(ibv_wr_complete(qpx), ENOMEM);
    expect_works();
}

TEST_F(Builders, AStateThatForbidsPostingRefusesTheBatch) {
    ibv_qp_attr attr{};
    attr.qp_state = IBV_QPS_RESET;
    ASSERT_EQ(ibv_modify_qp(left, &attr, IBV_QP_STATE), 0);
    ibv_wr_start(qpx);
    name_write(1, 0);
    ibv_wr_set_sge(qpx, source.mr->lkey, source.address(0), 8);
    EXPECT_EQ(ibv_wr_complete(qpx), EINVAL);
}

TEST_F(Builders, DatagramsGoWhereTheAddressSays) {
    const QpOptions options{.type = IBV_QPT_UD, .cap = {16, 16, 1, 1, 64}, .send_ops = IBV_QP_EX_WITH_SEND};
    ibv_qp* from = world.create_qp(options);
    ibv_qp* to = world.create_qp(options);
    world.to_rts_ud(from);
    world.to_rts_ud(to);
    ibv_ah* ah = world.create_ah();
    ASSERT_EQ(post_receive(to, 5, {target.sge(0, 2000)}), 0);

    ibv_qp_ex* datagrams = ibv_qp_to_qp_ex(from);
    ibv_wr_start(datagrams);
    datagrams->wr_id = 6;
    datagrams->wr_flags = 0;
    ibv_wr_send(datagrams);
    ibv_wr_set_ud_addr(datagrams, ah, to->qp_num, 0x11111111);
    ibv_wr_set_inline_data(datagrams, source.data.data(), 40);
    ASSERT_EQ(ibv_wr_complete(datagrams), 0);

    const auto receive = world.next();
    ASSERT_TRUE(receive);
    EXPECT_EQ(receive->wr_id, 5u);
    EXPECT_EQ(receive->byte_len, 80u);
    EXPECT_TRUE(std::equal(source.data.begin(), source.data.begin() + 40, target.data.begin() + 40));
    ibv_destroy_ah(ah);
}

}  // namespace
}  // namespace tern::test
