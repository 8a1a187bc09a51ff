// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
//
// A process that dies with everything in flight goes at once, takes its pinned
// pages along, and nobody writes to what was its memory (C27).
// TERN_TEST_ROUNDS, TERN_TEST_SEED: how often, and with what luck.
// TERN_TEST_GONE_MS: how soon it must have gone; a minute unless told, as the
// host may have other things to do than to run our guest.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <random>
#include <string>
#include <thread>

#include "tests/guest/programs/child.h"
#include "tests/guest/programs/crowd.h"

namespace tern::guest {
namespace {

constexpr int kStartMs = 120000, kFailMs = 60000;
constexpr char kWriting = 'w', kFailed = 'f', kRegistering = 'r';
constexpr size_t kMegabyte = 1 << 20;
constexpr size_t kPoisonBytes = 128 * kMegabyte;
constexpr uint8_t kPoison = 0x5a;

uint64_t number_of(const char* name, uint64_t otherwise) {
    const char* text = std::getenv(name);
    return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

bool goes(Child& child) { return child.is_gone(static_cast<int>(number_of("TERN_TEST_GONE_MS", 60000))); }

// Pages that drivers hold of processes' memory, in the whole system.
int64_t pinned_pages() {
    // Each CPU keeps its share for a while; reading this file has them all added up.
    std::ifstream("/proc/sys/vm/stat_refresh").get();
    std::ifstream file("/proc/vmstat");
    int64_t pinned = 0, value = 0;
    for (std::string name; file >> name >> value;) {
        if (name == "nr_foll_pin_acquired") pinned += value;
        if (name == "nr_foll_pin_released") pinned -= value;
    }
    return pinned;
}

class Memory {
public:
    explicit Memory(size_t bytes) : bytes_(bytes) {
        data_ = static_cast<uint8_t*>(
            ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    }
    ~Memory() { ::munmap(data_, bytes_); }
    Memory(const Memory&) = delete;
    [[nodiscard]] std::span<uint8_t> bytes() const { return {data_, bytes_}; }

private:
    uint8_t* data_;
    size_t bytes_;
};

// One side: writes until it dies, and says when all QPs have written and when all have failed.
void write_for_ever(uint8_t port, int socket, const Child::Tell& tell) {
    Crowd crowd(port, {});
    crowd.meet(socket);
    while (!crowd.all_have_written()) crowd.work();
    tell(kWriting);
    while (!crowd.all_have_failed()) crowd.work();
    tell(kFailed);
    ::pause();
}

struct Sockets {
    Sockets() {
        if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) std::abort();
    }
    ~Sockets() {
        for (const int end : ends) ::close(end);
    }
    int ends[2];
};

class Kill : public testing::Test {
protected:
    void SetUp() override {
        seed_ = number_of("TERN_TEST_SEED", std::random_device{}());
        std::cout << "seed " << seed_ << std::endl;
        random_.seed(seed_);
        pinned_ = pinned_pages();
    }

    template <typename Round>
    void repeat(Round round) {
        const uint64_t rounds = number_of("TERN_TEST_ROUNDS", 1);
        for (uint64_t i = 0; i < rounds && !HasFailure(); ++i) {
            SCOPED_TRACE("seed " + std::to_string(seed_) + ", round " + std::to_string(i));
            round();
            EXPECT_EQ(pinned_pages(), pinned_);
        }
        std::cout << "gone after " << slowest_ms_ << " ms at most" << std::endl;
    }

    void wait_at_random(uint32_t at_most_ms) {
        std::this_thread::sleep_for(std::chrono::milliseconds(random_() % (at_most_ms + 1)));
    }

    // The victim goes; then its memory, now most likely ours, stays as we fill it
    // while its peer goes on until it has failed.
    void kill_and_check(Child& victim, Child& peer, const std::function<void()>& before_the_peer_goes_on) {
        victim.signal(SIGKILL);
        const auto killed = std::chrono::steady_clock::now();
        ASSERT_TRUE(goes(victim));
        slowest_ms_ = std::max(slowest_ms_, (std::chrono::steady_clock::now() - killed) / std::chrono::milliseconds(1));
        const Memory memory(kPoisonBytes);
        std::ranges::fill(memory.bytes(), kPoison);
        before_the_peer_goes_on();
        EXPECT_TRUE(peer.says(kFailed, kFailMs));
        EXPECT_TRUE(std::ranges::all_of(memory.bytes(), [](uint8_t byte) { return byte == kPoison; }));
        peer.signal(SIGKILL);
        EXPECT_TRUE(goes(peer));
    }

    std::mt19937_64 random_;

private:
    uint64_t seed_ = 0;
    int64_t pinned_ = 0;
    int64_t slowest_ms_ = 0;
};

TEST_F(Kill, UnderTraffic) {
    repeat([&] {
        Sockets sockets;
        Child victim([&](const auto& tell) { write_for_ever(1, sockets.ends[0], tell); });
        Child peer([&](const auto& tell) { write_for_ever(2, sockets.ends[1], tell); });
        ASSERT_TRUE(victim.says(kWriting, kStartMs) && peer.says(kWriting, kStartMs));
        wait_at_random(50);
        kill_and_check(victim, peer, [] {});
    });
}

TEST_F(Kill, UnderTrafficWithTheirPeerStopped) {
    repeat([&] {
        Sockets sockets;
        Child victim([&](const auto& tell) { write_for_ever(1, sockets.ends[0], tell); });
        Child peer([&](const auto& tell) { write_for_ever(2, sockets.ends[1], tell); });
        ASSERT_TRUE(victim.says(kWriting, kStartMs) && peer.says(kWriting, kStartMs));
        wait_at_random(50);
        peer.signal(SIGSTOP);
        wait_at_random(50);
        kill_and_check(victim, peer, [&] { peer.signal(SIGCONT); });
    });
}

// Somewhere between the first QP and the last: nothing is connected yet, or half of it.
TEST_F(Kill, WhileStarting) {
    repeat([&] {
        Sockets sockets;
        Child victim([&](const auto& tell) { write_for_ever(1, sockets.ends[0], tell); });
        Child peer([&](const auto& tell) { write_for_ever(2, sockets.ends[1], tell); });
        wait_at_random(3000);
        victim.signal(SIGKILL);
        EXPECT_TRUE(goes(victim));
        peer.signal(SIGKILL);
        EXPECT_TRUE(goes(peer));
    });
}

// 32 GiB of addresses on 2 MiB of memory, which a guest of 2 GiB can pin as often as it likes.
std::span<uint8_t> map_over_and_over(size_t bytes, size_t memory_bytes) {
    const int file = ::memfd_create("victim", 0);
    if (file < 0 || ::ftruncate(file, static_cast<off_t>(memory_bytes))) std::abort();
    auto* data =
        static_cast<uint8_t*>(::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    for (size_t offset = 0; offset < bytes; offset += memory_bytes)
        if (::mmap(data + offset, memory_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) == MAP_FAILED)
            std::abort();
    return {data, bytes};
}

TEST_F(Kill, WhileRegisteringAHugeRegion) {
    repeat([&] {
        Child victim([](const auto& tell) {
            const Context context = open_card();
            const ProtectionDomain pd(ibv_alloc_pd(context.get()));
            const auto bytes = map_over_and_over(size_t{32} << 30, 2 * kMegabyte);
            tell(kRegistering);
            const MemoryRegion region(ibv_reg_mr(pd.get(), bytes.data(), bytes.size(), IBV_ACCESS_LOCAL_WRITE));
            ::pause();
        });
        ASSERT_TRUE(victim.says(kRegistering, kStartMs));
        wait_at_random(1500);
        const int64_t pinned = pinned_pages();
        victim.signal(SIGKILL);
        EXPECT_TRUE(goes(victim)) << pinned << " pages were pinned";
        std::cout << "killed with " << pinned << " pages pinned" << std::endl;
    });
}

// The test that runs us takes the link away between our two files.
TEST_F(Kill, WithTheLinkDown) {
    const char* directory = std::getenv("TERN_TEST_LINK");
    if (!directory) GTEST_SKIP() << "nobody takes the link down";
    Sockets sockets;
    Child victim([&](const auto& tell) { write_for_ever(1, sockets.ends[0], tell); });
    Child peer([&](const auto& tell) { write_for_ever(2, sockets.ends[1], tell); });
    ASSERT_TRUE(victim.says(kWriting, kStartMs) && peer.says(kWriting, kStartMs));
    std::ofstream(std::string(directory) + "/writing") << "yes\n";
    const std::string is_down = std::string(directory) + "/down";
    for (int i = 0; i < kStartMs && ::access(is_down.c_str(), F_OK); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    kill_and_check(victim, peer, [] {});
}

}  // namespace
}  // namespace tern::guest
