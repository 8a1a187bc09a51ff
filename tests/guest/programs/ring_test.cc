// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
//
// Memory of queues is what its user says it is or is refused; while a queue
// lives the card keeps its memory, whatever becomes of the mapping (C40).
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <functional>
#include <system_error>

#include "tests/guest/programs/raw_connection.h"

namespace tern::guest {
namespace {

constexpr size_t kPage = Pages::kBytes, kBytes = RawConnection::kPages * kPage;
constexpr size_t kHugeBytes = 2 << 20;

using CqChange = std::function<void(tern_ureq_create_cq&)>;
using QpChange = std::function<void(tern_ureq_create_qp&)>;

class Rings : public testing::Test {
protected:
    void SetUp() override { ASSERT_EQ(uverbs.get_context(context), 0); }

    // 0, or the errno of the first verb that failed.
    int error_of(const RawOptions& options) {
        try {
            RawConnection connection(uverbs, context, options);
            expect_works(connection);
            return 0;
        } catch (const std::system_error& error) {
            return error.code().value();
        }
    }
    int with_cq(const CqChange& change) {
        return error_of({.change = [&](tern_ureq_create_cq& cq, tern_ureq_create_qp&) { change(cq); }});
    }
    int with_qp(const QpChange& change) {
        return error_of({.change = [&](tern_ureq_create_cq&, tern_ureq_create_qp& qp) { change(qp); }});
    }

    static void expect_works(RawConnection& connection) {
        connection.prepare_write(64);
        connection.ring();
        const auto cqe = connection.wait();
        ASSERT_TRUE(cqe.has_value());
        EXPECT_EQ(cqe->owner & TERN_CQE_FAILED, 0u);
    }

    // @take is done to @page of a connection with work under way; then it ends, and another works.
    void take_under_traffic(const std::function<std::span<uint8_t>(RawConnection&)>& page,
                            const std::function<void(std::span<uint8_t>)>& take) {
        {
            const Pages memory(RawConnection::kPages);
            RawConnection connection(uverbs, context, {.memory = memory.data});
            expect_works(connection);
            for (int i = 0; i < 32; ++i) connection.prepare_write(4096);
            connection.ring();
            take(page(connection));
            // The doorbell page is still ours: the card goes on from the memory that it holds.
            *reinterpret_cast<volatile uint64_t*>(connection.doorbells() + TERN_DOORBELL_SQ) =
                connection.qpn() | uint64_t{connection.posted()} << TERN_DB_QUEUE_PROD_LO;
        }
        RawConnection another(uverbs, context);
        expect_works(another);
    }

    RawUverbs uverbs;
    tern_uresp_alloc_ucontext context{};
};

TEST_F(Rings, CompletionQueueOfAnotherSizeIsEinval) {
    EXPECT_EQ(with_cq([](auto&) {}), 0);
    for (const uint64_t length : {uint64_t{0}, uint64_t{1}, kPage - 1, kPage + 1, 2 * kPage, uint64_t{UINT32_MAX},
                                  uint64_t{1} << 32 | kPage, UINT64_MAX})
        EXPECT_EQ(with_cq([&](auto& cq) { cq.buffer_length = length; }), EINVAL) << length;
    for (const uint32_t depth : {0u, 1u, 6u, 8u, 31u, 32u, 64u, UINT32_MAX})
        EXPECT_EQ(with_cq([&](auto& cq) { cq.depth_log2 = depth; }), EINVAL) << depth;
    EXPECT_EQ(with_cq([](auto& cq) { cq.buffer_address += 8; }), EINVAL);
    EXPECT_EQ(with_cq([](auto& cq) { cq.record_address += 8; }), EINVAL);
    EXPECT_EQ(with_cq([](auto& cq) { cq.reserved = 1; }), EINVAL);
    EXPECT_EQ(with_cq([](auto& cq) { cq.buffer_address = 0; }), EFAULT);
    EXPECT_EQ(with_cq([](auto& cq) { cq.record_address = 0; }), EFAULT);
}

TEST_F(Rings, QueuePairOfAnotherSizeIsEinval) {
    EXPECT_EQ(with_qp([](auto&) {}), 0);
    for (const uint64_t length :
         {uint64_t{0}, kPage - 1, kPage + 1, 2 * kPage, uint64_t{UINT32_MAX}, uint64_t{1} << 32 | kPage, UINT64_MAX}) {
        EXPECT_EQ(with_qp([&](auto& qp) { qp.sq_length = length; }), EINVAL) << length;
        EXPECT_EQ(with_qp([&](auto& qp) { qp.rq_length = length; }), EINVAL) << length;
    }
    for (const uint8_t depth : {0, 5, 7, 17, 63, 64, 255}) {
        EXPECT_EQ(with_qp([&](auto& qp) { qp.sq_depth_log2 = depth; }), EINVAL) << int{depth};
        if (depth != 7) {  // a page holds 128 entries as well
            EXPECT_EQ(with_qp([&](auto& qp) { qp.rq_depth_log2 = depth; }), EINVAL) << int{depth};
        }
    }
    for (const uint8_t stride : {4, 8, 63, 255})
        EXPECT_EQ(with_qp([&](auto& qp) { qp.rq_stride_log2 = stride; }), EINVAL) << int{stride};
    EXPECT_EQ(with_qp([](auto& qp) { qp.sq_address += 8; }), EINVAL);
    EXPECT_EQ(with_qp([](auto& qp) { qp.rq_address += 8; }), EINVAL);
    EXPECT_EQ(with_qp([](auto& qp) { qp.record_address += 8; }), EINVAL);
    EXPECT_EQ(with_qp([](auto& qp) { qp.uidx = 1 << 24; }), EINVAL);
    EXPECT_EQ(with_qp([](auto& qp) { qp.reserved = 1; }), EINVAL);
    EXPECT_EQ(with_qp([](auto& qp) { qp.sq_address = 0; }), EFAULT);
    EXPECT_EQ(with_qp([](auto& qp) { qp.rq_address = 0; }), EFAULT);
}

TEST_F(Rings, MemoryThatMayOnlyBeReadIsEfault) {
    for (size_t page = 0; page < 4; ++page) {
        Pages memory(RawConnection::kPages);
        ASSERT_EQ(::mprotect(memory.data + page * kPage, kPage, PROT_READ), 0);
        EXPECT_EQ(error_of({.memory = memory.data}), EFAULT) << page;
    }
}

TEST_F(Rings, SharedMemoryServes) {
    const int file = ::memfd_create("rings", 0);
    ASSERT_EQ(::ftruncate(file, kBytes), 0);
    void* memory = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    ASSERT_NE(memory, MAP_FAILED);
    EXPECT_EQ(error_of({.memory = static_cast<uint8_t*>(memory)}), 0);
    ::munmap(memory, kBytes);
    ::close(file);
}

TEST_F(Rings, HugePagesServe) {
    std::ofstream("/proc/sys/vm/nr_hugepages") << 2 << std::flush;
    void* memory =
        ::mmap(nullptr, kHugeBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
    ASSERT_NE(memory, MAP_FAILED) << std::strerror(errno);
    EXPECT_EQ(error_of({.memory = static_cast<uint8_t*>(memory)}), 0);
    ::munmap(memory, kHugeBytes);
    std::ofstream("/proc/sys/vm/nr_hugepages") << 0 << std::flush;
}

TEST_F(Rings, MemoryThatItsUserTakesAwayUnderTrafficStaysTheCards) {
    const std::function<std::span<uint8_t>(RawConnection&)> pages[] = {
        [](auto& c) { return c.send_queue(); }, [](auto& c) { return c.receive_queue(); },
        [](auto& c) { return c.completion_queue(); }, [](auto& c) { return c.records(); },
        [](auto& c) { return c.data(); }};
    const std::function<void(std::span<uint8_t>)> ways[] = {
        [](auto page) { EXPECT_EQ(::munmap(page.data(), page.size()), 0); },
        [](auto page) { EXPECT_EQ(::madvise(page.data(), page.size(), MADV_DONTNEED), 0); },
        [](auto page) {
            void* moved = ::mremap(page.data(), page.size(), page.size(), MREMAP_MAYMOVE | MREMAP_DONTUNMAP, nullptr);
            EXPECT_NE(moved, MAP_FAILED);
            ::munmap(moved, page.size());
        },
        [](auto page) {  // other pages at the same place
            EXPECT_NE(::mmap(page.data(), page.size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
                             -1, 0),
                      MAP_FAILED);
        }};
    for (const auto& page : pages)
        for (const auto& way : ways) take_under_traffic(page, way);
}

}  // namespace
}  // namespace tern::guest
