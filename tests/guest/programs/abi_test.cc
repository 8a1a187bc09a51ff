// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
//
// The uverbs ABI under a user who does not use our library: no stale kernel
// byte comes back (C38), no mapping but one's own (C43), no queue memory of
// another size than stated (C40).
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "tests/guest/programs/raw_uverbs.h"

namespace tern::guest {
namespace {

template <typename T>
std::span<std::byte> bytes_of(T& object) {
    return std::as_writable_bytes(std::span(&object, 1));
}

constexpr size_t kPage = 4096;

class Raw : public testing::Test {
protected:
    void SetUp() override { ASSERT_EQ(uverbs.get_context(context), 0); }

    int alloc_pd(uint32_t& handle) {
        struct {
            __aligned_u64 response;
        } request{};
        Answer<ib_uverbs_alloc_pd_resp, tern_uresp_alloc_pd> response;
        const int error = uverbs.command(IB_USER_VERBS_CMD_ALLOC_PD, bytes_of(request), response.bytes);
        if (!error) {
            handle = response.core().pd_handle;
            EXPECT_EQ(response.driver().reserved, 0u);
        }
        return error;
    }

    struct CqRequest {
        __aligned_u64 response;
        __aligned_u64 user_handle;
        __u32 cqe;
        __u32 comp_vector;
        __s32 comp_channel;
        __u32 reserved;
        tern_ureq_create_cq driver;
    };

    CqRequest cq_request(uint8_t* memory) {
        CqRequest request{};
        request.cqe = 128;
        request.comp_channel = -1;
        request.driver.buffer_address = reinterpret_cast<uint64_t>(memory);
        request.driver.buffer_length = kPage;
        request.driver.record_address = reinterpret_cast<uint64_t>(memory + kPage);
        request.driver.depth_log2 = 7;
        return request;
    }

    int create_cq(CqRequest& request) {
        Answer<ib_uverbs_create_cq_resp, tern_uresp_create_cq> response;
        const int error = uverbs.command(IB_USER_VERBS_CMD_CREATE_CQ, bytes_of(request), response.bytes);
        if (!error) {
            EXPECT_EQ(response.driver().reserved, 0u);
            destroy_cq(response.core().cq_handle);
        }
        return error;
    }

    void destroy_cq(uint32_t handle) {
        ib_uverbs_destroy_cq request{};
        request.cq_handle = handle;
        ib_uverbs_destroy_cq_resp response;
        EXPECT_EQ(uverbs.command(IB_USER_VERBS_CMD_DESTROY_CQ, bytes_of(request), bytes_of(response)), 0);
    }

    RawUverbs uverbs;
    tern_uresp_alloc_ucontext context{};
};

struct Pages {
    explicit Pages(size_t count) : bytes(count * kPage) {
        data =
            static_cast<uint8_t*>(::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    }
    ~Pages() { ::munmap(data, bytes); }
    size_t bytes;
    uint8_t* data;
};

// C38
TEST_F(Raw, NoResponseByteIsLeftUnwritten) {
    for (int round = 0; round < 100; ++round) {
        RawUverbs other;
        tern_uresp_alloc_ucontext answer{};
        ASSERT_EQ(other.get_context(answer), 0);
        EXPECT_EQ(answer.page_size, kPage);
        EXPECT_LE(answer.capabilities, 3u);
        EXPECT_LT(answer.max_send_sge, 32u);
        EXPECT_LT(answer.max_recv_sge, 32u);
        EXPECT_LE(answer.max_inline, 224u);
        EXPECT_LE(answer.max_send_blocks_log2, 16u);
        EXPECT_LE(answer.max_recv_entries_log2, 15u);
        EXPECT_LE(answer.max_cqe_log2, 22u);
    }
    uint32_t handle = 0;
    EXPECT_EQ(alloc_pd(handle), 0);
    Pages memory(2);
    auto request = cq_request(memory.data);
    EXPECT_EQ(create_cq(request), 0);
}

// C38: a response buffer that is shorter than ours is never overrun
TEST_F(Raw, ShortResponseBufferIsNotOverrun) {
    struct {
        __aligned_u64 response;
    } request{};
    Answer<ib_uverbs_alloc_pd_resp, std::array<uint32_t, 4>> response;
    const auto all = std::span(response.bytes);
    std::ranges::fill(all, std::byte{0x3c});
    const auto core = all.first(sizeof(ib_uverbs_alloc_pd_resp));
    const int error = uverbs.command(IB_USER_VERBS_CMD_ALLOC_PD, bytes_of(request), core);
    EXPECT_TRUE(error == 0 || error == EINVAL || error == ENOSPC) << error;
    for (const std::byte canary : all.subspan(core.size())) EXPECT_EQ(canary, std::byte{0x3c});
}

// C43
TEST_F(Raw, OnlyTheExactOwnPagesMap) {
    void* doorbell = uverbs.map(context.doorbell_offset, kPage, PROT_WRITE, MAP_SHARED);
    ASSERT_NE(doorbell, MAP_FAILED) << std::strerror(errno);
    EXPECT_EQ(uverbs.map(context.doorbell_offset, 2 * kPage, PROT_WRITE, MAP_SHARED), MAP_FAILED);
    EXPECT_EQ(uverbs.map(context.doorbell_offset, size_t{1} << 40, PROT_WRITE, MAP_SHARED), MAP_FAILED);
    EXPECT_EQ(uverbs.map(context.doorbell_offset, kPage, PROT_WRITE, MAP_PRIVATE), MAP_FAILED);
    for (uint64_t page = 0; page < 64; ++page) {
        const uint64_t offset = page * kPage;
        if (offset == context.doorbell_offset || offset == context.push_offset) continue;
        EXPECT_EQ(uverbs.map(offset, kPage, PROT_WRITE, MAP_SHARED), MAP_FAILED) << page;
    }
    EXPECT_EQ(::mremap(doorbell, kPage, 2 * kPage, MREMAP_MAYMOVE), MAP_FAILED);
    ::munmap(doorbell, kPage);
}

// C43: open, map and close do not use anything up
TEST_F(Raw, OpeningAndMappingTwoThousandTimesNeverFails) {
    for (int round = 0; round < 2000; ++round) {
        RawUverbs other;
        tern_uresp_alloc_ucontext answer{};
        ASSERT_EQ(other.get_context(answer), 0) << round;
        void* page = other.map(answer.doorbell_offset, kPage, PROT_WRITE, MAP_SHARED);
        ASSERT_NE(page, MAP_FAILED) << round;
        ::munmap(page, kPage);
    }
}

// C40
TEST_F(Raw, QueueMemoryOfAnotherSizeIsEinval) {
    Pages memory(4);
    const auto base = cq_request(memory.data);
    const auto refused = [&](auto change) {
        auto request = base;
        change(request.driver);
        return create_cq(request);
    };
    EXPECT_EQ(refused([](auto& r) { r.buffer_length = 0; }), EINVAL);
    EXPECT_EQ(refused([](auto& r) { r.buffer_length = kPage - 1; }), EINVAL);
    EXPECT_EQ(refused([](auto& r) { r.buffer_length = 2 * kPage; }), EINVAL);
    EXPECT_EQ(refused([](auto& r) { r.buffer_length = UINT64_MAX; }), EINVAL);
    EXPECT_EQ(refused([](auto& r) { r.buffer_address += 8; }), EINVAL);
    EXPECT_EQ(refused([](auto& r) { r.record_address += 8; }), EINVAL);
    EXPECT_EQ(refused([](auto& r) { r.depth_log2 = 31; }), EINVAL);
    EXPECT_EQ(refused([](auto& r) { r.depth_log2 = 1; }), EINVAL);  // less than the cqe asked for
    EXPECT_EQ(refused([](auto& r) { r.reserved = 1; }), EINVAL);
    EXPECT_EQ(refused([](auto& r) { r.buffer_address = 0; }), EFAULT);
    auto request = base;
    EXPECT_EQ(create_cq(request), 0);
}

// C40: the ring stays pinned when its user mapping goes
TEST_F(Raw, UnmappingALiveRingHurtsNobody) {
    auto memory = std::make_unique<Pages>(2);
    Answer<ib_uverbs_create_cq_resp, tern_uresp_create_cq> response;
    auto request = cq_request(memory->data);
    ASSERT_EQ(uverbs.command(IB_USER_VERBS_CMD_CREATE_CQ, bytes_of(request), response.bytes), 0);
    memory.reset();
    destroy_cq(response.core().cq_handle);
}

}  // namespace
}  // namespace tern::guest
