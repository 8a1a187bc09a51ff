// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
//
// Event and completion queues.
#include "firmware-if/codec/rules.h"
#include "tern/hw/cqe.h"
#include "tern/hw/doorbell.h"
#include "tern/hw/eqe.h"
#include "tern/hw/ids.h"

namespace tern::codec {

Refusal check(const tern_cmd_create_eq& request, const Limits& limits) {
    using T = tern_cmd_create_eq;
    if (request.flags & ~TERN_EQ_ASYNCHRONOUS) return bad_reserved(offsetof(T, flags));
    if (request.reserved_04) return bad_reserved(offsetof(T, reserved_04));
    if (!is_depth(request.depth_log2, TERN_EQ_MAX_DEPTH_LOG2)) return bad_parameter(offsetof(T, depth_log2));
    if (little(request.vector) >= limits.vectors) return bad_parameter(offsetof(T, vector));
    if (!PageList::is_valid(request.buffer, uint64_t{1} << (request.depth_log2 + TERN_EQE_BYTES_LOG2)))
        return bad_parameter(offsetof(T, buffer));
    return {};
}

Refusal check(const tern_cmd_create_cq& request, const Limits&) {
    using T = tern_cmd_create_cq;
    if (!is_zero(request.reserved_05)) return bad_reserved(offsetof(T, reserved_05));
    if (request.reserved_0c) return bad_reserved(offsetof(T, reserved_0c));
    if (!is_depth(request.depth_log2, TERN_CQ_MAX_DEPTH_LOG2)) return bad_parameter(offsetof(T, depth_log2));
    if (little(request.doorbell_pair) >= TERN_DOORBELL_PAGE_PAIRS) return bad_parameter(offsetof(T, doorbell_pair));
    if (little(request.record) % TERN_RECORD_BYTES) return bad_parameter(offsetof(T, record));
    if (!PageList::is_valid(request.buffer, uint64_t{1} << (request.depth_log2 + TERN_CQE_BYTES_LOG2)))
        return bad_parameter(offsetof(T, buffer));
    return {};
}

// Every count and every time has a meaning.
Refusal check(const tern_cmd_modify_cq&, const Limits&) { return {}; }

}  // namespace tern::codec
