// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
//
// Requests at and beyond the ends of a region, made by hand, as a peer with a
// valid key may send them (C35); and packets too short for their opcode (C36).
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/sim/forge.h"

namespace tern::test {
namespace {

constexpr uint64_t kMemory = Node::kData + (2 << 20), kBack = Node::kData + (4 << 20);
constexpr uint64_t kMoment = 50'000'000;
constexpr uint64_t kBytes = 8192, kCanaries = 4096;  // of the region, and on either side of it
constexpr uint32_t kPsn = 500, kMaxMessage = 1u << 31;
constexpr uint8_t kUntouched = 0xa5, kWritten = 0x77;

struct Region {
    const char* name;
    uint64_t start;
};

const Region kRegions[] = {{"InTheMiddle", 0x1234'5678'9000}, {"ZeroBased", 0}, {"AtTheTop", uint64_t{0} - kBytes}};

struct Wrong {
    const char* name;
    uint64_t (*address)(uint64_t start);
    uint32_t length;
};

const Wrong kWrongs[] = {
    {"OverTheTop", [](uint64_t) { return 0xffff'ffff'ffff'fff8; }, 9},
    {"OverTheEnd", [](uint64_t start) { return start + kBytes - 1; }, 2},
    {"BeforeTheStart", [](uint64_t start) { return start - 1; }, 1},
    {"BeforeTheStartIntoIt", [](uint64_t start) { return start - 1; }, 2},
    {"AtTheEnd", [](uint64_t start) { return start + kBytes; }, 1},
    {"AsLongAsAMessageMayBe", [](uint64_t start) { return start; }, kMaxMessage},
    {"AsLongAsALengthCanSay", [](uint64_t start) { return start; }, 0xffff'ffff},
    {"OneTooLong", [](uint64_t start) { return start; }, kBytes + 1},
    {"MiddleCrossesTheEnd", [](uint64_t start) { return start + kBytes - 1536; }, 4096},
    {"FarAway", [](uint64_t start) { return start + (uint64_t{1} << 63); }, 8},
};

struct Target : World {
    explicit Target(const Region& region) : World(Connection{.timeout = 8, .psn = kPsn}), start(region.start) {
        key = b.create_region(start, kMemory, kBytes, TERN_ACCESS_MASK, b.pdn);
        std::fill_n(memory() - kCanaries, kBytes + 2 * kCanaries, kUntouched);
        watch = [this](const Node&, Frame& frame) {
            if (const auto packet = read(frame); packet->is(bth::ACK)) syndromes.push_back(packet->syndrome);
            return true;
        };
    }

    uint8_t* memory() { return &b.host.at<uint8_t>(kMemory); }
    [[nodiscard]] bool is_untouched() {
        return std::all_of(memory() - kCanaries, memory() + kBytes + kCanaries,
                           [](uint8_t byte) { return byte == kUntouched; });
    }

    void send(uint8_t opcode, uint32_t psn, uint64_t address, uint32_t length, size_t payload_bytes) {
        Forged packet{.opcode = opcode, .psn = psn, .payload = std::vector<uint8_t>(payload_bytes, kWritten)};
        packet.headers.remote_address = address;
        packet.headers.rkey = key;
        packet.headers.dma_length = length;
        inject(b, forge(a, y, packet));
    }
    // A whole WRITE, of as many packets as it takes, up to a few: a refusal comes with the first.
    void write(uint64_t address, uint32_t length) {
        constexpr uint32_t kMtu = 1024;
        if (length <= kMtu) return send(TERN_BTH_RC_WRITE_ONLY, kPsn, address, length, length);
        send(TERN_BTH_RC_WRITE_FIRST, kPsn, address, length, kMtu);
        send(TERN_BTH_RC_WRITE_MIDDLE, kPsn + 1, 0, 0, kMtu);
        send(TERN_BTH_RC_WRITE_MIDDLE, kPsn + 2, 0, 0, kMtu);
        send(TERN_BTH_RC_WRITE_LAST, kPsn + 3, 0, 0, kMtu);
    }

    uint64_t start;
    uint32_t key;
    std::vector<uint8_t> syndromes;
};

class Bounds : public testing::TestWithParam<std::tuple<Region, Wrong>> {
protected:
    void expect_refused() {
        target.run_for(kMoment);
        // No message is so long: that is said before the region is looked at.
        const uint8_t nak = length > kMaxMessage ? 0x61 : 0x62;
        EXPECT_EQ(target.syndromes, std::vector<uint8_t>{nak});
        EXPECT_EQ(target.y.state(), TERN_QP_STATE_ERR);
        EXPECT_TRUE(target.is_untouched());
    }
    // Below the start of a zero-based region is the top of the space, which is beyond it too.
    Target target{std::get<Region>(GetParam())};
    uint64_t address = std::get<Wrong>(GetParam()).address(target.start);
    uint32_t length = std::get<Wrong>(GetParam()).length;
};

TEST_P(Bounds, WriteBeyondThemIsRefused) {
    target.write(address, length);
    expect_refused();
}

TEST_P(Bounds, ReadBeyondThemIsRefused) {
    target.send(TERN_BTH_RC_READ_REQUEST, kPsn, address, length, 0);
    expect_refused();
}

TEST_P(Bounds, LocalReadBeyondThemIsAProtectionError) {
    // Locally the same region is the requester's own, and the length what an SGE can say.
    World world(Connection{});
    const uint32_t key =
        world.a.create_region(std::get<Region>(GetParam()).start, kMemory, kBytes, TERN_ACCESS_MASK, world.a.pdn);
    world.x.post({.opcode = TERN_WQE_OP_RDMA_WRITE,
                  .local = address,
                  .length = std::min(length, 1u << 30),
                  .remote = kBack,
                  .rkey = world.b.key,
                  .lkey = key});
    EXPECT_EQ(next_status(world, world.x), TERN_CQE_STATUS_LOCAL_PROTECTION);
}

INSTANTIATE_TEST_SUITE_P(Sim, Bounds, testing::Combine(testing::ValuesIn(kRegions), testing::ValuesIn(kWrongs)),
                         [](const auto& both) {
                             return std::string(std::get<Region>(both.param).name) + std::get<Wrong>(both.param).name;
                         });

TEST(BoundsThemselves, AreWithin) {
    for (const Region& region : kRegions) {
        Target target(region);
        target.send(TERN_BTH_RC_WRITE_ONLY, kPsn, target.start, 1, 1);
        target.send(TERN_BTH_RC_WRITE_ONLY, kPsn + 1, target.start + kBytes - 1, 1, 1);
        // A length of zero touches nothing, wherever it is.
        target.send(TERN_BTH_RC_WRITE_ONLY, kPsn + 2, target.start + kBytes, 0, 0);
        target.send(TERN_BTH_RC_WRITE_ONLY, kPsn + 3, target.start + kBytes + 1, 0, 0);
        target.run_for(kMoment);
        EXPECT_EQ(target.y.state(), TERN_QP_STATE_RTS) << region.name;
        EXPECT_EQ(target.memory()[0], kWritten);
        EXPECT_EQ(target.memory()[kBytes - 1], kWritten);
        EXPECT_EQ(std::count(target.memory() - kCanaries, target.memory() + kBytes + kCanaries, kWritten), 2);
    }
}

// C36: opcodes and the bytes of extended headers that each must have (IBTA 9.2.1, table 38).
struct Opcode {
    uint8_t number;
    size_t header_bytes;
};

constexpr size_t kReth = 16, kAtomicEth = 28, kAeth = 4, kAtomicAckEth = 8, kImmediate = 4, kIeth = 4, kDeth = 8;
const Opcode kOpcodes[] = {{0x00, 0},
                           {0x01, 0},
                           {0x02, 0},
                           {0x03, kImmediate},
                           {0x04, 0},
                           {0x05, kImmediate},
                           {0x06, kReth},
                           {0x07, 0},
                           {0x08, 0},
                           {0x09, kImmediate},
                           {0x0a, kReth},
                           {0x0b, kReth + kImmediate},
                           {0x0c, kReth},
                           {0x0d, kAeth},
                           {0x0e, 0},
                           {0x0f, kAeth},
                           {0x10, kAeth},
                           {0x11, kAeth},
                           {0x12, kAeth + kAtomicAckEth},
                           {0x13, kAtomicEth},
                           {0x14, kAtomicEth},
                           {0x16, kIeth},
                           {0x17, kIeth},
                           {0x64, kDeth},
                           {0x65, kDeth + kImmediate}};

class ShortPacket : public testing::TestWithParam<Opcode> {
protected:
    // @bytes behind the UDP header, the lengths of IP and UDP and the ICRC in accord with them.
    static Frame make(const Target& target, uint8_t opcode, size_t bytes, uint8_t pad, uint8_t gid) {
        Frame frame = forge(target.a, target.y, {.opcode = TERN_BTH_RC_SEND_ONLY, .psn = kPsn}, gid);
        const size_t bth = bth_of(frame), udp = bth - TERN_UDP_HEADER_BYTES;
        frame.resize(bth + bytes);
        if (bytes > TERN_BTH_OPCODE) frame[bth + TERN_BTH_OPCODE] = opcode;
        if (bytes > TERN_BTH_FLAGS) frame[bth + TERN_BTH_FLAGS] = static_cast<uint8_t>(0x40 | pad << 4);
        frame[udp + 4] = 0;
        frame[udp + 5] = static_cast<uint8_t>(bytes + TERN_UDP_HEADER_BYTES);
        const bool is_ipv6 = gid == kIpv6;
        const size_t length = is_ipv6 ? udp - TERN_IPV6_HEADER_BYTES + 4 : udp - TERN_IPV4_HEADER_BYTES + 2;
        frame[length] = 0;
        frame[length + 1] =
            static_cast<uint8_t>(bytes + TERN_UDP_HEADER_BYTES + (is_ipv6 ? 0 : TERN_IPV4_HEADER_BYTES));
        seal(frame);
        return frame;
    }
};

TEST_P(ShortPacket, IsDroppedAndCountedWithoutAReply) {
    for (const uint8_t gid : {kIpv4, kIpv6}) {
        Target target(kRegions[0]);
        uint64_t sent = 0;
        for (uint8_t pad = 0; pad < 4; ++pad)
            for (size_t bytes = 0; bytes < TERN_BTH_BYTES + GetParam().header_bytes + pad + TERN_ICRC_BYTES; ++bytes) {
                target.inject(target.b, make(target, GetParam().number, bytes, pad, gid));
                ++sent;
            }
        target.run_for(kMoment);
        EXPECT_EQ(target.b.counter(1, TERN_PORT_COUNTER_RX_MALFORMED), sent);
        EXPECT_EQ(target.b.counter(1, TERN_PORT_COUNTER_ROCE_TX_PACKETS), 0u);
        EXPECT_EQ(target.y.state(), TERN_QP_STATE_RTS);
        EXPECT_TRUE(target.is_untouched());
        target.x.post({.opcode = TERN_WQE_OP_RDMA_WRITE, .length = 8, .remote = kBack, .rkey = target.b.key});
        EXPECT_EQ(next_status(target, target.x), TERN_CQE_STATUS_SUCCESS);
    }
}

INSTANTIATE_TEST_SUITE_P(Sim, ShortPacket, testing::ValuesIn(kOpcodes), [](const auto& opcode) {
    char name[16];
    std::snprintf(name, sizeof(name), "Opcode%02x", opcode.param.number);
    return std::string(name);
});

}  // namespace
}  // namespace tern::test
