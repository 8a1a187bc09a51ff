// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
//
// A struct of the contract and the bytes that it must be: each field is
// compared as it is decoded, and the struct made of the fields with the bytes.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <type_traits>

#include "tern/hw/page_list.h"

namespace tern::test {

template <typename T>
class Golden {
public:
    // @bytes from @offset on are a T.
    explicit Golden(std::span<const uint8_t> bytes, size_t offset = 0) : bytes_(bytes.subspan(offset, sizeof(T))) {
        std::memcpy(&decoded_, bytes_.data(), sizeof(T));
    }

    ~Golden() {
        std::array<uint8_t, sizeof(T)> encoded;
        std::memcpy(encoded.data(), &encoded_, sizeof(T));
        for (size_t i = 0; i < sizeof(T); ++i) EXPECT_EQ(encoded[i], bytes_[i]) << "at offset " << i;
    }

    Golden(const Golden&) = delete;
    Golden& operator=(const Golden&) = delete;

    template <typename M>
    Golden& has(M T::* member, std::type_identity_t<M> value) {
        EXPECT_EQ(std::memcmp(&(decoded_.*member), &value, sizeof(M)), 0) << "a field is not as decoded";
        encoded_.*member = value;
        return *this;
    }

    // The first of an array of bytes; the rest are zeros.
    template <size_t N>
    Golden& has(uint8_t (T::*member)[N], std::initializer_list<uint8_t> values) {
        std::array<uint8_t, N> value{};
        std::ranges::copy(values, value.begin());
        EXPECT_EQ(std::memcmp(decoded_.*member, value.data(), N), 0) << "bytes are not as decoded";
        std::ranges::copy(value, encoded_.*member);
        return *this;
    }

    // The first of an array of numbers; the rest are zeros.
    template <typename N, size_t Count>
    Golden& has_values(N (T::*member)[Count], std::initializer_list<std::type_identity_t<N>> values) {
        std::array<N, Count> value{};
        std::ranges::copy(values, value.begin());
        EXPECT_TRUE(std::ranges::equal(value, decoded_.*member));
        std::ranges::copy(value, encoded_.*member);
        return *this;
    }

    [[nodiscard]] const T& decoded() const { return decoded_; }
    [[nodiscard]] T& encoded() { return encoded_; }

private:
    std::span<const uint8_t> bytes_;
    T decoded_;
    T encoded_{};
};

// In @pages pages of 4 KiB in one piece.
inline tern_page_list contiguous(uint64_t address, uint32_t pages) { return {address, pages, 0, 12, 0}; }

}  // namespace tern::test
