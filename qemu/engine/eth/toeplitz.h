// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
//
// Receive-side scaling: Microsoft's Toeplitz hash over addresses and ports.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "tern/hw/limits.h"

namespace tern {

using RssKey = std::array<uint8_t, TERN_RSS_KEY_BYTES>;

[[nodiscard]] uint32_t toeplitz(const RssKey& key, std::span<const std::byte> input);

// Hash of a frame over the fields that @hash_fields (TERN_RSS_HASH_*) allows;
// nullopt: the frame has none of them.
[[nodiscard]] std::optional<uint32_t> hash_frame(const RssKey& key, uint8_t hash_fields,
                                                 std::span<const std::byte> frame);

}  // namespace tern
