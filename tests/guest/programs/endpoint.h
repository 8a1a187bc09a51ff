// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
//
// One side of a connection made of plain verbs: context, PD, CQ, QP and a
// registered buffer. Two of them, on the two ports of one card whose ports are
// cabled to each other, let one process be both peers and see both ends.
#pragma once

#include <infiniband/verbs.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace tern::guest {

template <auto Destroy>
struct Destroyer {
    template <typename T>
    void operator()(T* object) const {
        Destroy(object);
    }
};

template <typename T, auto Destroy>
using Handle = std::unique_ptr<T, Destroyer<Destroy>>;

using Context = Handle<ibv_context, ibv_close_device>;
using ProtectionDomain = Handle<ibv_pd, ibv_dealloc_pd>;
using CompletionQueue = Handle<ibv_cq, ibv_destroy_cq>;
using QueuePair = Handle<ibv_qp, ibv_destroy_qp>;
using MemoryRegion = Handle<ibv_mr, ibv_dereg_mr>;
using AddressHandle = Handle<ibv_ah, ibv_destroy_ah>;

inline constexpr int kAllAccess =
    IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;
inline constexpr uint32_t kUdQkey = 0x11223344;

// First device whose name starts with "tern", or what TERN_TEST_DEVICE names.
Context open_card();

struct EndpointOptions {
    uint8_t port = 1;
    ibv_qp_type type = IBV_QPT_RC;
    size_t buffer_bytes = 4 << 20;
    uint32_t depth = 64;
    uint32_t max_sge = 4;
    uint32_t max_inline = 64;
    int cqe = 256;
    bool signal_all = true;
    int access = kAllAccess;
};

struct ConnectOptions {
    ibv_mtu mtu = IBV_MTU_1024;
    uint8_t timeout = 12;
    uint8_t retry_count = 7;
    uint8_t rnr_retry = 7;
    uint8_t min_rnr_timer = 1;
    uint8_t rd_atomic = 4;
    uint32_t psn = 0xfffff0;  // wraps soon
    int access = kAllAccess;
};

class Endpoint {
public:
    Endpoint(ibv_context* context, const EndpointOptions& options);

    std::span<uint8_t> bytes() { return buffer_; }
    uint64_t address(size_t offset = 0) const { return reinterpret_cast<uint64_t>(buffer_.data()) + offset; }
    ibv_sge sge(size_t offset, uint32_t length) const { return {address(offset), length, mr->lkey}; }
    const ibv_gid& gid() const { return gid_; }
    uint8_t port() const { return options_.port; }

    // Steps to RTS; ASSERT-free: returns errno of the first refusal.
    int to_init(int access = kAllAccess);
    int connect(const Endpoint& peer, const ConnectOptions& options = {});
    int to_rts_ud();
    AddressHandle address_handle(const Endpoint& peer);
    ibv_qp_state state();

    int post_receive(uint64_t id, std::vector<ibv_sge> sges);
    int post(ibv_send_wr& work);

    // Next completion; nullopt after @timeout_ms.
    std::optional<ibv_wc> wait(int timeout_ms = 20000);

private:
    ibv_context* context_;
    EndpointOptions options_;
    ibv_gid gid_{};
    std::vector<uint8_t> buffer_;

public:
    // In the order in which they may be made; destroyed in the other.
    ProtectionDomain pd;
    CompletionQueue cq;
    MemoryRegion mr;
    QueuePair qp;
};

// Work requests, signaled.
ibv_send_wr make_work(uint64_t id, ibv_wr_opcode opcode, std::span<ibv_sge> sges);
ibv_send_wr make_remote(uint64_t id, ibv_wr_opcode opcode, std::span<ibv_sge> sges, uint64_t address, uint32_t rkey);

// Fills with a pattern that depends on @seed and position.
void fill(std::span<uint8_t> bytes, uint32_t seed);

}  // namespace tern::guest
