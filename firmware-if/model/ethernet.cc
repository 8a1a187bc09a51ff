// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
#include <algorithm>

#include "firmware-if/model/handlers.h"

namespace tern::firmware {

namespace {

using Queue = tern_cmd_create_eth_queue;

// A user's CQ is the hardware's to refuse; one that is not there is a wrong field of the request.
CommandAnswer check_cq(Control& control, const Queue& raw) {
    if (!control.has_cq(little(raw.cqn))) return refuse(TERN_STATUS_BAD_HANDLE, offsetof(Queue, cqn));
    return {};
}

EthernetQueueConfig config_of(const Queue& raw) {
    return {.port = raw.port,
            .depth_log2 = raw.depth_log2,
            .stride_log2 = raw.stride_log2,
            .cqn = little(raw.cqn),
            .uidx = little(raw.uidx),
            .record = little(raw.record),
            .buffer = PageList(raw.buffer)};
}

ReceiveSpreading spreading_of(const tern_cmd_set_rss& raw) {
    ReceiveSpreading spreading;
    spreading.enabled = raw.enabled != 0;
    spreading.hash_fields = raw.hash_fields;
    std::ranges::copy(raw.key, spreading.key.begin());
    std::ranges::transform(raw.table, spreading.table.begin(), [](__le32 number) { return little(number); });
    return spreading;
}

}  // namespace

CommandAnswer create_txq(Control& control, Request in, Response out) {
    return with(codec::decode<Queue>(in, limits_of(control), codec::check_txq), [&](const Queue& raw) {
        const CommandAnswer answer = check_cq(control, raw);
        return answer.status == TERN_STATUS_OK ? answer_handle(control.create_txq(config_of(raw)), out) : answer;
    });
}

CommandAnswer destroy_txq(Control& control, Request in, Response) {
    return with_handle(control, in, [&](uint32_t number) { return control.destroy_txq(number); });
}

CommandAnswer create_rxq(Control& control, Request in, Response out) {
    return with(codec::decode<Queue>(in, limits_of(control), codec::check_rxq), [&](const Queue& raw) {
        const CommandAnswer answer = check_cq(control, raw);
        return answer.status == TERN_STATUS_OK ? answer_handle(control.create_rxq(config_of(raw)), out) : answer;
    });
}

CommandAnswer destroy_rxq(Control& control, Request in, Response) {
    return with_handle(control, in, [&](uint32_t number) { return control.destroy_rxq(number); });
}

CommandAnswer set_rss(Control& control, Request in, Response) {
    return with<tern_cmd_set_rss>(control, in, [&](const tern_cmd_set_rss& raw) -> CommandAnswer {
        const Status status = control.set_rss(raw.port, spreading_of(raw));
        if (status == TERN_STATUS_BAD_HANDLE) return refuse(status, offsetof(tern_cmd_set_rss, table));
        return {status};
    });
}

}  // namespace tern::firmware
