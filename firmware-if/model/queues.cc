// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
#include "firmware-if/model/handlers.h"

namespace tern::firmware {

CommandAnswer create_eq(Control& control, Request in, Response out) {
    return with<tern_cmd_create_eq>(control, in, [&](const tern_cmd_create_eq& raw) {
        return answer_handle(control.create_eq({.is_asynchronous = (raw.flags & TERN_EQ_ASYNCHRONOUS) != 0,
                                                .depth_log2 = raw.depth_log2,
                                                .vector = little(raw.vector),
                                                .buffer = PageList(raw.buffer)}),
                             out);
    });
}

CommandAnswer destroy_eq(Control& control, Request in, Response) {
    return with_handle(control, in, [&](uint32_t eqn) { return control.destroy_eq(eqn); });
}

CommandAnswer create_cq(Control& control, Request in, Response out) {
    return with<tern_cmd_create_cq>(control, in, [&](const tern_cmd_create_cq& raw) {
        return answer_handle(control.create_cq({.eqn = little(raw.eqn),
                                                .depth_log2 = raw.depth_log2,
                                                .doorbell_pair = little(raw.doorbell_pair),
                                                .record = little(raw.record),
                                                .buffer = PageList(raw.buffer)}),
                             out);
    });
}

CommandAnswer destroy_cq(Control& control, Request in, Response) {
    return with_handle(control, in, [&](uint32_t cqn) { return control.destroy_cq(cqn); });
}

CommandAnswer modify_cq(Control& control, Request in, Response) {
    return with<tern_cmd_modify_cq>(control, in, [&](const tern_cmd_modify_cq& raw) -> CommandAnswer {
        return {control.modify_cq(little(raw.cqn), little(raw.moderation_count), little(raw.moderation_usec))};
    });
}

}  // namespace tern::firmware
