// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
//
// Rules that several requests share.
#pragma once

#include "firmware-if/codec/codec.h"
#include "qemu/engine/base/endian.h"
#include "qemu/engine/memory/page_list.h"
#include "tern/hw/limits.h"

namespace tern::codec {

[[nodiscard]] inline Refusal bad_reserved(size_t offset) {
    return {TERN_STATUS_BAD_RESERVED, static_cast<uint32_t>(offset)};
}

[[nodiscard]] inline Refusal bad_parameter(size_t offset) {
    return {TERN_STATUS_BAD_PARAMETER, static_cast<uint32_t>(offset)};
}

template <size_t N>
[[nodiscard]] bool is_zero(const uint8_t (&bytes)[N]) {
    return std::all_of(bytes, bytes + N, [](uint8_t byte) { return byte == 0; });
}

// A list where there is to be none.
[[nodiscard]] inline bool is_empty(const tern_page_list& list) {
    return !list.root && !list.page_count && !list.levels && !list.page_shift && !list.reserved_0e;
}

[[nodiscard]] inline bool is_depth(uint8_t depth_log2, uint8_t max_log2) {
    return depth_log2 >= TERN_RING_MIN_DEPTH_LOG2 && depth_log2 <= max_log2;
}

[[nodiscard]] inline bool is_port(uint8_t port, const Limits& limits) { return port >= 1 && port <= limits.ports; }

}  // namespace tern::codec
