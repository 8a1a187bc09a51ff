// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
#pragma once

#include <cstdint>
#include <span>

#include "qemu/engine/api/command_sink.h"

namespace tern::test {

// A firmware that is always up and takes no commands: the tests call Control.
class SilentFirmware final : public CommandSink {
public:
    [[nodiscard]] Shape shape(uint16_t, uint8_t) const override { return {TERN_STATUS_BAD_OPCODE, 0, 0}; }
    [[nodiscard]] CommandAnswer execute(uint16_t, std::span<const std::byte>, std::span<std::byte>) override {
        return {TERN_STATUS_BAD_OPCODE};
    }
    void reset(uint64_t) override { syndrome_ = TERN_SYNDROME_NONE; }
    [[nodiscard]] tern_device_state state(uint64_t) const override { return TERN_DEVICE_STATE_READY; }
    [[nodiscard]] uint64_t deadline_ns() const override { return UINT64_MAX; }
    [[nodiscard]] uint32_t heartbeat(uint64_t) const override { return 0; }
    [[nodiscard]] tern_syndrome syndrome() const override { return syndrome_; }
    void set_fatal(tern_syndrome syndrome) override { syndrome_ = syndrome; }
    [[nodiscard]] bool is_responsive() const override { return true; }
    void set_hang(bool, uint64_t) override {}

private:
    tern_syndrome syndrome_ = TERN_SYNDROME_NONE;
};

}  // namespace tern::test
