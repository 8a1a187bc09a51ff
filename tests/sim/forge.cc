// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
#include "tests/sim/forge.h"

#include <algorithm>
#include <cstring>

#include "qemu/engine/wire/icrc.h"

namespace tern::test {

namespace {

size_t ip_of(const Frame& frame) { return frame[12] == 0x81 && frame[13] == 0x00 ? 18 : 14; }
bool is_ipv6(const Frame& frame) { return frame[ip_of(frame)] >> 4 == 6; }

}  // namespace

size_t bth_of(const Frame& frame) {
    const size_t ip = is_ipv6(frame) ? TERN_IPV6_HEADER_BYTES : TERN_IPV4_HEADER_BYTES;
    return ip_of(frame) + ip + TERN_UDP_HEADER_BYTES;
}

Frame forge(const Node& from, const Endpoint& to, const Forged& packet, uint8_t gid_index) {
    Frame frame(9000);
    const uint8_t port = to.options.port;
    const bool has_vlan = gid_index == kIpv4Vlan || gid_index == kIpv6Vlan;
    const bool has_ipv6 = gid_index == kIpv6 || gid_index == kIpv6Vlan;
    Path path;
    path.source = {static_cast<uint8_t>(has_ipv6 ? TERN_GID_ROCE_V2_IPV6 : TERN_GID_ROCE_V2_IPV4),
                   has_vlan ? kVlan : uint16_t{TERN_VLAN_NONE}, from.mac(port), from.gid(port, gid_index)};
    path.destination = to.node.gid(port, gid_index);
    path.destination_mac = to.node.mac(port);
    path.hop_limit = 64;
    const PathHeader header(path);
    const uint32_t dest_qpn = packet.dest_qpn ? packet.dest_qpn : to.qpn;
    PacketBuilder builder(std::as_writable_bytes(std::span(frame)), header,
                          {packet.opcode, dest_qpn, packet.psn, false, packet.requests_ack}, packet.headers);
    std::ranges::copy(std::as_bytes(std::span(packet.payload)), builder.payload(packet.payload.size()).begin());
    frame.resize(builder.finish());
    return frame;
}

void seal(Frame& frame) {
    const size_t ip = ip_of(frame);
    if (frame.size() < bth_of(frame) + TERN_BTH_BYTES + TERN_ICRC_BYTES) return;
    const auto covered = std::as_bytes(std::span(frame)).subspan(ip, frame.size() - ip - TERN_ICRC_BYTES);
    const uint32_t crc = icrc(covered, is_ipv6(frame));
    std::memcpy(frame.data() + frame.size() - TERN_ICRC_BYTES, &crc, sizeof(crc));
}

std::optional<Packet> read(const Frame& frame) {
    const auto packet = parse_packet(std::as_bytes(std::span(frame)));
    return packet ? std::optional<Packet>(*packet) : std::nullopt;
}

}  // namespace tern::test
