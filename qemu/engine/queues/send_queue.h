// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
//
// Send side of a QP, or an Ethernet transmit queue: a ring of 64-byte blocks in
// host memory. A WQE is copied once, decoded from the copy, and only the
// decoded value is used. No thread but the caller's.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "qemu/engine/api/host.h"
#include "qemu/engine/base/result.h"
#include "qemu/engine/memory/page_list.h"
#include "tern/hw/doorbell.h"
#include "tern/hw/limits.h"
#include "tern/hw/wqe.h"

namespace tern {

struct Sge {
    uint64_t address;
    uint32_t length_bytes;
    uint32_t lkey;
};

// A send WQE in host order. Only the members that the opcode has are set.
struct SendWqe {
    uint32_t start;      // free-running count of its first block
    uint8_t blocks;
    uint8_t opcode;      // enum tern_wqe_opcode, checked to be one of them
    bool is_signaled;
    bool is_solicited;
    bool is_fenced;
    bool is_inline;
    bool has_csum;
    uint32_t immediate;  // as the be32 stands in memory, or host-order key for *_INV
    uint32_t qkey;
    // Remote segment, atomic segment
    uint64_t remote_address;
    uint32_t rkey;
    uint64_t swap_or_add;
    uint64_t compare;
    // UD
    std::array<uint8_t, 16> dgid;
    std::array<uint8_t, 6> dmac;
    uint8_t sgid_index;
    uint8_t hop_limit;
    uint32_t flow_class;
    uint32_t remote_qpn;
    // REG_MR
    uint64_t registration_iova;
    uint64_t registration_length_bytes;
    uint64_t registration_page_list;
    uint32_t registration_page_count;
    uint32_t registration_key;
    uint32_t registration_access;
    uint8_t registration_page_shift;
    // ETH_SEND
    uint16_t csum_start;
    uint16_t csum_offset;
    // Data
    uint64_t length_bytes;  // of all SGEs, or inline
    uint8_t num_sge;
    std::array<Sge, TERN_MAX_SEND_SGE + 2> sges;  // Ethernet has TERN_ETH_MAX_SGE
    std::array<std::byte, TERN_WQE_MAX_INLINE_BYTES> inline_data;
};

// Which segments a WQE may have.
enum class SendQueueKind : uint8_t { kRc, kUc, kUd, kEthernet };

enum class WqeError : uint8_t {
    kFault,      // the ring could not be read
    kMismatch,   // QPN or index of another slot
    kMalformed,  // unknown opcode, reserved bit, too few blocks, too many SGEs
};

class SendQueue {
public:
    struct Config {
        SendQueueKind kind;
        uint32_t number;     // object number, checked in each WQE
        uint8_t depth_log2;  // blocks
        uint64_t record;     // bus address of the doorbell record
        uint32_t record_offset;  // of the producer count in it
        PageList buffer;
    };

    SendQueue() = default;
    explicit SendQueue(const Config& config) : config_(config) {}

    // Doorbell: producer count. False: more than depth blocks beyond fetch().
    [[nodiscard]] bool set_prod(uint32_t prod);
    // Reads the record instead (lost doorbells, ERR polling). False: DMA fault or impossible count.
    [[nodiscard]] bool load_prod(Host& host);
    // A pushed one-block WQE. Kept if it is the next one, else ignored; returns whether kept.
    bool push(std::span<const std::byte, TERN_SQ_BLOCK_BYTES> block);

    [[nodiscard]] bool is_empty() const { return fetched_ == prod_; }
    [[nodiscard]] uint32_t prod() const { return prod_; }
    [[nodiscard]] uint32_t fetched() const { return fetched_; }
    // Reads and decodes the WQE at fetched(); nothing moves, so one that must
    // wait is simply looked at again. On an error @wqe.start and blocks are set.
    [[nodiscard]] Result<bool, WqeError> peek(Host& host, SendWqe& wqe);
    // Moves past the WQE that peek() showed.
    void advance(const SendWqe& wqe);
    // Decodes the WQE that starts at @count again (retransmission); nothing moves.
    [[nodiscard]] Result<bool, WqeError> refetch(Host& host, uint32_t count, SendWqe& wqe);
    // Flush: steps over the WQE at fetched() whatever it holds. Returns its index for the CQE.
    uint16_t skip(Host& host);
    // RESET: counts start at 0 again.
    void reset();

private:
    using Bytes = std::array<std::byte, TERN_WQE_MAX_BLOCKS * TERN_SQ_BLOCK_BYTES>;
    // Copies @blocks blocks from @count on; a WQE may wrap at any block.
    [[nodiscard]] bool copy(Host& host, uint32_t count, uint32_t blocks, std::span<std::byte> out);
    [[nodiscard]] Result<bool, WqeError> load(Host& host, uint32_t count, bool may_use_push, SendWqe& wqe);

    Config config_{};
    uint32_t prod_ = 0;
    uint32_t fetched_ = 0;
    bool has_pushed_ = false;
    std::array<std::byte, TERN_SQ_BLOCK_BYTES> pushed_{};
};

}  // namespace tern
