// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
//
// Between SGE lists and packets: copies a window of a message's bytes out of,
// or into, the buffers that an SGE list names. Each SGE is checked when it is
// used, for PD, key, rights and bounds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "qemu/engine/memory/memory_table.h"
#include "qemu/engine/queues/send_queue.h"

namespace tern {

// False: an SGE is not allowed or cannot be reached (LOC_PROT).
[[nodiscard]] bool gather(MemoryTable& memory, const MemoryUser& user, std::span<const Sge> sges, uint64_t offset_bytes,
                          std::span<std::byte> out);
[[nodiscard]] bool scatter(MemoryTable& memory, const MemoryUser& user, std::span<const Sge> sges,
                           uint64_t offset_bytes, std::span<const std::byte> data);

// The data of a send WQE, inline or not.
[[nodiscard]] bool gather_wqe(MemoryTable& memory, const MemoryUser& user, const SendWqe& wqe, uint64_t offset_bytes,
                              std::span<std::byte> out);

}  // namespace tern
