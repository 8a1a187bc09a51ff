// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
//
// What each BTH opcode is made of, as a table indexed by the opcode byte, so
// that parsing and building have no special cases (IBTA table 38).
#pragma once

#include <array>
#include <cstdint>

#include "tern/wire/roce.h"

namespace tern {

namespace bth {

// Extended headers; they stand on the wire in this order.
enum Header : uint16_t {
    NONE = 0,
    DETH = 1 << 0,
    RETH = 1 << 1,
    ATOMICETH = 1 << 2,
    AETH = 1 << 3,
    ATOMICACKETH = 1 << 4,
    IMMDT = 1 << 5,
    IETH = 1 << 6,
};

enum Flag : uint16_t {
    RC = 1 << 0,
    UD = 1 << 1,
    REQUEST = 1 << 2,
    RESPONSE = 1 << 3,
    SEND = 1 << 4,
    WRITE = 1 << 5,
    READ = 1 << 6,
    ATOMIC = 1 << 7,
    ACK = 1 << 8,
    START = 1 << 9,
    END = 1 << 10,
    PAYLOAD = 1 << 11,
    UC = 1 << 12,
};

struct Row {
    const char* name = nullptr;  // nullptr: no such opcode
    uint16_t headers = NONE;
    uint16_t flags = 0;
    uint8_t header_bytes = 0;  // of the extended headers
};

constexpr uint8_t header_bytes(uint16_t headers) {
    int bytes = 0;
    if (headers & DETH) bytes += TERN_DETH_BYTES;
    if (headers & RETH) bytes += TERN_RETH_BYTES;
    if (headers & ATOMICETH) bytes += TERN_ATOMICETH_BYTES;
    if (headers & AETH) bytes += TERN_AETH_BYTES;
    if (headers & ATOMICACKETH) bytes += TERN_ATOMICACKETH_BYTES;
    if (headers & IMMDT) bytes += TERN_IMMDT_BYTES;
    if (headers & IETH) bytes += TERN_IETH_BYTES;
    return static_cast<uint8_t>(bytes);
}

constexpr std::array<Row, 256> make_table() {
    std::array<Row, 256> table{};
#define TERN_BTH_OPCODE_ROW(name, value, headers, flags, meaning)                        \
    table[value] = {#name, static_cast<uint16_t>(headers), static_cast<uint16_t>(flags), \
                    header_bytes(static_cast<uint16_t>(headers))};
#include "tern/wire/bth_opcode.def"
    return table;
}

inline constexpr std::array<Row, 256> kTable = make_table();

}  // namespace bth

}  // namespace tern
