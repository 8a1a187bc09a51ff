// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
//
// A card that has booted in a fake world, and its command queue.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <span>

#include "firmware-if/model/firmware.h"
#include "qemu/engine/card/card.h"
#include "tern/fw/cq.h"
#include "tern/fw/device.h"
#include "tern/fw/mr.h"
#include "tern/hw/ids.h"
#include "tests/support/fake_host.h"

namespace tern::test {

inline constexpr uint64_t kRing = 0x1000, kCompletions = 0x2000, kIn = 0x3000, kOut = 0x4000, kEq = 0x5000,
                          kCq = 0x6000, kRecord = 0x7000, kQueue = 0x8000;
inline constexpr uint32_t kDepthLog2 = 4;

inline tern_engine_config make_config() {
    tern_engine_config config{};
    config.model = TERN_MODEL_TERN400;
    config.ports = 2;
    config.vectors = 8;
    return config;
}

class Commands : public testing::Test {
protected:
    Commands() : card(make_config(), fake.ops(), &fake), firmware(card) {
        card.connect(firmware);
        card.set_bus_master(true);
    }

    void boot() {
        fake.now += firmware::kBootNs;
        card.register_write(TERN_REG_COMMAND_RING, kRing, 8);
        card.register_write(TERN_REG_COMMAND_COMPLETIONS, kCompletions, 8);
        card.register_write(TERN_REG_COMMAND_CONFIG, kDepthLog2, 4);
        card.register_write(TERN_REG_COMMAND_ENABLE, 1, 4);
    }

    // Runs one command to its completion; cookie 0: none came.
    tern_command_completion run(uint16_t opcode, std::span<const uint8_t> in = {}, uint32_t out_length = 0) {
        tern_command command{};
        command.opcode = opcode;
        command.cookie = ++count;
        command.in_length = static_cast<uint32_t>(in.size());
        command.out_length = out_length;
        command.in_mailbox = in.size() > 32 ? kIn : 0;
        command.out_mailbox = out_length > 16 ? kOut : 0;
        if (!in.empty())
            std::memcpy(in.size() > 32 ? fake.memory.data() + kIn : command.inline_data, in.data(), in.size());
        return run(command);
    }

    tern_command_completion run(const tern_command& command) {
        const uint32_t slot = (count - 1) % (1u << kDepthLog2);
        fake.at<tern_command>(kRing + slot * sizeof(command)) = command;
        card.register_write(TERN_REG_COMMAND_DOORBELL, count, 4);
        (void)card.run(16);
        return fake.at<tern_command_completion>(kCompletions + slot * sizeof(tern_command_completion));
    }

    // Runs a command whose request is a contract struct.
    template <typename T>
    tern_command_completion run(uint16_t opcode, const T& request, uint32_t out_length = 0) {
        return run(opcode, std::span(reinterpret_cast<const uint8_t*>(&request), sizeof(request)), out_length);
    }

    // The handle that a create returns; the command must succeed.
    template <typename T>
    uint32_t make(uint16_t opcode, const T& request) {
        const auto completion = run(opcode, request, sizeof(tern_cmd_handle));
        EXPECT_EQ(completion.status, TERN_STATUS_OK) << "opcode " << opcode;
        uint32_t handle;
        std::memcpy(&handle, completion.result, sizeof(handle));
        return handle;
    }

    void expect_refused(const tern_command_completion& completion, tern_command_status status, size_t offset) {
        EXPECT_EQ(completion.status, status);
        EXPECT_EQ(completion.syndrome, offset);
    }

    uint32_t make_pd(bool is_kernel) {
        return make(TERN_CMD_ALLOC_PD, tern_cmd_alloc_pd{static_cast<uint8_t>(is_kernel ? TERN_PD_KERNEL : 0), {}});
    }

    // A completion queue of 16 entries on @pair; its EQ is made with the first.
    uint32_t make_cq(uint32_t pair) {
        if (!has_eq) {
            tern_cmd_create_eq eq{};
            eq.depth_log2 = 4;
            eq.buffer = contiguous(kEq, 1);
            eqn = make(TERN_CMD_CREATE_EQ, eq);
            has_eq = true;
        }
        tern_cmd_create_cq cq{};
        cq.eqn = eqn;
        cq.depth_log2 = 4;
        cq.doorbell_pair = pair;
        cq.record = kRecord;
        cq.buffer = contiguous(kCq, 1);
        return make(TERN_CMD_CREATE_CQ, cq);
    }

    static tern_page_list contiguous(uint64_t address, uint32_t pages) { return {address, pages, 0, 12, 0}; }

    FakeHost fake{1 << 20};
    Card card;
    firmware::Firmware firmware;
    uint32_t count = 0;
    uint32_t eqn = 0;
    bool has_eq = false;
};

}  // namespace tern::test
