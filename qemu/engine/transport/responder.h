// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
//
// Receiving half of an RC or UC QP (IBTA 9.7.4, 9.7.5.1, 9.8.3): a request packet
// passes named checks, each of which names the next step, and is then executed.
// Fault classes are those of IBTA 9.9.3 (table 58). Answers are queued for
// response.h.
#pragma once

#include "qemu/engine/transport/transport.h"

namespace tern::responder {

// A request packet for this QP, which is in RTR, RTS or SQD.
void receive(Transport& transport, Qp& qp, const Packet& packet);

void start(Qp& qp);
void reset(Qp& qp);

}  // namespace tern::responder
