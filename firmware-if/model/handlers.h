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

namespace tern::firmware {

using Request = std::span<const std::byte>;
using Response = std::span<std::byte>;
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

}  // namespace tern::firmware
