// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
//
// A card driven from user space through VFIO, by nothing but the contract: its
// registers and its command queue. All that it may reach of memory is what
// map() has given it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "tern/fw/command.h"

namespace tern::guest {

class VfioCard {
public:
    // @address: PCI address of a card that vfio-pci is bound to. Throws
    // std::system_error with what failed.
    explicit VfioCard(const std::string& address);
    ~VfioCard();
    VfioCard(const VfioCard&) = delete;

    // Gives the card @bytes of zeroed memory at bus address @iova.
    uint8_t* map(uint64_t iova, size_t bytes);
    void unmap(uint64_t iova, size_t bytes);

    // Function-level reset, then bus mastering as at first.
    void reset();
    // Waits for READY and starts the command queue with its rings at @iova, a page each.
    void start(uint64_t iova, uint8_t* rings);
    // The completion of a command without request; nullopt: none within @timeout_ms.
    std::optional<tern_command_completion> run(uint16_t opcode, uint32_t out_length = 0, uint64_t out_mailbox = 0,
                                               int timeout_ms = 10000);

    [[nodiscard]] uint32_t state() const;

private:
    [[nodiscard]] uint32_t load(size_t offset) const;
    void store32(size_t offset, uint32_t value);
    void store64(size_t offset, uint64_t value);
    void enable_bus_master();

    int container_ = -1;
    int group_ = -1;
    int device_ = -1;
    volatile uint8_t* registers_ = nullptr;
    uint8_t* rings_ = nullptr;
    uint32_t prod_ = 0;
};

}  // namespace tern::guest
