// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
//
// A buffer named by a tree of list pages (tern/hw/page_list.h). Walks are
// bounded by the levels; the last entries read are kept, so that sequential
// access costs one list read per 32 pages. What a list page says is hostile:
// an address that cannot be reached is a DMA fault of the access.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "qemu/engine/api/host.h"
#include "qemu/engine/base/result.h"
#include "tern/fw/command.h"
#include "tern/hw/limits.h"
#include "tern/hw/page_list.h"

namespace tern {

class PageList {
public:
    PageList() = default;
    // Checks shape only (levels, shift, alignment, count against levels, size).
    [[nodiscard]] static bool is_valid(const tern_page_list& raw, uint64_t min_bytes);
    explicit PageList(const tern_page_list& raw);

    [[nodiscard]] uint64_t length_bytes() const { return static_cast<uint64_t>(page_count_) << page_shift_; }
    [[nodiscard]] bool read(Host& host, uint64_t offset_bytes, std::span<std::byte> out);
    [[nodiscard]] bool write(Host& host, uint64_t offset_bytes, std::span<const std::byte> data);
    // Bus address of @offset_bytes and the bytes that follow it in one piece.
    struct Run {
        uint64_t address;
        uint64_t length_bytes;
    };
    [[nodiscard]] bool locate(Host& host, uint64_t offset_bytes, Run& run);
    void forget_cache();

private:
    [[nodiscard]] bool load_window(Host& host, uint32_t window);

    uint64_t root_ = 0;
    uint32_t page_count_ = 0;
    uint8_t levels_ = 0;
    uint8_t page_shift_ = TERN_PAGE_SHIFT_MIN;
    // Entries of the leaf list page used last; kNone: nothing cached. Every object
    // of a guest has one, so it is a small part of the page.
    static constexpr uint32_t kNone = UINT32_MAX;
    static constexpr uint32_t kWindowBits = 5;
    struct Window {
        uint32_t number = kNone;
        std::array<uint64_t, 1u << kWindowBits> entry;
    };
    std::shared_ptr<Window> window_;
};

}  // namespace tern
