// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
//
// A value or an error, neither of which may be ignored. There are no
// exceptions in the engine, and std::expected is C++23.
#pragma once

#include <optional>
#include <utility>

namespace tern {

template <typename T, typename E>
class [[nodiscard]] Result {
public:
    Result(T value) : value_(std::move(value)) {}
    Result(E error) : error_(error) {}

    [[nodiscard]] bool ok() const { return value_.has_value(); }
    explicit operator bool() const { return ok(); }
    [[nodiscard]] T& operator*() { return *value_; }
    [[nodiscard]] const T& operator*() const { return *value_; }
    [[nodiscard]] T* operator->() { return &*value_; }
    [[nodiscard]] const T* operator->() const { return &*value_; }
    // Only when !ok().
    [[nodiscard]] E error() const { return error_; }

private:
    std::optional<T> value_;
    E error_{};
};

}  // namespace tern
