// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
//
// A port without a carrier: nothing counts as sent that was not.
#include <gtest/gtest.h>

#include "tern/hw/cqe.h"
#include "tern/hw/doorbell.h"
#include "tern/hw/eth_wqe.h"
#include "tests/sim/world.h"

namespace tern::test {
namespace {

TEST(Link, RocePacketThatIsNotSentCountsNowhere) {
    World world(Connection{.retries = 0});
    world.a.card->set_carrier(0, false);
    world.x.post({.opcode = TERN_WQE_OP_RDMA_WRITE, .length = 100, .rkey = world.b.key});
    EXPECT_EQ(next_status(world, world.x), TERN_CQE_STATUS_RETRY_EXCEEDED);
    for (const auto counter : {TERN_PORT_COUNTER_ROCE_TX_PACKETS, TERN_PORT_COUNTER_ROCE_TX_BYTES,
                               TERN_PORT_COUNTER_TX_LINK_DOWN, TERN_PORT_COUNTER_TX_FRAMES})
        EXPECT_EQ(world.a.counter(1, counter), 0u) << counter;
}

// A transmit queue of port 1 that completes to the CQ of a kernel QP.
struct Netdev : Cable {
    static constexpr uint32_t kFrameBytes = 60, kUidx = 9;

    Netdev() : completions(a, {.is_kernel = true}), ring(a.allocate(4096)), record(a.allocate(4096)) {
        const tern_page_list page = {ring, 1, 0, 12, 0};
        number = *a.card->create_txq({.port = 1,
                                      .depth_log2 = 6,
                                      .stride_log2 = 0,
                                      .cqn = completions.cqn,
                                      .uidx = kUidx,
                                      .record = record,
                                      .buffer = PageList(page)});
    }

    void transmit() {
        const uint64_t at = ring + uint64_t{prod} * TERN_SQ_BLOCK_BYTES;
        a.host.at<tern_wqe_control>(at) = {.qpn_opcode = number | TERN_SET32(TERN_WQE_OPCODE, TERN_WQE_OP_ETH_SEND),
                                           .index = static_cast<uint16_t>(prod),
                                           .flags = TERN_WQE_SIGNALED,
                                           .count = 1,
                                           .immediate = 0,
                                           .qkey = 0};
        a.host.at<tern_sge>(at + sizeof(tern_wqe_control) + sizeof(tern_wqe_eth)) = {
            .address = Node::kData, .length_bytes = kFrameBytes, .lkey = TERN_LOCAL_DMA_LKEY};
        a.host.at<tern_queue_record>(record).prod = ++prod;
        a.doorbell(0, TERN_DOORBELL_ETH_TX, number | TERN_SET64(TERN_DB_QUEUE_PROD, prod));
        EXPECT_EQ(next_status(*this, completions), TERN_CQE_STATUS_SUCCESS);
    }

    Endpoint completions;
    uint64_t ring, record;
    uint32_t number = 0, prod = 0;
};

TEST(Link, EthernetFrameIsTakenAndCountsAsSentOnlyIfItWas) {
    Netdev netdev;
    uint32_t frames = 0;
    netdev.watch = [&](const Node&, Frame& frame) {
        ++frames;
        EXPECT_EQ(frame.size(), Netdev::kFrameBytes);
        return true;
    };
    netdev.a.card->set_carrier(0, false);
    netdev.transmit();
    EXPECT_EQ(netdev.a.counter(1, TERN_PORT_COUNTER_TX_LINK_DOWN), 1u);
    EXPECT_EQ(netdev.a.counter(1, TERN_PORT_COUNTER_TX_FRAMES), 0u);
    EXPECT_EQ(netdev.a.counter(1, TERN_PORT_COUNTER_TX_BYTES), 0u);
    netdev.a.card->set_carrier(0, true);
    netdev.transmit();
    EXPECT_EQ(netdev.a.counter(1, TERN_PORT_COUNTER_TX_LINK_DOWN), 1u);
    EXPECT_EQ(netdev.a.counter(1, TERN_PORT_COUNTER_TX_FRAMES), 1u);
    EXPECT_EQ(netdev.a.counter(1, TERN_PORT_COUNTER_TX_BYTES), uint64_t{Netdev::kFrameBytes});
    netdev.run_for(1'000'000);
    EXPECT_EQ(frames, 1u);
}

}  // namespace
}  // namespace tern::test
