// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
//
// The world as the engine sees it: tern_host_ops with C++ types. Counts DMA
// faults and enforces bus mastering, so no other file has to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "qemu/engine/api/engine_c.h"

namespace tern {

class Host {
public:
    Host(const tern_host_ops& ops, void* host) : ops_(ops), host_(host) {}

    // DMA: false is a fault (or bus mastering off), already counted.
    [[nodiscard]] bool read(uint64_t address, std::span<std::byte> out);
    [[nodiscard]] bool write(uint64_t address, std::span<const std::byte> data);
    [[nodiscard]] bool store_release32(uint64_t address, uint32_t value);
    [[nodiscard]] bool store_release64(uint64_t address, uint64_t value);
    [[nodiscard]] bool atomic64(uint64_t address, tern_atomic_operation operation, uint64_t swap_or_add,
                                uint64_t compare, uint64_t& original);
    // Empty when no direct span is to be had.
    [[nodiscard]] std::span<std::byte> map(uint64_t address, uint64_t length_bytes, bool write);
    void unmap(std::span<std::byte> span, bool write, uint64_t accessed_bytes);

    void raise_vector(uint32_t vector);
    [[nodiscard]] uint32_t send_room(uint32_t port_index) const { return ops_.send_room(host_, port_index); }
    void send(uint32_t port_index, std::span<const tern_frame> frames);
    [[nodiscard]] uint64_t now_ns() const { return ops_.now_ns(host_); }
    void arm_timer(uint64_t deadline_ns) { ops_.arm_timer(host_, deadline_ns); }
    void log(tern_log_level level, const char* message) { ops_.log(host_, level, message); }

    void set_bus_master(bool enabled) { bus_master_ = enabled; }
    [[nodiscard]] uint64_t dma_faults() const { return dma_faults_; }
    void clear_counters() { dma_faults_ = 0; }

private:
    const tern_host_ops ops_;
    void* const host_;
    bool bus_master_ = false;
    uint64_t dma_faults_ = 0;
};

}  // namespace tern
