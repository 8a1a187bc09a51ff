// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
//
// The error state: everything posted completes with WR_FLUSH_ERR, in order,
// also what is posted later (IBTA 10.3.1.6). Later work is found by a doorbell
// or, since a doorbell may be lost and receive queues have none, by looking at
// the records from time to time.
#pragma once

#include "qemu/engine/transport/transport.h"

namespace tern::flush {

// Flushes until the budget ends. True: there is more now.
[[nodiscard]] bool run(Transport& transport, Qp& qp, uint32_t& budget);
// Begins, or hastens, the looking.
void wake(Transport& transport, Qp& qp);
void timer_due(Transport& transport, Qp& qp, uint64_t now_ns);

}  // namespace tern::flush
