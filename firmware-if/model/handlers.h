// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
//
// One handler per command: decodes the request, asks Control, encodes the
// answer. @in and @out are private copies of exactly the request's and the
// response's bytes; @out is zeroed.
#pragma once

#include <cstddef>
#include <span>

#include "firmware-if/codec/codec.h"
#include "qemu/engine/api/command_sink.h"
#include "qemu/engine/api/control.h"
#include "qemu/engine/base/endian.h"

namespace tern::firmware {

using Request = std::span<const std::byte>;
using Response = std::span<std::byte>;
using Handler = CommandAnswer (*)(Control&, Request, Response);

[[nodiscard]] inline codec::Limits limits_of(Control& control) {
    return {control.identity().ports, control.identity().vectors};
}

// A status, with the offset of what is wrong in the request.
[[nodiscard]] inline CommandAnswer refuse(tern_command_status status, size_t offset) {
    return {status, static_cast<uint32_t>(offset), 0};
}

// What @use makes of the decoded request, or why it is none.
template <typename T, typename Use>
[[nodiscard]] CommandAnswer with(const Result<T, codec::Refusal>& request, Use use) {
    if (!request) return refuse(request.error().status, request.error().offset);
    return use(*request);
}

template <typename T, typename Use>
[[nodiscard]] CommandAnswer with(Control& control, Request in, Use use) {
    return with(codec::decode<T>(in, limits_of(control)), use);
}

// A request that is a handle: the status that @use has for the number.
template <typename Use>
[[nodiscard]] CommandAnswer with_handle(Control& control, Request in, Use use) {
    return with<tern_cmd_handle>(
        control, in, [&](const tern_cmd_handle& request) -> CommandAnswer { return {use(little(request.handle))}; });
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
