// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
//
// GIDs, VLANs, ports, and who is heard on a connection.
#include <gtest/gtest.h>

#include "tests/sim/forge.h"

namespace tern::test {
namespace {

constexpr uint64_t kLocal = Node::kData, kRemote = Node::kData + (1 << 20);
constexpr uint64_t kMoment = 50'000'000;

class EachGid : public testing::TestWithParam<std::tuple<uint8_t, uint8_t>> {};

TEST_P(EachGid, ConnectionCarriesWritesAndReads) {
    const auto [index, port] = GetParam();
    World world(Connection{.gid_index = index}, 1, {}, {.port = port});
    const bool has_vlan = index == kIpv4Vlan || index == kIpv6Vlan;
    const bool is_ipv6 = index == kIpv6 || index == kIpv6Vlan;
    uint32_t frames = 0;
    world.watch = [&](const Node&, Frame& frame) {
        const auto packet = read(frame);
        EXPECT_TRUE(packet);
        if (!packet) return true;
        EXPECT_EQ(packet->is_ipv6, is_ipv6);
        EXPECT_EQ(packet->has_vlan, has_vlan);
        if (has_vlan) {
            EXPECT_EQ(packet->vlan_tci & 0xfff, kVlan);
        }
        ++frames;
        return true;
    };
    fill(world.a, kLocal, 3000, 2);
    world.x.post({.opcode = TERN_WQE_OP_RDMA_WRITE, .length = 3000, .remote = kRemote, .rkey = world.b.key});
    EXPECT_EQ(next_status(world, world.x), TERN_CQE_STATUS_SUCCESS);
    EXPECT_TRUE(same(world.a, kLocal, world.b, kRemote, 3000));
    world.x.post(
        {.opcode = TERN_WQE_OP_RDMA_READ, .local = kRemote, .length = 3000, .remote = kRemote, .rkey = world.b.key});
    EXPECT_EQ(next_status(world, world.x), TERN_CQE_STATUS_SUCCESS);
    EXPECT_TRUE(same(world.a, kLocal, world.a, kRemote, 3000));
    EXPECT_GE(frames, 8u);
    EXPECT_EQ(world.a.counter(port, TERN_PORT_COUNTER_ROCE_TX_PACKETS) +
                  world.b.counter(port, TERN_PORT_COUNTER_ROCE_TX_PACKETS),
              frames);
    EXPECT_EQ(world.a.counter(3 - port, TERN_PORT_COUNTER_ROCE_TX_PACKETS), 0u);
}

INSTANTIATE_TEST_SUITE_P(Addressing, EachGid,
                         testing::Combine(testing::Values(kIpv4, kIpv6, kIpv4Vlan, kIpv6Vlan), testing::Values(1, 2)));

Forged write_of(uint32_t psn, uint32_t rkey) {
    Forged packet{.opcode = TERN_BTH_RC_WRITE_ONLY, .psn = psn};
    packet.headers.remote_address = kRemote;
    packet.headers.rkey = rkey;
    packet.headers.dma_length = 4;
    packet.payload = {1, 2, 3, 4};
    return packet;
}

// A tag with VLAN 0 gives a priority and no VLAN (802.1Q): RoCE behind PFC is sent so.
TEST(Addressing, PriorityTaggedFramesAreUntaggedOnes) {
    World world(Connection{.psn = 5});
    Frame frame = forge(world.a, world.y, write_of(5, world.b.key));
    const uint8_t tag[] = {0x81, 0x00, 0x60, 0x00};
    frame.insert(frame.begin() + 12, std::begin(tag), std::end(tag));
    world.inject(world.b, frame);
    world.run_for(kMoment);
    EXPECT_EQ(world.b.host.at<uint32_t>(kRemote), 0x04030201u);
}

TEST(Addressing, FrameOfAnotherVlanIsDroppedAndCounted) {
    World world(Connection{.gid_index = kIpv4Vlan, .psn = 5});
    Frame frame = forge(world.a, world.y, write_of(5, world.b.key), kIpv4Vlan);
    frame[15] = kVlan + 1;
    world.inject(world.b, frame);
    world.run_for(kMoment);
    EXPECT_EQ(world.b.host.at<uint32_t>(kRemote), 0u);
    EXPECT_EQ(world.b.counter(1, TERN_PORT_COUNTER_RX_NO_GID), 1u);
}

// C46
TEST(Addressing, NobodyButThePeerIsHeard) {
    World world(Connection{.psn = 5});
    const Node stranger(9);
    world.inject(world.b, forge(stranger, world.y, write_of(5, world.b.key)));
    // The peer's other address, and the QP's other port.
    world.inject(world.b, forge(world.a, world.y, write_of(5, world.b.key), kIpv6));
    world.run_for(kMoment);
    EXPECT_EQ(world.b.host.at<uint32_t>(kRemote), 0u);
    EXPECT_EQ(world.b.counter(1, TERN_PORT_COUNTER_RX_BAD_QP), 2u);
    EXPECT_EQ(world.b.counter(1, TERN_PORT_COUNTER_ROCE_TX_PACKETS), 0u);
    EXPECT_EQ(world.y.state(), TERN_QP_STATE_RTS);
}

TEST(Addressing, FrameOfTheOtherPortIsNotForTheQp) {
    World world(Connection{.psn = 5});
    const Endpoint other(world.b, {.port = 2});
    Forged packet = write_of(5, world.b.key);
    packet.dest_qpn = world.y.qpn;
    world.inject(world.b, forge(world.a, other, packet), 2);
    world.run_for(kMoment);
    EXPECT_EQ(world.b.host.at<uint32_t>(kRemote), 0u);
    EXPECT_EQ(world.b.counter(2, TERN_PORT_COUNTER_RX_BAD_QP), 1u);
}

// C49
TEST(Addressing, BothValuesOfMigReqAreAccepted) {
    World world(Connection{.psn = 5});
    for (uint32_t psn = 5; psn < 9; ++psn) {
        Frame frame = forge(world.a, world.y, write_of(psn, world.b.key));
        EXPECT_TRUE(frame[bth_of(frame) + TERN_BTH_FLAGS] & TERN_BTH_MIGREQ);
        if (psn & 1) frame[bth_of(frame) + TERN_BTH_FLAGS] &= static_cast<uint8_t>(~TERN_BTH_MIGREQ);
        seal(frame);
        world.inject(world.b, frame);
    }
    EXPECT_EQ(world.b.counter(1, TERN_PORT_COUNTER_RX_WRITE_REQUESTS), 4u);
}

TEST(Addressing, PathMtuBytesOnTheWireFollowTheQp) {
    for (uint8_t mtu_log2 = 8; mtu_log2 <= 12; ++mtu_log2) {
        World world(Connection{.mtu_log2 = mtu_log2});
        size_t longest = 0;
        world.watch = [&](const Node&, Frame& frame) {
            longest = std::max(longest, read(frame)->payload.size());
            return true;
        };
        world.x.post({.opcode = TERN_WQE_OP_RDMA_WRITE, .length = 20000, .remote = kRemote, .rkey = world.b.key});
        EXPECT_EQ(next_status(world, world.x), TERN_CQE_STATUS_SUCCESS);
        EXPECT_EQ(longest, size_t{1} << mtu_log2);
    }
}

}  // namespace
}  // namespace tern::test
