// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
//
// The world of an engine under test: flat memory with a hole beyond its end, a
// clock that the test moves, frames and vectors that the test takes.
#pragma once

#include <cstdint>
#include <cstring>
#include <deque>
#include <vector>

#include "qemu/engine/api/engine_c.h"

namespace tern::test {

class FakeHost {
public:
    explicit FakeHost(size_t memory_bytes) : memory(memory_bytes) {}

    std::vector<uint8_t> memory;
    uint64_t now = 1;
    uint64_t timer = UINT64_MAX;
    uint32_t room = 1000;
    std::vector<uint32_t> vectors;
    std::deque<std::vector<uint8_t>> sent[2];

    [[nodiscard]] tern_host_ops ops() const;

    template <typename T>
    T& at(uint64_t address) {
        return *reinterpret_cast<T*>(memory.data() + address);
    }
    [[nodiscard]] bool reaches(uint64_t address, uint64_t length) const {
        return length <= memory.size() && address <= memory.size() - length;
    }
};

}  // namespace tern::test
