// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
#include "qemu/engine/memory/memory_table.h"

#include "qemu/engine/base/endian.h"
#include "tern/bits.h"
#include "tern/hw/access.h"

namespace tern {

namespace {

uint32_t number_of(uint32_t key) { return TERN_GET32(TERN_KEY_NUMBER, key); }
uint8_t variant_of(uint32_t key) { return static_cast<uint8_t>(TERN_GET32(TERN_KEY_VARIANT, key)); }

// [address, address + length) lies in [iova, iova + region length); no sum wraps.
bool is_inside(const MemoryRegion& region, uint64_t address, uint64_t length_bytes) {
    if (address < region.iova) return false;
    const uint64_t offset = address - region.iova;
    return offset <= region.length_bytes && length_bytes <= region.length_bytes - offset;
}

}  // namespace

MemoryTable::MemoryTable(Host& host, uint32_t capacity, const Permutation& permutation)
    : host_(host), regions_(capacity, permutation) {}

Result<uint32_t, Status> MemoryTable::create(const MemoryRegion& region) {
    auto number = regions_.create(region);
    if (!number) return number.error();
    return TERN_SET32(TERN_KEY_NUMBER, *number);
}

Status MemoryTable::destroy(uint32_t key) {
    return regions_.destroy(number_of(key)) ? TERN_STATUS_OK : TERN_STATUS_BAD_HANDLE;
}

MemoryRegion* MemoryTable::find(uint32_t key) const { return regions_.find(number_of(key)); }

void MemoryTable::clear() { regions_.clear(); }

uint32_t MemoryTable::count() const { return regions_.count(); }

Result<MemorySlice, MemoryError> MemoryTable::check(const MemoryUser& user, uint32_t key, uint32_t access,
                                                    uint64_t address, uint64_t length_bytes) {
    if (length_bytes == 0) return MemorySlice{};
    if (key == TERN_LOCAL_DMA_LKEY) {
        if (!user.is_kernel) return MemoryError::kBadKey;
        if (address + length_bytes < address) return MemoryError::kOutOfBounds;
        return MemorySlice{nullptr, address, length_bytes};
    }
    MemoryRegion* region = regions_.find(number_of(key));
    if (!region || !region->is_valid || region->variant != variant_of(key)) return MemoryError::kBadKey;
    if (region->pdn != user.pdn) return MemoryError::kWrongPd;
    if ((region->access & access) != access) return MemoryError::kNoAccess;
    if (!is_inside(*region, address, length_bytes)) return MemoryError::kOutOfBounds;
    return MemorySlice{region, address, length_bytes};
}

uint64_t MemoryTable::offset_of(const MemorySlice& slice, uint64_t offset_bytes) {
    return slice.address - slice.region->iova + slice.region->first_offset + offset_bytes;
}

bool MemoryTable::read(const MemorySlice& slice, uint64_t offset_bytes, std::span<std::byte> out) {
    if (out.empty()) return true;
    if (!slice.region || slice.region->is_all_memory) return host_.read(slice.address + offset_bytes, out);
    return slice.region->pages.read(host_, offset_of(slice, offset_bytes), out);
}

bool MemoryTable::write(const MemorySlice& slice, uint64_t offset_bytes, std::span<const std::byte> data) {
    if (data.empty()) return true;
    if (!slice.region || slice.region->is_all_memory) return host_.write(slice.address + offset_bytes, data);
    return slice.region->pages.write(host_, offset_of(slice, offset_bytes), data);
}

bool MemoryTable::atomic64(const MemorySlice& slice, tern_atomic_operation operation, uint64_t swap_or_add,
                           uint64_t compare, uint64_t& original) {
    PageList::Run run{slice.address, sizeof(original)};
    if (slice.region && !slice.region->is_all_memory && !slice.region->pages.locate(host_, offset_of(slice, 0), run))
        return false;
    // An iova that is aligned while its pages are not would straddle two words.
    if (run.address % sizeof(original) != 0 || run.length_bytes < sizeof(original)) return false;
    return host_.atomic64(run.address, operation, swap_or_add, compare, original);
}

bool MemoryTable::fast_register(const MemoryUser& user, const Registration& registration) {
    MemoryRegion* region = regions_.find(number_of(registration.key));
    if (!user.is_kernel || !region || !region->is_fast_registration || region->is_valid) return false;
    if (region->pdn != user.pdn || registration.page_count > region->max_pages) return false;
    if ((registration.access & ~TERN_ACCESS_MASK) != 0) return false;
    if (registration.iova + registration.length_bytes < registration.iova) return false;
    if (registration.page_shift < TERN_PAGE_SHIFT_MIN || registration.page_shift > TERN_PAGE_SHIFT_MAX) return false;
    const uint64_t first_offset = registration.iova & ((uint64_t{1} << registration.page_shift) - 1);
    const tern_page_list raw = {
        .root = little(registration.page_list),
        .page_count = little(registration.page_count),
        .levels = 1,
        .page_shift = registration.page_shift,
        .reserved_0e = 0,
    };
    if (!PageList::is_valid(raw, first_offset + registration.length_bytes)) return false;
    region->variant = variant_of(registration.key);
    region->access = registration.access;
    region->iova = registration.iova;
    region->length_bytes = registration.length_bytes;
    region->first_offset = first_offset;
    region->pages = PageList(raw);
    region->is_valid = true;
    return true;
}

bool MemoryTable::invalidate(const MemoryUser& user, uint32_t key) {
    MemoryRegion* region = regions_.find(number_of(key));
    if (!region || !region->is_fast_registration || region->pdn != user.pdn) return false;
    if (region->variant != variant_of(key)) return false;
    region->is_valid = false;
    return true;
}

void MemoryTable::drop_mappings() {
    regions_.for_each([](MemoryRegion& region) { region.pages.forget_cache(); });
}

}  // namespace tern
