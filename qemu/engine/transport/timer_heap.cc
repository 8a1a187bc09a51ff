// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
#include "qemu/engine/transport/timer_heap.h"

namespace tern {

namespace {

constexpr uint32_t kNowhere = UINT32_MAX;

}  // namespace

void TimerHeap::place(uint32_t slot, Qp* qp) {
    heap_[slot] = qp;
    qp->timer_slot = slot;
}

void TimerHeap::sift_up(uint32_t slot) {
    Qp* const qp = heap_[slot];
    while (slot > 0) {
        const uint32_t parent = (slot - 1) / 2;
        if (heap_[parent]->timer_deadline_ns <= qp->timer_deadline_ns) break;
        place(slot, heap_[parent]);
        slot = parent;
    }
    place(slot, qp);
}

void TimerHeap::sift_down(uint32_t slot) {
    Qp* const qp = heap_[slot];
    const auto size = static_cast<uint32_t>(heap_.size());
    for (uint32_t child = 2 * slot + 1; child < size; child = 2 * slot + 1) {
        if (child + 1 < size && heap_[child + 1]->timer_deadline_ns < heap_[child]->timer_deadline_ns) ++child;
        if (qp->timer_deadline_ns <= heap_[child]->timer_deadline_ns) break;
        place(slot, heap_[child]);
        slot = child;
    }
    place(slot, qp);
}

void TimerHeap::update(Qp& qp) {
    const uint64_t deadline = qp.deadline_ns();
    if (qp.timer_slot == kNowhere) {
        if (deadline == UINT64_MAX) return;
        qp.timer_deadline_ns = deadline;
        heap_.push_back(&qp);
        sift_up(static_cast<uint32_t>(heap_.size()) - 1);
    } else if (deadline < qp.timer_deadline_ns) {
        qp.timer_deadline_ns = deadline;
        sift_up(qp.timer_slot);
    }
}

void TimerHeap::remove(Qp& qp) {
    if (qp.timer_slot == kNowhere) return;
    const uint32_t slot = qp.timer_slot;
    Qp* const last = heap_.back();
    heap_.pop_back();
    qp.timer_slot = kNowhere;
    if (last == &qp) return;
    place(slot, last);
    sift_up(slot);
    sift_down(last->timer_slot);
}

Qp* TimerHeap::take_due(uint64_t now_ns) {
    while (!heap_.empty() && heap_.front()->timer_deadline_ns <= now_ns) {
        Qp* const qp = heap_.front();
        remove(*qp);
        if (qp->deadline_ns() <= now_ns) return qp;
        update(*qp);  // it had moved later
    }
    return nullptr;
}

}  // namespace tern
