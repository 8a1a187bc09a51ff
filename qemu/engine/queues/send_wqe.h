// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
//
// Decoding of a send WQE from a private copy of its bytes (tern/hw/wqe.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "qemu/engine/base/result.h"
#include "qemu/engine/queues/send_queue.h"

namespace tern {

// What the slot says about the WQE that must be in it.
struct WqeSlot {
    SendQueueKind kind;
    uint32_t number;  // object number of the queue
    uint32_t count;   // free-running count of the first block
};

// Blocks of the WQE whose first bytes are @control.
[[nodiscard]] uint8_t wqe_blocks(std::span<const std::byte> control);

// @bytes: exactly the WQE's blocks. Every member that the opcode has is set.
[[nodiscard]] Result<bool, WqeError> decode_send_wqe(const WqeSlot& slot, std::span<const std::byte> bytes,
                                                     SendWqe& wqe);

}  // namespace tern
