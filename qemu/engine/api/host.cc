// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
#include "qemu/engine/api/host.h"

namespace tern {

bool Host::read(uint64_t address, std::span<std::byte> out) {
    if (bus_master_ && ops_.dma_read(host_, address, out.data(), out.size())) return true;
    ++dma_faults_;
    return false;
}

bool Host::write(uint64_t address, std::span<const std::byte> data) {
    if (bus_master_ && ops_.dma_write(host_, address, data.data(), data.size())) return true;
    ++dma_faults_;
    return false;
}

bool Host::store_release32(uint64_t address, uint32_t value) {
    if (bus_master_ && ops_.store_release32(host_, address, value)) return true;
    ++dma_faults_;
    return false;
}

bool Host::store_release64(uint64_t address, uint64_t value) {
    if (bus_master_ && ops_.store_release64(host_, address, value)) return true;
    ++dma_faults_;
    return false;
}

bool Host::atomic64(uint64_t address, tern_atomic_operation operation, uint64_t swap_or_add, uint64_t compare,
                    uint64_t& original) {
    if (bus_master_ && ops_.atomic64(host_, address, operation, swap_or_add, compare, &original)) return true;
    ++dma_faults_;
    return false;
}

std::span<std::byte> Host::map(uint64_t address, uint64_t length_bytes, bool write) {
    if (!bus_master_) return {};
    uint64_t granted = length_bytes;
    auto* data = static_cast<std::byte*>(ops_.dma_map(host_, address, &granted, write));
    return data ? std::span(data, granted) : std::span<std::byte>{};
}

void Host::unmap(std::span<std::byte> span, bool write, uint64_t accessed_bytes) {
    ops_.dma_unmap(host_, span.data(), span.size(), write, accessed_bytes);
}

void Host::raise_vector(uint32_t vector) {
    if (bus_master_) ops_.raise_vector(host_, vector);
}

void Host::send(uint32_t port_index, std::span<const tern_frame> frames) {
    ops_.send_frames(host_, port_index, frames.data(), static_cast<uint32_t>(frames.size()));
}

}  // namespace tern
