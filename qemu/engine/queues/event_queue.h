// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
//
// Event queues. Completion events of CQs go to the EQ of the CQ, all others to
// the asynchronous one. An overrun of a completion EQ loses nothing that the
// driver cannot find again: the CQ stays armed and fires when there is room.
// An overrun of the asynchronous EQ is fatal for the device.
#pragma once

#include <algorithm>
#include <cstdint>

#include "qemu/engine/api/host.h"
#include "qemu/engine/base/object_table.h"
#include "qemu/engine/memory/page_list.h"

namespace tern {

struct Event {
    uint8_t type = 0;  // enum tern_event
    uint8_t subtype = 0;
    uint16_t port = 0;
    uint32_t object = 0;
    uint64_t data0 = 0;
    uint32_t token = 0;
};

class EventQueue {
public:
    struct Config {
        bool is_asynchronous;
        uint8_t depth_log2;
        uint16_t vector;
        PageList buffer;
    };

    explicit EventQueue(const Config& config) : config_(config) {}

    [[nodiscard]] bool has_room() const;
    // False: full or DMA fault.
    [[nodiscard]] bool post(Host& host, const Event& event);
    void doorbell(Host& host, uint32_t cons, bool arm);

    [[nodiscard]] const Config& config() const { return config_; }
    uint32_t users = 0;  // CQs that report here

private:
    Config config_;
    uint32_t prod_ = 0;
    uint32_t cons_ = 0;
    bool is_armed_ = false;
};

class EventQueueTable {
public:
    EventQueueTable(Host& host, uint32_t capacity, const Permutation& permutation);

    [[nodiscard]] Result<uint32_t, Status> create(const EventQueue::Config& config);
    [[nodiscard]] Status destroy(uint32_t eqn);
    [[nodiscard]] EventQueue* find(uint32_t eqn);
    void clear();
    [[nodiscard]] uint32_t count() const;

    // To the asynchronous EQ; without one the event is dropped. Overrun sets has_overrun().
    void raise(const Event& event);
    // To @eqn. False: no room, try again after its next doorbell.
    [[nodiscard]] bool raise_completion(uint32_t eqn, uint32_t cqn);
    [[nodiscard]] bool has_overrun() const { return has_overrun_; }

    // CQs whose event waits (moderation, or no room) say until when; the card
    // looks at them again at the earliest of these times. UINT64_MAX: none waits.
    void wake_at(uint64_t deadline_ns) { wake_ns_ = std::min(wake_ns_, deadline_ns); }
    [[nodiscard]] uint64_t wake_ns() const { return wake_ns_; }
    void clear_wake() { wake_ns_ = UINT64_MAX; }

private:
    Host& host_;
    ObjectTable<EventQueue> queues_;
    uint32_t asynchronous_ = 0;  // number, 0: none
    bool has_overrun_ = false;
    uint64_t wake_ns_ = UINT64_MAX;
};

}  // namespace tern
