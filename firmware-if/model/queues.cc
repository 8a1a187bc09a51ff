// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
#include "firmware-if/model/handlers.h"
#include "tern/fw/cq.h"
#include "tern/hw/cqe.h"
#include "tern/hw/doorbell.h"
#include "tern/hw/eqe.h"
#include "tern/hw/ids.h"
#include "tern/hw/limits.h"

namespace tern::firmware {

CommandAnswer create_eq(Control& control, Request in, Response out) {
    using T = tern_cmd_create_eq;
    const auto raw = decode<T>(in);
    if (raw.flags & ~TERN_EQ_ASYNCHRONOUS) return refuse(TERN_STATUS_BAD_RESERVED, offsetof(T, flags));
    if (raw.reserved_04) return refuse(TERN_STATUS_BAD_RESERVED, offsetof(T, reserved_04));
    if (!is_depth(raw.depth_log2, TERN_EQ_MAX_DEPTH_LOG2))
        return refuse(TERN_STATUS_BAD_PARAMETER, offsetof(T, depth_log2));
    if (little(raw.vector) >= control.identity().vectors) return refuse(TERN_STATUS_BAD_PARAMETER, offsetof(T, vector));
    if (!PageList::is_valid(raw.buffer, uint64_t{1} << (raw.depth_log2 + TERN_EQE_BYTES_LOG2)))
        return refuse(TERN_STATUS_BAD_PARAMETER, offsetof(T, buffer));
    return answer_handle(control.create_eq({.is_asynchronous = (raw.flags & TERN_EQ_ASYNCHRONOUS) != 0,
                                            .depth_log2 = raw.depth_log2,
                                            .vector = little(raw.vector),
                                            .buffer = PageList(raw.buffer)}),
                         out);
}

CommandAnswer destroy_eq(Control& control, Request in, Response) {
    return with_handle(in, [&](uint32_t eqn) { return control.destroy_eq(eqn); });
}

CommandAnswer create_cq(Control& control, Request in, Response out) {
    using T = tern_cmd_create_cq;
    const auto raw = decode<T>(in);
    if (!is_zero(raw.reserved_05)) return refuse(TERN_STATUS_BAD_RESERVED, offsetof(T, reserved_05));
    if (raw.reserved_0c) return refuse(TERN_STATUS_BAD_RESERVED, offsetof(T, reserved_0c));
    if (!is_depth(raw.depth_log2, TERN_CQ_MAX_DEPTH_LOG2))
        return refuse(TERN_STATUS_BAD_PARAMETER, offsetof(T, depth_log2));
    if (little(raw.doorbell_pair) >= TERN_DOORBELL_PAGE_PAIRS)
        return refuse(TERN_STATUS_BAD_PARAMETER, offsetof(T, doorbell_pair));
    if (little(raw.record) % TERN_RECORD_BYTES) return refuse(TERN_STATUS_BAD_PARAMETER, offsetof(T, record));
    if (!PageList::is_valid(raw.buffer, uint64_t{1} << (raw.depth_log2 + TERN_CQE_BYTES_LOG2)))
        return refuse(TERN_STATUS_BAD_PARAMETER, offsetof(T, buffer));
    return answer_handle(control.create_cq({.eqn = little(raw.eqn),
                                            .depth_log2 = raw.depth_log2,
                                            .doorbell_pair = little(raw.doorbell_pair),
                                            .record = little(raw.record),
                                            .buffer = PageList(raw.buffer)}),
                         out);
}

CommandAnswer destroy_cq(Control& control, Request in, Response) {
    return with_handle(in, [&](uint32_t cqn) { return control.destroy_cq(cqn); });
}

CommandAnswer modify_cq(Control& control, Request in, Response) {
    const auto raw = decode<tern_cmd_modify_cq>(in);
    return {control.modify_cq(little(raw.cqn), little(raw.moderation_count), little(raw.moderation_usec))};
}

}  // namespace tern::firmware
