// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
#include "qemu/engine/eth/toeplitz.h"

#include <algorithm>

#include "qemu/engine/base/endian.h"
#include "qemu/engine/eth/frame_view.h"
#include "tern/fw/eth.h"

namespace tern {

uint32_t toeplitz(const RssKey& key, std::span<const std::byte> input) {
    uint32_t hash = 0;
    uint32_t window = load_be<uint32_t>(key.data());
    for (size_t i = 0; i < input.size(); ++i) {
        const auto byte = static_cast<uint8_t>(input[i]);
        const uint8_t next = i + 4 < key.size() ? key[i + 4] : 0;
        for (int bit = 7; bit >= 0; --bit) {
            if ((byte >> bit) & 1) hash ^= window;
            window = (window << 1) | ((next >> bit) & 1u);
        }
    }
    return hash;
}

std::optional<uint32_t> hash_frame(const RssKey& key, uint8_t hash_fields, std::span<const std::byte> frame) {
    const auto view = view_frame(frame);
    if (!view || !(hash_fields & (view->is_ipv6 ? TERN_RSS_HASH_IPV6 : TERN_RSS_HASH_IPV4))) return std::nullopt;
    std::array<std::byte, 36> input;
    auto end = std::ranges::copy(view->addresses, input.begin()).out;
    const bool has_ports =
        (view->is_tcp() && (hash_fields & TERN_RSS_HASH_TCP)) || (view->is_udp() && (hash_fields & TERN_RSS_HASH_UDP));
    if (has_ports) end = std::ranges::copy(view->transport.first(4), end).out;
    return toeplitz(key, std::span(input.begin(), end));
}

}  // namespace tern
