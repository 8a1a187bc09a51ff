// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
#include "firmware-if/model/handlers.h"
#include "tern/fw/mr.h"
#include "tern/hw/access.h"

namespace tern::firmware {

namespace {

using T = tern_cmd_create_mr;

// A region with a list of its pages.
CommandAnswer check_listed(const T& raw) {
    const uint64_t length = little(raw.length_bytes), first_offset = little(raw.first_offset);
    if (length > kMaxRegionBytes) return refuse(TERN_STATUS_BAD_PARAMETER, offsetof(T, length_bytes));
    // Two bounded shifts first, so that the sum below cannot wrap.
    if (raw.pages.page_shift > TERN_PAGE_SHIFT_MAX) return refuse(TERN_STATUS_BAD_PARAMETER, offsetof(T, pages));
    if (first_offset >> raw.pages.page_shift) return refuse(TERN_STATUS_BAD_PARAMETER, offsetof(T, first_offset));
    if (!PageList::is_valid(raw.pages, first_offset + length))
        return refuse(TERN_STATUS_BAD_PARAMETER, offsetof(T, pages));
    return {};
}

// A region without: its pages come with REG_MR, or it is all memory.
CommandAnswer check_unlisted(const T& raw) {
    if (!is_empty(raw.pages)) return refuse(TERN_STATUS_BAD_PARAMETER, offsetof(T, pages));
    if (raw.first_offset) return refuse(TERN_STATUS_BAD_PARAMETER, offsetof(T, first_offset));
    if (raw.flags & TERN_MR_ALL_MEMORY) return {};
    if (raw.access) return refuse(TERN_STATUS_BAD_PARAMETER, offsetof(T, access));
    if (raw.iova) return refuse(TERN_STATUS_BAD_PARAMETER, offsetof(T, iova));
    if (raw.length_bytes) return refuse(TERN_STATUS_BAD_PARAMETER, offsetof(T, length_bytes));
    return {};
}

CommandAnswer check_mr(const T& raw) {
    const uint8_t both = TERN_MR_FAST_REG | TERN_MR_ALL_MEMORY;
    const bool is_fast = raw.flags & TERN_MR_FAST_REG;
    const uint32_t max_pages = little(raw.max_pages);
    if (raw.flags & ~both) return refuse(TERN_STATUS_BAD_RESERVED, offsetof(T, flags));
    if (!is_zero(raw.reserved_05)) return refuse(TERN_STATUS_BAD_RESERVED, offsetof(T, reserved_05));
    if (raw.flags == both) return refuse(TERN_STATUS_BAD_PARAMETER, offsetof(T, flags));
    if (little(raw.access) & ~TERN_ACCESS_MASK) return refuse(TERN_STATUS_BAD_PARAMETER, offsetof(T, access));
    if (is_fast ? max_pages == 0 || max_pages > TERN_FAST_REG_MAX_PAGES : max_pages != 0)
        return refuse(TERN_STATUS_BAD_PARAMETER, offsetof(T, max_pages));
    if (little(raw.iova) + little(raw.length_bytes) < little(raw.iova))
        return refuse(TERN_STATUS_BAD_PARAMETER, offsetof(T, iova));
    return raw.flags ? check_unlisted(raw) : check_listed(raw);
}

}  // namespace

CommandAnswer alloc_pd(Control& control, Request in, Response out) {
    const auto raw = decode<tern_cmd_alloc_pd>(in);
    if (raw.flags & ~TERN_PD_KERNEL) return refuse(TERN_STATUS_BAD_RESERVED, offsetof(tern_cmd_alloc_pd, flags));
    if (!is_zero(raw.reserved_01)) return refuse(TERN_STATUS_BAD_RESERVED, offsetof(tern_cmd_alloc_pd, reserved_01));
    return answer_handle(control.alloc_pd(raw.flags & TERN_PD_KERNEL), out);
}

CommandAnswer dealloc_pd(Control& control, Request in, Response) {
    return with_handle(in, [&](uint32_t pdn) { return control.dealloc_pd(pdn); });
}

CommandAnswer create_mr(Control& control, Request in, Response out) {
    const auto raw = decode<T>(in);
    if (const CommandAnswer answer = check_mr(raw); answer.status != TERN_STATUS_OK) return answer;
    MemoryRegion region;
    region.pdn = little(raw.pdn);
    region.access = little(raw.access);
    region.is_fast_registration = raw.flags & TERN_MR_FAST_REG;
    region.is_all_memory = raw.flags & TERN_MR_ALL_MEMORY;
    region.is_valid = !region.is_fast_registration;
    region.max_pages = little(raw.max_pages);
    region.iova = little(raw.iova);
    region.length_bytes = little(raw.length_bytes);
    region.first_offset = little(raw.first_offset);
    if (!raw.flags) region.pages = PageList(raw.pages);
    return answer_handle(control.create_mr(region), out);
}

CommandAnswer destroy_mr(Control& control, Request in, Response) {
    return with_handle(in, [&](uint32_t key) { return control.destroy_mr(key); });
}

}  // namespace tern::firmware
