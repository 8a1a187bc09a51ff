// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
//
// Internet checksums (RFC 1071): what the card adds to sent frames and checks
// in received ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tern {

// Ones' complement sum, folded to 16 bits, of big-endian words; an odd last byte
// counts as the high half of a word. @start: a sum to go on from.
[[nodiscard]] uint32_t ones_sum(std::span<const std::byte> bytes, uint32_t start = 0);

// TERN_WQE_CSUM (tern/hw/eth_wqe.h). False: start or offset outside the frame.
[[nodiscard]] bool insert_checksum(std::span<std::byte> frame, size_t start, size_t offset);

// True if the IPv4 header, where there is one, and the TCP or UDP checksum
// were there and right. False says nothing: another protocol, a fragment, wrong.
[[nodiscard]] bool verify_checksums(std::span<const std::byte> frame);

}  // namespace tern
