// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
#include "qemu/engine/wire/packet_builder.h"

#include <algorithm>

#include "qemu/engine/base/endian.h"
#include "qemu/engine/wire/icrc.h"
#include "tern/bits.h"

namespace tern {

namespace {

constexpr uint8_t kProtocolUdp = 17;
constexpr uint16_t kDontFragment = 0x4000;

size_t put_ethernet(std::byte* at, const Path& path, bool is_ipv6) {
    std::memcpy(at, path.destination_mac.data(), 6);
    std::memcpy(at + 6, path.source.mac.data(), 6);
    size_t offset = 12;
    if (path.source.vlan_id != TERN_VLAN_NONE) {
        store_be<uint16_t>(at + offset, TERN_ETHERTYPE_VLAN);
        store_be(at + offset + 2, static_cast<uint16_t>((path.service_level << 13) | path.source.vlan_id));
        offset += TERN_VLAN_TAG_BYTES;
    }
    store_be<uint16_t>(at + offset, is_ipv6 ? TERN_ETHERTYPE_IPV6 : TERN_ETHERTYPE_IPV4);
    return offset + 2;
}

void put_ipv4(std::byte* at, const Path& path) {
    at[0] = std::byte{0x45};
    at[1] = std::byte{path.traffic_class};
    store_be<uint16_t>(at + 6, kDontFragment);
    at[8] = std::byte{path.hop_limit};
    at[9] = std::byte{kProtocolUdp};
    std::memcpy(at + 12, path.source.gid.data() + 12, 4);
    std::memcpy(at + 16, path.destination.data() + 12, 4);
}

void put_ipv6(std::byte* at, const Path& path) {
    store_be<uint32_t>(at, 0x60000000u | (uint32_t{path.traffic_class} << 20) | (path.flow_label & 0xfffff));
    at[6] = std::byte{kProtocolUdp};
    at[7] = std::byte{path.hop_limit};
    std::memcpy(at + 8, path.source.gid.data(), 16);
    std::memcpy(at + 24, path.destination.data(), 16);
}

uint16_t ipv4_checksum(const std::byte* header) {
    uint32_t sum = 0;
    for (size_t i = 0; i < TERN_IPV4_HEADER_BYTES; i += 2) sum += load_be<uint16_t>(header + i);
    sum = (sum & 0xffff) + (sum >> 16);
    return static_cast<uint16_t>(~(sum + (sum >> 16)));
}

void put_bth(std::byte* at, const BthFields& bth) {
    at[TERN_BTH_OPCODE] = std::byte{bth.opcode};
    // MigReq 1: migrated, as hardware sends it; both values are accepted (C49).
    at[TERN_BTH_FLAGS] = std::byte{static_cast<uint8_t>(TERN_BTH_MIGREQ | (bth.is_solicited ? TERN_BTH_SOLICITED : 0))};
    store_be<uint16_t>(at + TERN_BTH_PKEY, TERN_PKEY_DEFAULT);
    at[TERN_BTH_RESERVED8A] = std::byte{0};
    store_be24(at + TERN_BTH_DEST_QPN, bth.dest_qpn);
    at[TERN_BTH_ACK_REQUEST] = std::byte{static_cast<uint8_t>(bth.requests_ack ? TERN_BTH_ACKREQ : 0)};
    store_be24(at + TERN_BTH_PSN, bth.psn);
}

void put_extended(std::byte* at, uint16_t headers, const ExtendedHeaders& values) {
    if (headers & bth::DETH) {
        store_be(at + TERN_DETH_QKEY, values.qkey);
        store_be(at + 4, values.source_qpn);
        at += TERN_DETH_BYTES;
    }
    if (headers & bth::RETH) {
        store_be(at + TERN_RETH_ADDRESS, values.remote_address);
        store_be(at + TERN_RETH_RKEY, values.rkey);
        store_be(at + TERN_RETH_LENGTH, values.dma_length);
        at += TERN_RETH_BYTES;
    }
    if (headers & bth::ATOMICETH) {
        store_be(at + TERN_ATOMICETH_ADDRESS, values.remote_address);
        store_be(at + TERN_ATOMICETH_RKEY, values.rkey);
        store_be(at + TERN_ATOMICETH_SWAP_OR_ADD, values.swap_or_add);
        store_be(at + TERN_ATOMICETH_COMPARE, values.compare);
        at += TERN_ATOMICETH_BYTES;
    }
    if (headers & bth::AETH) {
        at[TERN_AETH_SYNDROME] = std::byte{values.syndrome};
        store_be24(at + TERN_AETH_MSN, values.msn);
        at += TERN_AETH_BYTES;
    }
    if (headers & bth::ATOMICACKETH) {
        store_be(at, values.atomic_result);
        at += TERN_ATOMICACKETH_BYTES;
    }
    if (headers & bth::IMMDT) std::memcpy(at, &values.immediate, sizeof(values.immediate));
    if (headers & bth::IETH) store_be(at, values.invalidate_key);
}

}  // namespace

uint16_t roce_source_port(uint32_t flow_label, uint32_t source_qpn, uint32_t destination_qpn) {
    uint32_t value = flow_label & 0xfffff;
    if (value == 0) {
        const uint64_t product = uint64_t{source_qpn} * destination_qpn;
        value = static_cast<uint32_t>(product ^ (product >> 20) ^ (product >> 40)) & 0xfffff;
    }
    return static_cast<uint16_t>(TERN_ROCE_SOURCE_PORT_MIN | ((value & 0x3fff) ^ (value >> 14)));
}

PathHeader::PathHeader(const Path& path) : is_ipv6(path.source.type == TERN_GID_ROCE_V2_IPV6) {
    const size_t ip = put_ethernet(bytes.data(), path, is_ipv6);
    is_ipv6 ? put_ipv6(bytes.data() + ip, path) : put_ipv4(bytes.data() + ip, path);
    const size_t udp = ip + (is_ipv6 ? TERN_IPV6_HEADER_BYTES : TERN_IPV4_HEADER_BYTES);
    store_be(bytes.data() + udp, path.udp_source_port);
    store_be<uint16_t>(bytes.data() + udp + 2, TERN_ROCE_UDP_PORT);
    ip_offset = static_cast<uint8_t>(ip);
    length = static_cast<uint8_t>(udp + TERN_UDP_HEADER_BYTES);
}

PacketBuilder::PacketBuilder(std::span<std::byte> frame, const PathHeader& path, const BthFields& bth,
                             const ExtendedHeaders& extended)
    : frame_(frame), path_(path) {
    const bth::Row& row = bth::kTable[bth.opcode];
    std::memcpy(frame.data(), path.bytes.data(), path.length);
    put_bth(frame.data() + path.length, bth);
    put_extended(frame.data() + path.length + TERN_BTH_BYTES, row.headers, extended);
    payload_offset_ = size_t{path.length} + TERN_BTH_BYTES + row.header_bytes;
}

std::span<std::byte> PacketBuilder::payload(size_t length_bytes) {
    payload_bytes_ = length_bytes;
    return frame_.subspan(payload_offset_, length_bytes);
}

uint32_t PacketBuilder::finish() {
    const size_t pad = (4 - payload_bytes_ % 4) % 4;
    const size_t end = payload_offset_ + payload_bytes_ + pad;
    std::memset(frame_.data() + end - pad, 0, pad);
    frame_[path_.length + size_t{TERN_BTH_FLAGS}] |= std::byte{static_cast<uint8_t>(pad << TERN_BTH_PAD_LO)};

    std::byte* ip = frame_.data() + path_.ip_offset;
    const size_t total = end + TERN_ICRC_BYTES;
    const size_t udp_bytes = total - path_.length + TERN_UDP_HEADER_BYTES;
    store_be(frame_.data() + path_.length - TERN_UDP_HEADER_BYTES + 4, static_cast<uint16_t>(udp_bytes));
    if (path_.is_ipv6) {
        store_be(ip + 4, static_cast<uint16_t>(udp_bytes));
    } else {
        store_be(ip + 2, static_cast<uint16_t>(total - path_.ip_offset));
        store_be(ip + 10, ipv4_checksum(ip));
    }
    const auto covered = std::span<const std::byte>(frame_).subspan(path_.ip_offset, end - path_.ip_offset);
    store_le(frame_.data() + end, icrc(covered, path_.is_ipv6));
    return static_cast<uint32_t>(total);
}

}  // namespace tern
