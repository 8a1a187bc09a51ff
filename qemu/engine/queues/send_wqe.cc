// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
#include "qemu/engine/queues/send_wqe.h"

#include <algorithm>

#include "qemu/engine/base/endian.h"
#include "tern/hw/eth_wqe.h"

namespace tern {

namespace {

// Reads structs one after the other from the copy; remembers running out.
class Reader {
public:
    explicit Reader(std::span<const std::byte> bytes) : rest_(bytes) {}

    template <typename T>
    [[nodiscard]] bool take(T& value) {
        if (rest_.size() < sizeof(T)) return false;
        std::memcpy(&value, rest_.data(), sizeof(T));
        rest_ = rest_.subspan(sizeof(T));
        return true;
    }

    [[nodiscard]] std::span<const std::byte> rest() const { return rest_; }

private:
    std::span<const std::byte> rest_;
};

// Which segments follow the control segment.
enum Segments : uint8_t { kNone = 0, kRemote = 1, kAtomic = 2, kAddressVector = 4, kRegistration = 8, kEth = 16 };

// What an opcode is made of and where it may stand.
struct OpcodeShape {
    bool exists = false;
    uint8_t segments = kNone;
    bool has_immediate = false;  // or a key
    bool has_data = false;
    bool may_inline = false;
    uint8_t min_sge = 0;
    uint8_t max_sge = TERN_MAX_SEND_SGE;
};

OpcodeShape rc_shape(uint8_t opcode) {
    switch (opcode) {
    case TERN_WQE_OP_SEND: return {true, kNone, false, true, true};
    case TERN_WQE_OP_SEND_WITH_IMM:
    case TERN_WQE_OP_SEND_WITH_INV: return {true, kNone, true, true, true};
    case TERN_WQE_OP_RDMA_WRITE: return {true, kRemote, false, true, true};
    case TERN_WQE_OP_RDMA_WRITE_WITH_IMM: return {true, kRemote, true, true, true};
    case TERN_WQE_OP_RDMA_READ: return {true, kRemote, false, true, false};
    case TERN_WQE_OP_ATOMIC_CMP_AND_SWP:
    case TERN_WQE_OP_ATOMIC_FETCH_AND_ADD: return {true, kRemote | kAtomic, false, true, false, 1, 1};
    case TERN_WQE_OP_LOCAL_INV: return {true, kNone, true, false, false, 0, 0};
    case TERN_WQE_OP_REG_MR: return {true, kRegistration, false, false, false, 0, 0};
    default: return {};
    }
}

// What needs no answer, and what stays in the card (IBTA table 38, 10.8.2).
bool has_uc_opcode(uint8_t opcode) {
    switch (opcode) {
    case TERN_WQE_OP_SEND:
    case TERN_WQE_OP_SEND_WITH_IMM:
    case TERN_WQE_OP_RDMA_WRITE:
    case TERN_WQE_OP_RDMA_WRITE_WITH_IMM:
    case TERN_WQE_OP_LOCAL_INV:
    case TERN_WQE_OP_REG_MR: return true;
    default: return false;
    }
}

OpcodeShape shape_of(SendQueueKind kind, uint8_t opcode) {
    switch (kind) {
    case SendQueueKind::kRc: return rc_shape(opcode);
    case SendQueueKind::kUc: return has_uc_opcode(opcode) ? rc_shape(opcode) : OpcodeShape{};
    case SendQueueKind::kUd:
        if (opcode == TERN_WQE_OP_SEND) return {true, kAddressVector, false, true, true};
        if (opcode == TERN_WQE_OP_SEND_WITH_IMM) return {true, kAddressVector, true, true, true};
        return {};
    case SendQueueKind::kEthernet:
        if (opcode == TERN_WQE_OP_ETH_SEND) return {true, kEth, false, true, false, 1, TERN_ETH_MAX_SGE};
        return {};
    }
    return {};
}

bool decode_remote(Reader& reader, SendWqe& wqe) {
    tern_wqe_remote raw;
    if (!reader.take(raw) || raw.reserved_0c) return false;
    wqe.remote_address = little(raw.address);
    wqe.rkey = little(raw.rkey);
    return true;
}

bool decode_atomic(Reader& reader, SendWqe& wqe) {
    tern_wqe_atomic raw;
    if (!reader.take(raw)) return false;
    wqe.swap_or_add = little(raw.swap_or_add);
    wqe.compare = little(raw.compare);
    return true;
}

bool decode_address_vector(Reader& reader, SendWqe& wqe) {
    tern_wqe_address_vector raw;
    if (!reader.take(raw)) return false;
    std::ranges::copy(raw.dgid, wqe.dgid.begin());
    std::ranges::copy(raw.dmac, wqe.dmac.begin());
    wqe.sgid_index = raw.sgid_index;
    wqe.hop_limit = raw.hop_limit;
    wqe.flow_class = little(raw.flow_class);
    wqe.remote_qpn = little(raw.remote_qpn);
    return TERN_GET32(TERN_AV_RESERVED, wqe.flow_class) == 0 && wqe.remote_qpn <= TERN_OBJECT_NUMBER_MASK;
}

bool decode_registration(Reader& reader, SendWqe& wqe) {
    tern_wqe_registration raw;
    if (!reader.take(raw) || raw.reserved_25[0] || raw.reserved_25[1] || raw.reserved_25[2]) return false;
    wqe.registration_iova = little(raw.iova);
    wqe.registration_length_bytes = little(raw.length_bytes);
    wqe.registration_page_list = little(raw.page_list);
    wqe.registration_page_count = little(raw.page_count);
    wqe.registration_key = little(raw.key);
    wqe.registration_access = little(raw.access);
    wqe.registration_page_shift = raw.page_shift;
    return true;
}

bool decode_eth(Reader& reader, SendWqe& wqe) {
    tern_wqe_eth raw;
    if (!reader.take(raw)) return false;
    wqe.csum_start = little(raw.csum_start);
    wqe.csum_offset = little(raw.csum_offset);
    return std::ranges::all_of(raw.reserved_04, [](uint8_t byte) { return byte == 0; });
}

bool decode_segments(uint8_t segments, Reader& reader, SendWqe& wqe) {
    if ((segments & kRemote) && !decode_remote(reader, wqe)) return false;
    if ((segments & kAtomic) && !decode_atomic(reader, wqe)) return false;
    if ((segments & kAddressVector) && !decode_address_vector(reader, wqe)) return false;
    if ((segments & kRegistration) && !decode_registration(reader, wqe)) return false;
    return !(segments & kEth) || decode_eth(reader, wqe);
}

bool decode_inline(Reader& reader, uint8_t count, SendWqe& wqe) {
    if (count > TERN_WQE_MAX_INLINE_BYTES || count > reader.rest().size()) return false;
    std::ranges::copy(reader.rest().first(count), wqe.inline_data.begin());
    wqe.length_bytes = count;
    return true;
}

bool decode_sges(Reader& reader, const OpcodeShape& shape, uint8_t count, SendWqe& wqe) {
    if (count < shape.min_sge || count > shape.max_sge) return false;
    wqe.num_sge = count;
    for (uint8_t i = 0; i < count; ++i) {
        tern_sge raw;
        if (!reader.take(raw)) return false;
        wqe.sges[i] = {little(raw.address), little(raw.length_bytes), little(raw.lkey)};
        wqe.length_bytes += wqe.sges[i].length_bytes;
    }
    return true;
}

bool decode_data(Reader& reader, const OpcodeShape& shape, uint8_t count, SendWqe& wqe) {
    wqe.num_sge = 0;
    wqe.length_bytes = 0;
    if (!shape.has_data) return count == 0 && !wqe.is_inline;
    if (!wqe.is_inline) return decode_sges(reader, shape, count, wqe);
    return shape.may_inline && decode_inline(reader, count, wqe);
}

}  // namespace

uint8_t wqe_blocks(std::span<const std::byte> control) {
    const auto flags = static_cast<uint8_t>(control[offsetof(tern_wqe_control, flags)]);
    return static_cast<uint8_t>(TERN_GET32(TERN_WQE_BLOCKS, flags) + 1);
}

Result<bool, WqeError> decode_send_wqe(const WqeSlot& slot, std::span<const std::byte> bytes, SendWqe& wqe) {
    Reader reader(bytes);
    tern_wqe_control control;
    if (!reader.take(control)) return WqeError::kMalformed;
    const uint32_t word = little(control.qpn_opcode);
    wqe.start = slot.count;
    wqe.blocks = wqe_blocks(bytes);
    wqe.opcode = static_cast<uint8_t>(TERN_GET32(TERN_WQE_OPCODE, word));
    wqe.is_signaled = control.flags & TERN_WQE_SIGNALED;
    wqe.is_solicited = control.flags & TERN_WQE_SOLICITED;
    wqe.is_fenced = control.flags & TERN_WQE_FENCE;
    wqe.is_inline = control.flags & TERN_WQE_INLINE;
    wqe.has_csum = control.flags & TERN_WQE_CSUM;
    if (TERN_GET32(TERN_WQE_QPN, word) != slot.number) return WqeError::kMismatch;
    if (little(control.index) != static_cast<uint16_t>(slot.count)) return WqeError::kMismatch;

    const OpcodeShape shape = shape_of(slot.kind, wqe.opcode);
    if (!shape.exists) return WqeError::kMalformed;
    if (!shape.has_immediate && control.immediate != 0) return WqeError::kMalformed;
    const bool is_key = wqe.opcode == TERN_WQE_OP_SEND_WITH_INV || wqe.opcode == TERN_WQE_OP_LOCAL_INV;
    wqe.immediate = is_key ? big(control.immediate) : control.immediate;
    wqe.qkey = little(control.qkey);
    if (slot.kind != SendQueueKind::kUd && wqe.qkey != 0) return WqeError::kMalformed;
    if (wqe.has_csum && slot.kind != SendQueueKind::kEthernet) return WqeError::kMalformed;
    if (!decode_segments(shape.segments, reader, wqe)) return WqeError::kMalformed;
    if (!decode_data(reader, shape, control.count, wqe)) return WqeError::kMalformed;
    return true;
}

}  // namespace tern
