// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
//
// Objects by number. A number is the slot's index sent through a keyed
// permutation of 24 bits, so it cannot be guessed from others and still costs
// one look-up. Slots are reused last: a number stays unused for as long as it
// can, so a stale one rarely names somebody else's object.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "qemu/engine/base/result.h"
#include "tern/fw/command.h"
#include "tern/hw/limits.h"

namespace tern {

// What a control operation answers; the firmware passes it on as it is.
using Status = tern_command_status;

// A permutation of 0 .. 2^24 - 1 and its inverse: four Feistel rounds of 12 bits.
class Permutation {
public:
    // @seed and @purpose (which table) make the key.
    Permutation(const uint64_t (&seed)[2], uint32_t purpose);
    [[nodiscard]] uint32_t forward(uint32_t index) const;
    // @number: of 24 bits. What was asked lately is remembered: each packet asks for the same few.
    [[nodiscard]] uint32_t inverse(uint32_t number) const {
        Known& known = known_[number % kKnown];
        if (known.number != number) known = {number, work_out_inverse(number)};
        return known.index;
    }

private:
    static constexpr int kRounds = 4;
    static constexpr uint32_t kHalfBits = TERN_OBJECT_NUMBER_BITS / 2;
    static constexpr uint32_t kHalfMask = (1u << kHalfBits) - 1;
    static constexpr uint32_t kKnown = 64;

    struct Known {
        uint32_t number = UINT32_MAX;  // of none
        uint32_t index = 0;
    };

    [[nodiscard]] uint32_t mix(int round, uint32_t half) const;
    [[nodiscard]] uint32_t work_out_inverse(uint32_t number) const;

    std::array<uint64_t, kRounds> keys_;
    mutable std::array<Known, kKnown> known_{};
};

template <typename T>
class ObjectTable {
public:
    // @capacity objects at most. Numbers 0, 1 and 0xffffff are never given
    // (QP0, QP1, multicast; keys of no region).
    ObjectTable(uint32_t capacity, const Permutation& permutation) : permutation_(permutation), capacity_(capacity) {}

    // Makes T(number, args...) if T takes a number first, else T(args...).
    template <typename... Args>
    [[nodiscard]] Result<uint32_t, Status> create(Args&&... args) {
        if (count_ == capacity_) return TERN_STATUS_NO_RESOURCES;
        const uint32_t index = take_index();
        const uint32_t number = permutation_.forward(index);
        if constexpr (std::is_constructible_v<T, uint32_t, Args...>)
            slots_[index] = std::make_unique<T>(number, std::forward<Args>(args)...);
        else
            slots_[index] = std::make_unique<T>(std::forward<Args>(args)...);
        ++count_;
        return number;
    }

    [[nodiscard]] T* find(uint32_t number) const {
        const uint32_t index = permutation_.inverse(number & TERN_OBJECT_NUMBER_MASK);
        return index < slots_.size() ? slots_[index].get() : nullptr;
    }

    [[nodiscard]] bool destroy(uint32_t number) {
        const uint32_t index = permutation_.inverse(number & TERN_OBJECT_NUMBER_MASK);
        if (index >= slots_.size() || !slots_[index]) return false;
        slots_[index].reset();
        give_index(index);
        --count_;
        return true;
    }

    template <typename F>
    void for_each(F&& visit) {
        for (auto& slot : slots_)
            if (slot) visit(*slot);
    }

    void clear() {
        slots_.clear();
        free_.clear();
        free_head_ = 0;
        count_ = 0;
    }

    [[nodiscard]] uint32_t count() const { return count_; }

private:
    // Fresh slots first, until the table has grown to twice its use or its
    // capacity; then the one that has been free for longest.
    static constexpr uint32_t kQuarantine = 64;

    [[nodiscard]] uint32_t take_index() {
        const uint32_t waiting = static_cast<uint32_t>(free_.size()) - free_head_;
        if (waiting > kQuarantine || (waiting > 0 && slots_.size() >= limit())) return take_oldest();
        while (is_reserved(permutation_.forward(static_cast<uint32_t>(slots_.size())))) slots_.emplace_back();
        slots_.emplace_back();
        return static_cast<uint32_t>(slots_.size()) - 1;
    }

    [[nodiscard]] uint32_t take_oldest() {
        const uint32_t index = free_[free_head_++];
        if (free_head_ > 1024 && free_head_ * 2 > free_.size()) {
            free_.erase(free_.begin(), free_.begin() + free_head_);
            free_head_ = 0;
        }
        return index;
    }

    void give_index(uint32_t index) { free_.push_back(index); }
    [[nodiscard]] uint32_t limit() const { return capacity_ + kQuarantine; }
    [[nodiscard]] static bool is_reserved(uint32_t number) { return number < 2 || number == TERN_OBJECT_NUMBER_MASK; }

    const Permutation& permutation_;
    const uint32_t capacity_;
    std::vector<std::unique_ptr<T>> slots_;
    std::vector<uint32_t> free_;  // a FIFO: [free_head_, end)
    uint32_t free_head_ = 0;
    uint32_t count_ = 0;
};

}  // namespace tern
