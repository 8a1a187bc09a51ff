// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
#include "qemu/engine/wire/packet.h"

#include <algorithm>

#include "qemu/engine/base/endian.h"
#include "qemu/engine/wire/icrc.h"
#include "tern/bits.h"

namespace tern {

namespace {

using Bytes = std::span<const std::byte>;

constexpr uint8_t kProtocolUdp = 17;
constexpr uint16_t kIpv4FragmentMask = 0x3fff;  // more fragments, and offset

uint8_t byte_at(Bytes bytes, size_t offset) { return static_cast<uint8_t>(bytes[offset]); }

Gid mapped_ipv4(Bytes address) {
    Gid gid{};
    gid[10] = gid[11] = 0xff;
    std::memcpy(gid.data() + 12, address.data(), 4);
    return gid;
}

Gid gid_of(Bytes address) {
    Gid gid;
    std::memcpy(gid.data(), address.data(), gid.size());
    return gid;
}

// Cuts off the Ethernet header and at most one tag; what follows is @type.
bool parse_ethernet(Bytes& rest, Packet& packet, uint16_t& type) {
    if (rest.size() < TERN_ETH_HEADER_BYTES) return false;
    type = load_be<uint16_t>(rest.data() + 12);
    rest = rest.subspan(TERN_ETH_HEADER_BYTES);
    packet.has_vlan = type == TERN_ETHERTYPE_VLAN;
    packet.vlan_tci = 0;
    if (!packet.has_vlan) return true;
    if (rest.size() < TERN_VLAN_TAG_BYTES) return false;
    packet.vlan_tci = load_be<uint16_t>(rest.data());
    type = load_be<uint16_t>(rest.data() + 2);
    rest = rest.subspan(TERN_VLAN_TAG_BYTES);
    return true;
}

// @rest: from the IP header on, cut to the length the header names.
bool parse_ipv4(Bytes& rest, Packet& packet) {
    if (rest.size() < TERN_IPV4_HEADER_BYTES) return false;
    const size_t total = load_be<uint16_t>(rest.data() + 2);
    if (byte_at(rest, 0) != 0x45 || byte_at(rest, 9) != kProtocolUdp) return false;
    if (load_be<uint16_t>(rest.data() + 6) & kIpv4FragmentMask) return false;
    if (total > rest.size() || total < TERN_IPV4_HEADER_BYTES) return false;
    packet.source = mapped_ipv4(rest.subspan(12, 4));
    packet.destination = mapped_ipv4(rest.subspan(16, 4));
    rest = rest.first(total);
    packet.ip_header = rest.first(TERN_IPV4_HEADER_BYTES);
    return true;
}

bool parse_ipv6(Bytes& rest, Packet& packet) {
    if (rest.size() < TERN_IPV6_HEADER_BYTES) return false;
    const size_t total = TERN_IPV6_HEADER_BYTES + size_t{load_be<uint16_t>(rest.data() + 4)};
    if ((byte_at(rest, 0) >> 4) != 6 || byte_at(rest, 6) != kProtocolUdp) return false;
    if (total > rest.size()) return false;
    packet.source = gid_of(rest.subspan(8, 16));
    packet.destination = gid_of(rest.subspan(24, 16));
    rest = rest.first(total);
    packet.ip_header = rest.first(TERN_IPV6_HEADER_BYTES);
    return true;
}

bool check_udp(Bytes udp) {
    return udp.size() >= TERN_UDP_HEADER_BYTES + TERN_BTH_BYTES + TERN_ICRC_BYTES &&
           load_be<uint16_t>(udp.data() + 2) == TERN_ROCE_UDP_PORT && load_be<uint16_t>(udp.data() + 4) == udp.size();
}

// The BTH; pad is the number of bytes to take off the payload.
bool parse_bth(Bytes header, Packet& packet, size_t& pad) {
    const uint8_t flags = byte_at(header, TERN_BTH_FLAGS);
    packet.opcode = byte_at(header, TERN_BTH_OPCODE);
    packet.row = &bth::kTable[packet.opcode];
    packet.is_solicited = flags & TERN_BTH_SOLICITED;
    packet.pkey = load_be<uint16_t>(header.data() + TERN_BTH_PKEY);
    packet.dest_qpn = load_be24(header.data() + TERN_BTH_DEST_QPN);
    packet.requests_ack = byte_at(header, TERN_BTH_ACK_REQUEST) & TERN_BTH_ACKREQ;
    packet.psn = load_be24(header.data() + TERN_BTH_PSN);
    pad = TERN_GET32(TERN_BTH_PAD, flags);
    return packet.row->name != nullptr && TERN_GET32(TERN_BTH_TVER, flags) == 0;
}

// @rest has row->header_bytes at least.
void parse_extended(Bytes rest, Packet& packet) {
    const uint16_t headers = packet.row->headers;
    const std::byte* at = rest.data();
    if (headers & bth::DETH) {
        packet.qkey = load_be<uint32_t>(at + TERN_DETH_QKEY);
        packet.source_qpn = load_be24(at + TERN_DETH_SOURCE_QPN);
        at += TERN_DETH_BYTES;
    }
    if (headers & bth::RETH) {
        packet.remote_address = load_be<uint64_t>(at + TERN_RETH_ADDRESS);
        packet.rkey = load_be<uint32_t>(at + TERN_RETH_RKEY);
        packet.dma_length = load_be<uint32_t>(at + TERN_RETH_LENGTH);
        at += TERN_RETH_BYTES;
    }
    if (headers & bth::ATOMICETH) {
        packet.remote_address = load_be<uint64_t>(at + TERN_ATOMICETH_ADDRESS);
        packet.rkey = load_be<uint32_t>(at + TERN_ATOMICETH_RKEY);
        packet.swap_or_add = load_be<uint64_t>(at + TERN_ATOMICETH_SWAP_OR_ADD);
        packet.compare = load_be<uint64_t>(at + TERN_ATOMICETH_COMPARE);
        at += TERN_ATOMICETH_BYTES;
    }
    if (headers & bth::AETH) {
        packet.syndrome = static_cast<uint8_t>(at[TERN_AETH_SYNDROME]);
        packet.msn = load_be24(at + TERN_AETH_MSN);
        at += TERN_AETH_BYTES;
    }
    if (headers & bth::ATOMICACKETH) {
        packet.atomic_result = load_be<uint64_t>(at);
        at += TERN_ATOMICACKETH_BYTES;
    }
    if (headers & bth::IMMDT) packet.immediate = load_raw<uint32_t>(at);
    if (headers & bth::IETH) packet.invalidate_key = load_be<uint32_t>(at);
}

}  // namespace

Result<Packet, PacketError> parse_packet(std::span<const std::byte> frame) {
    Packet packet{};
    Bytes rest = frame;
    uint16_t type = 0;
    if (!parse_ethernet(rest, packet, type)) return PacketError::kMalformed;
    packet.is_ipv6 = type == TERN_ETHERTYPE_IPV6;
    if (packet.is_ipv6 ? !parse_ipv6(rest, packet) : !parse_ipv4(rest, packet)) return PacketError::kMalformed;
    const Bytes udp = rest.subspan(packet.ip_header.size());
    if (!check_udp(udp)) return PacketError::kMalformed;

    const Bytes covered = rest.first(rest.size() - TERN_ICRC_BYTES);
    if (icrc(covered, packet.is_ipv6) != load_le<uint32_t>(covered.data() + covered.size())) return PacketError::kIcrc;

    const Bytes transport = udp.subspan(TERN_UDP_HEADER_BYTES, udp.size() - TERN_UDP_HEADER_BYTES - TERN_ICRC_BYTES);
    size_t pad = 0;
    if (!parse_bth(transport, packet, pad)) return PacketError::kMalformed;
    // Header first, pad afterwards: neither may reach into the other (C36).
    if (transport.size() < size_t{TERN_BTH_BYTES} + packet.row->header_bytes + pad) return PacketError::kMalformed;
    if (transport.size() % 4 != 0) return PacketError::kMalformed;
    const Bytes extended = transport.subspan(TERN_BTH_BYTES);
    parse_extended(extended, packet);
    packet.payload = extended.subspan(packet.row->header_bytes);
    packet.payload = packet.payload.first(packet.payload.size() - pad);
    if (!(packet.row->flags & bth::PAYLOAD) && (!packet.payload.empty() || pad)) return PacketError::kMalformed;
    return packet;
}

}  // namespace tern
