// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
//
// Receive queue of a QP, or of an Ethernet receive queue: a ring of SGE lists.
// The doorbell record is read only when the cached count is used up.
#pragma once

#include <array>
#include <cstdint>

#include "qemu/engine/api/host.h"
#include "qemu/engine/base/result.h"
#include "qemu/engine/memory/page_list.h"
#include "qemu/engine/queues/send_queue.h"

namespace tern {

struct ReceiveWqe {
    uint16_t index;
    uint8_t num_sge;
    uint64_t length_bytes;
    std::array<Sge, TERN_MAX_RECV_SGE> sges;
};

enum class ReceiveError : uint8_t {
    kEmpty,      // no receive WQE: RNR, or drop
    kFault,      // ring or record could not be read
    kMalformed,  // impossible producer count
};

class ReceiveQueue {
public:
    struct Config {
        uint8_t depth_log2;
        uint8_t stride_log2;  // entries of 16 << stride_log2 bytes
        uint64_t record;
        uint32_t record_offset;
        PageList buffer;
    };

    ReceiveQueue() = default;
    explicit ReceiveQueue(const Config& config) : config_(config), exists_(true) {}

    [[nodiscard]] bool exists() const { return exists_; }
    // Takes the next WQE.
    [[nodiscard]] Result<bool, ReceiveError> take(Host& host, ReceiveWqe& wqe);
    // True if take() would find one (reads the record if need be).
    [[nodiscard]] bool has_wqe(Host& host);
    // Flush: like take() without reading the entry; returns its index or kEmpty.
    [[nodiscard]] Result<uint16_t, ReceiveError> skip(Host& host);
    void reset();

private:
    [[nodiscard]] Result<bool, ReceiveError> refill(Host& host);

    Config config_{};
    bool exists_ = false;
    uint32_t prod_ = 0;
    uint32_t cons_ = 0;
};

}  // namespace tern
