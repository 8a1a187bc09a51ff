// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
//
// Protection domains, memory regions, and requests that are a handle.
#include "firmware-if/codec/rules.h"
#include "tern/hw/access.h"

namespace tern::codec {

namespace {

using Region = tern_cmd_create_mr;

// A region with a list of its pages.
Refusal check_listed(const Region& request) {
    const uint64_t length = little(request.length_bytes), first_offset = little(request.first_offset);
    if (length > kMaxRegionBytes) return bad_parameter(offsetof(Region, length_bytes));
    // Two bounded shifts first, so that the sum below cannot wrap.
    if (request.pages.page_shift > TERN_PAGE_SHIFT_MAX) return bad_parameter(offsetof(Region, pages));
    if (first_offset >> request.pages.page_shift) return bad_parameter(offsetof(Region, first_offset));
    if (!PageList::is_valid(request.pages, first_offset + length)) return bad_parameter(offsetof(Region, pages));
    return {};
}

// A region without: its pages come with REG_MR, or it is all memory.
Refusal check_unlisted(const Region& request) {
    if (!is_empty(request.pages)) return bad_parameter(offsetof(Region, pages));
    if (request.first_offset) return bad_parameter(offsetof(Region, first_offset));
    if (request.flags & TERN_MR_ALL_MEMORY) return {};
    if (request.access) return bad_parameter(offsetof(Region, access));
    if (request.iova) return bad_parameter(offsetof(Region, iova));
    if (request.length_bytes) return bad_parameter(offsetof(Region, length_bytes));
    return {};
}

}  // namespace

Refusal check(const tern_cmd_handle& request, const Limits&) {
    if (request.reserved_04) return bad_reserved(offsetof(tern_cmd_handle, reserved_04));
    return {};
}

Refusal check(const tern_cmd_alloc_pd& request, const Limits&) {
    using T = tern_cmd_alloc_pd;
    if (request.flags & ~TERN_PD_KERNEL) return bad_reserved(offsetof(T, flags));
    if (!is_zero(request.reserved_01)) return bad_reserved(offsetof(T, reserved_01));
    return {};
}

Refusal check(const tern_cmd_create_mr& request, const Limits&) {
    const uint8_t both = TERN_MR_FAST_REG | TERN_MR_ALL_MEMORY;
    const bool is_fast = request.flags & TERN_MR_FAST_REG;
    const uint32_t max_pages = little(request.max_pages);
    if (request.flags & ~both) return bad_reserved(offsetof(Region, flags));
    if (!is_zero(request.reserved_05)) return bad_reserved(offsetof(Region, reserved_05));
    if (request.flags == both) return bad_parameter(offsetof(Region, flags));
    if (little(request.access) & ~TERN_ACCESS_MASK) return bad_parameter(offsetof(Region, access));
    if (is_fast ? max_pages == 0 || max_pages > TERN_FAST_REG_MAX_PAGES : max_pages != 0)
        return bad_parameter(offsetof(Region, max_pages));
    if (little(request.iova) + little(request.length_bytes) < little(request.iova))
        return bad_parameter(offsetof(Region, iova));
    return request.flags ? check_unlisted(request) : check_listed(request);
}

}  // namespace tern::codec
