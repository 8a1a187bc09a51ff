// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
//
// Where the command queue's hardware hands commands over: the firmware. The
// hardware moves bytes (ring entry, mailboxes, completion), the firmware gives
// them meaning. It also owns boot, heartbeat and the fatal state.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "tern/fw/command.h"
#include "tern/hw/regs.h"

namespace tern {

struct CommandAnswer {
    tern_command_status status = TERN_STATUS_OK;
    uint32_t syndrome = 0;
    uint32_t out_length = 0;  // bytes of @out that the firmware filled
};

class CommandSink {
public:
    virtual ~CommandSink() = default;

    // Lengths that the firmware expects of @opcode; the hardware compares them with
    // the command before it touches a mailbox. BAD_OPCODE if there is no such command.
    struct Shape {
        tern_command_status status;
        uint32_t in_length;
        uint32_t out_length;
    };
    [[nodiscard]] virtual Shape shape(uint16_t opcode, uint8_t version) const = 0;
    // @in has shape().in_length bytes, @out room for shape().out_length, zeroed.
    [[nodiscard]] virtual CommandAnswer execute(uint16_t opcode, std::span<const std::byte> in,
                                                std::span<std::byte> out) = 0;

    // Reset: boot begins at @now_ns.
    virtual void reset(uint64_t now_ns) = 0;
    [[nodiscard]] virtual tern_device_state state(uint64_t now_ns) const = 0;
    // When state() changes by itself (end of boot); UINT64_MAX: not foreseen.
    [[nodiscard]] virtual uint64_t deadline_ns() const = 0;
    [[nodiscard]] virtual uint32_t heartbeat(uint64_t now_ns) const = 0;
    [[nodiscard]] virtual tern_syndrome syndrome() const = 0;
    // The hardware (or the firmware itself) gives up until reset.
    virtual void set_fatal(tern_syndrome syndrome) = 0;
    // False while hung: commands are left in the ring.
    [[nodiscard]] virtual bool is_responsive() const = 0;
    virtual void set_hang(bool hang, uint64_t now_ns) = 0;
};

}  // namespace tern
