// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
//
// What queues are told and tell, by the guide: doorbells, records, page lists
// (chapters 7, 9, 10), events (8) and completions (15).
#include "tern/hw/cqe.h"
#include "tern/hw/doorbell.h"
#include "tern/hw/eqe.h"
#include "tests/abi/golden.h"
#include "tests/abi/golden_bytes.h"

namespace tern::test {
namespace {

using namespace golden;

constexpr uint64_t kQpn = 0x4a3b2c, kCqn = 0x7e02d9, kEqn = 0x0b31f2;

// A doorbell is one number, stored little endian.
struct Doorbell {
    __le64 value;
};

uint64_t queue_doorbell(uint64_t number, uint64_t prod) {
    return TERN_SET64(TERN_DB_QUEUE_NUMBER, number) | TERN_SET64(TERN_DB_QUEUE_PROD, prod);
}

constexpr uint64_t arm_doorbell() {
    return TERN_SET64(TERN_DB_CQ_NUMBER, kCqn) | TERN_SET64(TERN_DB_CQ_COMMAND, TERN_CQ_ARM_NEXT) |
           TERN_SET64(TERN_DB_CQ_SEQ, 1) | TERN_SET64(TERN_DB_CQ_CONS, 1000);
}

TEST(GoldenDoorbell, OfQueues) {
    Golden<Doorbell>(kDoorbellSq).has(&Doorbell::value, queue_doorbell(kQpn, 6));
    Golden<Doorbell>(kDoorbellRq).has(&Doorbell::value, queue_doorbell(kQpn, 32));
    Golden<Doorbell>(kDoorbellEthTx).has(&Doorbell::value, queue_doorbell(0x2f8810, 2));
    Golden<Doorbell>(kDoorbellEthRx).has(&Doorbell::value, queue_doorbell(0x91d447, 512));
}

TEST(GoldenDoorbell, ArmsCq) { Golden<Doorbell>(kDoorbellCqArm).has(&Doorbell::value, arm_doorbell()); }

TEST(GoldenDoorbell, ArmsEq) {
    Golden<Doorbell>(kDoorbellEq)
        .has(&Doorbell::value,
             TERN_SET64(TERN_DB_EQ_NUMBER, kEqn) | TERN_SET64(TERN_DB_EQ_ARM, 1) | TERN_SET64(TERN_DB_EQ_CONS, 17));
}

TEST(GoldenRecord, OfQueues) {
    Golden<tern_qp_record>(kQpRecord).has(&tern_qp_record::sq_prod, 6).has(&tern_qp_record::rq_prod, 32);
    Golden<tern_queue_record>(kQueueRecord).has(&tern_queue_record::prod, 2);
    Golden<tern_cq_record>(kCqRecord)
        .has(&tern_cq_record::cons, 1008)
        .has(&tern_cq_record::arm, static_cast<uint32_t>(arm_doorbell()))
        .has(&tern_cq_record::arm_cons, static_cast<uint32_t>(arm_doorbell() >> 32));
}

TEST(GoldenPageList, ContiguousAndListed) {
    Golden<tern_page_list>(kPageListContiguous)
        .has(&tern_page_list::root, 0x10000000)
        .has(&tern_page_list::page_count, 4)
        .has(&tern_page_list::page_shift, 12);
    Golden<tern_page_list>(kPageListOneLevel)
        .has(&tern_page_list::root, 0x10004000)
        .has(&tern_page_list::page_count, 512)
        .has(&tern_page_list::levels, 1)
        .has(&tern_page_list::page_shift, 21);
}

constexpr uint32_t kEqePhase = TERN_SET32(TERN_EQE_PHASE, 1);

TEST(GoldenEqe, Completion) {
    Golden<tern_eqe>(kEqeCompletion)
        .has(&tern_eqe::type, TERN_EVENT_COMPLETION)
        .has(&tern_eqe::object, kCqn)
        .has(&tern_eqe::owner, kEqePhase);
}

TEST(GoldenEqe, PortUp) {
    Golden<tern_eqe>(kEqePortUp)
        .has(&tern_eqe::type, TERN_EVENT_PORT_UP)
        .has(&tern_eqe::port, 1)
        .has(&tern_eqe::object, 1)
        .has(&tern_eqe::data0, 200000)
        .has(&tern_eqe::owner, kEqePhase);
}

TEST(GoldenEqe, QpAccessError) {
    Golden<tern_eqe>(kEqeQpAccessError)
        .has(&tern_eqe::type, TERN_EVENT_QP_ACCESS_ERROR)
        .has(&tern_eqe::port, 1)
        .has(&tern_eqe::object, kQpn)
        .has(&tern_eqe::token, 7)
        .has(&tern_eqe::owner, kEqePhase);
}

uint32_t cqe_owner(uint32_t uidx, uint32_t opcode, uint32_t phase = 1) {
    return TERN_SET32(TERN_CQE_UIDX, uidx) | TERN_SET32(TERN_CQE_OPCODE, opcode) | TERN_SET32(TERN_CQE_PHASE, phase);
}

TEST(GoldenCqe, Send) {
    Golden<tern_cqe>(kCqeSend)
        .has(&tern_cqe::timestamp_ns, 1'000'000)
        .has(&tern_cqe::byte_len, 1124)
        .has(&tern_cqe::owner, cqe_owner(7, TERN_CQE_OP_SEND));
}

TEST(GoldenCqe, ReceiveWithImmediate) {
    Golden<tern_cqe>(kCqeReceiveImm)
        .has(&tern_cqe::timestamp_ns, 1'000'000)
        .has(&tern_cqe::byte_len, 5)
        .has(&tern_cqe::immediate, __builtin_bswap32(0xdeadbeef))
        .has(&tern_cqe::source, TERN_SET32(TERN_CQE_SRC_QPN, kQpn))
        .has(&tern_cqe::wqe_index, 31)
        .has(&tern_cqe::owner, cqe_owner(7, TERN_CQE_OP_RECV_WITH_IMM));
}

TEST(GoldenCqe, ReceiveWithInvalidate) {
    Golden<tern_cqe>(kCqeReceiveInv)
        .has(&tern_cqe::timestamp_ns, 1'000'000)
        .has(&tern_cqe::byte_len, 64)
        .has(&tern_cqe::immediate, __builtin_bswap32(0x11223344))
        .has(&tern_cqe::source, TERN_SET32(TERN_CQE_SRC_QPN, kQpn))
        .has(&tern_cqe::wqe_index, 32)
        .has(&tern_cqe::owner, cqe_owner(7, TERN_CQE_OP_RECV_WITH_INV));
}

TEST(GoldenCqe, Failed) {
    Golden<tern_cqe>(kCqeFailed)
        .has(&tern_cqe::timestamp_ns, 1'000'000)
        .has(&tern_cqe::error,
             TERN_SET32(TERN_CQE_ERROR_STATUS, TERN_CQE_STATUS_REMOTE_ACCESS) | TERN_SET32(TERN_CQE_ERROR_VENDOR, 2))
        .has(&tern_cqe::wqe_index, 3)
        .has(&tern_cqe::owner, cqe_owner(7, TERN_CQE_OP_RDMA_WRITE, 0) | TERN_CQE_FAILED);
}

TEST(GoldenCqe, Datagram) {
    Golden<tern_cqe>(kCqeDatagram)
        .has(&tern_cqe::timestamp_ns, 1'000'000)
        .has(&tern_cqe::byte_len, 40 + 1024)
        .has(&tern_cqe::source, TERN_SET32(TERN_CQE_SRC_QPN, 0xcafe) | TERN_CQE_GRH | TERN_CQE_VLAN | TERN_CQE_IPV6 |
                                    TERN_SET32(TERN_CQE_PCP, 5))
        .has(&tern_cqe::vlan_tci, 0xa064)
        .has(&tern_cqe::owner, cqe_owner(8, TERN_CQE_OP_RECV));
}

TEST(GoldenCqe, EthernetReceive) {
    Golden<tern_cqe>(kCqeEthRx)
        .has(&tern_cqe::timestamp_ns, 1'000'000)
        .has(&tern_cqe::byte_len, 1514)
        .has(&tern_cqe::immediate, __builtin_bswap32(0x51ccc178))
        .has(&tern_cqe::source, TERN_CQE_CSUM_OK)
        .has(&tern_cqe::wqe_index, 2)
        .has(&tern_cqe::owner, cqe_owner(9, TERN_CQE_OP_ETH_RX));
}

TEST(GoldenCqe, BringUp) {
    Golden<tern_cqe>(kBringUpCqe)
        .has(&tern_cqe::timestamp_ns, 1'000'000)
        .has(&tern_cqe::byte_len, 4096)
        .has(&tern_cqe::owner, cqe_owner(7, TERN_CQE_OP_RDMA_WRITE));
}

}  // namespace
}  // namespace tern::test
