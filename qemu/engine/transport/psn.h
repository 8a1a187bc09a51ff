// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
//
// Packet sequence numbers: 24 bits that wrap, compared by distance (IBTA 9.7.2).
#pragma once

#include <cstdint>

#include "tern/wire/roce.h"

namespace tern {

class Psn {
public:
    constexpr Psn() = default;
    constexpr explicit Psn(uint32_t value) : value_(value & TERN_PSN_MASK) {}

    [[nodiscard]] constexpr uint32_t value() const { return value_; }
    [[nodiscard]] constexpr Psn operator+(uint32_t count) const { return Psn(value_ + count); }
    [[nodiscard]] constexpr Psn operator-(uint32_t count) const { return Psn(value_ - count); }
    constexpr Psn& operator++() { return *this = *this + 1; }
    constexpr bool operator==(const Psn&) const = default;

    // Signed distance from @from to this one, -2^23 .. 2^23 - 1.
    [[nodiscard]] constexpr int32_t distance_from(Psn from) const {
        const uint32_t difference = (value_ - from.value_) & TERN_PSN_MASK;
        return static_cast<int32_t>(difference << 8) >> 8;
    }
    [[nodiscard]] constexpr bool is_before(Psn other) const { return distance_from(other) < 0; }
    [[nodiscard]] constexpr bool is_after(Psn other) const { return distance_from(other) > 0; }

private:
    uint32_t value_ = 0;
};

}  // namespace tern
