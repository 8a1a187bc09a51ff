// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
//
// Requests and responses between bytes and the structs of include/tern/fw. A
// request that decode() returns has the right length, no bit set that has no
// meaning, and every value in its range: all that can be known without the
// state of a card. Fields stay little-endian, as the contract has them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "qemu/engine/base/result.h"
#include "tern/fw/command.h"
#include "tern/fw/cq.h"
#include "tern/fw/eth.h"
#include "tern/fw/mr.h"
#include "tern/fw/port.h"
#include "tern/fw/qp.h"

namespace tern::codec {

// Longest region with a page list: three levels of 4 KiB pages reach it.
inline constexpr uint64_t kMaxRegionBytes = uint64_t{1} << 48;

// Status and syndrome of a command that is refused: @offset is that of the
// first byte at fault, in the request.
struct Refusal {
    tern_command_status status = TERN_STATUS_OK;
    uint32_t offset = 0;

    explicit operator bool() const { return status != TERN_STATUS_OK; }
};

// What QUERY_DEVICE told the host: the ranges that differ from card to card.
struct Limits {
    uint8_t ports;
    uint32_t vectors;
};

// BAD_RESERVED: a bit without meaning is set. BAD_PARAMETER: a value out of its range.
[[nodiscard]] Refusal check(const tern_cmd_handle& request, const Limits& limits);
[[nodiscard]] Refusal check(const tern_cmd_alloc_pd& request, const Limits& limits);
[[nodiscard]] Refusal check(const tern_cmd_create_eq& request, const Limits& limits);
[[nodiscard]] Refusal check(const tern_cmd_create_cq& request, const Limits& limits);
[[nodiscard]] Refusal check(const tern_cmd_modify_cq& request, const Limits& limits);
[[nodiscard]] Refusal check(const tern_cmd_create_mr& request, const Limits& limits);
[[nodiscard]] Refusal check(const tern_cmd_create_qp& request, const Limits& limits);
[[nodiscard]] Refusal check(const tern_cmd_modify_qp& request, const Limits& limits);
[[nodiscard]] Refusal check(const tern_cmd_port& request, const Limits& limits);
[[nodiscard]] Refusal check(const tern_cmd_set_port& request, const Limits& limits);
[[nodiscard]] Refusal check(const tern_cmd_rx_mode& request, const Limits& limits);
[[nodiscard]] Refusal check(const tern_cmd_set_gid& request, const Limits& limits);
[[nodiscard]] Refusal check(const tern_cmd_set_rss& request, const Limits& limits);
// CREATE_TXQ and CREATE_RXQ share a request; its ranges are the direction's.
[[nodiscard]] Refusal check_txq(const tern_cmd_create_eth_queue& request, const Limits& limits);
[[nodiscard]] Refusal check_rxq(const tern_cmd_create_eth_queue& request, const Limits& limits);

// The request in @bytes, once @check has passed it. BAD_LENGTH: not exactly a T.
template <typename T>
[[nodiscard]] Result<T, Refusal> decode(std::span<const std::byte> bytes, const Limits& limits,
                                        Refusal (*check)(const T&, const Limits&) = &codec::check) {
    if (bytes.size() != sizeof(T)) return Refusal{TERN_STATUS_BAD_LENGTH, 0};
    T request;
    std::memcpy(&request, bytes.data(), sizeof(T));
    if (const Refusal refusal = check(request, limits)) return refusal;
    return request;
}

// @response into @bytes, which has room for exactly a T.
template <typename T>
void encode(std::span<std::byte> bytes, const T& response) {
    std::memcpy(bytes.data(), &response, std::min(bytes.size(), sizeof(T)));
}

}  // namespace tern::codec
