// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
//
// BAR0 from the rows of tern/hw/regs.def: which access is possible where, and
// the values that only the host changes. Values that the card makes up
// (status, heartbeat, time) and actions are the card's.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "tern/hw/regs.h"

namespace tern {

enum class RegisterAccess : uint8_t { RO, RW, WO, MBZ };

struct RegisterRow {
    const char* name;
    uint32_t offset;
    uint32_t bytes;
    RegisterAccess access;
    uint64_t reset;
};

inline constexpr RegisterRow kRegisters[] = {
#define TERN_REGISTER(name, offset, bytes, access, reset, meaning) \
    {#name, offset, bytes, RegisterAccess::access, reset},
#include "tern/hw/regs.def"
};

struct RegisterFieldRow {
    uint32_t register_offset;
    const char* name;
    uint32_t high;
    uint32_t low;
    RegisterAccess access;
};

inline constexpr RegisterFieldRow kRegisterFields[] = {
#define TERN_REGISTER_FIELD(register, name, high, low, access, meaning) \
    {register, #name, high, low, RegisterAccess::access},
#include "tern/hw/regs.def"
};

class RegisterFile {
public:
    RegisterFile() { reset(); }
    void reset();

    // Register of exactly this offset and size, or nullptr.
    [[nodiscard]] static const RegisterRow* find(uint64_t offset, uint32_t size_bytes);
    // RW registers keep what is written to their RW bits. False: not such a register.
    bool write(uint64_t offset, uint64_t value, uint32_t size_bytes);
    [[nodiscard]] uint64_t get(tern_register name) const;
    void set(tern_register name, uint64_t value);

private:
    std::array<uint64_t, std::size(kRegisters)> values_{};
};

}  // namespace tern
