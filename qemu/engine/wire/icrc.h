// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
//
// Invariant CRC of RoCE v2 (IBTA 7.8.1, annex A17.3): CRC-32 as Ethernet's over
// eight bytes of ones in place of the LRH, the IP and UDP headers and the BTH
// with their variant fields as ones, and the rest as it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tern {

// @packet: from the IP header to the last byte before the ICRC, which is at
// least IP, UDP and BTH. @is_ipv6: which IP header it has, without options or
// extensions. The value is stored little endian after the packet.
[[nodiscard]] uint32_t icrc(std::span<const std::byte> packet, bool is_ipv6);

}  // namespace tern
