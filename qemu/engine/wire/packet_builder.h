// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
//
// Building of RoCE v2 packets in place. The headers that stay the same for one
// destination (Ethernet, tag, IP, UDP) are made once as a PathHeader and then
// copied in front of each packet; only lengths and checksum change.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "qemu/engine/net/port.h"
#include "qemu/engine/wire/bth_opcode.h"

namespace tern {

// Where packets go; see struct tern_path and the address vector of a UD WQE.
struct Path {
    GidEntry source;
    Gid destination{};
    MacAddress destination_mac{};
    uint8_t hop_limit = 0;
    uint8_t traffic_class = 0;
    uint8_t service_level = 0;  // PCP of the tag, where the source GID has one
    uint32_t flow_label = 0;
    uint16_t udp_source_port = TERN_ROCE_SOURCE_PORT_MIN;
};

// UDP source port of a flow (annex A17.9.2): from the flow label if there is
// one, else from both QPNs, so that ECMP spreads QPs (C50).
[[nodiscard]] uint16_t roce_source_port(uint32_t flow_label, uint32_t source_qpn, uint32_t destination_qpn);

struct PathHeader {
    static constexpr size_t kMaxBytes =
        TERN_ETH_HEADER_BYTES + TERN_VLAN_TAG_BYTES + TERN_IPV6_HEADER_BYTES + TERN_UDP_HEADER_BYTES;
    std::array<std::byte, kMaxBytes> bytes{};
    uint8_t length = 0;
    uint8_t ip_offset = 0;
    bool is_ipv6 = false;

    PathHeader() = default;
    explicit PathHeader(const Path& path);
};

struct BthFields {
    uint8_t opcode;
    uint32_t dest_qpn;
    uint32_t psn;
    bool is_solicited = false;
    bool requests_ack = false;
};

// Values of the extended headers; those that the opcode has are taken.
struct ExtendedHeaders {
    uint32_t qkey = 0;
    uint32_t source_qpn = 0;
    uint64_t remote_address = 0;
    uint32_t rkey = 0;
    uint32_t dma_length = 0;
    uint64_t swap_or_add = 0;
    uint64_t compare = 0;
    uint8_t syndrome = 0;
    uint32_t msn = 0;
    uint64_t atomic_result = 0;
    uint32_t immediate = 0;  // be32 as it stands
    uint32_t invalidate_key = 0;
};

// One packet under construction: header, payload() filled by the caller, finish().
class PacketBuilder {
public:
    PacketBuilder(std::span<std::byte> frame, const PathHeader& path, const BthFields& bth,
                  const ExtendedHeaders& extended);

    // Room for @length_bytes of payload; the caller fills all of it.
    [[nodiscard]] std::span<std::byte> payload(size_t length_bytes);
    // Pads, writes lengths, checksum and ICRC. Bytes of the whole frame.
    [[nodiscard]] uint32_t finish();

private:
    std::span<std::byte> frame_;
    const PathHeader& path_;
    size_t payload_offset_;
    size_t payload_bytes_ = 0;
};

}  // namespace tern
