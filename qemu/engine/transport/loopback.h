// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
//
// Frames from a port to itself: a bounded ring, emptied when the card runs, so
// that sending never calls into receiving.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "qemu/engine/net/port.h"

namespace tern {

class Loopback {
public:
    Loopback() : frames_(std::make_unique<Frames>()) {}

    [[nodiscard]] bool is_empty() const { return head_ == tail_; }
    [[nodiscard]] bool has_room() const { return tail_ - head_ < kFrames; }
    // Buffer of the next frame; only with room.
    [[nodiscard]] std::span<std::byte> begin() { return (*frames_)[tail_ % kFrames]; }
    void commit(uint32_t length_bytes) { lengths_[tail_++ % kFrames] = length_bytes; }
    // Oldest frame; valid until pop().
    [[nodiscard]] std::span<const std::byte> front() const {
        return std::span((*frames_)[head_ % kFrames]).first(lengths_[head_ % kFrames]);
    }
    void pop() { ++head_; }
    void clear() { head_ = tail_; }

private:
    static constexpr uint32_t kFrames = 64;
    using Frames = std::array<std::array<std::byte, Port::kFrameBytes>, kFrames>;

    std::unique_ptr<Frames> frames_;
    std::array<uint32_t, kFrames> lengths_{};
    uint32_t head_ = 0;
    uint32_t tail_ = 0;
};

}  // namespace tern
