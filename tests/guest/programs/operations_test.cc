// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
//
// Every operation between the two ports of a card, data verified, at sizes
// around the path MTU, at odd offsets and across pages.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "tests/guest/programs/endpoint.h"

namespace tern::guest {
namespace {

constexpr uint32_t kMtu = 1024;
constexpr uint32_t kSizes[] = {0, 1, kMtu - 1, kMtu, kMtu + 1, 1 << 20};
constexpr size_t kOffsets[] = {0, 1, 4093};

struct Pair {
    Context context = open_card();
    Endpoint left{context.get(), {.port = 1}};
    Endpoint right{context.get(), {.port = 2}};

    Pair() {
        EXPECT_EQ(left.to_init(), 0);
        EXPECT_EQ(right.to_init(), 0);
        EXPECT_EQ(left.connect(right), 0);
        EXPECT_EQ(right.connect(left), 0);
    }
};

void expect_success(const std::optional<ibv_wc>& completion, uint64_t id, ibv_wc_opcode opcode) {
    ASSERT_TRUE(completion.has_value()) << "no completion";
    EXPECT_EQ(completion->status, IBV_WC_SUCCESS) << ibv_wc_status_str(completion->status);
    EXPECT_EQ(completion->wr_id, id);
    EXPECT_EQ(completion->opcode, opcode);
}

class Sized : public testing::TestWithParam<std::tuple<uint32_t, size_t>> {
protected:
    uint32_t size() const { return std::get<0>(GetParam()); }
    size_t offset() const { return std::get<1>(GetParam()); }
};

bool same(std::span<uint8_t> a, size_t a_offset, std::span<uint8_t> b, size_t b_offset, size_t length) {
    return std::equal(a.begin() + static_cast<long>(a_offset), a.begin() + static_cast<long>(a_offset + length),
                      b.begin() + static_cast<long>(b_offset));
}

TEST_P(Sized, RdmaWriteArrivesWhole) {
    Pair pair;
    fill(pair.left.bytes(), 1);
    std::ranges::fill(pair.right.bytes(), 0);
    ibv_sge sge = pair.left.sge(offset(), size());
    auto work = make_remote(7, IBV_WR_RDMA_WRITE, {&sge, 1}, pair.right.address(offset() + 3), pair.right.mr->rkey);
    ASSERT_EQ(pair.left.post(work), 0);
    expect_success(pair.left.wait(), 7, IBV_WC_RDMA_WRITE);
    EXPECT_TRUE(same(pair.left.bytes(), offset(), pair.right.bytes(), offset() + 3, size()));
    EXPECT_EQ(pair.right.bytes()[offset() + 2], 0);
    EXPECT_EQ(pair.right.bytes()[offset() + 3 + size()], 0);
}

TEST_P(Sized, RdmaReadBringsWhole) {
    Pair pair;
    fill(pair.right.bytes(), 2);
    std::ranges::fill(pair.left.bytes(), 0);
    ibv_sge sge = pair.left.sge(offset(), size());
    auto work = make_remote(8, IBV_WR_RDMA_READ, {&sge, 1}, pair.right.address(offset() + 5), pair.right.mr->rkey);
    ASSERT_EQ(pair.left.post(work), 0);
    const auto completion = pair.left.wait();
    expect_success(completion, 8, IBV_WC_RDMA_READ);
    EXPECT_TRUE(same(pair.left.bytes(), offset(), pair.right.bytes(), offset() + 5, size()));
    EXPECT_EQ(pair.left.bytes()[offset() + size()], 0);
}

TEST_P(Sized, SendFillsScatteredReceive) {
    Pair pair;
    fill(pair.left.bytes(), 3);
    std::ranges::fill(pair.right.bytes(), 0);
    const uint32_t first = size() / 3;
    ASSERT_EQ(pair.right.post_receive(20, {pair.right.sge(1, first), pair.right.sge(size() + 4099, size() - first)}),
              0);
    ibv_sge sge = pair.left.sge(offset(), size());
    auto work = make_work(9, IBV_WR_SEND_WITH_IMM, {&sge, 1});
    work.imm_data = htobe32(0x11223344);
    ASSERT_EQ(pair.left.post(work), 0);
    expect_success(pair.left.wait(), 9, IBV_WC_SEND);
    const auto received = pair.right.wait();
    expect_success(received, 20, IBV_WC_RECV);
    EXPECT_EQ(received->byte_len, size());
    EXPECT_EQ(received->qp_num, pair.right.qp->qp_num);
    EXPECT_TRUE(received->wc_flags & IBV_WC_WITH_IMM);
    EXPECT_EQ(be32toh(received->imm_data), 0x11223344u);
    EXPECT_TRUE(same(pair.left.bytes(), offset(), pair.right.bytes(), 1, first));
    EXPECT_TRUE(same(pair.left.bytes(), offset() + first, pair.right.bytes(), size() + 4099, size() - first));
}

TEST_P(Sized, WriteWithImmediateConsumesAReceive) {
    Pair pair;
    fill(pair.left.bytes(), 4);
    ASSERT_EQ(pair.right.post_receive(21, {}), 0);
    ibv_sge sge = pair.left.sge(offset(), size());
    auto work = make_remote(10, IBV_WR_RDMA_WRITE_WITH_IMM, {&sge, 1}, pair.right.address(), pair.right.mr->rkey);
    work.imm_data = htobe32(0x55667788);
    ASSERT_EQ(pair.left.post(work), 0);
    expect_success(pair.left.wait(), 10, IBV_WC_RDMA_WRITE);
    const auto received = pair.right.wait();
    expect_success(received, 21, IBV_WC_RECV_RDMA_WITH_IMM);
    EXPECT_EQ(received->byte_len, size());
    EXPECT_EQ(be32toh(received->imm_data), 0x55667788u);
    EXPECT_TRUE(same(pair.left.bytes(), offset(), pair.right.bytes(), 0, size()));
}

INSTANTIATE_TEST_SUITE_P(Operations, Sized, testing::Combine(testing::ValuesIn(kSizes), testing::ValuesIn(kOffsets)));

uint64_t& word(Endpoint& endpoint, size_t offset) {
    return *reinterpret_cast<uint64_t*>(endpoint.bytes().data() + offset);
}

TEST(Atomics, CompareAndSwapReturnsTheOldValue) {
    Pair pair;
    word(pair.right, 64) = 41;
    ibv_sge sge = pair.left.sge(128, 8);
    ibv_send_wr work = make_work(30, IBV_WR_ATOMIC_CMP_AND_SWP, {&sge, 1});
    work.wr.atomic = {pair.right.address(64), 41, 42, pair.right.mr->rkey};
    ASSERT_EQ(pair.left.post(work), 0);
    expect_success(pair.left.wait(), 30, IBV_WC_COMP_SWAP);
    EXPECT_EQ(word(pair.left, 128), 41u);
    EXPECT_EQ(word(pair.right, 64), 42u);
}

TEST(Atomics, CompareAndSwapLeavesAnotherValueAlone) {
    Pair pair;
    word(pair.right, 64) = 40;
    ibv_sge sge = pair.left.sge(128, 8);
    ibv_send_wr work = make_work(31, IBV_WR_ATOMIC_CMP_AND_SWP, {&sge, 1});
    work.wr.atomic = {pair.right.address(64), 41, 42, pair.right.mr->rkey};
    ASSERT_EQ(pair.left.post(work), 0);
    expect_success(pair.left.wait(), 31, IBV_WC_COMP_SWAP);
    EXPECT_EQ(word(pair.left, 128), 40u);
    EXPECT_EQ(word(pair.right, 64), 40u);
}

TEST(Atomics, FetchAndAddCountsEachRequestOnce) {
    Pair pair;
    word(pair.right, 64) = UINT64_MAX - 9;
    for (uint64_t i = 0; i < 20; ++i) {
        ibv_sge sge = pair.left.sge(128 + 8 * i, 8);
        ibv_send_wr work = make_work(i, IBV_WR_ATOMIC_FETCH_AND_ADD, {&sge, 1});
        work.wr.atomic = {pair.right.address(64), 1, 0, pair.right.mr->rkey};
        ASSERT_EQ(pair.left.post(work), 0);
    }
    for (uint64_t i = 0; i < 20; ++i) {
        expect_success(pair.left.wait(), i, IBV_WC_FETCH_ADD);
        EXPECT_EQ(word(pair.left, 128 + 8 * i), UINT64_MAX - 9 + i);
    }
    EXPECT_EQ(word(pair.right, 64), 10u);
}

TEST(Inline, EverySplitAndRingPositionCarriesTheSameBytes) {
    Pair pair;
    fill(pair.left.bytes(), 5);
    for (uint32_t round = 0; round < 200; ++round) {
        const uint32_t length = 1 + round % 64;
        const uint32_t first = round % (length + 1);
        std::vector<uint8_t> copy(pair.left.bytes().begin() + round, pair.left.bytes().begin() + round + length);
        ibv_sge sges[2] = {{reinterpret_cast<uint64_t>(copy.data()), first, 0},
                           {reinterpret_cast<uint64_t>(copy.data()) + first, length - first, 0}};
        auto work = make_remote(round, IBV_WR_RDMA_WRITE, sges, pair.right.address(round), pair.right.mr->rkey);
        work.send_flags |= IBV_SEND_INLINE;
        ASSERT_EQ(pair.left.post(work), 0);
        std::ranges::fill(copy, 0);  // the bytes were taken at post
        expect_success(pair.left.wait(), round, IBV_WC_RDMA_WRITE);
        ASSERT_TRUE(same(pair.left.bytes(), round, pair.right.bytes(), round, length)) << round;
    }
}

TEST(Datagram, CarriesGrhImmediateAndSource) {
    const Context context = open_card();
    Endpoint left{context.get(), {.port = 1, .type = IBV_QPT_UD}};
    Endpoint right{context.get(), {.port = 2, .type = IBV_QPT_UD}};
    ASSERT_EQ(left.to_rts_ud(), 0);
    ASSERT_EQ(right.to_rts_ud(), 0);
    const AddressHandle handle = left.address_handle(right);
    fill(left.bytes(), 6);
    for (const uint32_t length : {0u, 1u, 1000u, 1024u}) {
        ASSERT_EQ(right.post_receive(40, {right.sge(0, 40 + 1024)}), 0);
        ibv_sge sge = left.sge(3, length);
        ibv_send_wr work = make_work(41, IBV_WR_SEND_WITH_IMM, {&sge, 1});
        work.imm_data = htobe32(0xcafe);
        work.wr.ud = {handle.get(), right.qp->qp_num, kUdQkey};
        ASSERT_EQ(left.post(work), 0);
        expect_success(left.wait(), 41, IBV_WC_SEND);
        const auto received = right.wait();
        expect_success(received, 40, IBV_WC_RECV);
        EXPECT_EQ(received->byte_len, 40 + length);
        EXPECT_EQ(received->src_qp, left.qp->qp_num);
        EXPECT_TRUE(received->wc_flags & IBV_WC_GRH);
        EXPECT_TRUE(received->wc_flags & IBV_WC_WITH_IMM);
        EXPECT_TRUE(same(left.bytes(), 3, right.bytes(), 40, length));
        // GRH: source GID at byte 8, destination GID at byte 24
        EXPECT_EQ(std::memcmp(right.bytes().data() + 8, &left.gid(), 16), 0);
        EXPECT_EQ(std::memcmp(right.bytes().data() + 24, &right.gid(), 16), 0);
    }
}

// Nobody answers: what arrives is whole, and the rest of verbs is refused at once.
TEST(UnreliableConnection, CarriesSendsAndWritesAndNothingElse) {
    const Context context = open_card();
    Endpoint left{context.get(), {.port = 1, .type = IBV_QPT_UC}};
    Endpoint right{context.get(), {.port = 2, .type = IBV_QPT_UC}};
    ASSERT_EQ(left.connect(right), 0);
    ASSERT_EQ(right.connect(left), 0);
    fill(left.bytes(), 7);
    for (const uint32_t length : {0u, 1u, 1024u, 1025u, 1u << 20}) {
        ASSERT_EQ(right.post_receive(50, {right.sge(0, 1 << 20)}), 0);
        ASSERT_EQ(right.post_receive(51, {}), 0);
        ibv_sge sge = left.sge(1, length);
        auto send = make_work(52, IBV_WR_SEND, {&sge, 1});
        ASSERT_EQ(left.post(send), 0);
        auto write = make_remote(53, IBV_WR_RDMA_WRITE_WITH_IMM, {&sge, 1}, right.address(2 << 20), right.mr->rkey);
        write.imm_data = htobe32(length);
        ASSERT_EQ(left.post(write), 0);
        expect_success(left.wait(), 52, IBV_WC_SEND);
        expect_success(left.wait(), 53, IBV_WC_RDMA_WRITE);
        const auto sent = right.wait(), written = right.wait();
        expect_success(sent, 50, IBV_WC_RECV);
        EXPECT_EQ(sent->byte_len, length);
        expect_success(written, 51, IBV_WC_RECV_RDMA_WITH_IMM);
        EXPECT_EQ(be32toh(written->imm_data), length);
        EXPECT_TRUE(same(left.bytes(), 1, right.bytes(), 0, length));
        EXPECT_TRUE(same(left.bytes(), 1, right.bytes(), 2 << 20, length));
    }
    ibv_sge sge = left.sge(0, 8);
    for (const ibv_wr_opcode opcode : {IBV_WR_RDMA_READ, IBV_WR_ATOMIC_FETCH_AND_ADD, IBV_WR_SEND_WITH_INV}) {
        auto refused = make_remote(54, opcode, {&sge, 1}, right.address(), right.mr->rkey);
        EXPECT_EQ(left.post(refused), EINVAL) << opcode;
    }
    EXPECT_EQ(left.state(), IBV_QPS_RTS);
}

}  // namespace
}  // namespace tern::guest
