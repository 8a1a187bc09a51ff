// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
#include "qemu/engine/eth/frame_view.h"

#include "qemu/engine/base/endian.h"
#include "tern/wire/roce.h"

namespace tern {

namespace {

using Bytes = std::span<const std::byte>;

constexpr uint16_t kEthertypeQinQ = 0x88a8;
constexpr uint16_t kIpv4FragmentMask = 0x3fff;

std::optional<FrameView> view_ipv4(Bytes ip) {
    if (ip.size() < TERN_IPV4_HEADER_BYTES) return std::nullopt;
    const auto first = static_cast<uint8_t>(ip[0]);
    const size_t header = size_t{first & 0x0fu} * 4;
    const size_t total = load_be<uint16_t>(ip.data() + 2);
    if ((first >> 4) != 4 || header < TERN_IPV4_HEADER_BYTES || header > total || total > ip.size())
        return std::nullopt;
    ip = ip.first(total);
    const bool is_fragment = load_be<uint16_t>(ip.data() + 6) & kIpv4FragmentMask;
    return FrameView{ip,
                     header,
                     false,
                     is_fragment,
                     static_cast<uint8_t>(ip[9]),
                     is_fragment ? Bytes{} : ip.subspan(header),
                     ip.subspan(12, 8)};
}

std::optional<FrameView> view_ipv6(Bytes ip) {
    if (ip.size() < TERN_IPV6_HEADER_BYTES) return std::nullopt;
    const size_t total = TERN_IPV6_HEADER_BYTES + size_t{load_be<uint16_t>(ip.data() + 4)};
    if ((static_cast<uint8_t>(ip[0]) >> 4) != 6 || total > ip.size()) return std::nullopt;
    ip = ip.first(total);
    return FrameView{ip,
                     TERN_IPV6_HEADER_BYTES,
                     true,
                     false,
                     static_cast<uint8_t>(ip[6]),
                     ip.subspan(TERN_IPV6_HEADER_BYTES),
                     ip.subspan(8, 32)};
}

}  // namespace

std::optional<FrameView> view_frame(Bytes frame) {
    size_t offset = TERN_ETH_HEADER_BYTES - 2;
    for (int tags = 0; tags <= 2; ++tags) {
        if (frame.size() < offset + 2) return std::nullopt;
        const uint16_t type = load_be<uint16_t>(frame.data() + offset);
        offset += 2;
        if (type == TERN_ETHERTYPE_IPV4) return view_ipv4(frame.subspan(offset));
        if (type == TERN_ETHERTYPE_IPV6) return view_ipv6(frame.subspan(offset));
        if (type != TERN_ETHERTYPE_VLAN && type != kEthertypeQinQ) return std::nullopt;
        offset += 2;
    }
    return std::nullopt;
}

bool is_roce(Bytes frame) {
    // Also what is malformed further on: the transport drops and counts it.
    const auto view = view_frame(frame);
    return view && view->is_udp() && load_be<uint16_t>(view->transport.data() + 2) == TERN_ROCE_UDP_PORT;
}

}  // namespace tern
