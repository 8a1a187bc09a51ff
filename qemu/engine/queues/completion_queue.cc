// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
#include "qemu/engine/queues/completion_queue.h"

#include <algorithm>

#include "qemu/engine/base/endian.h"
#include "tern/hw/cqe.h"
#include "tern/hw/doorbell.h"
#include "tern/hw/eqe.h"
#include "tern/hw/ring.h"

namespace tern {

namespace {

// Again after an event queue was full: it has room when its driver has worked.
constexpr uint64_t kEventRetryNs = 100'000;

}  // namespace

bool CompletionQueue::has_room(Host& host) {
    const uint32_t depth = 1u << config_.depth_log2;
    if (prod_ - cons_ < depth) return true;
    uint32_t cons = 0;
    if (!host.read(config_.record + offsetof(tern_cq_record, cons), std::as_writable_bytes(std::span(&cons, 1))))
        return false;
    cons = little(cons);
    if (prod_ - cons > depth) return false;  // the host cannot have polled what was not posted
    cons_ = cons;
    return prod_ - cons_ < depth;
}

bool CompletionQueue::write(Host& host, const Completion& completion) {
    const bool has_failed = completion.status != TERN_CQE_STATUS_SUCCESS;
    const tern_cqe cqe = {
        .timestamp_ns = little(host.now_ns()),
        .byte_len = little(completion.byte_len),
        .immediate = completion.immediate,
        .source = little(completion.source),
        .error = little(has_failed ? TERN_SET32(TERN_CQE_ERROR_STATUS, completion.status) |
                                         TERN_SET32(TERN_CQE_ERROR_VENDOR, completion.vendor_error)
                                   : 0),
        .wqe_index = little(completion.wqe_index),
        .vlan_tci = little(completion.vlan_tci),
        .owner = 0,
    };
    const uint32_t owner = TERN_SET32(TERN_CQE_UIDX, completion.uidx) | TERN_SET32(TERN_CQE_OPCODE, completion.opcode) |
                           (has_failed ? TERN_CQE_FAILED : 0) |
                           TERN_SET32(TERN_CQE_PHASE, tern_ring_phase(prod_, config_.depth_log2));
    const uint64_t offset = uint64_t{tern_ring_slot(prod_, config_.depth_log2)} << TERN_CQE_BYTES_LOG2;
    // An entry never straddles pages: both are powers of two.
    PageList::Run run{};
    return config_.buffer.locate(host, offset, run) &&
           host.write(run.address, std::as_bytes(std::span(&cqe, 1)).first(offsetof(tern_cqe, owner))) &&
           host.store_release32(run.address + offsetof(tern_cqe, owner), owner);
}

bool CompletionQueue::post(Host& host, EventQueueTable& events, const Completion& completion) {
    if (is_broken_) return false;
    if (!has_room(host) || !write(host, completion)) {
        is_broken_ = true;
        events.raise({.type = TERN_EVENT_CQ_ERROR, .object = number_});
        return false;
    }
    ++prod_;
    if (completion.is_solicited || completion.status != TERN_CQE_STATUS_SUCCESS) last_solicited_ = prod_;
    ++events_pending_;
    notify(host, events);
    return true;
}

// An armed CQ fires for what lies beyond the count up to which the host polled.
bool CompletionQueue::has_reason() const {
    const uint32_t reached = armed_ == TERN_CQ_ARM_SOLICITED ? last_solicited_ : prod_;
    return armed_ != TERN_CQ_ARM_NONE && static_cast<int32_t>(reached - arm_cons_) > 0;
}

void CompletionQueue::wait_until(EventQueueTable& events, uint64_t deadline_ns) {
    deadline_ns_ = deadline_ns;
    events.wake_at(deadline_ns);
}

bool CompletionQueue::must_wait(Host& host, EventQueueTable& events) {
    if (moderation_count_ == 0 || events_pending_ >= moderation_count_) return false;
    const uint64_t now = host.now_ns();
    if (deadline_ns_ == UINT64_MAX) wait_until(events, now + uint64_t{moderation_usec_} * 1000);
    return now < deadline_ns_;
}

void CompletionQueue::notify(Host& host, EventQueueTable& events) {
    if (!has_reason() || must_wait(host, events)) return;
    if (!events.raise_completion(config_.eqn, number_)) {
        return wait_until(events, host.now_ns() + kEventRetryNs);
    }
    armed_ = TERN_CQ_ARM_NONE;
    events_pending_ = 0;
    deadline_ns_ = UINT64_MAX;
}

void CompletionQueue::arm(Host& host, EventQueueTable& events, uint32_t command_word, uint32_t cons) {
    const uint32_t command = TERN_GET32(TERN_DB_CQ_COMMAND, command_word);
    if (is_broken_ || command > TERN_CQ_ARM_NEXT) return;
    if (static_cast<int32_t>(prod_ - cons) < 0) return;  // nobody polled what was not posted
    arm_seq_ = static_cast<uint8_t>(TERN_GET32(TERN_DB_CQ_SEQ, command_word));
    if (static_cast<int32_t>(cons - cons_) > 0) cons_ = cons;
    arm_cons_ = cons;
    // Who waits for the next one is not put off to a solicited one (IBTA 11.4.2.2).
    if (command != TERN_CQ_ARM_SOLICITED || armed_ != TERN_CQ_ARM_NEXT) armed_ = static_cast<uint8_t>(command);
    notify(host, events);
}

void CompletionQueue::load_arm(Host& host, EventQueueTable& events) {
    tern_cq_record record{};
    if (!host.read(config_.record, std::as_writable_bytes(std::span(&record, 1)))) return;
    const uint32_t word = little(record.arm);
    if (TERN_GET32(TERN_DB_CQ_SEQ, word) == arm_seq_) return;
    arm(host, events, word, little(record.arm_cons));
}

void CompletionQueue::set_moderation(uint16_t count, uint16_t usec) {
    moderation_count_ = count;
    moderation_usec_ = usec;
}

void CompletionQueue::expire(Host& host, EventQueueTable& events, uint64_t now_ns) {
    if (now_ns < deadline_ns_) return events.wake_at(deadline_ns_);
    events_pending_ = std::max<uint32_t>(events_pending_, moderation_count_);
    deadline_ns_ = UINT64_MAX;
    notify(host, events);
}

}  // namespace tern
