// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
//
// What goes wrong ends in the status that verbs names, at the side that verbs
// names, and touches no byte outside of what was allowed.
#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>

#include "tern/hw/access.h"
#include "tests/guest/programs/endpoint.h"

namespace tern::guest {
namespace {

struct Pair {
    Context context = open_card();
    Endpoint left;
    Endpoint right;

    explicit Pair(const ConnectOptions& options = {}, const EndpointOptions& endpoint = {})
        : left(context.get(), with_port(endpoint, 1)), right(context.get(), with_port(endpoint, 2)) {
        EXPECT_EQ(left.connect(right, options), 0);
        EXPECT_EQ(right.connect(left, options), 0);
        std::ranges::fill(right.bytes(), 0x5a);
    }

    static EndpointOptions with_port(EndpointOptions options, uint8_t port) {
        options.port = port;
        return options;
    }

    void write(size_t length, uint64_t address, uint32_t rkey, uint64_t id = 1) {
        ibv_sge sge = left.sge(0, static_cast<uint32_t>(length));
        auto work = make_remote(id, IBV_WR_RDMA_WRITE, {&sge, 1}, address, rkey);
        ASSERT_EQ(left.post(work), 0);
    }

    bool right_untouched() {
        return std::ranges::all_of(right.bytes(), [](uint8_t byte) { return byte == 0x5a; });
    }
};

void expect_status(Endpoint& endpoint, uint64_t id, ibv_wc_status status) {
    const auto completion = endpoint.wait();
    ASSERT_TRUE(completion.has_value()) << "no completion for " << id;
    EXPECT_EQ(completion->status, status) << ibv_wc_status_str(completion->status);
    EXPECT_EQ(completion->wr_id, id);
    EXPECT_EQ(completion->qp_num, endpoint.qp->qp_num);
}

// The next asynchronous event of the card, or -1.
int async_event(ibv_context* context, int timeout_ms = 10000) {
    pollfd ready{context->async_fd, POLLIN, 0};
    if (::poll(&ready, 1, timeout_ms) != 1) return -1;
    ibv_async_event event{};
    if (ibv_get_async_event(context, &event)) return -1;
    const int type = event.event_type;
    ibv_ack_async_event(&event);
    return type;
}

TEST(RemoteErrors, WrongRkeyIsRemoteAccessAndTellsTheResponder) {
    Pair pair;
    pair.write(8, pair.right.address(), pair.right.mr->rkey ^ 0x40);
    expect_status(pair.left, 1, IBV_WC_REM_ACCESS_ERR);
    EXPECT_EQ(pair.left.state(), IBV_QPS_ERR);
    EXPECT_EQ(async_event(pair.context.get()), IBV_EVENT_QP_ACCESS_ERR);
    EXPECT_EQ(pair.right.state(), IBV_QPS_ERR);
    EXPECT_TRUE(pair.right_untouched());
}

TEST(RemoteErrors, OneByteBeyondTheRegionIsRemoteAccess) {
    Pair pair;
    pair.write(9, pair.right.address(pair.right.bytes().size() - 8), pair.right.mr->rkey);
    expect_status(pair.left, 1, IBV_WC_REM_ACCESS_ERR);
    EXPECT_TRUE(pair.right_untouched());
}

// C35
TEST(RemoteErrors, AddressPlusLengthDoesNotWrap) {
    for (const uint64_t address : {UINT64_MAX - 7, UINT64_MAX, uint64_t{0}}) {
        Pair pair;
        pair.write(16, address, pair.right.mr->rkey);
        expect_status(pair.left, 1, IBV_WC_REM_ACCESS_ERR);
        EXPECT_TRUE(pair.right_untouched());
    }
}

// C35, C04: a length of zero is not checked against key or bounds
TEST(RemoteErrors, ZeroLengthNeedsNoRkey) {
    Pair pair;
    pair.write(0, UINT64_MAX, 0xdeadbeef);
    expect_status(pair.left, 1, IBV_WC_SUCCESS);
}

TEST(RemoteErrors, KeyOfAnotherDomainIsRemoteAccess) {
    Pair pair;
    pair.write(8, pair.left.address(64), pair.left.mr->rkey);  // a key, but of the requester's PD
    expect_status(pair.left, 1, IBV_WC_REM_ACCESS_ERR);
}

TEST(RemoteErrors, MissingRightIsRemoteAccess) {
    Pair pair({}, {.access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ});
    pair.write(8, pair.right.address(), pair.right.mr->rkey);
    expect_status(pair.left, 1, IBV_WC_REM_ACCESS_ERR);
    EXPECT_TRUE(pair.right_untouched());
}

TEST(RemoteErrors, NoReceiveEndsInRnrRetryExceeded) {
    Pair pair({.rnr_retry = 2});
    ibv_sge sge = pair.left.sge(0, 4);
    auto work = make_work(2, IBV_WR_SEND, {&sge, 1});
    ASSERT_EQ(pair.left.post(work), 0);
    expect_status(pair.left, 2, IBV_WC_RNR_RETRY_EXC_ERR);
}

// C11: a late receive within the RNR interval is found
TEST(RemoteErrors, ReceiveThatComesInTimeIsUsed) {
    Pair pair({.timeout = 8, .retry_count = 1, .rnr_retry = 7, .min_rnr_timer = 14});
    ibv_sge sge = pair.left.sge(0, 4);
    auto work = make_work(2, IBV_WR_SEND, {&sge, 1});
    ASSERT_EQ(pair.left.post(work), 0);
    EXPECT_FALSE(pair.left.wait(50).has_value());
    ASSERT_EQ(pair.right.post_receive(3, {pair.right.sge(0, 4)}), 0);
    expect_status(pair.left, 2, IBV_WC_SUCCESS);
    expect_status(pair.right, 3, IBV_WC_SUCCESS);
}

// C04
TEST(RemoteErrors, MessageLongerThanTheReceiveFailsOnBothSides) {
    Pair pair;
    ASSERT_EQ(pair.right.post_receive(3, {pair.right.sge(0, 4)}), 0);
    ibv_sge sge = pair.left.sge(0, 5);
    auto work = make_work(2, IBV_WR_SEND, {&sge, 1});
    ASSERT_EQ(pair.left.post(work), 0);
    expect_status(pair.left, 2, IBV_WC_REM_INV_REQ_ERR);
    expect_status(pair.right, 3, IBV_WC_LOC_LEN_ERR);
}

TEST(RemoteErrors, SilentPeerEndsInRetryExceeded) {
    Pair pair({.timeout = 8, .retry_count = 2});
    pair.right.qp.reset();
    pair.write(8, pair.right.address(), pair.right.mr->rkey);
    expect_status(pair.left, 1, IBV_WC_RETRY_EXC_ERR);
}

TEST(RemoteErrors, MisalignedAtomicIsInvalidRequest) {
    Pair pair;
    ibv_sge sge = pair.left.sge(128, 8);
    ibv_send_wr work = make_work(4, IBV_WR_ATOMIC_FETCH_AND_ADD, {&sge, 1});
    work.wr.atomic = {pair.right.address(4), 1, 0, pair.right.mr->rkey};
    ASSERT_EQ(pair.left.post(work), 0);
    expect_status(pair.left, 4, IBV_WC_REM_INV_REQ_ERR);
    EXPECT_TRUE(pair.right_untouched());
}

TEST(LocalErrors, UnknownLkeyIsLocalProtection) {
    Pair pair;
    ibv_sge sge = {pair.left.address(), 8, pair.left.mr->lkey ^ 0x100};
    auto work = make_remote(5, IBV_WR_RDMA_WRITE, {&sge, 1}, pair.right.address(), pair.right.mr->rkey);
    ASSERT_EQ(pair.left.post(work), 0);
    expect_status(pair.left, 5, IBV_WC_LOC_PROT_ERR);
    EXPECT_TRUE(pair.right_untouched());
}

TEST(LocalErrors, UserQueueMayNotUseTheLocalDmaLkey) {
    Pair pair;
    ibv_sge sge = {0x1000, 8, TERN_LOCAL_DMA_LKEY};
    auto work = make_remote(6, IBV_WR_RDMA_WRITE, {&sge, 1}, pair.right.address(), pair.right.mr->rkey);
    ASSERT_EQ(pair.left.post(work), 0);
    expect_status(pair.left, 6, IBV_WC_LOC_PROT_ERR);
    EXPECT_TRUE(pair.right_untouched());
}

// C06
TEST(Flush, UnsignaledFailuresAndAllAfterThemComplete) {
    Pair pair({}, {.signal_all = false});
    ibv_sge sge = pair.left.sge(0, 8);
    for (uint64_t id = 1; id <= 9; ++id) {
        auto work = make_remote(id, IBV_WR_RDMA_WRITE, {&sge, 1}, pair.right.address(),
                                id == 4 ? pair.right.mr->rkey ^ 0x40 : pair.right.mr->rkey);
        work.send_flags = id == 9 ? IBV_SEND_SIGNALED : 0;
        ASSERT_EQ(pair.left.post(work), 0);
    }
    expect_status(pair.left, 4, IBV_WC_REM_ACCESS_ERR);
    for (uint64_t id = 5; id <= 9; ++id) expect_status(pair.left, id, IBV_WC_WR_FLUSH_ERR);
    for (uint64_t id = 10; id <= 12; ++id) {
        auto work = make_remote(id, IBV_WR_RDMA_WRITE, {&sge, 1}, pair.right.address(), pair.right.mr->rkey);
        work.send_flags = 0;
        ASSERT_EQ(pair.left.post(work), 0);
        expect_status(pair.left, id, IBV_WC_WR_FLUSH_ERR);
    }
    EXPECT_FALSE(pair.left.wait(100).has_value());
    EXPECT_EQ(pair.left.state(), IBV_QPS_ERR);
}

TEST(Flush, ReceivesPostedAfterTheErrorAreFlushed) {
    Pair pair;
    ibv_qp_attr attr{};
    attr.qp_state = IBV_QPS_ERR;
    ASSERT_EQ(pair.left.post_receive(1, {pair.left.sge(0, 8)}), 0);
    ASSERT_EQ(ibv_modify_qp(pair.left.qp.get(), &attr, IBV_QP_STATE), 0);
    expect_status(pair.left, 1, IBV_WC_WR_FLUSH_ERR);
    ASSERT_EQ(pair.left.post_receive(2, {pair.left.sge(0, 8)}), 0);
    expect_status(pair.left, 2, IBV_WC_WR_FLUSH_ERR);
}

// C15
TEST(Capacity, ReturnedCapacityIsExact) {
    const Context context = open_card();
    for (const uint32_t depth : {1u, 3u, 64u}) {
        Endpoint endpoint{context.get(), {.depth = depth, .max_sge = 2, .max_inline = 0}};
        ASSERT_EQ(endpoint.to_init(), 0);
        ibv_qp_attr attr{};
        ibv_qp_init_attr init{};
        ASSERT_EQ(ibv_query_qp(endpoint.qp.get(), &attr, IBV_QP_CAP, &init), 0);
        ASSERT_GE(init.cap.max_recv_wr, depth);
        for (uint32_t i = 0; i < init.cap.max_recv_wr; ++i)
            ASSERT_EQ(endpoint.post_receive(i, {endpoint.sge(0, 8)}), 0) << i;
        EXPECT_EQ(endpoint.post_receive(0, {endpoint.sge(0, 8)}), ENOMEM);
    }
}

TEST(Capacity, TooMuchIsRefusedWithEinval) {
    const Context context = open_card();
    ibv_device_attr device{};
    ASSERT_EQ(ibv_query_device(context.get(), &device), 0);
    const ProtectionDomain pd(ibv_alloc_pd(context.get()));
    const CompletionQueue cq(ibv_create_cq(context.get(), 16, nullptr, nullptr, 0));
    const uint32_t wr = static_cast<uint32_t>(device.max_qp_wr);
    const uint32_t sge = static_cast<uint32_t>(device.max_sge);
    for (const ibv_qp_cap cap :
         {ibv_qp_cap{wr + 1, 1, 1, 1, 0}, ibv_qp_cap{1, wr + 1, 1, 1, 0}, ibv_qp_cap{1, 1, sge + 1, 1, 0},
          ibv_qp_cap{1, 1, 1, sge + 1, 0}, ibv_qp_cap{1, 1, 1, 1, 4096}}) {
        ibv_qp_init_attr init{};
        init.send_cq = init.recv_cq = cq.get();
        init.cap = cap;
        init.qp_type = IBV_QPT_RC;
        const QueuePair qp(ibv_create_qp(pd.get(), &init));
        EXPECT_EQ(qp.get(), nullptr);
        EXPECT_EQ(errno, EINVAL);
    }
    EXPECT_EQ(ibv_create_cq(context.get(), device.max_cqe + 1, nullptr, nullptr, 0), nullptr);
}

}  // namespace
}  // namespace tern::guest
