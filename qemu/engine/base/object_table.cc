// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
#include "qemu/engine/base/object_table.h"

namespace tern {

namespace {

// Finaliser of SplitMix64: every input bit moves every output bit.
uint64_t scramble(uint64_t value) {
    value += 0x9e3779b97f4a7c15u;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
    return value ^ (value >> 31);
}

}  // namespace

Permutation::Permutation(const uint64_t (&seed)[2], uint32_t purpose) {
    uint64_t state = scramble(seed[0] ^ (uint64_t{purpose} << 32)) ^ seed[1];
    for (uint64_t& key : keys_) key = state = scramble(state);
}

uint32_t Permutation::mix(int round, uint32_t half) const {
    return static_cast<uint32_t>(scramble(keys_[static_cast<size_t>(round)] ^ half)) & kHalfMask;
}

uint32_t Permutation::forward(uint32_t index) const {
    uint32_t left = (index >> kHalfBits) & kHalfMask;
    uint32_t right = index & kHalfMask;
    for (int round = 0; round < kRounds; ++round) {
        const uint32_t next = left ^ mix(round, right);
        left = right;
        right = next;
    }
    return (left << kHalfBits) | right;
}

uint32_t Permutation::work_out_inverse(uint32_t number) const {
    uint32_t left = (number >> kHalfBits) & kHalfMask;
    uint32_t right = number & kHalfMask;
    for (int round = kRounds - 1; round >= 0; --round) {
        const uint32_t previous = right ^ mix(round, left);
        right = left;
        left = previous;
    }
    return (left << kHalfBits) | right;
}

}  // namespace tern
