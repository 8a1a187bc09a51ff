// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
//
// The QP state machine as a table (IBTA 10.3.1, table 91): which transition a
// MODIFY_QP may make, which attributes it must bring and which it may. Equal
// to the kernel's ib_modify_qp_is_ok for the types that exist here.
//
//            RESET -> INIT -> RTR -> RTS <-> SQD
//                                    |  ^     |
//                                    v  |     |
//                            (UD, UC) SQE     |
//            any -> RESET, any -> ERR <-------+
#pragma once

#include <cstdint>

#include "tern/fw/qp.h"

namespace tern {

// Types of QP that a transition is for.
enum Services : uint8_t { kRc = 1, kUc = 2, kUd = 4 /* and GSI */, kAll = kRc | kUc | kUd };

struct Transition {
    uint8_t from;
    uint8_t to;
    uint8_t services;
    uint32_t required;
    uint32_t optional;
};

// The row for a transition, or nullptr if there is no such transition.
[[nodiscard]] const Transition* find_transition(uint8_t from, uint8_t to, tern_qp_type type);

// Whether @valid has what the transition requires and nothing that it forbids.
[[nodiscard]] bool is_transition_ok(uint8_t from, uint8_t to, tern_qp_type type, uint32_t valid);

}  // namespace tern
