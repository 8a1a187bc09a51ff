// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
//
// A process that changes its queues while the card reads them hurts itself at
// most (C41). TERN_TEST_SECONDS, TERN_TEST_SEED: how long, and with what luck.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <random>
#include <string>
#include <thread>

#include "tern/hw/wqe.h"
#include "tests/guest/programs/child.h"
#include "tests/guest/programs/endpoint.h"
#include "tests/guest/programs/raw_connection.h"

namespace tern::guest {
namespace {

constexpr auto kChaosOfOne = std::chrono::milliseconds(40);
constexpr char kGood = 'g';
constexpr int kPatienceMs = 60000;

uint64_t number_of(const char* name, uint64_t otherwise) {
    const char* text = std::getenv(name);
    return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

// What another process sees: shared with it.
struct Shared {
    std::atomic<bool> stop{false};
    std::atomic<uint64_t> rounds{0};
};

// Writes from port 1 to port 2 and compares, until it is told to stop; throws if it ever finds a difference.
void write_and_compare(Shared& shared, const Child::Tell& tell) {
    constexpr uint32_t kBytes = 20000;
    const Context context = open_card();
    Endpoint left(context.get(), {.port = 1, .buffer_bytes = kBytes}),
        right(context.get(), {.port = 2, .buffer_bytes = kBytes});
    if (left.connect(right) || right.connect(left)) throw std::runtime_error("no connection");
    while (!shared.stop) {
        fill(left.bytes(), static_cast<uint32_t>(++shared.rounds));
        ibv_sge sge = left.sge(0, kBytes);
        ibv_send_wr work = make_remote(1, IBV_WR_RDMA_WRITE, {&sge, 1}, right.address(), right.mr->rkey);
        if (left.post(work)) throw std::runtime_error("not posted");
        const auto completion = left.wait(kPatienceMs);
        if (!completion || completion->status != IBV_WC_SUCCESS) throw std::runtime_error("not written");
        if (std::memcmp(left.bytes().data(), right.bytes().data(), kBytes)) throw std::runtime_error("not the same");
    }
    tell(kGood);
}

// Changes of one kind each, at random places of a live connection.
class Vandal {
public:
    Vandal(RawConnection& victim, uint64_t seed) : victim_(victim), random_(seed) {}

    void change() {
        uint8_t* block = victim_.send_queue().data() + random_() % (1 << RawConnection::kDepthLog2) * 64;
        switch (random_() % 12) {
        case 0: return store<uint8_t>(block + offsetof(tern_wqe_control, count), random_() % 2 ? 1 : 255);
        case 1: return store<uint8_t>(block + offsetof(tern_wqe_control, count), random_());
        case 2: return store<uint8_t>(block + offsetof(tern_wqe_control, flags), random_());
        case 3: return store<uint8_t>(block + 3, random_());  // the opcode
        case 4: return store<uint32_t>(block + 0x20 + offsetof(tern_sge, length_bytes), random_());
        case 5: return store<uint64_t>(block + 0x20, random_());
        case 6: return store<uint32_t>(block + 0x20 + offsetof(tern_sge, lkey), random_());
        case 7: return store<uint64_t>(block + 0x10, random_());
        case 8: return store<uint32_t>(victim_.receive_queue().data() + random_() % 256 * 4, random_());
        case 9: return store<uint32_t>(victim_.completion_queue().data() + random_() % 1024 * 4, random_());
        case 10: return store<uint32_t>(victim_.records().data() + random_() % 32 * 4, random_());
        default: return store<uint64_t>(block + random_() % 8 * 8, random_());
        }
    }

private:
    template <typename T>
    static void store(uint8_t* at, uint64_t value) {
        std::atomic_ref(*reinterpret_cast<T*>(at)).store(static_cast<T>(value), std::memory_order_relaxed);
    }

    RawConnection& victim_;
    std::mt19937_64 random_;
};

class Hostile : public testing::Test {
protected:
    void SetUp() override {
        void* memory = ::mmap(nullptr, Pages::kBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        ASSERT_NE(memory, MAP_FAILED);
        shared = new (memory) Shared;
    }
    void TearDown() override { ::munmap(shared, Pages::kBytes); }

    Shared* shared = nullptr;
};

struct Seen {
    uint64_t good = 0, others = 0;
};

// Work goes on while a thread changes what it can, the CQEs among it.
void abuse(RawConnection& victim, uint64_t seed, Seen& seen) {
    std::atomic<bool> stop{false};
    std::thread thread([&] {
        for (Vandal vandal(victim, seed); !stop;) vandal.change();
    });
    const auto end = std::chrono::steady_clock::now() + kChaosOfOne;
    while (std::chrono::steady_clock::now() < end) {
        for (int i = 0; i < 4; ++i) victim.prepare_write(1024);
        victim.ring();
        for (int i = 0; i < 4; ++i)
            if (const auto cqe = victim.wait(1)) ++(cqe->error ? seen.others : seen.good);
    }
    stop = true;
    thread.join();
}

TEST_F(Hostile, QueuesThatChangeUnderTheCardHurtTheirOwnerAlone) {
    const uint64_t seed = number_of("TERN_TEST_SEED", std::random_device{}());
    const auto seconds = std::chrono::seconds(number_of("TERN_TEST_SECONDS", 8));
    std::cout << "seed " << seed << std::endl;
    SCOPED_TRACE("seed " + std::to_string(seed));
    Child other([&](const auto& tell) { write_and_compare(*shared, tell); });

    RawUverbs uverbs;
    tern_uresp_alloc_ucontext card{};
    ASSERT_EQ(uverbs.get_context(card), 0);
    Seen seen;
    const auto end = std::chrono::steady_clock::now() + seconds;
    for (uint64_t round = 0; std::chrono::steady_clock::now() < end; ++round) {
        RawConnection victim(uverbs, card);
        abuse(victim, seed + round, seen);
    }
    std::cout << seen.good << " good completions, " << seen.others << " others" << std::endl;
    EXPECT_GT(seen.good, 0u);
    EXPECT_GT(seen.others, 0u);

    shared->stop = true;
    EXPECT_TRUE(other.says(kGood, kPatienceMs));
    EXPECT_GT(shared->rounds.load(), 10u);

    RawConnection well(uverbs, card);
    fill(well.data(), 1);
    well.prepare_write(4096);
    well.ring();
    const auto cqe = well.wait();
    ASSERT_TRUE(cqe.has_value());
    EXPECT_EQ(cqe->owner & TERN_CQE_FAILED, 0u);
    EXPECT_EQ(std::memcmp(well.data().data(), well.data().data() + RawConnection::kDataBytes / 2, 4096), 0);
}

}  // namespace
}  // namespace tern::guest
