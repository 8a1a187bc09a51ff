// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
#include "qemu/engine/regs/register_file.h"

#include <algorithm>

namespace tern {

namespace {

constexpr uint64_t field_mask(const RegisterFieldRow& field) {
    return (~uint64_t{0} >> (63 - field.high)) & (~uint64_t{0} << field.low);
}

constexpr uint64_t writable_bits(uint32_t offset) {
    uint64_t mask = 0;
    for (const RegisterFieldRow& field : kRegisterFields)
        if (field.register_offset == offset && field.access == RegisterAccess::RW) mask |= field_mask(field);
    return mask;
}

size_t index_of(uint32_t offset) {
    const auto* row = std::ranges::lower_bound(kRegisters, offset, {}, &RegisterRow::offset);
    return static_cast<size_t>(row - std::begin(kRegisters));
}

}  // namespace

void RegisterFile::reset() {
    for (size_t i = 0; i < values_.size(); ++i) values_[i] = kRegisters[i].reset;
}

const RegisterRow* RegisterFile::find(uint64_t offset, uint32_t size_bytes) {
    if (offset > UINT32_MAX) return nullptr;
    const size_t index = index_of(static_cast<uint32_t>(offset));
    if (index == std::size(kRegisters)) return nullptr;
    const RegisterRow& row = kRegisters[index];
    return row.offset == offset && row.bytes == size_bytes ? &row : nullptr;
}

bool RegisterFile::write(uint64_t offset, uint64_t value, uint32_t size_bytes) {
    const RegisterRow* row = find(offset, size_bytes);
    if (!row || row->access != RegisterAccess::RW) return false;
    values_[index_of(row->offset)] = value & writable_bits(row->offset);
    return true;
}

uint64_t RegisterFile::get(tern_register name) const { return values_[index_of(name)]; }

void RegisterFile::set(tern_register name, uint64_t value) { values_[index_of(name)] = value; }

}  // namespace tern
