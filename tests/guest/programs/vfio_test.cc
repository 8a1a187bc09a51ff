// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
//
// A guest whose IOMMU translates: the card reaches what is mapped for it and
// nothing else. TERN_TEST_VFIO names the card's PCI address.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "tern/fw/device.h"
#include "tern/hw/regs.h"
#include "tests/guest/programs/vfio_card.h"

namespace tern::guest {
namespace {

constexpr size_t kPage = 4096;
constexpr uint64_t kRings = 0x1'0000'0000, kMailbox = 0x2'0000'0000, kNowhere = 0x3'0000'0000;
constexpr int kQuietMs = 300;  // a card that answers does so in a few

class Vfio : public testing::Test {
protected:
    void SetUp() override {
        const char* address = std::getenv("TERN_TEST_VFIO");
        ASSERT_NE(address, nullptr);
        card.emplace(address);
        rings = card->map(kRings, 2 * kPage);
        mailbox = card->map(kMailbox, kPage);
        card->reset();
        card->start(kRings, rings);
    }

    uint16_t status_of(uint16_t opcode, uint32_t out_length = 0, uint64_t out_mailbox = 0) {
        const auto completion = card->run(opcode, out_length, out_mailbox);
        EXPECT_TRUE(completion.has_value()) << "opcode " << opcode;
        return completion ? completion->status : UINT16_MAX;
    }
    uint16_t query_device(uint64_t to) { return status_of(TERN_CMD_QUERY_DEVICE, sizeof(tern_cmd_device_caps), to); }

    std::optional<VfioCard> card;
    uint8_t* rings = nullptr;
    uint8_t* mailbox = nullptr;
};

TEST_F(Vfio, MappedMemoryIsReached) {
    EXPECT_EQ(status_of(TERN_CMD_NOP), TERN_STATUS_OK);
    EXPECT_EQ(query_device(kMailbox), TERN_STATUS_OK);
    tern_cmd_device_caps caps;
    std::memcpy(&caps, mailbox, sizeof(caps));
    EXPECT_EQ(caps.ports, 2);
}

TEST_F(Vfio, UnmappedMailboxIsAFaultOfTheCommandAlone) {
    EXPECT_EQ(query_device(kNowhere), TERN_STATUS_DMA_FAULT);
    EXPECT_EQ(query_device(kMailbox), TERN_STATUS_OK);
    card->unmap(kMailbox, kPage);
    std::fill_n(mailbox, kPage, 0xa5);
    EXPECT_EQ(query_device(kMailbox), TERN_STATUS_DMA_FAULT);
    EXPECT_EQ(std::count(mailbox, mailbox + kPage, 0xa5), static_cast<ptrdiff_t>(kPage));
    EXPECT_EQ(status_of(TERN_CMD_NOP), TERN_STATUS_OK);
}

TEST_F(Vfio, RingsThatAreUnmappedUnderTheCardAreFatalUntilReset) {
    EXPECT_EQ(status_of(TERN_CMD_NOP), TERN_STATUS_OK);
    card->unmap(kRings, 2 * kPage);
    EXPECT_FALSE(card->run(TERN_CMD_NOP, 0, 0, kQuietMs).has_value());
    EXPECT_EQ(card->state(), static_cast<uint32_t>(TERN_DEVICE_STATE_FATAL));
    card->reset();
    rings = card->map(kRings, 2 * kPage);
    card->start(kRings, rings);
    EXPECT_EQ(status_of(TERN_CMD_NOP), TERN_STATUS_OK);
}

}  // namespace
}  // namespace tern::guest
