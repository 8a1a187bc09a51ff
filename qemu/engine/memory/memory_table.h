// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
//
// Memory regions: keys, rights, bounds, translation (IBTA 10.6). Every use of
// a key passes check(); what it returns is good until the next control
// operation and is what the copies take.
#pragma once

#include <cstdint>
#include <span>

#include "qemu/engine/api/host.h"
#include "qemu/engine/base/object_table.h"
#include "qemu/engine/base/result.h"
#include "qemu/engine/memory/page_list.h"

namespace tern {

// Why a key was refused. The order of checks is the order of the enumerators.
enum class MemoryError : uint8_t {
    kBadKey,       // no region, wrong variant, or a free (invalidated) one
    kWrongPd,      // region of another protection domain
    kNoAccess,     // right not granted
    kOutOfBounds,  // outside the region; address + length never wraps
    kFault,        // list or data could not be reached by DMA
};

struct MemoryRegion {
    uint32_t pdn = 0;
    uint32_t access = 0;  // TERN_ACCESS_*
    uint8_t variant = 0;  // low 8 bits of the key
    bool is_valid = false;         // false: fast-registration region not registered
    bool is_fast_registration = false;
    bool is_all_memory = false;    // address is a bus address
    uint32_t max_pages = 0;
    uint64_t iova = 0;
    uint64_t length_bytes = 0;
    uint64_t first_offset = 0;     // of iova in the first data page
    PageList pages;
};

// Who uses a key.
struct MemoryUser {
    uint32_t pdn;
    bool is_kernel;  // may use TERN_LOCAL_DMA_LKEY
};

// A checked use: a piece of a region. Null region: bus addresses.
struct MemorySlice {
    MemoryRegion* region = nullptr;
    uint64_t address = 0;
    uint64_t length_bytes = 0;
};

class MemoryTable {
public:
    MemoryTable(Host& host, uint32_t capacity, const Permutation& permutation);

    // Control path. The key has variant 0.
    [[nodiscard]] Result<uint32_t, Status> create(const MemoryRegion& region);
    [[nodiscard]] Status destroy(uint32_t key);
    // By any variant of its key; nullptr if there is none.
    [[nodiscard]] MemoryRegion* find(uint32_t key) const;
    void clear();
    [[nodiscard]] uint32_t count() const;

    // Data path. Zero length: succeeds without looking at key, PD or bounds
    // (IBTA 9.7.5.2.4 and C10-xx: zero-length accesses are not checked).
    [[nodiscard]] Result<MemorySlice, MemoryError> check(const MemoryUser& user, uint32_t key, uint32_t access,
                                                         uint64_t address, uint64_t length_bytes);
    // @offset_bytes within the slice. False: DMA fault.
    [[nodiscard]] bool read(const MemorySlice& slice, uint64_t offset_bytes, std::span<std::byte> out);
    [[nodiscard]] bool write(const MemorySlice& slice, uint64_t offset_bytes, std::span<const std::byte> data);
    // The slice is 8 aligned bytes.
    [[nodiscard]] bool atomic64(const MemorySlice& slice, tern_atomic_operation operation, uint64_t swap_or_add,
                                uint64_t compare, uint64_t& original);

    // REG_MR and invalidation (local: any rights; remote: by SEND_WITH_INV).
    struct Registration {
        uint32_t key;
        uint32_t access;
        uint64_t iova;
        uint64_t length_bytes;
        uint64_t page_list;
        uint32_t page_count;
        uint8_t page_shift;
    };
    [[nodiscard]] bool fast_register(const MemoryUser& user, const Registration& registration);
    [[nodiscard]] bool invalidate(const MemoryUser& user, uint32_t key);

    void drop_mappings();

private:
    // Bytes from the start of the region's first page.
    [[nodiscard]] static uint64_t offset_of(const MemorySlice& slice, uint64_t offset_bytes);

    Host& host_;
    ObjectTable<MemoryRegion> regions_;
};

}  // namespace tern
