// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
#include "tern/fw/device.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "firmware-if/model/firmware.h"
#include "firmware-if/model/handlers.h"
#include "tern/hw/ids.h"
#include "tern/hw/limits.h"

namespace tern::firmware {

namespace {

// EUI-64 of port 1's MAC, as a big-endian number.
uint64_t node_guid(const MacAddress& mac) {
    const uint8_t bytes[8] = {static_cast<uint8_t>(mac[0] ^ 2), mac[1], mac[2], 0xff, 0xfe, mac[3], mac[4], mac[5]};
    return load_be<uint64_t>(bytes);
}

}  // namespace

CommandAnswer answer_handle(const Result<uint32_t, Status>& result, Response out) {
    if (!result) return {result.error()};
    codec::encode(out, tern_cmd_handle{little(*result), 0});
    return {};
}

CommandAnswer query_device(Control& control, Request, Response out) {
    const CardIdentity& identity = control.identity();
    tern_cmd_device_caps caps{};
    caps.capabilities = little(uint64_t{TERN_CAP_PUSH | TERN_CAP_FAST_REGISTRATION} |
                               (identity.push_worthwhile ? TERN_CAP_PUSH_WORTHWHILE : 0));
    caps.node_guid = little(node_guid(control.port(1).permanent_mac));
    caps.max_mr_bytes = little(codec::kMaxRegionBytes);
    caps.page_sizes = little(((uint64_t{2} << TERN_PAGE_SHIFT_MAX) - 1) & ~((uint64_t{1} << TERN_PAGE_SHIFT_MIN) - 1));
    caps.max_qps = little(CardCapacity::kQueuePairs);
    caps.max_cqs = little(CardCapacity::kCompletionQueues);
    caps.max_mrs = little(CardCapacity::kMemoryRegions);
    caps.max_pds = little(CardCapacity::kProtectionDomains);
    caps.max_eqs = little(CardCapacity::kEventQueues);
    caps.max_txqs = caps.max_rxqs = little(CardCapacity::kEthernetQueues);
    caps.vectors = little(identity.vectors);
    caps.ports = identity.ports;
    caps.max_sq_depth_log2 = TERN_SQ_MAX_DEPTH_LOG2;
    caps.max_rq_depth_log2 = TERN_RQ_MAX_DEPTH_LOG2;
    caps.max_cq_depth_log2 = TERN_CQ_MAX_DEPTH_LOG2;
    caps.max_eq_depth_log2 = TERN_EQ_MAX_DEPTH_LOG2;
    caps.max_send_sge = TERN_MAX_SEND_SGE;
    caps.max_recv_sge = TERN_MAX_RECV_SGE;
    caps.max_inline_bytes = TERN_WQE_MAX_INLINE_BYTES;
    caps.max_rd_atomic = caps.max_dest_rd_atomic = TERN_MAX_RD_ATOMIC;
    caps.gid_table_length = little(uint16_t{TERN_GID_TABLE_LENGTH});
    caps.fast_reg_max_pages = little(uint16_t{TERN_FAST_REG_MAX_PAGES});
    codec::encode(out, caps);
    return {};
}

CommandAnswer query_firmware(Control& control, Request, Response out) {
    const CardIdentity& identity = control.identity();
    tern_cmd_firmware_info info{};
    info.major = little(kMajor);
    info.minor = little(kMinor);
    info.patch = little(kPatch);
    const char* board = identity.model == TERN_MODEL_TERN400 ? "tern400" : "tern100";
    std::strncpy(info.build, "emulated", sizeof(info.build) - 1);
    std::strncpy(info.board_id, board, sizeof(info.board_id) - 1);
    std::strncpy(info.board_revision, "A0", sizeof(info.board_revision) - 1);
    std::memcpy(info.serial_number, identity.serial_number.data(), sizeof(info.serial_number));
    codec::encode(out, info);
    return {};
}

CommandAnswer query_objects(Control& control, Request, Response out) {
    std::array<uint64_t, TERN_DEVICE_COUNTER_SLOTS> counts;
    control.object_counts(counts);
    for (uint64_t& count : counts) count = little(count);
    codec::encode(out, counts);
    return {};
}

}  // namespace tern::firmware
