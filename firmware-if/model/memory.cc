// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
#include "firmware-if/model/handlers.h"

namespace tern::firmware {

namespace {

MemoryRegion region_of(const tern_cmd_create_mr& raw) {
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
    return region;
}

}  // namespace

CommandAnswer alloc_pd(Control& control, Request in, Response out) {
    return with<tern_cmd_alloc_pd>(control, in, [&](const tern_cmd_alloc_pd& raw) {
        return answer_handle(control.alloc_pd(raw.flags & TERN_PD_KERNEL), out);
    });
}

CommandAnswer dealloc_pd(Control& control, Request in, Response) {
    return with_handle(control, in, [&](uint32_t pdn) { return control.dealloc_pd(pdn); });
}

CommandAnswer create_mr(Control& control, Request in, Response out) {
    return with<tern_cmd_create_mr>(control, in, [&](const tern_cmd_create_mr& raw) {
        return answer_handle(control.create_mr(region_of(raw)), out);
    });
}

CommandAnswer destroy_mr(Control& control, Request in, Response) {
    return with_handle(control, in, [&](uint32_t key) { return control.destroy_mr(key); });
}

}  // namespace tern::firmware
