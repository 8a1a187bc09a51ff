// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
//
// The command queue's hardware (tern/fw/command.h): takes commands from the
// ring, moves their mailboxes, asks the firmware, writes completions. A ring
// that cannot be read or an impossible count makes the card fatal.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "qemu/engine/api/command_sink.h"
#include "qemu/engine/api/host.h"

namespace tern {

class CommandQueue {
public:
    struct Config {
        uint64_t ring;
        uint64_t completions;
        uint8_t depth_log2;
        uint16_t vector;
        uint32_t vectors;  // that the card has
        bool raise_vector;
    };

    CommandQueue(Host& host, CommandSink& sink) : host_(host), sink_(sink) {}

    void start(const Config& config);
    void stop();
    void set_interrupt(bool raise_vector) { config_.raise_vector = raise_vector; }
    // Doorbell: producer count.
    void set_prod(uint32_t prod);
    [[nodiscard]] bool has_work() const { return is_running_ && prod_ != cons_ && sink_.is_responsive(); }
    // Runs one command.
    void run_one();

private:
    [[nodiscard]] CommandAnswer execute(const tern_command& command);
    [[nodiscard]] CommandAnswer check(const tern_command& command, CommandSink::Shape& shape) const;
    [[nodiscard]] bool load_request(const tern_command& command, uint32_t length);
    void complete(const tern_command& command, const CommandAnswer& answer);
    void fail();

    Host& host_;
    CommandSink& sink_;
    Config config_{};
    bool is_running_ = false;
    uint32_t prod_ = 0;
    uint32_t cons_ = 0;
    uint32_t completed_ = 0;
    // One mailbox each way; commands run one at a time.
    std::array<std::byte, TERN_COMMAND_MAILBOX_BYTES> in_{};
    std::array<std::byte, TERN_COMMAND_MAILBOX_BYTES> out_{};
};

}  // namespace tern
