// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
//
// Packets that are wrong in one point: dropped and counted, or refused, and
// the connection goes on (IBTA 9.6, 9.7.4.1).
#include <gtest/gtest.h>

#include "tests/sim/forge.h"

namespace tern::test {
namespace {

constexpr uint64_t kRemote = Node::kData + (2 << 20), kBack = Node::kData + (4 << 20);
constexpr uint64_t kMoment = 50'000'000;
constexpr uint32_t kPsn = 500;

struct Target : World {
    Target() : World(Connection{.timeout = 8, .psn = kPsn}) {}

    [[nodiscard]] Forged write(std::vector<uint8_t> payload = {1, 2, 3, 4}) const {
        Forged packet{.opcode = TERN_BTH_RC_WRITE_ONLY, .psn = kPsn, .payload = std::move(payload)};
        packet.headers.remote_address = kRemote;
        packet.headers.rkey = b.key;
        packet.headers.dma_length = static_cast<uint32_t>(packet.payload.size());
        return packet;
    }
    void deliver(const Frame& frame) {
        inject(b, frame);
        run_for(1'000'000);
    }
    // Nothing was written and nothing answered, and the connection still works.
    void expect_unharmed(const std::string& what) {
        EXPECT_EQ(b.host.at<uint32_t>(kRemote), 0u) << what;
        EXPECT_EQ(b.counter(1, TERN_PORT_COUNTER_ROCE_TX_PACKETS), 0u) << what;
        ASSERT_EQ(y.state(), TERN_QP_STATE_RTS) << what;
        x.post({.opcode = TERN_WQE_OP_RDMA_WRITE, .length = 8, .remote = kBack, .rkey = b.key});
        EXPECT_EQ(next_status(*this, x), TERN_CQE_STATUS_SUCCESS) << what;
    }
};

struct Change {
    const char* name;
    tern_port_counter counter;
    void (*make)(Frame& frame);
    bool seals = true;
};

size_t udp_of(const Frame& frame) { return bth_of(frame) - TERN_UDP_HEADER_BYTES; }
size_t ip_of(const Frame& frame) { return udp_of(frame) - TERN_IPV4_HEADER_BYTES; }

const Change kChanges[] = {
    {"WrongPkey", TERN_PORT_COUNTER_RX_BAD_PKEY, [](Frame& f) { f[bth_of(f) + TERN_BTH_PKEY + 1] = 0xfe; }},
    {"UnknownQpn", TERN_PORT_COUNTER_RX_BAD_QP, [](Frame& f) { f[bth_of(f) + TERN_BTH_DEST_QPN + 2] ^= 1; }},
    {"QpnZero", TERN_PORT_COUNTER_RX_BAD_QP,
     [](Frame& f) { std::fill_n(f.begin() + static_cast<ptrdiff_t>(bth_of(f)) + TERN_BTH_DEST_QPN, 3, 0); }},
    {"GsiWithoutOne", TERN_PORT_COUNTER_RX_BAD_QP,
     [](Frame& f) {
         std::fill_n(f.begin() + static_cast<ptrdiff_t>(bth_of(f)) + TERN_BTH_DEST_QPN, 3, 0);
         f[bth_of(f) + TERN_BTH_DEST_QPN + 2] = 1;
     }},
    {"Multicast", TERN_PORT_COUNTER_RX_BAD_QP,
     [](Frame& f) { std::fill_n(f.begin() + static_cast<ptrdiff_t>(bth_of(f)) + TERN_BTH_DEST_QPN, 3, 0xff); }},
    {"DatagramForAConnection", TERN_PORT_COUNTER_RX_BAD_QP, [](Frame& f) { f[bth_of(f)] = TERN_BTH_UD_SEND_ONLY; }},
    {"UnknownOpcode", TERN_PORT_COUNTER_RX_MALFORMED, [](Frame& f) { f[bth_of(f)] = 0x15; }},
    {"ManufacturerOpcode", TERN_PORT_COUNTER_RX_MALFORMED, [](Frame& f) { f[bth_of(f)] = 0xc0; }},
    {"WrongTransportVersion", TERN_PORT_COUNTER_RX_MALFORMED, [](Frame& f) { f[bth_of(f) + TERN_BTH_FLAGS] |= 0x01; }},
    {"PayloadWhereNoneMayBe", TERN_PORT_COUNTER_RX_MALFORMED,
     [](Frame& f) { f[bth_of(f)] = TERN_BTH_RC_READ_REQUEST; }},
    {"HeaderLongerThanThePacket", TERN_PORT_COUNTER_RX_MALFORMED,
     [](Frame& f) { f[bth_of(f)] = TERN_BTH_RC_COMPARE_SWAP; }},
    {"WrongIcrc", TERN_PORT_COUNTER_RX_ICRC_ERRORS, [](Frame& f) { f.back() ^= 0x80; }, false},
    {"ChangedPayload", TERN_PORT_COUNTER_RX_ICRC_ERRORS, [](Frame& f) { f[f.size() - 6] ^= 1; }, false},
    {"UdpLengthTooShort", TERN_PORT_COUNTER_RX_MALFORMED, [](Frame& f) { --f[udp_of(f) + 5]; }},
    {"UdpLengthTooLong", TERN_PORT_COUNTER_RX_MALFORMED, [](Frame& f) { ++f[udp_of(f) + 5]; }},
    {"IpLengthBeyondTheFrame", TERN_PORT_COUNTER_RX_MALFORMED, [](Frame& f) { f[ip_of(f) + 3] += 4; }},
    {"FirstFragment", TERN_PORT_COUNTER_RX_MALFORMED, [](Frame& f) { f[ip_of(f) + 6] = 0x20; }},
    {"UnknownGid", TERN_PORT_COUNTER_RX_NO_GID, [](Frame& f) { f[ip_of(f) + 16] ^= 1; }},
};

class WrongPacket : public testing::TestWithParam<Change> {};

TEST_P(WrongPacket, IsDroppedAndCountedOnce) {
    Target target;
    Frame frame = forge(target.a, target.y, target.write());
    GetParam().make(frame);
    if (GetParam().seals) seal(frame);
    target.deliver(frame);
    // A fragment, or what names no UDP port, may be the Ethernet's to drop.
    const bool is_ethernet = target.b.counter(1, TERN_PORT_COUNTER_RX_NO_BUFFER) == 1;
    EXPECT_EQ(target.b.counter(1, GetParam().counter) + is_ethernet, 1u);
    target.expect_unharmed(GetParam().name);
}

INSTANTIATE_TEST_SUITE_P(Wire, WrongPacket, testing::ValuesIn(kChanges),
                         [](const auto& change) { return std::string(change.param.name); });

// Requests that are whole, and break the rules of a message: refused.
class BrokenMessage : public testing::TestWithParam<std::pair<const char*, std::vector<std::pair<uint8_t, size_t>>>> {};

TEST_P(BrokenMessage, IsAnInvalidRequest) {
    Target target;
    for (int i = 0; i < 3; ++i) target.y.post_receive(kBack, 1 << 20);
    std::vector<uint8_t> syndromes;
    target.watch = [&](const Node&, Frame& frame) {
        if (const auto packet = read(frame); packet->is(bth::ACK)) syndromes.push_back(packet->syndrome);
        return false;
    };
    uint32_t psn = kPsn;
    for (const auto& [opcode, bytes] : GetParam().second) {
        Forged packet = target.write(std::vector<uint8_t>(bytes, 7));
        packet.opcode = opcode;
        packet.psn = psn++;
        packet.headers.dma_length = 2048;
        target.inject(target.b, forge(target.a, target.y, packet));
    }
    target.run_for(kMoment);
    EXPECT_EQ(target.y.state(), TERN_QP_STATE_ERR);
    ASSERT_FALSE(syndromes.empty());
    EXPECT_EQ(syndromes.back(), TERN_AETH_NAK | TERN_NAK_INVALID_REQUEST);
    EXPECT_EQ(target.b.events(TERN_EVENT_QP_REQUEST_ERROR, target.y.qpn), 1u);
    EXPECT_EQ(target.b.counter(1, TERN_PORT_COUNTER_RESP_REMOTE_INVALID), 1u);
}

INSTANTIATE_TEST_SUITE_P(
    Wire, BrokenMessage,
    testing::Values(
        std::pair{"MiddleFirst", std::vector<std::pair<uint8_t, size_t>>{{TERN_BTH_RC_SEND_MIDDLE, 1024}}},
        std::pair{"LastFirst", std::vector<std::pair<uint8_t, size_t>>{{TERN_BTH_RC_WRITE_LAST, 10}}},
        std::pair{"TwoFirsts", std::vector<std::pair<uint8_t, size_t>>{{TERN_BTH_RC_SEND_FIRST, 1024},
                                                                       {TERN_BTH_RC_SEND_FIRST, 1024}}},
        std::pair{"WriteInASend",
                  std::vector<std::pair<uint8_t, size_t>>{{TERN_BTH_RC_SEND_FIRST, 1024}, {TERN_BTH_RC_WRITE_LAST, 4}}},
        std::pair{"ReadInASend", std::vector<std::pair<uint8_t, size_t>>{{TERN_BTH_RC_SEND_FIRST, 1024},
                                                                         {TERN_BTH_RC_READ_REQUEST, 0}}},
        std::pair{"ShortFirst", std::vector<std::pair<uint8_t, size_t>>{{TERN_BTH_RC_SEND_FIRST, 1020}}},
        std::pair{"OnlyOverTheMtu", std::vector<std::pair<uint8_t, size_t>>{{TERN_BTH_RC_SEND_ONLY, 1028}}},
        std::pair{"EmptyLast",
                  std::vector<std::pair<uint8_t, size_t>>{{TERN_BTH_RC_SEND_FIRST, 1024}, {TERN_BTH_RC_SEND_LAST, 0}}},
        std::pair{"WriteShorterThanItSaid", std::vector<std::pair<uint8_t, size_t>>{{TERN_BTH_RC_WRITE_FIRST, 1024},
                                                                                    {TERN_BTH_RC_WRITE_LAST, 1020}}},
        std::pair{"WriteLongerThanItSaid",
                  std::vector<std::pair<uint8_t, size_t>>{
                      {TERN_BTH_RC_WRITE_FIRST, 1024}, {TERN_BTH_RC_WRITE_MIDDLE, 1024}, {TERN_BTH_RC_WRITE_LAST, 4}}},
        std::pair{"OnlyShorterThanItSaid", std::vector<std::pair<uint8_t, size_t>>{{TERN_BTH_RC_WRITE_ONLY, 8}}}),
    [](const auto& message) { return std::string(message.param.first); });

// C46: a blind attacker's packet moves nothing.
TEST(Wire, WrongPsnIsNotExecutedAndLeavesTheQpAlone) {
    Target target;
    for (const uint32_t psn : {kPsn + 1, kPsn + 1000, kPsn + 0x7fffff, kPsn - 1}) {
        Forged packet = target.write();
        packet.psn = psn & TERN_PSN_MASK;
        target.deliver(forge(target.a, target.y, packet));
        EXPECT_EQ(target.b.host.at<uint32_t>(kRemote), 0u);
        EXPECT_EQ(target.y.state(), TERN_QP_STATE_RTS);
    }
    EXPECT_EQ(target.b.counter(1, TERN_PORT_COUNTER_OUT_OF_SEQUENCE), 3u);
    EXPECT_EQ(target.b.counter(1, TERN_PORT_COUNTER_DUPLICATE_REQUEST), 1u);
}

TEST(Wire, StatesThatTakeNoRequestDropThem) {
    Cable cable;
    Endpoint x(cable.a, {}), y(cable.b, {});
    connect_one(x, y, {.psn = kPsn});
    Forged packet{.opcode = TERN_BTH_RC_SEND_ONLY, .psn = kPsn, .payload = {1, 2, 3, 4}};
    const auto deliver = [&] { cable.inject(cable.b, forge(cable.a, y, packet)); };
    deliver();  // RESET
    y.to_init();
    deliver();  // INIT
    EXPECT_EQ(cable.b.counter(1, TERN_PORT_COUNTER_RX_BAD_QP), 2u);
    ASSERT_EQ(y.to_state(TERN_QP_STATE_ERR), TERN_STATUS_OK);
    deliver();
    EXPECT_EQ(cable.b.counter(1, TERN_PORT_COUNTER_RX_BAD_QP), 3u);
}

TEST(Wire, FirstRequestInRtrTellsThatCommunicationIsEstablished) {
    Cable cable;
    Endpoint x(cable.a, {}), y(cable.b, {});
    connect_one(x, y, {});
    y.to_init();
    QueuePairAttributes to;
    to.path_mtu_log2 = 10;
    to.dest_qpn = x.qpn;
    to.rq_psn = 0xfffff0;
    to.dgid = cable.a.gid(1, kIpv4);
    to.dmac = cable.a.mac(1);
    to.hop_limit = 64;
    to.max_dest_rd_atomic = 1;
    ASSERT_EQ(y.to_state(TERN_QP_STATE_RTR,
                         TERN_QP_ATTR_ADDRESS_VECTOR | TERN_QP_ATTR_PATH_MTU | TERN_QP_ATTR_DEST_QPN |
                             TERN_QP_ATTR_RQ_PSN | TERN_QP_ATTR_MAX_DEST_RD_ATOMIC | TERN_QP_ATTR_MIN_RNR_TIMER,
                         to),
              TERN_STATUS_OK);
    for (int i = 0; i < 3; ++i) {
        x.post({.opcode = TERN_WQE_OP_RDMA_WRITE, .length = 5000, .remote = kRemote, .rkey = cable.b.key});
        EXPECT_EQ(next_status(cable, x), TERN_CQE_STATUS_SUCCESS);
    }
    EXPECT_EQ(cable.b.events(TERN_EVENT_QP_COMM_EST, y.qpn), 1u);
}

}  // namespace
}  // namespace tern::test
