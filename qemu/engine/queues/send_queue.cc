// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
#include "qemu/engine/queues/send_queue.h"

#include <algorithm>

#include "qemu/engine/base/endian.h"
#include "qemu/engine/queues/send_wqe.h"
#include "tern/hw/ring.h"

namespace tern {

bool SendQueue::set_prod(uint32_t prod) {
    // An old doorbell that arrives late is not an error, and not news.
    if (static_cast<int32_t>(prod - prod_) <= 0) return prod_ - prod <= (1u << config_.depth_log2);
    if (prod - fetched_ > (1u << config_.depth_log2)) return false;
    prod_ = prod;
    return true;
}

bool SendQueue::load_prod(Host& host) {
    uint32_t prod = 0;
    if (!host.read(config_.record + config_.record_offset, std::as_writable_bytes(std::span(&prod, 1)))) return false;
    return set_prod(little(prod));
}

bool SendQueue::push(std::span<const std::byte, TERN_SQ_BLOCK_BYTES> block) {
    tern_wqe_control control;
    std::memcpy(&control, block.data(), sizeof(control));
    const bool is_next =
        fetched_ == prod_ && little(control.index) == static_cast<uint16_t>(prod_) && wqe_blocks(block) == 1;
    if (!is_next) return false;
    std::ranges::copy(block, pushed_.begin());
    has_pushed_ = true;
    ++prod_;
    return true;
}

bool SendQueue::copy(Host& host, uint32_t count, uint32_t blocks, std::span<std::byte> out) {
    const uint32_t slot = tern_ring_slot(count, config_.depth_log2);
    const uint32_t first = std::min(blocks, (1u << config_.depth_log2) - slot);
    const size_t first_bytes = size_t{first} << TERN_SQ_BLOCK_SHIFT;
    const size_t all_bytes = size_t{blocks} << TERN_SQ_BLOCK_SHIFT;
    return config_.buffer.read(host, uint64_t{slot} << TERN_SQ_BLOCK_SHIFT, out.first(first_bytes)) &&
           config_.buffer.read(host, 0, out.subspan(first_bytes, all_bytes - first_bytes));
}

Result<bool, WqeError> SendQueue::load(Host& host, uint32_t count, bool may_use_push, SendWqe& wqe) {
    Bytes bytes;
    wqe.start = count;
    wqe.blocks = 1;
    wqe.is_signaled = true;
    if (may_use_push && has_pushed_) {
        std::ranges::copy(pushed_, bytes.begin());
    } else if (!copy(host, count, 1, bytes)) {
        return WqeError::kFault;
    }
    const uint32_t blocks = wqe_blocks(bytes);
    if (blocks > prod_ - count) return WqeError::kMalformed;
    const std::span<std::byte> rest = std::span(bytes).subspan(TERN_SQ_BLOCK_BYTES);
    if (blocks > 1 && !copy(host, count + 1, blocks - 1, rest)) return WqeError::kFault;
    return decode_send_wqe({config_.kind, config_.number, count},
                           std::span(bytes).first(size_t{blocks} << TERN_SQ_BLOCK_SHIFT), wqe);
}

Result<bool, WqeError> SendQueue::peek(Host& host, SendWqe& wqe) { return load(host, fetched_, true, wqe); }

void SendQueue::advance(const SendWqe& wqe) {
    has_pushed_ = false;
    fetched_ += std::min<uint32_t>(wqe.blocks, prod_ - fetched_);
}

Result<bool, WqeError> SendQueue::refetch(Host& host, uint32_t count, SendWqe& wqe) {
    return load(host, count, false, wqe);
}

uint16_t SendQueue::skip(Host& host) {
    const auto index = static_cast<uint16_t>(fetched_);
    std::array<std::byte, TERN_SQ_BLOCK_BYTES> block{};
    has_pushed_ = false;
    const uint32_t blocks = copy(host, fetched_, 1, block) ? wqe_blocks(block) : 1;
    fetched_ += std::min(blocks, prod_ - fetched_);
    return index;
}

void SendQueue::reset() {
    prod_ = 0;
    fetched_ = 0;
    has_pushed_ = false;
}

}  // namespace tern
