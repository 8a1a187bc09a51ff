// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
//
// Completion queues: posting with overrun check, arming (tern/hw/doorbell.h),
// moderation. A CQ that overruns or faults is broken: it takes no more entries
// and its event is raised once; no other CQ is touched.
#pragma once

#include <cstdint>

#include "qemu/engine/api/host.h"
#include "qemu/engine/base/object_table.h"
#include "qemu/engine/memory/page_list.h"
#include "qemu/engine/queues/event_queue.h"

namespace tern {

// A CQE in host order; the CQ adds timestamp and phase.
struct Completion {
    uint32_t uidx = 0;
    uint8_t opcode = 0;        // enum tern_cqe_opcode
    uint8_t status = 0;        // enum tern_cqe_status; non-zero makes it a failed one
    uint32_t vendor_error = 0;
    uint16_t wqe_index = 0;
    uint32_t byte_len = 0;
    uint32_t immediate = 0;    // as it stands in memory (be32)
    uint32_t source = 0;       // TERN_CQE_SRC_QPN | TERN_CQE_GRH ...
    uint16_t vlan_tci = 0;
    bool is_solicited = false;  // peer set SE, or the WQE did; counts for ARM_SOLICITED
};

class CompletionQueue {
public:
    struct Config {
        uint32_t eqn;
        uint8_t depth_log2;
        uint32_t doorbell_pair;
        uint64_t record;
        PageList buffer;
    };

    CompletionQueue(uint32_t number, const Config& config) : number_(number), config_(config) {}

    // False: the CQ is (now) broken; the caller puts its QP into the error state.
    [[nodiscard]] bool post(Host& host, EventQueueTable& events, const Completion& completion);
    // Arm doorbell: low and high word.
    void arm(Host& host, EventQueueTable& events, uint32_t command_word, uint32_t cons);
    // Arm from the record, after lost doorbells.
    void load_arm(Host& host, EventQueueTable& events);
    void set_moderation(uint16_t count, uint16_t usec);
    // The time of EventQueueTable::wake_ns() has come: fire, or ask for another.
    void expire(Host& host, EventQueueTable& events, uint64_t now_ns);

    [[nodiscard]] const Config& config() const { return config_; }
    [[nodiscard]] bool is_broken() const { return is_broken_; }
    uint32_t users = 0;  // queues that complete here

private:
    [[nodiscard]] bool has_room(Host& host);
    [[nodiscard]] bool write(Host& host, const Completion& completion);
    [[nodiscard]] bool has_reason() const;
    [[nodiscard]] bool must_wait(Host& host, EventQueueTable& events);
    void wait_until(EventQueueTable& events, uint64_t deadline_ns);
    void notify(Host& host, EventQueueTable& events);

    uint32_t number_;
    Config config_;
    uint32_t prod_ = 0;
    uint32_t cons_ = 0;            // as last read from the record or an arm doorbell
    uint32_t last_solicited_ = 0;  // count after the last solicited or failed entry
    uint32_t events_pending_ = 0;  // completions since the last event, for moderation
    uint32_t arm_cons_ = 0;        // up to which the host had polled when it armed
    uint8_t armed_ = 0;            // enum tern_cq_arm
    uint8_t arm_seq_ = 0;
    bool is_broken_ = false;
    uint16_t moderation_count_ = 0;
    uint16_t moderation_usec_ = 0;
    uint64_t deadline_ns_ = UINT64_MAX;
};

using CompletionQueueTable = ObjectTable<CompletionQueue>;

}  // namespace tern
