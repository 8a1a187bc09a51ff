// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
//
// One handler per command. @in and @out are private copies of exactly the
// request's and the response's bytes; @out is zeroed.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <span>

#include "qemu/engine/api/command_sink.h"
#include "qemu/engine/api/control.h"
#include "qemu/engine/base/endian.h"
#include "tern/hw/limits.h"

namespace tern::firmware {

using Request = std::span<const std::byte>;
using Response = std::span<std::byte>;
// Longest region with a page list: three levels of 4 KiB pages reach it.
inline constexpr uint64_t kMaxRegionBytes = uint64_t{1} << 48;

using Handler = CommandAnswer (*)(Control&, Request, Response);

template <typename T>
[[nodiscard]] T decode(Request in) {
    T value;
    std::memcpy(&value, in.data(), sizeof(T));
    return value;
}

template <typename T>
void encode(Response out, const T& value) {
    std::memcpy(out.data(), &value, sizeof(T));
}

// Status of a refusal, with the offset of what is wrong.
[[nodiscard]] inline CommandAnswer refuse(tern_command_status status, size_t offset) {
    return {status, static_cast<uint32_t>(offset), 0};
}

template <size_t N>
[[nodiscard]] bool is_zero(const uint8_t (&bytes)[N]) {
    for (const uint8_t byte : bytes)
        if (byte) return false;
    return true;
}

// A list where there is to be none.
[[nodiscard]] inline bool is_empty(const tern_page_list& list) {
    return !list.root && !list.page_count && !list.levels && !list.page_shift && !list.reserved_0e;
}

[[nodiscard]] inline bool is_depth(uint8_t depth_log2, uint8_t max_log2) {
    return depth_log2 >= TERN_RING_MIN_DEPTH_LOG2 && depth_log2 <= max_log2;
}

[[nodiscard]] inline bool is_port(Control& control, uint8_t port) {
    return port >= 1 && port <= control.identity().ports;
}

// A request that is a handle: what @use makes of the number, or a refusal of the reserved field.
template <typename Use>
[[nodiscard]] CommandAnswer with_handle(Request in, Use use) {
    const auto raw = decode<tern_cmd_handle>(in);
    if (raw.reserved_04) return refuse(TERN_STATUS_BAD_RESERVED, offsetof(tern_cmd_handle, reserved_04));
    return {use(little(raw.handle))};
}

// The handle that a create returned, or why it failed.
[[nodiscard]] CommandAnswer answer_handle(const Result<uint32_t, Status>& result, Response out);

CommandAnswer query_device(Control& control, Request in, Response out);
CommandAnswer query_firmware(Control& control, Request in, Response out);
CommandAnswer query_objects(Control& control, Request in, Response out);
CommandAnswer alloc_pd(Control& control, Request in, Response out);
CommandAnswer dealloc_pd(Control& control, Request in, Response out);
CommandAnswer create_eq(Control& control, Request in, Response out);
CommandAnswer destroy_eq(Control& control, Request in, Response out);
CommandAnswer create_cq(Control& control, Request in, Response out);
CommandAnswer destroy_cq(Control& control, Request in, Response out);
CommandAnswer query_port(Control& control, Request in, Response out);
CommandAnswer set_port(Control& control, Request in, Response out);
CommandAnswer set_rx_mode(Control& control, Request in, Response out);
CommandAnswer query_port_counters(Control& control, Request in, Response out);
CommandAnswer set_gid(Control& control, Request in, Response out);
CommandAnswer modify_cq(Control& control, Request in, Response out);
CommandAnswer create_mr(Control& control, Request in, Response out);
CommandAnswer destroy_mr(Control& control, Request in, Response out);
CommandAnswer create_qp(Control& control, Request in, Response out);
CommandAnswer destroy_qp(Control& control, Request in, Response out);
CommandAnswer modify_qp(Control& control, Request in, Response out);
CommandAnswer query_qp(Control& control, Request in, Response out);
CommandAnswer create_txq(Control& control, Request in, Response out);
CommandAnswer destroy_txq(Control& control, Request in, Response out);
CommandAnswer create_rxq(Control& control, Request in, Response out);
CommandAnswer destroy_rxq(Control& control, Request in, Response out);
CommandAnswer set_rss(Control& control, Request in, Response out);

}  // namespace tern::firmware
