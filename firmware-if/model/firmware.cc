// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
#include "firmware-if/model/firmware.h"

#include "firmware-if/model/handlers.h"
#include "tern/fw/cq.h"
#include "tern/fw/device.h"
#include "tern/fw/eth.h"
#include "tern/fw/mr.h"
#include "tern/fw/port.h"
#include "tern/fw/qp.h"

namespace tern::firmware {

namespace {

template <typename T>
constexpr uint32_t kBytes = sizeof(T);
template <>
constexpr uint32_t kBytes<tern_cmd_empty> = 0;  // travels as nothing

struct Row {
    uint16_t opcode;
    uint32_t in_length;
    uint32_t out_length;
};

constexpr Row kRows[] = {
#define TERN_COMMAND(name, opcode, request, response, meaning) {opcode, kBytes<request>, kBytes<response>},
#include "tern/fw/command.def"
};

CommandAnswer nop(Control&, Request, Response) { return {}; }

Handler handler_of(uint16_t opcode) {
    switch (opcode) {
    case TERN_CMD_NOP: return nop;
    case TERN_CMD_QUERY_DEVICE: return query_device;
    case TERN_CMD_QUERY_FIRMWARE: return query_firmware;
    case TERN_CMD_QUERY_OBJECTS: return query_objects;
    case TERN_CMD_ALLOC_PD: return alloc_pd;
    case TERN_CMD_DEALLOC_PD: return dealloc_pd;
    case TERN_CMD_CREATE_EQ: return create_eq;
    case TERN_CMD_DESTROY_EQ: return destroy_eq;
    case TERN_CMD_CREATE_CQ: return create_cq;
    case TERN_CMD_DESTROY_CQ: return destroy_cq;
    case TERN_CMD_QUERY_PORT: return query_port;
    case TERN_CMD_SET_PORT: return set_port;
    case TERN_CMD_SET_RX_MODE: return set_rx_mode;
    case TERN_CMD_QUERY_PORT_COUNTERS: return query_port_counters;
    case TERN_CMD_SET_GID: return set_gid;
    case TERN_CMD_MODIFY_CQ: return modify_cq;
    case TERN_CMD_CREATE_MR: return create_mr;
    case TERN_CMD_DESTROY_MR: return destroy_mr;
    case TERN_CMD_CREATE_QP: return create_qp;
    case TERN_CMD_DESTROY_QP: return destroy_qp;
    case TERN_CMD_MODIFY_QP: return modify_qp;
    case TERN_CMD_QUERY_QP: return query_qp;
    case TERN_CMD_CREATE_TXQ: return create_txq;
    case TERN_CMD_DESTROY_TXQ: return destroy_txq;
    case TERN_CMD_CREATE_RXQ: return create_rxq;
    case TERN_CMD_DESTROY_RXQ: return destroy_rxq;
    case TERN_CMD_SET_RSS: return set_rss;
    default: return nullptr;
    }
}

}  // namespace

CommandSink::Shape Firmware::shape(uint16_t opcode, uint8_t version) const {
    if (version == 0)
        for (const Row& row : kRows)
            if (row.opcode == opcode) return {TERN_STATUS_OK, row.in_length, row.out_length};
    return {TERN_STATUS_BAD_OPCODE, 0, 0};
}

CommandAnswer Firmware::execute(uint16_t opcode, std::span<const std::byte> in, std::span<std::byte> out) {
    const Handler handler = handler_of(opcode);
    return handler ? handler(control_, in, out) : CommandAnswer{TERN_STATUS_BAD_OPCODE};
}

void Firmware::reset(uint64_t now_ns) {
    boot_ns_ = now_ns;
    is_hung_ = false;
    syndrome_ = TERN_SYNDROME_NONE;
}

tern_device_state Firmware::state(uint64_t now_ns) const {
    if (syndrome_ != TERN_SYNDROME_NONE) return TERN_DEVICE_STATE_FATAL;
    return now_ns - boot_ns_ < kBootNs ? TERN_DEVICE_STATE_BOOTING : TERN_DEVICE_STATE_READY;
}

uint32_t Firmware::heartbeat(uint64_t now_ns) const {
    const uint64_t lived = (is_hung_ ? hung_at_ns_ : now_ns) - boot_ns_;
    return static_cast<uint32_t>(lived / (uint64_t{TERN_HEARTBEAT_MS} * 1'000'000));
}

void Firmware::set_fatal(tern_syndrome syndrome) {
    if (syndrome_ == TERN_SYNDROME_NONE) syndrome_ = syndrome;  // the first cause counts
}

void Firmware::set_hang(bool hang, uint64_t now_ns) {
    is_hung_ = hang;
    hung_at_ns_ = now_ns;
}

}  // namespace tern::firmware
