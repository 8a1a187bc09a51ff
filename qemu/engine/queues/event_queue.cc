// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
#include "qemu/engine/queues/event_queue.h"

#include "qemu/engine/base/endian.h"
#include "tern/hw/eqe.h"
#include "tern/hw/ring.h"

namespace tern {

bool EventQueue::has_room() const { return prod_ - cons_ < (1u << config_.depth_log2); }

bool EventQueue::post(Host& host, const Event& event) {
    if (!has_room()) return false;
    const uint32_t phase = tern_ring_phase(prod_, config_.depth_log2);
    const tern_eqe eqe = {
        .type = event.type,
        .subtype = event.subtype,
        .port = little(event.port),
        .object = little(event.object),
        .data0 = little(event.data0),
        .data1 = 0,
        .token = little(event.token),
        .owner = 0,
    };
    const uint64_t offset = uint64_t{tern_ring_slot(prod_, config_.depth_log2)} << TERN_EQE_BYTES_LOG2;
    const auto body = std::as_bytes(std::span(&eqe, 1)).first(offsetof(tern_eqe, owner));
    PageList::Run run{};
    if (!config_.buffer.write(host, offset, body)) return false;
    if (!config_.buffer.locate(host, offset + offsetof(tern_eqe, owner), run)) return false;
    if (!host.store_release32(run.address, TERN_SET32(TERN_EQE_PHASE, phase))) return false;
    ++prod_;
    if (is_armed_) {
        is_armed_ = false;
        host.raise_vector(config_.vector);
    }
    return true;
}

void EventQueue::doorbell(Host& host, uint32_t cons, bool arm) {
    if (prod_ - cons > (1u << config_.depth_log2)) return;  // beyond what was produced
    cons_ = cons;
    is_armed_ = arm;
    if (is_armed_ && prod_ != cons_) {
        is_armed_ = false;
        host.raise_vector(config_.vector);
    }
}

EventQueueTable::EventQueueTable(Host& host, uint32_t capacity, const Permutation& permutation)
    : host_(host), queues_(capacity, permutation) {}

Result<uint32_t, Status> EventQueueTable::create(const EventQueue::Config& config) {
    if (config.is_asynchronous && asynchronous_ != 0) return TERN_STATUS_BUSY;
    auto number = queues_.create(config);
    if (number && config.is_asynchronous) asynchronous_ = *number;
    return number;
}

Status EventQueueTable::destroy(uint32_t eqn) {
    const EventQueue* queue = queues_.find(eqn);
    if (!queue) return TERN_STATUS_BAD_HANDLE;
    if (queue->users != 0) return TERN_STATUS_BUSY;
    if (eqn == asynchronous_) asynchronous_ = 0;
    return queues_.destroy(eqn) ? TERN_STATUS_OK : TERN_STATUS_BAD_HANDLE;
}

EventQueue* EventQueueTable::find(uint32_t eqn) { return queues_.find(eqn); }

void EventQueueTable::clear() {
    queues_.clear();
    asynchronous_ = 0;
    has_overrun_ = false;
    clear_wake();
}

uint32_t EventQueueTable::count() const { return queues_.count(); }

void EventQueueTable::raise(const Event& event) {
    EventQueue* queue = asynchronous_ ? queues_.find(asynchronous_) : nullptr;
    if (!queue) return;
    if (!queue->post(host_, event)) has_overrun_ = true;
}

bool EventQueueTable::raise_completion(uint32_t eqn, uint32_t cqn) {
    EventQueue* queue = queues_.find(eqn);
    return queue && queue->post(host_, {.type = TERN_EVENT_COMPLETION, .object = cqn});
}

}  // namespace tern
