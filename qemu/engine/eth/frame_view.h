// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
//
// Where the IP and the TCP or UDP header of a frame are, as far as the frame
// has whole ones. For hashing, checksum checks and steering.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace tern {

struct FrameView {
    std::span<const std::byte> ip;         // from the IP header to the end the header names
    size_t ip_header_bytes;                // with IPv4 options
    bool is_ipv6;
    bool is_fragment;
    uint8_t protocol;                      // IPv6: next header, no extensions followed
    std::span<const std::byte> transport;  // after the IP header; empty for fragments
    std::span<const std::byte> addresses;  // source, destination

    [[nodiscard]] bool is_tcp() const { return protocol == 6 && transport.size() >= 20; }
    [[nodiscard]] bool is_udp() const { return protocol == 17 && transport.size() >= 8; }
};

// At most two VLAN tags are looked past. nullopt: not IP, or lengths that do not fit.
[[nodiscard]] std::optional<FrameView> view_frame(std::span<const std::byte> frame);

// A frame for RoCE v2: UDP destination 4791, at most one tag.
[[nodiscard]] bool is_roce(std::span<const std::byte> frame);

}  // namespace tern
