// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
#include "qemu/engine/transport/qp_states.h"

namespace tern {

namespace {

constexpr uint32_t kStatic = TERN_QP_ATTR_PKEY_INDEX | TERN_QP_ATTR_PORT;
constexpr uint32_t kRcToRtr = TERN_QP_ATTR_ADDRESS_VECTOR | TERN_QP_ATTR_PATH_MTU | TERN_QP_ATTR_DEST_QPN |
                              TERN_QP_ATTR_RQ_PSN | TERN_QP_ATTR_MAX_DEST_RD_ATOMIC | TERN_QP_ATTR_MIN_RNR_TIMER;
constexpr uint32_t kRcToRts = TERN_QP_ATTR_TIMEOUT | TERN_QP_ATTR_RETRY_COUNT | TERN_QP_ATTR_RNR_RETRY |
                              TERN_QP_ATTR_SQ_PSN | TERN_QP_ATTR_MAX_RD_ATOMIC;
constexpr uint32_t kRcRunning = TERN_QP_ATTR_CURRENT_STATE | TERN_QP_ATTR_ACCESS | TERN_QP_ATTR_MIN_RNR_TIMER;
constexpr uint32_t kUcToRtr =
    TERN_QP_ATTR_ADDRESS_VECTOR | TERN_QP_ATTR_PATH_MTU | TERN_QP_ATTR_DEST_QPN | TERN_QP_ATTR_RQ_PSN;
constexpr uint32_t kUcRunning = TERN_QP_ATTR_CURRENT_STATE | TERN_QP_ATTR_ACCESS;
constexpr uint32_t kUdRunning = TERN_QP_ATTR_CURRENT_STATE | TERN_QP_ATTR_QKEY;
constexpr uint32_t kRcDrained = TERN_QP_ATTR_PORT | TERN_QP_ATTR_ADDRESS_VECTOR | TERN_QP_ATTR_TIMEOUT |
                                TERN_QP_ATTR_RETRY_COUNT | TERN_QP_ATTR_RNR_RETRY | TERN_QP_ATTR_MAX_RD_ATOMIC |
                                TERN_QP_ATTR_MAX_DEST_RD_ATOMIC | TERN_QP_ATTR_ACCESS | TERN_QP_ATTR_PKEY_INDEX |
                                TERN_QP_ATTR_MIN_RNR_TIMER;
constexpr uint32_t kUcDrained = TERN_QP_ATTR_ADDRESS_VECTOR | TERN_QP_ATTR_ACCESS | TERN_QP_ATTR_PKEY_INDEX;
constexpr uint32_t kUdDrained = TERN_QP_ATTR_PKEY_INDEX | TERN_QP_ATTR_QKEY;

constexpr uint8_t RESET = TERN_QP_STATE_RESET, INIT = TERN_QP_STATE_INIT, RTR = TERN_QP_STATE_RTR,
                  RTS = TERN_QP_STATE_RTS, SQD = TERN_QP_STATE_SQD, SQE = TERN_QP_STATE_SQE;

constexpr Transition kTransitions[] = {
    {RESET, INIT, kRc | kUc, kStatic | TERN_QP_ATTR_ACCESS, 0},
    {RESET, INIT, kUd, kStatic | TERN_QP_ATTR_QKEY, 0},
    {INIT, INIT, kRc | kUc, 0, kStatic | TERN_QP_ATTR_ACCESS},
    {INIT, INIT, kUd, 0, kStatic | TERN_QP_ATTR_QKEY},
    {INIT, RTR, kRc, kRcToRtr, TERN_QP_ATTR_ACCESS | TERN_QP_ATTR_PKEY_INDEX},
    {INIT, RTR, kUc, kUcToRtr, TERN_QP_ATTR_ACCESS | TERN_QP_ATTR_PKEY_INDEX},
    {INIT, RTR, kUd, 0, TERN_QP_ATTR_PKEY_INDEX | TERN_QP_ATTR_QKEY},
    {RTR, RTS, kRc, kRcToRts, kRcRunning},
    {RTR, RTS, kUc, TERN_QP_ATTR_SQ_PSN, kUcRunning},
    {RTR, RTS, kUd, TERN_QP_ATTR_SQ_PSN, kUdRunning},
    {RTS, RTS, kRc, 0, kRcRunning},
    {RTS, RTS, kUc, 0, kUcRunning},
    {RTS, RTS, kUd, 0, kUdRunning},
    {RTS, SQD, kAll, 0, TERN_QP_ATTR_SQD_ASYNC},
    {SQD, RTS, kRc, 0, kRcRunning},
    {SQD, RTS, kUc, 0, kUcRunning},
    {SQD, RTS, kUd, 0, kUdRunning},
    {SQD, SQD, kRc, 0, kRcDrained},
    {SQD, SQD, kUc, 0, kUcDrained},
    {SQD, SQD, kUd, 0, kUdDrained},
    {SQE, RTS, kUc, 0, kUcRunning},
    {SQE, RTS, kUd, 0, kUdRunning},
};

constexpr Transition kToReset = {RESET, RESET, kAll, 0, 0};
constexpr Transition kToError = {RESET, TERN_QP_STATE_ERR, kAll, 0, 0};

uint8_t service_of(tern_qp_type type) {
    switch (type) {
    case TERN_QP_RC: return kRc;
    case TERN_QP_UC: return kUc;
    default: return kUd;
    }
}

}  // namespace

const Transition* find_transition(uint8_t from, uint8_t to, tern_qp_type type) {
    if (to == TERN_QP_STATE_RESET) return &kToReset;
    if (to == TERN_QP_STATE_ERR) return &kToError;
    for (const Transition& row : kTransitions)
        if (row.from == from && row.to == to && (row.services & service_of(type))) return &row;
    return nullptr;
}

bool is_transition_ok(uint8_t from, uint8_t to, tern_qp_type type, uint32_t valid) {
    const Transition* row = find_transition(from, to, type);
    if (!row) return false;
    const uint32_t attributes = valid & ~uint32_t{TERN_QP_ATTR_STATE | TERN_QP_ATTR_CURRENT_STATE};
    // A GSI QP has its port from the beginning, and no other.
    const uint32_t mine = type == TERN_QP_GSI ? ~uint32_t{TERN_QP_ATTR_PORT} : ~uint32_t{0};
    const uint32_t required = row->required & mine;
    if ((attributes & required) != required) return false;
    return (attributes & ~(required | (row->optional & mine))) == 0;
}

}  // namespace tern
