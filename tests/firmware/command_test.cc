// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
//
// Commands through the card's rings, as a driver sends them.
#include "tests/firmware/commands.h"

namespace tern {
namespace {

using test::Commands, test::kOut, test::make_config;

TEST_F(Commands, BootTakesTimeAndThenIsReady) {
    EXPECT_EQ(card.register_read(TERN_REG_STATUS, 4), uint64_t{TERN_DEVICE_STATE_BOOTING});
    boot();
    EXPECT_EQ(card.register_read(TERN_REG_STATUS, 4), uint64_t{TERN_DEVICE_STATE_READY});
}

TEST_F(Commands, QueryDeviceTellsLimits) {
    boot();
    EXPECT_EQ(run(TERN_CMD_QUERY_DEVICE, {}, sizeof(tern_cmd_device_caps)).status, TERN_STATUS_OK);
    const auto& caps = fake.at<tern_cmd_device_caps>(kOut);
    EXPECT_EQ(caps.ports, 2);
    EXPECT_EQ(caps.max_qps, 65536u);
    EXPECT_EQ(caps.vectors, 8u);
}

TEST_F(Commands, EveryOtherOpcodeIsUnknown) {
    boot();
    int known = 0;
    for (uint32_t opcode = 0; opcode <= UINT16_MAX; ++opcode)
        known += firmware.shape(static_cast<uint16_t>(opcode), 0).status == TERN_STATUS_OK;
    EXPECT_EQ(known, 27);
    EXPECT_EQ(run(0x7777).status, TERN_STATUS_BAD_OPCODE);
}

TEST_F(Commands, WrongLengthAndReservedBytesAreRefused) {
    boot();
    EXPECT_EQ(run(TERN_CMD_QUERY_DEVICE, {}, 8).status, TERN_STATUS_BAD_LENGTH);
    for (size_t i = 1; i < sizeof(uint64_t); ++i) {
        uint8_t request[8]{};
        request[i] = 1;
        const auto completion = run(TERN_CMD_ALLOC_PD, request, 8);
        EXPECT_EQ(completion.status, TERN_STATUS_BAD_RESERVED) << i;
        EXPECT_EQ(completion.syndrome, 1u);
    }
}

TEST_F(Commands, HandlesLiveFromAllocToDealloc) {
    boot();
    uint8_t request[8]{};
    const auto allocated = run(TERN_CMD_ALLOC_PD, request, 8);
    ASSERT_EQ(allocated.status, TERN_STATUS_OK);
    std::memcpy(request, allocated.result, sizeof(request));
    EXPECT_EQ(run(TERN_CMD_DEALLOC_PD, request).status, TERN_STATUS_OK);
    EXPECT_EQ(run(TERN_CMD_DEALLOC_PD, request).status, TERN_STATUS_BAD_HANDLE);
}

TEST_F(Commands, MailboxInAHoleIsADmaFault) {
    boot();
    tern_command command{};
    command.opcode = TERN_CMD_QUERY_DEVICE;
    command.cookie = ++count;
    command.out_length = sizeof(tern_cmd_device_caps);
    command.out_mailbox = uint64_t{1} << 40;
    EXPECT_EQ(run(command).status, TERN_STATUS_DMA_FAULT);
}

TEST_F(Commands, HungFirmwareAnswersNothingAndBeatsNoMore) {
    boot();
    firmware.set_hang(true, fake.now);
    const uint64_t beats = card.register_read(TERN_REG_HEALTH_HEARTBEAT, 4);
    fake.now += 1'000'000'000;
    EXPECT_EQ(run(TERN_CMD_NOP).cookie, 0u);
    EXPECT_EQ(card.register_read(TERN_REG_HEALTH_HEARTBEAT, 4), beats);
}

TEST_F(Commands, ImpossibleProducerIsFatalUntilReset) {
    boot();
    card.register_write(TERN_REG_COMMAND_DOORBELL, 1000, 4);
    EXPECT_EQ(card.register_read(TERN_REG_STATUS, 4), uint64_t{TERN_DEVICE_STATE_FATAL});
    card.register_write(TERN_REG_CONTROL, 1, 4);
    boot();
    EXPECT_EQ(run(TERN_CMD_NOP).status, TERN_STATUS_OK);
}

}  // namespace
}  // namespace tern
