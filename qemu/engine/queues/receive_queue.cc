// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
#include "qemu/engine/queues/receive_queue.h"

#include "qemu/engine/base/endian.h"
#include "tern/hw/access.h"
#include "tern/hw/ring.h"

namespace tern {

Result<bool, ReceiveError> ReceiveQueue::refill(Host& host) {
    if (!exists_) return ReceiveError::kEmpty;
    uint32_t prod = 0;
    if (!host.read(config_.record + config_.record_offset, std::as_writable_bytes(std::span(&prod, 1))))
        return ReceiveError::kFault;
    prod = little(prod);
    if (prod - cons_ > (1u << config_.depth_log2)) return ReceiveError::kMalformed;
    prod_ = prod;
    if (prod_ == cons_) return ReceiveError::kEmpty;
    return true;
}

bool ReceiveQueue::has_wqe(Host& host) { return prod_ != cons_ || refill(host).ok(); }

Result<bool, ReceiveError> ReceiveQueue::take(Host& host, ReceiveWqe& wqe) {
    if (prod_ == cons_) {
        if (auto filled = refill(host); !filled) return filled.error();
    }
    std::array<tern_sge, TERN_MAX_RECV_SGE> raw;
    const size_t stride = sizeof(tern_sge) << config_.stride_log2;
    const uint64_t offset = uint64_t{tern_ring_slot(cons_, config_.depth_log2)} * stride;
    if (!config_.buffer.read(host, offset, std::as_writable_bytes(std::span(raw)).first(stride)))
        return ReceiveError::kFault;
    wqe.index = static_cast<uint16_t>(cons_++);
    wqe.num_sge = 0;
    wqe.length_bytes = 0;
    for (size_t i = 0; i < size_t{1} << config_.stride_log2; ++i) {
        const Sge sge = {little(raw[i].address), little(raw[i].length_bytes), little(raw[i].lkey)};
        if (sge.lkey == TERN_INVALID_LKEY && sge.length_bytes == 0) break;
        wqe.sges[wqe.num_sge++] = sge;
        wqe.length_bytes += sge.length_bytes;
    }
    return true;
}

Result<uint16_t, ReceiveError> ReceiveQueue::skip(Host& host) {
    if (prod_ == cons_) {
        if (auto filled = refill(host); !filled) return filled.error();
    }
    return static_cast<uint16_t>(cons_++);
}

void ReceiveQueue::reset() {
    prod_ = 0;
    cons_ = 0;
}

}  // namespace tern
