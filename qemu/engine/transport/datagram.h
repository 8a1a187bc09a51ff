// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
//
// UD and GSI QPs (IBTA 9.8.3): one packet per message, nothing comes back.
#pragma once

#include "qemu/engine/transport/transport.h"

namespace tern::datagram {

// Sends until the budget, the room or the queue ends. True: could send more now.
[[nodiscard]] bool run(Transport& transport, Qp& qp, uint32_t& budget);
// A datagram for this QP, which is in RTR or beyond.
void receive(Transport& transport, Qp& qp, Port& port, const Packet& packet);

}  // namespace tern::datagram
