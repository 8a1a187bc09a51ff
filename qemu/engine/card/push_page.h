// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
//
// Push slots under assembly (tern/hw/doorbell.h): eight ascending 8-byte stores
// into one slot make a block. One slot per pair is remembered; a store that
// does not continue it starts anew or is dropped, and the record covers it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "qemu/engine/base/endian.h"
#include "tern/hw/doorbell.h"
#include "tern/hw/limits.h"

namespace tern {

class PushPages {
public:
    using Block = std::array<std::byte, TERN_PUSH_SLOT_BYTES>;

    explicit PushPages(uint32_t pairs) : slots_(pairs) {}

    // A store at @offset of the push page of @pair. The block, when it is the
    // last of eight.
    [[nodiscard]] std::optional<Block> store(uint32_t pair, uint32_t offset, uint64_t value) {
        Slot& slot = slots_[pair];
        const uint32_t at = offset % TERN_PUSH_SLOT_BYTES;
        if (at == 0) slot.next = offset;
        if (offset != slot.next) {
            slot.next = kNone;
            return std::nullopt;
        }
        store_le(slot.block.data() + at, value);
        slot.next = offset + sizeof(value);
        if (at + sizeof(value) < TERN_PUSH_SLOT_BYTES) return std::nullopt;
        slot.next = kNone;
        return slot.block;
    }

    void clear() {
        for (Slot& slot : slots_) slot.next = kNone;
    }

private:
    static constexpr uint32_t kNone = UINT32_MAX;
    struct Slot {
        uint32_t next = kNone;  // offset of the store that continues it
        Block block{};
    };
    std::vector<Slot> slots_;
};

}  // namespace tern
