// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
//
// What the responder's answers do to the requester (IBTA 9.7.5.2.8, 9.7.7,
// 9.9.2): acknowledges retire WQEs, responses carry data, NAKs send back or end.
#pragma once

#include "qemu/engine/transport/transport.h"

namespace tern::acknowledge {

// A response packet for this QP, which is in RTS or SQD.
void receive(Transport& transport, Qp& qp, const Packet& packet);

}  // namespace tern::acknowledge
