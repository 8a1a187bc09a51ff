// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
#include <gtest/gtest.h>

#include <array>

#include "qemu/engine/memory/memory_table.h"
#include "tern/hw/access.h"
#include "tests/support/fake_host.h"

namespace tern {
namespace {

constexpr uint64_t kPage = 4096;
const uint64_t kSeed[2] = {1, 2};

class Memory : public testing::Test {
protected:
    Memory() : host(fake.ops(), &fake), keys(kSeed, 1), table(host, 64, keys) { host.set_bus_master(true); }

    // A region of @pages pages in reverse order from page 8 down, list at page 0.
    uint32_t create(uint64_t iova, uint64_t length, uint32_t access = TERN_ACCESS_MASK) {
        for (uint64_t i = 0; i < 4; ++i) fake.at<uint64_t>(i * 8) = (8 - i) * kPage;
        const tern_page_list raw = {0, 4, 1, 12, 0};
        EXPECT_TRUE(PageList::is_valid(raw, length));
        MemoryRegion region;
        region.pdn = 7;
        region.access = access;
        region.is_valid = true;
        region.iova = iova;
        region.length_bytes = length;
        region.first_offset = iova % kPage;
        region.pages = PageList(raw);
        return *table.create(region);
    }

    MemoryError error(uint32_t key, uint64_t address, uint64_t length, uint32_t pdn = 7,
                      uint32_t access = TERN_ACCESS_REMOTE_WRITE) {
        const auto slice = table.check({pdn, false}, key, access, address, length);
        EXPECT_FALSE(slice.ok());
        return slice.error();
    }

    test::FakeHost fake{16 * kPage};
    Host host;
    Permutation keys;
    MemoryTable table;
};

TEST_F(Memory, WritesAcrossPagesInTheOrderOfTheList) {
    const uint32_t key = create(0x10000 + 100, 3 * kPage);
    std::array<std::byte, 2 * kPage> data;
    data.fill(std::byte{0x5a});
    const auto slice = table.check({7, false}, key, TERN_ACCESS_REMOTE_WRITE, 0x10000 + 200, data.size());
    ASSERT_TRUE(slice.ok());
    ASSERT_TRUE(table.write(*slice, 0, data));
    EXPECT_EQ(fake.memory[8 * kPage + 199], 0);
    EXPECT_EQ(fake.memory[8 * kPage + 200], 0x5a);
    EXPECT_EQ(fake.memory[7 * kPage], 0x5a);
    EXPECT_EQ(fake.memory[6 * kPage + 199], 0x5a);
    EXPECT_EQ(fake.memory[6 * kPage + 200], 0);
}

// C35
TEST_F(Memory, AddressPlusLengthNeverWraps) {
    const uint32_t key = create(0x10000, 3 * kPage);
    EXPECT_EQ(error(key, UINT64_MAX - 7, 8), MemoryError::kOutOfBounds);
    EXPECT_EQ(error(key, UINT64_MAX - 7, 16), MemoryError::kOutOfBounds);
    EXPECT_EQ(error(key, 0x10000, UINT64_MAX), MemoryError::kOutOfBounds);
    EXPECT_EQ(error(key, 0x10000 + 3 * kPage - 1, 2), MemoryError::kOutOfBounds);
    EXPECT_EQ(error(key, 0x10000 - 1, 1), MemoryError::kOutOfBounds);
    EXPECT_TRUE(table.check({7, false}, key, 0, 0x10000 + 3 * kPage - 1, 1).ok());
}

TEST_F(Memory, ZeroLengthIsNotChecked) { EXPECT_TRUE(table.check({1, false}, 0xdeadbeef, 2, UINT64_MAX, 0).ok()); }

TEST_F(Memory, KeyDomainAndRightsAreChecked) {
    const uint32_t key = create(0x10000, kPage, TERN_ACCESS_REMOTE_READ);
    EXPECT_EQ(error(key ^ 1, 0x10000, 8), MemoryError::kBadKey);
    EXPECT_EQ(error(key, 0x10000, 8, 8), MemoryError::kWrongPd);
    EXPECT_EQ(error(key, 0x10000, 8), MemoryError::kNoAccess);
    EXPECT_EQ(table.destroy(key), TERN_STATUS_OK);
    EXPECT_EQ(error(key, 0x10000, 8), MemoryError::kBadKey);
}

TEST_F(Memory, LocalDmaKeyIsTheKernelsOnly) {
    EXPECT_EQ(error(TERN_LOCAL_DMA_LKEY, 0, 8), MemoryError::kBadKey);
    EXPECT_TRUE(table.check({7, true}, TERN_LOCAL_DMA_LKEY, 0, 0, 8).ok());
}

TEST_F(Memory, ListThatNamesAHoleIsAFault) {
    const uint32_t key = create(0, kPage);
    fake.at<uint64_t>(0) = 1ull << 40;
    const auto slice = table.check({7, false}, key, 0, 0, 8);
    std::array<std::byte, 8> data{};
    EXPECT_FALSE(table.read(*slice, 0, data));
    EXPECT_EQ(host.dma_faults(), 1u);
}

// Each page of the tree is told apart by what it holds, whatever the order.
TEST(PageListWalk, FindsEveryPageThroughAllLevels) {
    constexpr uint64_t kLists = 64, kFirst = 128;  // pages
    constexpr uint32_t kPages = 1500;              // three leaves, the last one not full
    test::FakeHost fake{(kFirst + kPages) * kPage};
    Host host(fake.ops(), &fake);
    host.set_bus_master(true);
    fake.at<uint64_t>(0) = kPage;  // level 3
    for (uint64_t leaf = 0; leaf < 3; ++leaf) fake.at<uint64_t>(kPage + 8 * leaf) = (kLists + leaf) * kPage;
    for (uint32_t i = 0; i < kPages; ++i) {
        fake.at<uint64_t>(kLists * kPage + 8 * i) = (kFirst + kPages - 1 - i) * kPage;
        fake.at<uint32_t>((kFirst + kPages - 1 - i) * kPage + 40) = i;
    }
    PageList list(tern_page_list{0, kPages, 3, 12, 0});
    for (const uint32_t stride : {1u, 31u, 37u, 511u, 1499u})
        for (uint32_t n = 0, page = 0; n < kPages; ++n, page = (page + stride) % kPages) {
            uint32_t value = 0;
            ASSERT_TRUE(list.read(host, page * kPage + 40, std::as_writable_bytes(std::span(&value, 1))));
            ASSERT_EQ(value, page);
        }
    std::byte byte{};
    EXPECT_FALSE(list.read(host, kPages * kPage, std::span(&byte, 1)));
}

// C44
TEST(PageListShape, ImpossibleCountsAreRefused) {
    const auto valid = [](uint32_t count, uint8_t levels, uint8_t shift, uint64_t root = 0) {
        return PageList::is_valid({root, count, levels, shift, 0}, 4096);
    };
    EXPECT_TRUE(valid(512, 1, 12));
    EXPECT_FALSE(valid(0, 1, 12));
    EXPECT_FALSE(valid(513, 1, 12));
    EXPECT_TRUE(valid(513, 2, 12));
    EXPECT_FALSE(valid(UINT32_MAX, 3, 12));
    EXPECT_FALSE(valid(1, 4, 12));
    EXPECT_FALSE(valid(1, 1, 11));
    EXPECT_FALSE(valid(1, 1, 31));
    EXPECT_FALSE(valid(1, 1, 12, 8));
    EXPECT_FALSE(valid(2, 0, 12, UINT64_MAX - 4095));
}

TEST(Permutation, IsItsInverseAndDiffersBySeed) {
    const uint64_t other[2] = {3, 4};
    const Permutation a(kSeed, 1), b(other, 1), c(kSeed, 2);
    int same = 0;
    for (uint32_t i = 0; i < 10000; ++i) {
        EXPECT_EQ(a.inverse(a.forward(i)), i);
        same += (a.forward(i) == b.forward(i)) + (a.forward(i) == c.forward(i));
    }
    EXPECT_LT(same, 5);
}

}  // namespace
}  // namespace tern
