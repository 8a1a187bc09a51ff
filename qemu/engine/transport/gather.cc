// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
#include "qemu/engine/transport/gather.h"

#include <algorithm>
#include <cstring>

#include "tern/hw/access.h"

namespace tern {

namespace {

// Calls copy(slice, offset in slice, bytes) for each piece of the window.
template <typename Bytes, typename Copy>
bool walk(MemoryTable& memory, const MemoryUser& user, std::span<const Sge> sges, uint32_t access,
          uint64_t offset_bytes, Bytes bytes, Copy copy) {
    for (const Sge& sge : sges) {
        if (bytes.empty()) break;
        if (offset_bytes >= sge.length_bytes) {
            offset_bytes -= sge.length_bytes;
            continue;
        }
        const auto slice = memory.check(user, sge.lkey, access, sge.address, sge.length_bytes);
        if (!slice) return false;
        const size_t length = static_cast<size_t>(std::min<uint64_t>(sge.length_bytes - offset_bytes, bytes.size()));
        if (!copy(*slice, offset_bytes, bytes.first(length))) return false;
        bytes = bytes.subspan(length);
        offset_bytes = 0;
    }
    return bytes.empty();
}

}  // namespace

bool gather(MemoryTable& memory, const MemoryUser& user, std::span<const Sge> sges, uint64_t offset_bytes,
            std::span<std::byte> out) {
    return walk(memory, user, sges, 0, offset_bytes, out,
                [&](const MemorySlice& slice, uint64_t offset, std::span<std::byte> piece) {
                    return memory.read(slice, offset, piece);
                });
}

bool scatter(MemoryTable& memory, const MemoryUser& user, std::span<const Sge> sges, uint64_t offset_bytes,
             std::span<const std::byte> data) {
    return walk(memory, user, sges, TERN_ACCESS_LOCAL_WRITE, offset_bytes, data,
                [&](const MemorySlice& slice, uint64_t offset, std::span<const std::byte> piece) {
                    return memory.write(slice, offset, piece);
                });
}

bool gather_wqe(MemoryTable& memory, const MemoryUser& user, const SendWqe& wqe, uint64_t offset_bytes,
                std::span<std::byte> out) {
    if (!wqe.is_inline) return gather(memory, user, std::span(wqe.sges).first(wqe.num_sge), offset_bytes, out);
    std::memcpy(out.data(), wqe.inline_data.data() + offset_bytes, out.size());
    return true;
}

}  // namespace tern
