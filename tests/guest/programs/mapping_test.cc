// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
//
// A process maps its own doorbell page and push page, whole and shared, and
// nothing else (C43).
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "tests/guest/programs/raw_connection.h"

namespace tern::guest {
namespace {

constexpr size_t kPage = Pages::kBytes;
constexpr int kSegfault = 42;
constexpr int kQuietMs = 100;  // a doorbell that is obeyed is so in a few

class Mapping : public testing::Test {
protected:
    void SetUp() override { ASSERT_EQ(uverbs.get_context(context), 0); }

    [[nodiscard]] bool maps(uint64_t offset, size_t bytes, int protection = PROT_WRITE, int flags = MAP_SHARED) {
        void* page = uverbs.map(offset, bytes, protection, flags);
        if (page == MAP_FAILED) return false;
        ::munmap(page, bytes);
        return true;
    }

    RawUverbs uverbs;
    tern_uresp_alloc_ucontext context{};
};

TEST_F(Mapping, OnlyTheExactOwnPagesMap) {
    for (const uint64_t offset : {context.doorbell_offset, context.push_offset}) {
        EXPECT_TRUE(maps(offset, kPage));
        EXPECT_TRUE(maps(offset, kPage));  // again
        EXPECT_FALSE(maps(offset, 2 * kPage));
        EXPECT_FALSE(maps(offset, size_t{1} << 40));
        EXPECT_FALSE(maps(offset, kPage, PROT_WRITE, MAP_PRIVATE));
    }
    for (uint64_t page = 0; page < 4096; ++page)
        if (page * kPage != context.doorbell_offset && page * kPage != context.push_offset) {
            EXPECT_FALSE(maps(page * kPage, kPage)) << page;
        }
    EXPECT_FALSE(maps(uint64_t{1} << 44 | context.doorbell_offset, kPage));  // beyond 32 bits of pages
    EXPECT_FALSE(maps(uint64_t{1} << 62, kPage));
}

TEST_F(Mapping, MappingDoesNotGrow) {
    void* page = uverbs.map(context.doorbell_offset, kPage, PROT_WRITE, MAP_SHARED);
    ASSERT_NE(page, MAP_FAILED);
    EXPECT_EQ(::mremap(page, kPage, 2 * kPage, MREMAP_MAYMOVE), MAP_FAILED);
    ::munmap(page, kPage);
}

TEST_F(Mapping, MappingOfAContextThatHasNoneFails) {
    RawUverbs fresh;
    EXPECT_EQ(fresh.map(context.doorbell_offset, kPage, PROT_WRITE, MAP_SHARED), MAP_FAILED);
}

// The offsets of two contexts may be the same; their pages are not.
TEST_F(Mapping, PageOfAnotherContextRingsNothingOfOurs) {
    RawUverbs other;
    tern_uresp_alloc_ucontext answer{};
    ASSERT_EQ(other.get_context(answer), 0);
    void* theirs = other.map(answer.doorbell_offset, kPage, PROT_WRITE, MAP_SHARED);
    ASSERT_NE(theirs, MAP_FAILED);
    RawConnection connection(uverbs, context);
    connection.prepare_write(64);
    connection.ring(static_cast<volatile uint8_t*>(theirs));
    EXPECT_FALSE(connection.wait(kQuietMs).has_value());
    connection.ring();
    const auto cqe = connection.wait();
    ASSERT_TRUE(cqe.has_value());
    EXPECT_EQ(cqe->owner & TERN_CQE_FAILED, 0u);
    ::munmap(theirs, kPage);
}

TEST_F(Mapping, ChildHasNoDoorbellPage) {
    auto* page = static_cast<volatile uint64_t*>(uverbs.map(context.doorbell_offset, kPage, PROT_WRITE, MAP_SHARED));
    ASSERT_NE(page, MAP_FAILED);
    const pid_t child = ::fork();
    if (child == 0) {
        ::signal(SIGSEGV, [](int) { ::_exit(kSegfault); });
        *page = 0;
        ::_exit(0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == kSegfault) << status;
    ::munmap(const_cast<uint64_t*>(page), kPage);
}

// Old programs, whose readable pages are executable, can use the card.
TEST_F(Mapping, ReadImpliesExecIsNoHindrance) {
    const int before = ::personality(0xffffffff);
    ASSERT_NE(::personality(static_cast<unsigned long>(before) | READ_IMPLIES_EXEC), -1);
    EXPECT_TRUE(maps(context.doorbell_offset, kPage, PROT_WRITE));
    EXPECT_TRUE(maps(context.doorbell_offset, kPage, PROT_READ | PROT_WRITE));
    ::personality(static_cast<unsigned long>(before));
}

// One thread maps while another closes.
TEST_F(Mapping, MappingRacesWithClosing) {
    for (int round = 0; round < 100; ++round) {
        auto other = std::make_unique<RawUverbs>();
        tern_uresp_alloc_ucontext answer{};
        ASSERT_EQ(other->get_context(answer), 0) << round;
        std::atomic<bool> has_mapped{false};
        const int file = other->fd();
        std::thread mapper([&] {
            for (;;) {
                void* page =
                    ::mmap(nullptr, kPage, PROT_WRITE, MAP_SHARED, file, static_cast<off_t>(answer.doorbell_offset));
                if (page == MAP_FAILED) return;
                *static_cast<volatile uint64_t*>(page) = 0;
                has_mapped = true;
                ::munmap(page, kPage);
            }
        });
        while (!has_mapped) std::this_thread::yield();
        other.reset();
        mapper.join();
    }
}

// Nothing is used up; what a process forgets goes with it.
TEST_F(Mapping, OpeningMappingAndUsingNeverFails) {
    const char* text = std::getenv("TERN_TEST_ROUNDS");
    const unsigned long rounds = text ? std::strtoul(text, nullptr, 10) : 1;
    for (unsigned long round = 0; round < 1000 * rounds; ++round) {
        RawUverbs other;
        tern_uresp_alloc_ucontext answer{};
        ASSERT_EQ(other.get_context(answer), 0) << round;
        if (round % 4 == 0) {
            RawConnection connection(other, answer);
            connection.prepare_write(8);
            connection.ring();
            ASSERT_TRUE(connection.wait().has_value()) << round;
        } else {
            void* page = other.map(answer.doorbell_offset, kPage, PROT_WRITE, MAP_SHARED);
            ASSERT_NE(page, MAP_FAILED) << round;
            ::munmap(page, kPage);
        }
    }
}

}  // namespace
}  // namespace tern::guest
