// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
//
// What a responder owes its peer, in order: acknowledges, NAKs, READ data,
// atomic results. Queued while requests are executed, sent when the port has
// room; acknowledges that follow each other become one (IBTA 9.7.5.1.2).
#pragma once

#include "qemu/engine/transport/transport.h"

namespace tern::response {

// Each returns false when the queue is full, which only a peer that ignores its
// READ limit can bring about; the request is then dropped as if lost.
[[nodiscard]] bool queue_acknowledge(Transport& transport, Qp& qp, Psn psn, uint8_t syndrome);
// NAK after which the QP goes to ERR with @event. It leaves behind all answers
// that are queued; there is always room for it.
void queue_refusal(Transport& transport, Qp& qp, Psn psn, uint8_t syndrome, tern_event event);
[[nodiscard]] bool queue_read(Transport& transport, Qp& qp, const ResponderResource& read, Psn from);
[[nodiscard]] bool queue_atomic(Transport& transport, Qp& qp, const ResponderResource& atomic);

// Sends until the budget, the room or the queue ends. True: could send more now.
[[nodiscard]] bool run(Transport& transport, Qp& qp, uint32_t& budget);

}  // namespace tern::response
