// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
#include "qemu/engine/eth/checksum.h"

#include "qemu/engine/base/endian.h"
#include "qemu/engine/eth/frame_view.h"

namespace tern {

namespace {

constexpr uint16_t kAllOnes = 0xffff;

uint32_t fold(uint64_t sum) {
    while (sum >> 16) sum = (sum & kAllOnes) + (sum >> 16);
    return static_cast<uint32_t>(sum);
}

bool is_transport_right(const FrameView& view) {
    const auto length = static_cast<uint32_t>(view.transport.size());
    const uint32_t pseudo = ones_sum(view.addresses, fold(uint64_t{length} + view.protocol));
    return ones_sum(view.transport, pseudo) == kAllOnes;
}

}  // namespace

uint32_t ones_sum(std::span<const std::byte> bytes, uint32_t start) {
    uint64_t sum = 0;
    size_t i = 0;
    // Four words at a time: the sum is the same in any byte order, swapped at the end.
    for (; i + 4 <= bytes.size(); i += 4) sum += load_raw<uint32_t>(bytes.data() + i);
    uint32_t folded = fold(sum);
    if constexpr (std::endian::native == std::endian::little) folded = byte_swap(static_cast<uint16_t>(folded));
    uint64_t total = uint64_t{folded} + start;
    for (; i + 2 <= bytes.size(); i += 2) total += load_be<uint16_t>(bytes.data() + i);
    if (i < bytes.size()) total += static_cast<uint32_t>(bytes[i]) << 8;
    return fold(total);
}

bool insert_checksum(std::span<std::byte> frame, size_t start, size_t offset) {
    if (start >= frame.size() || start + offset + 2 > frame.size()) return false;
    const auto checksum = static_cast<uint16_t>(~ones_sum(frame.subspan(start)));
    // Zero means none in UDP; all-ones is the same sum.
    store_be<uint16_t>(frame.data() + start + offset, checksum ? checksum : kAllOnes);
    return true;
}

bool verify_checksums(std::span<const std::byte> frame) {
    const auto view = view_frame(frame);
    if (!view || view->is_fragment) return false;
    if (!view->is_ipv6 && ones_sum(view->ip.first(view->ip_header_bytes)) != kAllOnes) return false;
    if (view->is_tcp()) return is_transport_right(*view);
    if (!view->is_udp()) return false;
    const uint16_t given = load_be<uint16_t>(view->transport.data() + 6);
    const bool fits = load_be<uint16_t>(view->transport.data() + 4) == view->transport.size();
    return fits && given != 0 && is_transport_right(*view);
}

}  // namespace tern
