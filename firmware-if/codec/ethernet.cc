// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
//
// Ethernet queues and RSS.
#include "firmware-if/codec/rules.h"
#include "tern/hw/doorbell.h"

namespace tern::codec {

namespace {

using Queue = tern_cmd_create_eth_queue;

// What a direction's queues may be.
struct Direction {
    uint8_t max_depth_log2;
    uint8_t max_stride_log2;
    uint32_t entry_bytes;
};

Refusal check_queue(const Queue& request, const Limits& limits, const Direction& direction) {
    if (request.reserved_03) return bad_reserved(offsetof(Queue, reserved_03));
    if (request.reserved_0c) return bad_reserved(offsetof(Queue, reserved_0c));
    if (!is_port(request.port, limits)) return bad_parameter(offsetof(Queue, port));
    if (!is_depth(request.depth_log2, direction.max_depth_log2)) return bad_parameter(offsetof(Queue, depth_log2));
    if (request.stride_log2 > direction.max_stride_log2) return bad_parameter(offsetof(Queue, stride_log2));
    if (little(request.uidx) > TERN_OBJECT_NUMBER_MASK) return bad_parameter(offsetof(Queue, uidx));
    if (little(request.record) % TERN_RECORD_BYTES) return bad_parameter(offsetof(Queue, record));
    const uint64_t bytes = uint64_t{direction.entry_bytes} << (request.depth_log2 + request.stride_log2);
    if (!PageList::is_valid(request.buffer, bytes)) return bad_parameter(offsetof(Queue, buffer));
    return {};
}

}  // namespace

Refusal check_txq(const tern_cmd_create_eth_queue& request, const Limits& limits) {
    return check_queue(request, limits, {TERN_SQ_MAX_DEPTH_LOG2, 0, TERN_SQ_BLOCK_BYTES});
}

Refusal check_rxq(const tern_cmd_create_eth_queue& request, const Limits& limits) {
    return check_queue(request, limits, {TERN_RQ_MAX_DEPTH_LOG2, TERN_RQ_MAX_STRIDE_LOG2, 16});
}

Refusal check(const tern_cmd_set_rss& request, const Limits& limits) {
    using T = tern_cmd_set_rss;
    constexpr uint8_t kFields = TERN_RSS_HASH_IPV4 | TERN_RSS_HASH_IPV6 | TERN_RSS_HASH_TCP | TERN_RSS_HASH_UDP;
    if (!is_zero(request.reserved_03)) return bad_reserved(offsetof(T, reserved_03));
    if (!is_port(request.port, limits)) return bad_parameter(offsetof(T, port));
    if (request.enabled > 1) return bad_parameter(offsetof(T, enabled));
    if (request.hash_fields & ~kFields) return bad_reserved(offsetof(T, hash_fields));
    return {};
}

}  // namespace tern::codec
