// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <random>
#include <set>
#include <vector>

#include "qemu/engine/eth/checksum.h"
#include "qemu/engine/eth/toeplitz.h"
#include "qemu/engine/transport/psn.h"
#include "qemu/engine/transport/qp_states.h"
#include "qemu/engine/wire/icrc.h"
#include "qemu/engine/wire/packet.h"
#include "qemu/engine/wire/packet_builder.h"

namespace tern {
namespace {

Path make_path(bool is_ipv6, uint16_t vlan = TERN_VLAN_NONE) {
    Path path;
    path.source.type = is_ipv6 ? TERN_GID_ROCE_V2_IPV6 : TERN_GID_ROCE_V2_IPV4;
    path.source.vlan_id = vlan;
    path.source.gid = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 192, 168, 1, 1};
    path.destination = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 192, 168, 1, 2};
    path.hop_limit = 64;
    return path;
}

std::vector<std::byte> build(uint8_t opcode, size_t payload_bytes, bool is_ipv6 = false,
                             uint16_t vlan = TERN_VLAN_NONE) {
    std::vector<std::byte> frame(9000);
    const PathHeader path(make_path(is_ipv6, vlan));
    ExtendedHeaders headers;
    headers.remote_address = 0x1122334455667788;
    headers.rkey = 0xaabbccdd;
    headers.dma_length = static_cast<uint32_t>(payload_bytes);
    PacketBuilder builder(frame, path, {opcode, 0x123456, 0xfffffe, true, true}, headers);
    for (auto& byte : builder.payload(payload_bytes)) byte = std::byte{0x77};
    frame.resize(builder.finish());
    return frame;
}

// CRC-32 bit by bit, as IBTA 7.8 gives it, over the masked packet.
uint32_t bitwise_crc(const std::vector<uint8_t>& bytes) {
    uint32_t crc = 0xffffffff;
    for (const uint8_t byte : bytes) {
        crc ^= byte;
        for (int i = 0; i < 8; ++i) crc = (crc >> 1) ^ (crc & 1 ? 0xedb88320 : 0);
    }
    return ~crc;
}

TEST(Icrc, AgreesWithASecondImplementation) {
    const auto frame = build(TERN_BTH_RC_SEND_ONLY, 61);
    std::vector<uint8_t> masked(8, 0xff);
    for (size_t i = 14; i + 4 < frame.size(); ++i) masked.push_back(static_cast<uint8_t>(frame[i]));
    for (const size_t at : {1, 8, 10, 11, 26, 27, 32}) masked[8 + at] = 0xff;
    uint32_t given;
    std::memcpy(&given, frame.data() + frame.size() - 4, 4);
    EXPECT_EQ(given, bitwise_crc(masked));
}

TEST(Packet, ParsesWhatIsBuiltInEveryForm) {
    for (const bool is_ipv6 : {false, true})
        for (const uint16_t vlan : {uint16_t{TERN_VLAN_NONE}, uint16_t{5}})
            for (const size_t bytes : {0, 1, 2, 3, 4, 1024}) {
                const auto frame = build(TERN_BTH_RC_WRITE_ONLY, bytes, is_ipv6, vlan);
                const auto packet = parse_packet(frame);
                ASSERT_TRUE(packet.ok());
                EXPECT_EQ(packet->is_ipv6, is_ipv6);
                EXPECT_EQ(packet->has_vlan, vlan != TERN_VLAN_NONE);
                EXPECT_EQ(packet->dest_qpn, 0x123456u);
                EXPECT_EQ(packet->psn, 0xfffffeu);
                EXPECT_EQ(packet->remote_address, 0x1122334455667788u);
                EXPECT_EQ(packet->rkey, 0xaabbccddu);
                EXPECT_EQ(packet->payload.size(), bytes);
                EXPECT_TRUE(packet->is_solicited && packet->requests_ack);
            }
}

// C36
TEST(Packet, CutOrCorruptedFramesAreNeverAccepted) {
    const auto frame = build(TERN_BTH_RC_SEND_ONLY, 5);
    for (size_t length = 0; length < frame.size(); ++length)
        EXPECT_FALSE(parse_packet(std::span(frame).first(length)).ok()) << length;
    for (size_t i = 14 + 20; i < frame.size(); ++i) {
        if (i == 40 || i == 41 || i == 46) continue;  // UDP checksum and resv8a: not covered
        auto changed = frame;
        changed[i] ^= std::byte{0x10};
        EXPECT_FALSE(parse_packet(changed).ok()) << i;
    }
}

// C36: ICRC right, pad beyond the payload
TEST(Packet, ForgedPadIsMalformed) {
    auto frame = build(TERN_BTH_RC_SEND_ONLY, 0);
    frame[14 + 20 + 8 + TERN_BTH_FLAGS] |= std::byte{0x30};
    const uint32_t crc = icrc(std::span<const std::byte>(frame).subspan(14, frame.size() - 18), false);
    std::memcpy(frame.data() + frame.size() - 4, &crc, 4);
    const auto packet = parse_packet(frame);
    ASSERT_FALSE(packet.ok());
    EXPECT_EQ(packet.error(), PacketError::kMalformed);
}

TEST(Packet, RandomBytesAreSurvived) {
    const uint32_t seed = std::random_device{}();
    RecordProperty("seed", std::to_string(seed));
    std::mt19937 random(seed);
    for (int i = 0; i < 20000; ++i) {
        std::vector<std::byte> frame(random() % 200);
        for (auto& byte : frame) byte = static_cast<std::byte>(random());
        EXPECT_FALSE(parse_packet(frame).ok()) << "seed " << seed;
    }
}

// C50
TEST(SourcePort, SpreadsQpsAndFollowsTheFlowLabel) {
    std::set<uint16_t> ports;
    for (uint32_t qpn = 1000; qpn < 1256; ++qpn) {
        const uint16_t port = roce_source_port(0, qpn * 7919, 77777 + qpn);
        EXPECT_GE(port, TERN_ROCE_SOURCE_PORT_MIN);
        ports.insert(port);
    }
    EXPECT_GE(ports.size(), 100u);
    EXPECT_EQ(roce_source_port(5, 1, 2), roce_source_port(5, 3, 4));
}

TEST(PsnArithmetic, WrapsAtTwentyFourBits) {
    EXPECT_EQ((Psn(0xffffff) + 1).value(), 0u);
    EXPECT_TRUE(Psn(0xfffff0).is_before(Psn(3)));
    EXPECT_EQ(Psn(3).distance_from(Psn(0xfffffe)), 5);
    EXPECT_EQ(Psn(0xfffffe).distance_from(Psn(3)), -5);
}

TEST(QpStates, ResetMustPassInitAndRtr) {
    EXPECT_TRUE(
        is_transition_ok(TERN_QP_STATE_RESET, TERN_QP_STATE_INIT, TERN_QP_RC,
                         TERN_QP_ATTR_STATE | TERN_QP_ATTR_PORT | TERN_QP_ATTR_PKEY_INDEX | TERN_QP_ATTR_ACCESS));
    EXPECT_FALSE(is_transition_ok(TERN_QP_STATE_RESET, TERN_QP_STATE_INIT, TERN_QP_RC, TERN_QP_ATTR_STATE));
    EXPECT_FALSE(is_transition_ok(TERN_QP_STATE_RESET, TERN_QP_STATE_RTS, TERN_QP_RC, TERN_QP_ATTR_STATE));
    EXPECT_TRUE(is_transition_ok(TERN_QP_STATE_SQE, TERN_QP_STATE_RTS, TERN_QP_UD, TERN_QP_ATTR_STATE));
    EXPECT_FALSE(is_transition_ok(TERN_QP_STATE_SQE, TERN_QP_STATE_RTS, TERN_QP_RC, TERN_QP_ATTR_STATE));
    EXPECT_FALSE(is_transition_ok(TERN_QP_STATE_ERR, TERN_QP_STATE_RTS, TERN_QP_RC, TERN_QP_ATTR_STATE));
}

// Microsoft's published verification vector: 66.9.149.187:2794 to 161.142.100.80:1766.
TEST(Toeplitz, MatchesThePublishedVector) {
    const RssKey key = {0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67, 0x25, 0x3d, 0x43, 0xa3,
                        0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb, 0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3,
                        0x80, 0x30, 0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa};
    const uint8_t input[12] = {66, 9, 149, 187, 161, 142, 100, 80, 0x0a, 0xea, 0x06, 0xe6};
    const auto bytes = std::as_bytes(std::span(input));
    EXPECT_EQ(toeplitz(key, bytes.first(8)), 0x323e8fc2u);
    EXPECT_EQ(toeplitz(key, bytes), 0x51ccc178u);
}

// The example of RFC 1071, section 3.
TEST(Checksum, MatchesTheRfcExample) {
    const uint8_t bytes[] = {0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7};
    EXPECT_EQ(ones_sum(std::as_bytes(std::span(bytes))), 0xddf2u);
}

TEST(Checksum, OffsetOutsideTheFrameIsRefused) {
    std::array<std::byte, 60> frame{};
    EXPECT_FALSE(insert_checksum(frame, 60, 0));
    EXPECT_FALSE(insert_checksum(frame, 34, 25));
    EXPECT_TRUE(insert_checksum(frame, 34, 24));
}

}  // namespace
}  // namespace tern
