// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
//
// Sending half of an RC or UC QP: fetches WQEs, cuts them into request packets,
// and, of RC, sends them again from any PSN when the peer or a timer asks
// (go-back-N, IBTA 9.7.5, 9.9.2). What comes back is in acknowledge.h. A WQE of
// UC is done when it is sent (IBTA 9.8.2).
#pragma once

#include <cstdint>

#include "qemu/engine/transport/transport.h"

namespace tern::requester {

// Sends until the budget, the window or the room ends. True: could send more now.
[[nodiscard]] bool run(Transport& transport, Qp& qp, uint32_t& budget);

// What is to be sent next is @psn, which lies in a pending WQE.
void go_back(Qp& qp, Psn psn);

// Deadlines have come.
void ack_timer_due(Transport& transport, Qp& qp, uint64_t now_ns);
void rnr_timer_due(Qp& qp);

// Starts the ACK timer anew if anything is unacknowledged (IBTA 9.7.6.1.3), else stops it.
void restart_ack_timer(Transport& transport, Qp& qp);

// Retires the oldest pending WQE, with its completion if one is due.
void retire_head(Transport& transport, Qp& qp, uint8_t status, uint32_t vendor_error);
// Retires WQEs at the head that need nothing more from the peer: local ones,
// and those that failed here once all before them are done.
void retire_local(Transport& transport, Qp& qp);
// The oldest pending WQE failed: its completion, then ERR, or SQE of UC (IBTA 10.3.1.6).
void fail_head(Transport& transport, Qp& qp, uint8_t status, uint32_t vendor_error);

// Decodes the WQE of pending @entry into @wqe again, and checks that the host
// did not change it meanwhile. False: it did, or the ring cannot be read.
[[nodiscard]] bool refetch(Transport& transport, Qp& qp, uint32_t entry, SendWqe& wqe);

// RTS: counts from sq_psn on.
void start(Qp& qp);
// RTS again, after SQE: all that was pending has been flushed.
void resume(Qp& qp);
void reset(Qp& qp);

}  // namespace tern::requester
