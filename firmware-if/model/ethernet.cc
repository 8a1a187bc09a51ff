// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
#include <algorithm>

#include "firmware-if/model/handlers.h"
#include "tern/fw/eth.h"
#include "tern/hw/doorbell.h"

namespace tern::firmware {

namespace {

using Queue = tern_cmd_create_eth_queue;
using Rss = tern_cmd_set_rss;

// @max_depth_log2, @max_stride_log2 and the bytes of an entry are those of the direction.
CommandAnswer check_queue(Control& control, const Queue& raw, uint8_t max_depth_log2, uint8_t max_stride_log2,
                          uint32_t entry_bytes) {
    if (raw.reserved_03) return refuse(TERN_STATUS_BAD_RESERVED, offsetof(Queue, reserved_03));
    if (raw.reserved_0c) return refuse(TERN_STATUS_BAD_RESERVED, offsetof(Queue, reserved_0c));
    if (!is_port(control, raw.port)) return refuse(TERN_STATUS_BAD_PARAMETER, offsetof(Queue, port));
    if (!is_depth(raw.depth_log2, max_depth_log2))
        return refuse(TERN_STATUS_BAD_PARAMETER, offsetof(Queue, depth_log2));
    if (raw.stride_log2 > max_stride_log2) return refuse(TERN_STATUS_BAD_PARAMETER, offsetof(Queue, stride_log2));
    if (little(raw.uidx) > TERN_OBJECT_NUMBER_MASK) return refuse(TERN_STATUS_BAD_PARAMETER, offsetof(Queue, uidx));
    if (little(raw.record) % TERN_RECORD_BYTES) return refuse(TERN_STATUS_BAD_PARAMETER, offsetof(Queue, record));
    if (!control.has_cq(little(raw.cqn))) return refuse(TERN_STATUS_BAD_HANDLE, offsetof(Queue, cqn));
    if (!PageList::is_valid(raw.buffer, uint64_t{entry_bytes} << (raw.depth_log2 + raw.stride_log2)))
        return refuse(TERN_STATUS_BAD_PARAMETER, offsetof(Queue, buffer));
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

CommandAnswer check_rss(Control& control, const Rss& raw) {
    constexpr uint8_t kFields = TERN_RSS_HASH_IPV4 | TERN_RSS_HASH_IPV6 | TERN_RSS_HASH_TCP | TERN_RSS_HASH_UDP;
    if (!is_zero(raw.reserved_03)) return refuse(TERN_STATUS_BAD_RESERVED, offsetof(Rss, reserved_03));
    if (!is_port(control, raw.port)) return refuse(TERN_STATUS_BAD_PARAMETER, offsetof(Rss, port));
    if (raw.enabled > 1) return refuse(TERN_STATUS_BAD_PARAMETER, offsetof(Rss, enabled));
    if (raw.hash_fields & ~kFields) return refuse(TERN_STATUS_BAD_RESERVED, offsetof(Rss, hash_fields));
    return {};
}

}  // namespace

CommandAnswer create_txq(Control& control, Request in, Response out) {
    const auto raw = decode<Queue>(in);
    const CommandAnswer answer = check_queue(control, raw, TERN_SQ_MAX_DEPTH_LOG2, 0, TERN_SQ_BLOCK_BYTES);
    if (answer.status != TERN_STATUS_OK) return answer;
    return answer_handle(control.create_txq(config_of(raw)), out);
}

CommandAnswer destroy_txq(Control& control, Request in, Response) {
    return with_handle(in, [&](uint32_t number) { return control.destroy_txq(number); });
}

CommandAnswer create_rxq(Control& control, Request in, Response out) {
    const auto raw = decode<Queue>(in);
    const CommandAnswer answer = check_queue(control, raw, TERN_RQ_MAX_DEPTH_LOG2, TERN_RQ_MAX_STRIDE_LOG2, 16);
    if (answer.status != TERN_STATUS_OK) return answer;
    return answer_handle(control.create_rxq(config_of(raw)), out);
}

CommandAnswer destroy_rxq(Control& control, Request in, Response) {
    return with_handle(in, [&](uint32_t number) { return control.destroy_rxq(number); });
}

CommandAnswer set_rss(Control& control, Request in, Response) {
    const auto raw = decode<Rss>(in);
    if (const CommandAnswer answer = check_rss(control, raw); answer.status != TERN_STATUS_OK) return answer;
    ReceiveSpreading spreading;
    spreading.enabled = raw.enabled != 0;
    spreading.hash_fields = raw.hash_fields;
    std::ranges::copy(raw.key, spreading.key.begin());
    std::ranges::transform(raw.table, spreading.table.begin(), [](__le32 number) { return little(number); });
    const Status status = control.set_rss(raw.port, spreading);
    if (status == TERN_STATUS_BAD_HANDLE) return refuse(status, offsetof(Rss, table));
    return {status};
}

}  // namespace tern::firmware
