// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
//
// Work queue entries of the guide, chapters 13, 14 and 17: as the contract
// decodes and encodes them, and as the card does.
#include "qemu/engine/queues/send_wqe.h"
#include "tern/hw/access.h"
#include "tern/hw/eth_wqe.h"
#include "tern/hw/wqe.h"
#include "tests/abi/golden.h"
#include "tests/abi/golden_bytes.h"

namespace tern::test {
namespace {

using namespace golden;

constexpr uint32_t kQpn = 0x4a3b2c, kKey = 0x6c91a300, kPeerKey = 0x11223344;

void control_is(std::span<const uint8_t> bytes, uint8_t opcode, uint16_t index, uint8_t flags, uint8_t count,
                uint32_t immediate = 0, uint32_t qkey = 0, uint32_t number = kQpn) {
    Golden<tern_wqe_control>(bytes)
        .has(&tern_wqe_control::qpn_opcode, TERN_SET32(TERN_WQE_QPN, number) | TERN_SET32(TERN_WQE_OPCODE, opcode))
        .has(&tern_wqe_control::index, index)
        .has(&tern_wqe_control::flags, flags)
        .has(&tern_wqe_control::count, count)
        .has(&tern_wqe_control::immediate, __builtin_bswap32(immediate))
        .has(&tern_wqe_control::qkey, qkey);
}

void remote_is(std::span<const uint8_t> bytes, uint64_t address, uint32_t rkey = kPeerKey) {
    Golden<tern_wqe_remote>(bytes, 0x10).has(&tern_wqe_remote::address, address).has(&tern_wqe_remote::rkey, rkey);
}

void sge_is(std::span<const uint8_t> bytes, size_t offset, uint64_t address, uint32_t length, uint32_t lkey = kKey) {
    Golden<tern_sge>(bytes, offset)
        .has(&tern_sge::address, address)
        .has(&tern_sge::length_bytes, length)
        .has(&tern_sge::lkey, lkey);
}

SendWqe card_decodes(std::span<const uint8_t> bytes, SendQueueKind kind, uint32_t count, uint32_t number = kQpn) {
    SendWqe wqe{};
    EXPECT_TRUE(decode_send_wqe({kind, number, count}, std::as_bytes(bytes), wqe).ok());
    EXPECT_EQ(size_t{wqe.blocks} * TERN_SQ_BLOCK_BYTES, bytes.size());
    return wqe;
}

TEST(GoldenWqe, Send) {
    control_is(kWqeSend, TERN_WQE_OP_SEND, 0, TERN_WQE_SIGNALED | TERN_WQE_SOLICITED, 2);
    sge_is(kWqeSend, 0x10, 0x12345000, 100);
    sge_is(kWqeSend, 0x20, 0x12346000, 1024);
    EXPECT_EQ(card_decodes(kWqeSend, SendQueueKind::kRc, 0).length_bytes, 1124u);
}

TEST(GoldenWqe, SendWithImmediateInline) {
    control_is(kWqeSendImm, TERN_WQE_OP_SEND_WITH_IMM, 1, TERN_WQE_SIGNALED | TERN_WQE_INLINE, 5, 0xdeadbeef);
    const SendWqe wqe = card_decodes(kWqeSendImm, SendQueueKind::kRc, 1);
    EXPECT_EQ(std::memcmp(wqe.inline_data.data(), "hello", 5), 0);
    EXPECT_EQ(wqe.length_bytes, 5u);
}

TEST(GoldenWqe, SendWithInvalidate) {
    control_is(kWqeSendInv, TERN_WQE_OP_SEND_WITH_INV, 2, TERN_WQE_SIGNALED, 1, kPeerKey);
    sge_is(kWqeSendInv, 0x10, 0x12345000, 64);
    EXPECT_EQ(card_decodes(kWqeSendInv, SendQueueKind::kRc, 2).immediate, kPeerKey);
}

TEST(GoldenWqe, RdmaWrite) {
    control_is(kWqeRdmaWrite, TERN_WQE_OP_RDMA_WRITE, 3, TERN_WQE_SIGNALED, 1);
    remote_is(kWqeRdmaWrite, 0xaabbc000);
    sge_is(kWqeRdmaWrite, 0x20, 0x12345000, 4096);
    EXPECT_EQ(card_decodes(kWqeRdmaWrite, SendQueueKind::kRc, 3).rkey, kPeerKey);
}

TEST(GoldenWqe, RdmaWriteWithImmediateInline) {
    control_is(kWqeRdmaWriteImm, TERN_WQE_OP_RDMA_WRITE_WITH_IMM, 4, TERN_WQE_SOLICITED | TERN_WQE_INLINE, 8, 7);
    remote_is(kWqeRdmaWriteImm, 0xaabbc000);
    const SendWqe wqe = card_decodes(kWqeRdmaWriteImm, SendQueueKind::kRc, 4);
    EXPECT_EQ(wqe.inline_data[7], std::byte{8});
    EXPECT_FALSE(wqe.is_signaled);
}

TEST(GoldenWqe, RdmaRead) {
    control_is(kWqeRdmaRead, TERN_WQE_OP_RDMA_READ, 5, TERN_WQE_SIGNALED | TERN_WQE_FENCE, 1);
    remote_is(kWqeRdmaRead, 0xaabbc000);
    sge_is(kWqeRdmaRead, 0x20, 0x12345000, 1 << 20);
    EXPECT_TRUE(card_decodes(kWqeRdmaRead, SendQueueKind::kRc, 5).is_fenced);
}

TEST(GoldenWqe, TwoBlocks) {
    control_is(kWqeTwoBlocks, TERN_WQE_OP_RDMA_WRITE, 6, TERN_SET32(TERN_WQE_BLOCKS, 1) | TERN_WQE_SIGNALED, 3);
    remote_is(kWqeTwoBlocks, 0xaabbc000);
    sge_is(kWqeTwoBlocks, 0x20, 0x12345000, 16);
    sge_is(kWqeTwoBlocks, 0x30, 0x12346000, 32);
    sge_is(kWqeTwoBlocks, 0x40, 0x12347000, 48);
    EXPECT_EQ(card_decodes(kWqeTwoBlocks, SendQueueKind::kRc, 6).length_bytes, 96u);
}

TEST(GoldenWqe, CompareAndSwap) {
    control_is(kWqeCmpSwap, TERN_WQE_OP_ATOMIC_CMP_AND_SWP, 8, TERN_WQE_SIGNALED, 1);
    remote_is(kWqeCmpSwap, 0xaabbc008);
    Golden<tern_wqe_atomic>(kWqeCmpSwap, 0x20).has(&tern_wqe_atomic::swap_or_add, 2).has(&tern_wqe_atomic::compare, 1);
    sge_is(kWqeCmpSwap, 0x30, 0x12345000, 8);
    EXPECT_EQ(card_decodes(kWqeCmpSwap, SendQueueKind::kRc, 8).compare, 1u);
}

TEST(GoldenWqe, FetchAndAdd) {
    control_is(kWqeFetchAdd, TERN_WQE_OP_ATOMIC_FETCH_AND_ADD, 9, TERN_WQE_SIGNALED, 1);
    remote_is(kWqeFetchAdd, 0xaabbc008);
    Golden<tern_wqe_atomic>(kWqeFetchAdd, 0x20)
        .has(&tern_wqe_atomic::swap_or_add, ~uint64_t{0})
        .has(&tern_wqe_atomic::compare, 0);
    sge_is(kWqeFetchAdd, 0x30, 0x12345000, 8);
    EXPECT_EQ(card_decodes(kWqeFetchAdd, SendQueueKind::kRc, 9).swap_or_add, ~uint64_t{0});
}

TEST(GoldenWqe, LocalInvalidate) {
    control_is(kWqeLocalInv, TERN_WQE_OP_LOCAL_INV, 10, 0, 0, 0x6c91a301);
    EXPECT_EQ(card_decodes(kWqeLocalInv, SendQueueKind::kRc, 10).immediate, 0x6c91a301u);
}

TEST(GoldenWqe, FastRegistration) {
    control_is(kWqeRegMr, TERN_WQE_OP_REG_MR, 11, TERN_WQE_SIGNALED, 0);
    Golden<tern_wqe_registration>(kWqeRegMr, 0x10)
        .has(&tern_wqe_registration::iova, 0x7f0000000200)
        .has(&tern_wqe_registration::length_bytes, 8192)
        .has(&tern_wqe_registration::page_list, 0x76548000)
        .has(&tern_wqe_registration::page_count, 3)
        .has(&tern_wqe_registration::key, 0x6c91a301)
        .has(&tern_wqe_registration::access, 7)
        .has(&tern_wqe_registration::page_shift, 12);
    EXPECT_EQ(card_decodes(kWqeRegMr, SendQueueKind::kRc, 11).registration_page_count, 3u);
}

TEST(GoldenWqe, Datagram) {
    control_is(kWqeUdSend, TERN_WQE_OP_SEND, 12, TERN_WQE_SIGNALED, 1, 0, 0x11111111);
    Golden<tern_wqe_address_vector>(kWqeUdSend, 0x10)
        .has(&tern_wqe_address_vector::dgid, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, 2})
        .has(&tern_wqe_address_vector::dmac, {2, 0, 0, 0, 0, 2})
        .has(&tern_wqe_address_vector::sgid_index, 3)
        .has(&tern_wqe_address_vector::hop_limit, 64)
        .has(&tern_wqe_address_vector::flow_class,
             TERN_SET32(TERN_AV_FLOW_LABEL, 0x23456) | TERN_SET32(TERN_AV_TRAFFIC_CLASS, 8) | TERN_SET32(TERN_AV_SL, 5))
        .has(&tern_wqe_address_vector::remote_qpn, 0xcafe);
    sge_is(kWqeUdSend, 0x30, 0x12345000, 1024);
    EXPECT_EQ(card_decodes(kWqeUdSend, SendQueueKind::kUd, 12).remote_qpn, 0xcafeu);
}

TEST(GoldenWqe, DatagramWithImmediateInline) {
    control_is(kWqeUdSendImm, TERN_WQE_OP_SEND_WITH_IMM, 13, TERN_WQE_SIGNALED | TERN_WQE_INLINE, 16, 1, 0x80000000);
    Golden<tern_wqe_address_vector>(kWqeUdSendImm, 0x10)
        .has(&tern_wqe_address_vector::dgid, {0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xfe, 0, 0, 2})
        .has(&tern_wqe_address_vector::dmac, {2, 0, 0, 0, 0, 2})
        .has(&tern_wqe_address_vector::hop_limit, 1)
        .has(&tern_wqe_address_vector::remote_qpn, 1);
    EXPECT_EQ(card_decodes(kWqeUdSendImm, SendQueueKind::kUd, 13).inline_data[15], std::byte{0xff});
}

TEST(GoldenWqe, EthernetSend) {
    control_is(kWqeEthSend, TERN_WQE_OP_ETH_SEND, 0, TERN_WQE_SIGNALED | TERN_WQE_CSUM, 2, 0, 0, 0x2f8810);
    Golden<tern_wqe_eth>(kWqeEthSend, 0x10).has(&tern_wqe_eth::csum_start, 34).has(&tern_wqe_eth::csum_offset, 16);
    sge_is(kWqeEthSend, 0x20, 0x76100000, 54, TERN_LOCAL_DMA_LKEY);
    sge_is(kWqeEthSend, 0x30, 0x76200000, 1448, TERN_LOCAL_DMA_LKEY);
    EXPECT_TRUE(card_decodes(kWqeEthSend, SendQueueKind::kEthernet, 0, 0x2f8810).has_csum);
}

TEST(GoldenWqe, Receive) {
    sge_is(kWqeReceive, 0x00, 0x12345000, 40);
    sge_is(kWqeReceive, 0x10, 0x12346000, 4096);
    sge_is(kWqeReceive, 0x20, 0, 0, TERN_INVALID_LKEY);
}

TEST(GoldenWqe, BringUp) {
    control_is(kBringUpWqe, TERN_WQE_OP_RDMA_WRITE, 0, TERN_WQE_SIGNALED, 1);
    remote_is(kBringUpWqe, 0x7f0000030000, kKey);
    sge_is(kBringUpWqe, 0x20, 0x7f0000020000, 4096);
}

}  // namespace
}  // namespace tern::test
