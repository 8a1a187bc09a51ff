// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
//
// uverbs without a library: commands written to /dev/infiniband/uverbsN with
// whatever bytes and lengths a test wants, responses seen byte for byte.
#pragma once

#include <rdma/ib_user_verbs.h>
#include <rdma/tern-abi.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace tern::guest {

// A response as it travels: the core's part, then the driver's. The core's
// structs end in arrays of no size, so they cannot stand in a struct together.
template <typename Core, typename Driver>
struct Answer {
    std::byte bytes[sizeof(Core) + sizeof(Driver)];

    template <typename T>
    [[nodiscard]] T load(size_t offset) const {
        T value;
        std::memcpy(static_cast<void*>(&value), bytes + offset, sizeof(T));
        return value;
    }
    [[nodiscard]] Core core() const { return load<Core>(0); }
    [[nodiscard]] Driver driver() const { return load<Driver>(sizeof(Core)); }
};

class RawUverbs {
public:
    // The card that open_card() finds. Throws if there is none.
    RawUverbs();
    ~RawUverbs();
    RawUverbs(const RawUverbs&) = delete;

    // Sends @command with @request (core and driver part) and the response
    // buffer's address in its first 8 bytes. Returns 0 or errno. @response is
    // filled with 0xa5 first.
    int command(uint32_t command, std::span<std::byte> request, std::span<std::byte> response);

    // Sends a command that has no response.
    int order(uint32_t command, std::span<const std::byte> request);

    // GET_CONTEXT, then what it answered.
    int get_context(tern_uresp_alloc_ucontext& answer);
    int fd() const { return fd_; }
    // Maps @length at @offset; MAP_FAILED and errno as mmap.
    void* map(uint64_t offset, size_t length, int protection, int flags);

private:
    int write(uint32_t command, std::span<const std::byte> request, size_t response_bytes);

    int fd_;
};

}  // namespace tern::guest
