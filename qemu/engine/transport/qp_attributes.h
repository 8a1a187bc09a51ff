// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
//
// Attributes of MODIFY_QP, whose ranges the firmware has checked.
#pragma once

#include "qemu/engine/api/control.h"
#include "qemu/engine/transport/qp.h"

namespace tern {

// Copies the valid attributes, except the state.
void take_attributes(Qp& qp, uint32_t valid, const QueuePairAttributes& attributes);

}  // namespace tern
