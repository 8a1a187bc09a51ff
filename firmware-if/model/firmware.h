// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
//
// The firmware that runs on the emulated card: boots, beats, and gives commands
// their meaning. It checks what a command says (reserved bits, ranges) and
// drives the hardware through Control, which checks handles and states.
#pragma once

#include "qemu/engine/api/command_sink.h"
#include "qemu/engine/api/control.h"

namespace tern::firmware {

// Versions that QUERY_FIRMWARE reports.
inline constexpr uint16_t kMajor = 1, kMinor = 0, kPatch = 0;
// From reset to READY.
inline constexpr uint64_t kBootNs = 2'000'000;

class Firmware final : public CommandSink {
public:
    explicit Firmware(Control& control) : control_(control) {}

    [[nodiscard]] Shape shape(uint16_t opcode, uint8_t version) const override;
    [[nodiscard]] CommandAnswer execute(uint16_t opcode, std::span<const std::byte> in,
                                        std::span<std::byte> out) override;
    void reset(uint64_t now_ns) override;
    [[nodiscard]] tern_device_state state(uint64_t now_ns) const override;
    [[nodiscard]] uint64_t deadline_ns() const override { return UINT64_MAX; }
    [[nodiscard]] uint32_t heartbeat(uint64_t now_ns) const override;
    [[nodiscard]] tern_syndrome syndrome() const override { return syndrome_; }
    void set_fatal(tern_syndrome syndrome) override;
    [[nodiscard]] bool is_responsive() const override { return !is_hung_ && syndrome_ == TERN_SYNDROME_NONE; }
    void set_hang(bool hang, uint64_t now_ns) override;

private:
    Control& control_;
    uint64_t boot_ns_ = 0;
    uint64_t hung_at_ns_ = 0;
    bool is_hung_ = false;
    tern_syndrome syndrome_ = TERN_SYNDROME_NONE;
};

}  // namespace tern::firmware
