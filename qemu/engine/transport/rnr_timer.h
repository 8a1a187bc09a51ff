// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
//
// The RNR NAK timer field (IBTA table 45): 5-bit code to time.
#pragma once

#include <array>
#include <cstdint>

namespace tern {

// In units of 10 us, as the table has them in hundredths of milliseconds.
inline constexpr std::array<uint32_t, 32> kRnrTimer10us = {
    65536, 1,   2,   3,   4,    6,    8,    12,   16,   24,   32,   48,    64,    96,    128,   192,
    256,   384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152};

[[nodiscard]] constexpr uint64_t rnr_timer_ns(uint32_t code) { return uint64_t{kRnrTimer10us[code & 31]} * 10'000; }

}  // namespace tern
