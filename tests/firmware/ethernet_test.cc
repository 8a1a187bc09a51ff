// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
#include <algorithm>

#include "tern/fw/eth.h"
#include "tests/firmware/commands.h"

namespace tern {
namespace {

using Queue = tern_cmd_create_eth_queue;

class EthernetCommands : public test::Commands {
protected:
    EthernetCommands() {
        boot();
        cqn = make_cq(0);
    }

    Queue request() {
        Queue queue{};
        queue.port = 1;
        queue.depth_log2 = 6;
        queue.cqn = cqn;
        queue.record = test::kRecord;
        queue.buffer = contiguous(test::kQueue, 1);
        return queue;
    }

    uint32_t cqn = 0;
};

TEST_F(EthernetCommands, AReceiveQueueIsBusyWhileTheSpreadingNamesIt) {
    const uint32_t rxq = make(TERN_CMD_CREATE_RXQ, request());
    tern_cmd_set_rss rss{};
    rss.port = 1;
    rss.enabled = 1;
    rss.hash_fields = 0xf;
    std::ranges::fill(rss.table, rxq);
    EXPECT_EQ(run(TERN_CMD_SET_RSS, rss).status, TERN_STATUS_OK);
    EXPECT_EQ(run(TERN_CMD_DESTROY_RXQ, tern_cmd_handle{rxq, 0}).status, TERN_STATUS_BUSY);
    tern_cmd_set_rss off{};
    off.port = 1;
    EXPECT_EQ(run(TERN_CMD_SET_RSS, off).status, TERN_STATUS_OK);
    EXPECT_EQ(run(TERN_CMD_DESTROY_RXQ, tern_cmd_handle{rxq, 0}).status, TERN_STATUS_OK);
    EXPECT_EQ(run(TERN_CMD_SET_RSS, rss).status, TERN_STATUS_BAD_HANDLE);
}

TEST_F(EthernetCommands, QueuesThatDoNotFitAreRefusedWithTheirOffset) {
    const auto refused = [this](uint16_t opcode, auto change, tern_command_status status, size_t offset) {
        Queue queue = request();
        change(queue);
        expect_refused(run(opcode, queue, sizeof(tern_cmd_handle)), status, offset);
    };
    for (const uint16_t opcode : {TERN_CMD_CREATE_TXQ, TERN_CMD_CREATE_RXQ}) {
        refused(opcode, [](Queue& q) { q.port = 3; }, TERN_STATUS_BAD_PARAMETER, offsetof(Queue, port));
        refused(opcode, [](Queue& q) { q.depth_log2 = 0; }, TERN_STATUS_BAD_PARAMETER, offsetof(Queue, depth_log2));
        refused(opcode, [](Queue& q) { q.stride_log2 = 5; }, TERN_STATUS_BAD_PARAMETER, offsetof(Queue, stride_log2));
        refused(opcode, [](Queue& q) { q.reserved_0c = 1; }, TERN_STATUS_BAD_RESERVED, offsetof(Queue, reserved_0c));
        refused(opcode, [](Queue& q) { q.cqn ^= 1; }, TERN_STATUS_BAD_HANDLE, offsetof(Queue, cqn));
        refused(opcode, [](Queue& q) { q.record = 4; }, TERN_STATUS_BAD_PARAMETER, offsetof(Queue, record));
        refused(opcode, [](Queue& q) { q.depth_log2 = 10; }, TERN_STATUS_BAD_PARAMETER, offsetof(Queue, buffer));
    }
    refused(
        TERN_CMD_CREATE_TXQ, [](Queue& q) { q.stride_log2 = 1; }, TERN_STATUS_BAD_PARAMETER,
        offsetof(Queue, stride_log2));
}

TEST_F(EthernetCommands, AUsersCompletionQueueIsNotTheNetdevs) {
    Queue queue = request();
    queue.cqn = make_cq(1);
    EXPECT_EQ(run(TERN_CMD_CREATE_TXQ, queue, sizeof(tern_cmd_handle)).status, TERN_STATUS_NOT_PERMITTED);
    EXPECT_EQ(run(TERN_CMD_CREATE_RXQ, queue, sizeof(tern_cmd_handle)).status, TERN_STATUS_NOT_PERMITTED);
}

TEST_F(EthernetCommands, ModerationNeedsACompletionQueue) {
    EXPECT_EQ(run(TERN_CMD_MODIFY_CQ, tern_cmd_modify_cq{cqn, 16, 50}).status, TERN_STATUS_OK);
    EXPECT_EQ(run(TERN_CMD_MODIFY_CQ, tern_cmd_modify_cq{cqn ^ 1, 16, 50}).status, TERN_STATUS_BAD_HANDLE);
}

}  // namespace
}  // namespace tern
