// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
//
// A RoCE v2 packet taken apart. parse_packet() never trusts a length: each is
// checked against the frame, and against each other, before it is used.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "qemu/engine/base/result.h"
#include "qemu/engine/net/port.h"
#include "qemu/engine/wire/bth_opcode.h"

namespace tern {

struct Packet {
    // Ethernet and IP
    bool is_ipv6;
    bool has_vlan;
    uint16_t vlan_tci;
    Gid source;       // IPv4 as ::ffff:a.b.c.d
    Gid destination;
    std::span<const std::byte> ip_header;  // 20 or 40 bytes
    // BTH
    uint8_t opcode;
    const bth::Row* row;
    bool is_solicited;
    bool requests_ack;
    uint16_t pkey;
    uint32_t dest_qpn;
    uint32_t psn;
    // Extended headers, as far as row->headers says
    uint64_t remote_address;
    uint32_t rkey;
    uint32_t dma_length;
    uint64_t swap_or_add;
    uint64_t compare;
    uint8_t syndrome;
    uint32_t msn;
    uint64_t atomic_result;
    uint32_t immediate;      // as it stands on the wire (be32)
    uint32_t invalidate_key;  // host order
    uint32_t qkey;
    uint32_t source_qpn;
    std::span<const std::byte> payload;  // without pad

    // TERN_VLAN_NONE: untagged, or a tag that carries a priority only (802.1Q).
    [[nodiscard]] uint16_t vlan_id() const {
        const uint16_t id = vlan_tci & 0xfff;
        return has_vlan && id != 0 ? id : uint16_t{TERN_VLAN_NONE};
    }
    [[nodiscard]] bool is(uint16_t flags) const { return (row->flags & flags) == flags; }
};

enum class PacketError : uint8_t { kMalformed, kIcrc };

// @frame: Ethernet header first, UDP destination 4791. Views point into it.
[[nodiscard]] Result<Packet, PacketError> parse_packet(std::span<const std::byte> frame);

}  // namespace tern
