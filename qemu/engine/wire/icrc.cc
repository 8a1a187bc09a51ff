// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
#include "qemu/engine/wire/icrc.h"

#include <libdeflate.h>

#include <array>
#include <cstring>

#include "tern/wire/roce.h"

namespace tern {

namespace {

constexpr size_t kLrhBytes = 8;
constexpr size_t kMaxHeaderBytes = kLrhBytes + TERN_IPV6_HEADER_BYTES + TERN_UDP_HEADER_BYTES + TERN_BTH_BYTES;

constexpr uint8_t kOnes = 0xff;

void mask_ipv4(uint8_t* ip) {
    ip[1] = kOnes;           // type of service
    ip[8] = kOnes;           // time to live
    ip[10] = ip[11] = kOnes;  // header checksum
}

void mask_ipv6(uint8_t* ip) {
    ip[0] |= 0x0f;  // traffic class and flow label
    ip[1] = ip[2] = ip[3] = kOnes;
    ip[7] = kOnes;  // hop limit
}

}  // namespace

uint32_t icrc(std::span<const std::byte> packet, bool is_ipv6) {
    std::array<uint8_t, kMaxHeaderBytes> masked;
    const size_t ip_bytes = is_ipv6 ? TERN_IPV6_HEADER_BYTES : TERN_IPV4_HEADER_BYTES;
    const size_t header_bytes = ip_bytes + TERN_UDP_HEADER_BYTES + TERN_BTH_BYTES;
    std::memset(masked.data(), kOnes, kLrhBytes);
    uint8_t* ip = masked.data() + kLrhBytes;
    std::memcpy(ip, packet.data(), header_bytes);
    is_ipv6 ? mask_ipv6(ip) : mask_ipv4(ip);
    uint8_t* udp = ip + ip_bytes;
    udp[6] = udp[7] = kOnes;  // checksum
    udp[TERN_UDP_HEADER_BYTES + TERN_BTH_RESERVED8A] = kOnes;
    const uint32_t head = libdeflate_crc32(0, masked.data(), kLrhBytes + header_bytes);
    return libdeflate_crc32(head, packet.data() + header_bytes, packet.size() - header_bytes);
}

}  // namespace tern
