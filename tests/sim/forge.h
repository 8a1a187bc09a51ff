// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
//
// Frames made and read by hand: what a peer that keeps to no rule may send.
#pragma once

#include <optional>

#include "qemu/engine/wire/packet.h"
#include "qemu/engine/wire/packet_builder.h"
#include "tests/sim/world.h"

namespace tern::test {

struct Forged {
    uint8_t opcode;
    uint32_t psn = 0;
    ExtendedHeaders headers{};
    std::vector<uint8_t> payload{};
    bool requests_ack = true;
    uint32_t dest_qpn = 0;  // 0: that of the endpoint
};

// As if @from sent it to @to, over the connection that they have.
[[nodiscard]] Frame forge(const Node& from, const Endpoint& to, const Forged& packet, uint8_t gid_index = kIpv4);
// The right ICRC for a frame that was changed. Frames without room for one stay.
void seal(Frame& frame);
// Offset of the BTH.
[[nodiscard]] size_t bth_of(const Frame& frame);
// Views point into @frame.
[[nodiscard]] std::optional<Packet> read(const Frame& frame);

}  // namespace tern::test
