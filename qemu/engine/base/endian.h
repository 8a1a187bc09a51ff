// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
//
// Numbers in bytes: little endian for what the card shares with its driver,
// big endian for the wire. No alignment is asked for.
#pragma once

#include <linux/types.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tern {

template <typename T>
[[nodiscard]] inline T load_raw(const void* from) {
    T value;
    std::memcpy(&value, from, sizeof(T));
    return value;
}

template <typename T>
[[nodiscard]] constexpr T byte_swap(T value) {
    if constexpr (sizeof(T) == 1)
        return value;
    else if constexpr (sizeof(T) == 2)
        return static_cast<T>(__builtin_bswap16(value));
    else if constexpr (sizeof(T) == 4)
        return static_cast<T>(__builtin_bswap32(value));
    else
        return static_cast<T>(__builtin_bswap64(value));
}

template <typename T>
[[nodiscard]] constexpr T little(T value) {
    return std::endian::native == std::endian::little ? value : byte_swap(value);
}

template <typename T>
[[nodiscard]] constexpr T big(T value) {
    return std::endian::native == std::endian::big ? value : byte_swap(value);
}

template <typename T>
[[nodiscard]] inline T load_le(const void* from) {
    return little(load_raw<T>(from));
}

template <typename T>
[[nodiscard]] inline T load_be(const void* from) {
    return big(load_raw<T>(from));
}

template <typename T>
inline void store_le(void* to, T value) {
    value = little(value);
    std::memcpy(to, &value, sizeof(T));
}

template <typename T>
inline void store_be(void* to, T value) {
    value = big(value);
    std::memcpy(to, &value, sizeof(T));
}

[[nodiscard]] inline uint32_t load_be24(const void* from) {
    const auto* byte = static_cast<const uint8_t*>(from);
    return (uint32_t{byte[0]} << 16) | (uint32_t{byte[1]} << 8) | byte[2];
}

inline void store_be24(void* to, uint32_t value) {
    auto* byte = static_cast<uint8_t*>(to);
    byte[0] = static_cast<uint8_t>(value >> 16);
    byte[1] = static_cast<uint8_t>(value >> 8);
    byte[2] = static_cast<uint8_t>(value);
}

}  // namespace tern
