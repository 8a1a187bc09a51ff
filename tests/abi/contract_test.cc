// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
//
// What the contract promises about itself, checked by the compiler where it can.
#include <gtest/gtest.h>
#include <tern/layout_check.h>

#include <cstring>
#include <set>
#include <span>

#include "qemu/engine/regs/register_file.h"
#include "tern/bits.h"
#include "tern/hw/cqe.h"
#include "tern/hw/ids.h"
#include "tern/hw/ring.h"
#include "tern/hw/wqe.h"

namespace tern {
namespace {

constexpr uint64_t mask_of(const RegisterFieldRow& field) {
    return (~uint64_t{0} >> (63 - field.high)) & (~uint64_t{0} << field.low);
}

consteval bool registers_are_ordered_aligned_and_inside_the_bar() {
    uint32_t end = 0;
    for (const RegisterRow& row : kRegisters) {
        if (row.offset < end || row.offset % row.bytes != 0) return false;
        end = row.offset + row.bytes;
    }
    return end <= TERN_BAR_REGISTERS_BYTES;
}
static_assert(registers_are_ordered_aligned_and_inside_the_bar());

consteval bool every_bit_is_named_once() {
    for (const RegisterRow& row : kRegisters) {
        uint64_t seen = 0;
        for (const RegisterFieldRow& field : kRegisterFields) {
            if (field.register_offset != row.offset) continue;
            if (seen & mask_of(field)) return false;
            seen |= mask_of(field);
        }
        if (seen != ~uint64_t{0} >> (64 - 8 * row.bytes)) return false;
    }
    return true;
}
static_assert(every_bit_is_named_once());

consteval bool reserved_bits_reset_to_zero() {
    for (const RegisterRow& row : kRegisters)
        for (const RegisterFieldRow& field : kRegisterFields)
            if (field.register_offset == row.offset && field.access == RegisterAccess::MBZ &&
                (row.reset & mask_of(field)))
                return false;
    return true;
}
static_assert(reserved_bits_reset_to_zero());

TEST(Contract, PhaseIsOneOnTheFirstLapAndAlternates) {
    EXPECT_EQ(tern_ring_phase(0, 4), 1u);
    EXPECT_EQ(tern_ring_phase(15, 4), 1u);
    EXPECT_EQ(tern_ring_phase(16, 4), 0u);
    EXPECT_EQ(tern_ring_phase(32, 4), 1u);
    EXPECT_EQ(tern_ring_phase(UINT32_MAX, 4), 0u);
    EXPECT_EQ(tern_ring_slot(UINT32_MAX, 4), 15u);
}

// Bytes as design section 6 has them, not as the header has them.
TEST(Contract, GoldenControlSegment) {
    const uint8_t golden[16] = {
        0x56, 0x34, 0x12, 0x04,  // QPN 0x123456, RDMA WRITE
        0xfe, 0xca,              // index 0xcafe
        0x2a,                    // 3 blocks, signaled, fence
        0x02,                    // SGEs
        0x11, 0x22, 0x33, 0x44,  // immediate, big endian
        0x00, 0x00, 0x00, 0x00,
    };
    tern_wqe_control control;
    std::memcpy(&control, golden, sizeof(control));
    EXPECT_EQ(TERN_GET32(TERN_WQE_QPN, control.qpn_opcode), 0x123456u);
    EXPECT_EQ(TERN_GET32(TERN_WQE_OPCODE, control.qpn_opcode), uint32_t{TERN_WQE_OP_RDMA_WRITE});
    EXPECT_EQ(control.index, 0xcafe);
    EXPECT_EQ(TERN_GET32(TERN_WQE_BLOCKS, control.flags), 2u);
    EXPECT_TRUE(control.flags & TERN_WQE_SIGNALED);
    EXPECT_TRUE(control.flags & TERN_WQE_FENCE);
    EXPECT_FALSE(control.flags & TERN_WQE_SOLICITED);
    EXPECT_EQ(control.count, 2);
}

TEST(Contract, GoldenFailedCqe) {
    tern_cqe cqe{};
    cqe.error = TERN_SET32(TERN_CQE_ERROR_STATUS, TERN_CQE_STATUS_REMOTE_ACCESS) | TERN_SET32(TERN_CQE_ERROR_VENDOR, 2);
    cqe.wqe_index = 0x1234;
    cqe.owner = TERN_SET32(TERN_CQE_UIDX, 0xabcdef) | TERN_SET32(TERN_CQE_OPCODE, TERN_CQE_OP_RDMA_READ) |
                TERN_CQE_FAILED | TERN_SET32(TERN_CQE_PHASE, 1);
    const uint8_t golden[12] = {
        0x08, 0x02, 0x00, 0x00,  // status 8, vendor 2
        0x34, 0x12, 0x00, 0x00,  // WQE index, VLAN TCI
        0xef, 0xcd, 0xab, 0xa2,  // uidx, opcode 2, error bit 29, phase bit 31
    };
    EXPECT_EQ(std::memcmp(reinterpret_cast<const uint8_t*>(&cqe) + 0x14, golden, sizeof(golden)), 0);
}

}  // namespace
}  // namespace tern
