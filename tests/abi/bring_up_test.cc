// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
//
// Chapter 20 of the guide, step by step and with its bytes, on the card
// itself: what a driver author does who knows nothing but the guide. No header
// of include/ here.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "firmware-if/model/firmware.h"
#include "qemu/engine/card/card.h"
#include "tests/abi/golden_bytes.h"
#include "tests/support/fake_host.h"

namespace tern::test {
namespace {

using namespace golden;
using Bytes = std::vector<uint8_t>;

tern_engine_config tern400() {
    tern_engine_config config{};
    config.model = 1;
    config.ports = 2;
    config.vectors = 64;
    config.port_speed_mbps = 200000;
    config.port_lanes = 4;
    config.seed[0] = 20;
    const uint8_t mac[6] = {0x52, 0x54, 0x00, 0x12, 0x34, 0x56};
    std::memcpy(config.mac[0], mac, sizeof(mac));
    return config;
}

class BringUp : public testing::Test {
protected:
    BringUp() : card(tern400(), host.ops(), &host), firmware(card) {
        card.connect(firmware);
        card.set_bus_master(true);
    }

    uint32_t word(uint64_t address) { return host.at<uint32_t>(address); }
    void put(uint64_t address, std::span<const uint8_t> bytes) {
        std::ranges::copy(bytes, host.memory.begin() + static_cast<ptrdiff_t>(address));
    }
    static void put_handle(Bytes& bytes, size_t offset, uint32_t handle) {
        std::memcpy(bytes.data() + offset, &handle, sizeof(handle));
    }
    void ring(uint64_t offset, uint64_t low, uint64_t high) { card.doorbell_write(offset, low | high << 32, 8); }

    // Chapter 4
    void reset() {
        ASSERT_EQ(card.register_read(0x008, 4), 0x4e524554u);
        ASSERT_EQ(card.register_read(0x00c, 4) >> 16, 1u);
        card.register_write(0x014, 1, 4);
        for (int i = 0; i < 10000 && (card.register_read(0x018, 4) & 15) != 2; ++i) host.now += 1'000'000;
        ASSERT_EQ(card.register_read(0x018, 4) & 15, 2u);
    }

    void start_commands() {
        card.register_write(0x108, 0x10000, 8);
        card.register_write(0x110, 0x11000, 8);
        card.register_write(0x118, 0x00000006, 4);
        card.register_write(0x11c, 1, 4);
    }

    // Chapter 6. Returns the first word of the result.
    uint32_t command(uint16_t opcode, const Bytes& request, uint32_t out_length = 0) {
        const uint64_t entry = 0x10000 + 64 * (prod % 64), completion = 0x11000 + 32 * (prod % 64);
        const uint32_t in_length = static_cast<uint32_t>(request.size());
        Bytes bytes(64);
        std::memcpy(&bytes[0], &opcode, 2);
        put_handle(bytes, 4, ++cookie);
        put_handle(bytes, 8, in_length);
        put_handle(bytes, 12, out_length);
        if (in_length > 32) put_handle(bytes, 16, 0x12000);
        if (out_length > 16) put_handle(bytes, 24, 0x13000);
        put(entry, bytes);
        put(in_length > 32 ? 0x12000 : entry + 32, request);
        card.register_write(0x120, ++prod, 4);
        run();
        EXPECT_EQ(word(completion + 0x1c) >> 31, 1u) << "opcode " << opcode;
        EXPECT_EQ(word(completion), cookie);
        EXPECT_EQ(word(completion + 4), 0u) << "opcode " << opcode << ", syndrome " << word(completion + 8);
        return word(completion + 12);
    }

    uint32_t create(uint16_t opcode, const Bytes& request) { return command(opcode, request, 8); }

    void run() {
        for (int i = 0; i < 1000 && card.run(64); ++i) host.now += 100;
    }

    static Bytes copy(std::span<const uint8_t> bytes) { return {bytes.begin(), bytes.end()}; }
    static Bytes with(std::span<const uint8_t> bytes, std::initializer_list<std::pair<size_t, uint32_t>> handles) {
        Bytes request = copy(bytes);
        for (const auto& [offset, handle] : handles) put_handle(request, offset, handle);
        return request;
    }

    FakeHost host{1 << 20};
    Card card;
    firmware::Firmware firmware;
    uint32_t prod = 0;
    uint32_t cookie = 0;
};

TEST_F(BringUp, FromResetToALoopbackRdmaWrite) {
    reset();
    start_commands();
    command(0x0001, {});
    card.register_write(0x11c, 3, 4);

    command(0x0002, {}, 128);
    EXPECT_TRUE(std::ranges::equal(std::span(host.memory).subspan(0x13000, 128), kDeviceCaps));

    const uint32_t eqn = create(0x0201, copy(kCreateEq));
    ring(0x18, eqn | 1u << 24, 0);
    command(0x0102, copy(kSetPort));
    command(0x0105, copy(kSetGid));
    EXPECT_TRUE(std::ranges::equal(std::span(host.memory).subspan(0x14000, 32), kEqePortUp));
    ring(0x18, eqn | 1u << 24, 1);

    const uint32_t pdn = create(0x0401, copy(kAllocPd));
    const uint32_t cqn = create(0x0301, with(kCreateCq, {{0x00, eqn}}));
    const uint32_t key = create(0x0501, with(kCreateMr, {{0x00, pdn}}));
    const uint32_t qpn = create(0x0601, with(kCreateQp, {{0x08, pdn}, {0x0c, cqn}, {0x10, cqn}}));
    command(0x0603, with(kModifyQpInit, {{0x00, qpn}}));
    command(0x0603, with(kModifyQpRtr, {{0x00, qpn}, {0x1c, qpn}}));
    command(0x0603, with(kModifyQpRts, {{0x00, qpn}}));

    const uint32_t arm = cqn | 2u << 24 | 1u << 26;
    host.at<uint32_t>(0x16004) = arm;
    ring(0x08, arm, 0);

    for (uint32_t i = 0; i < 4096; ++i) host.memory[0x20000 + i] = static_cast<uint8_t>(i * 7 + i / 256);
    put(0x17000, with(kBringUpWqe, {{0x00, qpn | 4u << 24}, {0x18, key}, {0x2c, key}}));
    host.at<uint32_t>(0x16040) = 1;
    host.vectors.clear();
    ring(0x00, qpn, 1);
    run();

    EXPECT_EQ(host.vectors, std::vector<uint32_t>{0});
    EXPECT_TRUE(std::ranges::equal(std::span(host.memory).subspan(0x14020, 32), with(kEqeCompletion, {{0x04, cqn}})));
    EXPECT_TRUE(std::ranges::equal(std::span(host.memory).subspan(0x15008, 24), std::span(kBringUpCqe).subspan(8)));
    EXPECT_EQ(std::memcmp(host.memory.data() + 0x30000, host.memory.data() + 0x20000, 4096), 0);
    host.at<uint32_t>(0x16000) = 1;
    ring(0x18, eqn | 1u << 24, 2);

    command(0x0602, with(kHandle, {{0, qpn}}));
    command(0x0502, with(kHandle, {{0, key}}));
    command(0x0302, with(kHandle, {{0, cqn}}));
    command(0x0402, with(kHandle, {{0, pdn}}));
    command(0x0202, with(kHandle, {{0, eqn}}));
    EXPECT_EQ(host.sent[0].size(), 0u);  // nothing left the card
}

}  // namespace
}  // namespace tern::test
