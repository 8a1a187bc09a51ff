// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
#include "qemu/engine/memory/page_list.h"

#include <algorithm>

#include "qemu/engine/base/endian.h"

namespace tern {

namespace {

constexpr uint32_t kIndexBits = 9;  // of one list page
static_assert(1u << kIndexBits == TERN_PAGE_LIST_ENTRIES);

bool is_aligned(uint64_t address, uint32_t shift) { return (address & ((uint64_t{1} << shift) - 1)) == 0; }

}  // namespace

bool PageList::is_valid(const tern_page_list& raw, uint64_t min_bytes) {
    const uint64_t root = little(raw.root);
    const uint64_t count = little(raw.page_count);
    if (raw.reserved_0e != 0 || count == 0) return false;
    if (raw.levels > TERN_PAGE_LIST_MAX_LEVELS) return false;
    if (raw.page_shift < TERN_PAGE_SHIFT_MIN || raw.page_shift > TERN_PAGE_SHIFT_MAX) return false;
    if (!is_aligned(root, raw.levels ? TERN_PAGE_SHIFT_MIN : raw.page_shift)) return false;
    if (raw.levels && count > (uint64_t{1} << (kIndexBits * raw.levels))) return false;
    const uint64_t bytes = count << raw.page_shift;
    if (raw.levels == 0 && root + bytes < root) return false;
    return bytes >= min_bytes;
}

PageList::PageList(const tern_page_list& raw)
    : root_(little(raw.root)), page_count_(little(raw.page_count)), levels_(raw.levels), page_shift_(raw.page_shift) {
    if (levels_) window_ = std::make_shared<Window>();
}

void PageList::forget_cache() {
    if (window_) window_->number = kNone;
}

// One read per level: down to the list page that holds the window, then the window.
bool PageList::load_window(Host& host, uint32_t window) {
    if (window_->number == window) return true;
    window_->number = kNone;
    const uint32_t first = window << kWindowBits;  // entry, counted over all leaves
    uint64_t address = root_;
    for (uint32_t level = levels_ - 1u; level > 0; --level) {
        const uint32_t index = (first >> (kIndexBits * level)) & (TERN_PAGE_LIST_ENTRIES - 1);
        uint64_t entry = 0;
        if (!host.read(address + index * sizeof(entry), std::as_writable_bytes(std::span(&entry, 1)))) return false;
        address = little(entry);
        if (!is_aligned(address, TERN_PAGE_SHIFT_MIN)) return false;
    }
    address += (first & (TERN_PAGE_LIST_ENTRIES - 1)) * sizeof(uint64_t);
    // Entries beyond the last page need not be there.
    const uint32_t used = std::min(1u << kWindowBits, page_count_ - first);
    if (!host.read(address, std::as_writable_bytes(std::span(window_->entry).first(used)))) return false;
    window_->number = window;
    return true;
}

bool PageList::locate(Host& host, uint64_t offset_bytes, Run& run) {
    const uint64_t page = offset_bytes >> page_shift_;
    if (page >= page_count_) return false;
    if (levels_ == 0) {
        run = {root_ + offset_bytes, length_bytes() - offset_bytes};
        return true;
    }
    if (!load_window(host, static_cast<uint32_t>(page >> kWindowBits))) return false;
    const uint64_t address = little(window_->entry[page & ((1u << kWindowBits) - 1)]);
    if (!is_aligned(address, page_shift_)) return false;
    const uint64_t in_page = offset_bytes & ((uint64_t{1} << page_shift_) - 1);
    run = {address + in_page, (uint64_t{1} << page_shift_) - in_page};
    return true;
}

bool PageList::read(Host& host, uint64_t offset_bytes, std::span<std::byte> out) {
    while (!out.empty()) {
        Run run{};
        if (!locate(host, offset_bytes, run)) return false;
        const size_t length = static_cast<size_t>(std::min<uint64_t>(run.length_bytes, out.size()));
        if (!host.read(run.address, out.first(length))) return false;
        out = out.subspan(length);
        offset_bytes += length;
    }
    return true;
}

bool PageList::write(Host& host, uint64_t offset_bytes, std::span<const std::byte> data) {
    while (!data.empty()) {
        Run run{};
        if (!locate(host, offset_bytes, run)) return false;
        const size_t length = static_cast<size_t>(std::min<uint64_t>(run.length_bytes, data.size()));
        if (!host.write(run.address, data.first(length))) return false;
        data = data.subspan(length);
        offset_bytes += length;
    }
    return true;
}

}  // namespace tern
