// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
#include "tern/fw/qp.h"
#include "tests/firmware/commands.h"

namespace tern {
namespace {

using Create = tern_cmd_create_qp;
using Modify = tern_cmd_modify_qp;

class QueuePairCommands : public test::Commands {
protected:
    QueuePairCommands() {
        boot();
        pdn = make_pd(false);
        kernel_pdn = make_pd(true);
        cqn = make_cq(1);
    }

    Create request() {
        Create qp{};
        qp.type = TERN_QP_RC;
        qp.sq_depth_log2 = 4;
        qp.rq_depth_log2 = 4;
        qp.rq_stride_log2 = 1;
        qp.has_rq = 1;
        qp.pdn = pdn;
        qp.send_cqn = qp.recv_cqn = cqn;
        qp.doorbell_pair = 1;
        qp.uidx = 7;
        qp.record = test::kRecord;
        qp.sq = contiguous(test::kQueue, 1);
        qp.rq = contiguous(test::kQueue + 0x1000, 1);
        return qp;
    }

    template <typename F>
    void refused(F change, tern_command_status status, size_t offset) {
        Create qp = request();
        change(qp);
        expect_refused(run(TERN_CMD_CREATE_QP, qp, sizeof(tern_cmd_handle)), status, offset);
    }

    Modify to_init(uint32_t qpn) {
        Modify modify{};
        modify.qpn = qpn;
        modify.valid = TERN_QP_ATTR_STATE | TERN_QP_ATTR_PKEY_INDEX | TERN_QP_ATTR_PORT | TERN_QP_ATTR_ACCESS;
        modify.attributes.state = TERN_QP_STATE_INIT;
        modify.attributes.port = 2;
        return modify;
    }

    tern_cmd_qp_attributes query(uint32_t qpn) {
        EXPECT_EQ(run(TERN_CMD_QUERY_QP, tern_cmd_handle{qpn, 0}, sizeof(tern_cmd_qp_attributes)).status,
                  TERN_STATUS_OK);
        return fake.at<tern_cmd_qp_attributes>(test::kOut);
    }

    uint32_t pdn = 0, kernel_pdn = 0, cqn = 0;
};

TEST_F(QueuePairCommands, AQpHoldsItsDomainAndQueues) {
    const uint32_t qpn = make(TERN_CMD_CREATE_QP, request());
    EXPECT_EQ(run(TERN_CMD_DEALLOC_PD, tern_cmd_handle{pdn, 0}).status, TERN_STATUS_BUSY);
    EXPECT_EQ(run(TERN_CMD_DESTROY_CQ, tern_cmd_handle{cqn, 0}).status, TERN_STATUS_BUSY);
    EXPECT_EQ(run(TERN_CMD_DESTROY_QP, tern_cmd_handle{qpn, 0}).status, TERN_STATUS_OK);
    EXPECT_EQ(run(TERN_CMD_DESTROY_QP, tern_cmd_handle{qpn, 0}).status, TERN_STATUS_BAD_HANDLE);
    EXPECT_EQ(run(TERN_CMD_DESTROY_CQ, tern_cmd_handle{cqn, 0}).status, TERN_STATUS_OK);
}

TEST_F(QueuePairCommands, ShapesThatDoNotFitAreRefusedWithTheirOffset) {
    refused([](Create& qp) { qp.type = 0; }, TERN_STATUS_BAD_PARAMETER, offsetof(Create, type));
    refused([](Create& qp) { qp.type = TERN_QP_UC + 1; }, TERN_STATUS_BAD_PARAMETER, offsetof(Create, type));
    refused([](Create& qp) { qp.port = 1; }, TERN_STATUS_BAD_PARAMETER, offsetof(Create, port));
    refused([](Create& qp) { qp.flags = 4; }, TERN_STATUS_BAD_RESERVED, offsetof(Create, flags));
    refused([](Create& qp) { qp.sq_depth_log2 = 17; }, TERN_STATUS_BAD_PARAMETER, offsetof(Create, sq_depth_log2));
    refused([](Create& qp) { qp.sq_depth_log2 = 7; }, TERN_STATUS_BAD_PARAMETER, offsetof(Create, sq));
    refused([](Create& qp) { qp.rq_depth_log2 = 255; }, TERN_STATUS_BAD_PARAMETER, offsetof(Create, rq_depth_log2));
    refused([](Create& qp) { qp.rq_stride_log2 = 5; }, TERN_STATUS_BAD_PARAMETER, offsetof(Create, rq_stride_log2));
    refused([](Create& qp) { qp.has_rq = 0; }, TERN_STATUS_BAD_PARAMETER, offsetof(Create, rq_depth_log2));
    refused([](Create& qp) { qp.has_rq = 2; }, TERN_STATUS_BAD_PARAMETER, offsetof(Create, has_rq));
    refused([](Create& qp) { qp.record += 8; }, TERN_STATUS_BAD_PARAMETER, offsetof(Create, record));
    refused([](Create& qp) { qp.uidx = 1 << 24; }, TERN_STATUS_BAD_PARAMETER, offsetof(Create, uidx));
    refused([](Create& qp) { qp.pdn ^= 1; }, TERN_STATUS_BAD_HANDLE, offsetof(Create, pdn));
    refused([](Create& qp) { qp.recv_cqn ^= 1; }, TERN_STATUS_BAD_HANDLE, offsetof(Create, recv_cqn));
}

TEST_F(QueuePairCommands, AUsersQpIsTheUsersAlone) {
    refused([](Create& qp) { qp.flags = TERN_QP_KERNEL; }, TERN_STATUS_BAD_PARAMETER, offsetof(Create, doorbell_pair));
    refused([](Create& qp) { qp.doorbell_pair = 0; }, TERN_STATUS_BAD_PARAMETER, offsetof(Create, doorbell_pair));
    refused([](Create& qp) { qp.doorbell_pair = 2; }, TERN_STATUS_NOT_PERMITTED, 0);  // another user's CQs
    refused([this](Create& qp) { qp.pdn = kernel_pdn; }, TERN_STATUS_NOT_PERMITTED, 0);
    refused([](Create& qp) { qp.type = TERN_QP_GSI, qp.port = 1; }, TERN_STATUS_NOT_PERMITTED, 0);
}

TEST_F(QueuePairCommands, QueryTellsWhatModifySet) {
    const uint32_t qpn = make(TERN_CMD_CREATE_QP, request());
    EXPECT_EQ(query(qpn).state, TERN_QP_STATE_RESET);
    Modify modify = to_init(qpn);
    modify.attributes.access = 6;
    EXPECT_EQ(run(TERN_CMD_MODIFY_QP, modify).status, TERN_STATUS_OK);
    EXPECT_EQ(query(qpn).state, TERN_QP_STATE_INIT);
    EXPECT_EQ(query(qpn).port, 2);
    EXPECT_EQ(query(qpn).access, 6u);
}

TEST_F(QueuePairCommands, AttributesOutOfRangeAreRefusedWithTheirOffset) {
    const uint32_t qpn = make(TERN_CMD_CREATE_QP, request());
    const auto refused_attribute = [&](auto change, size_t offset) {
        Modify modify = to_init(qpn);
        change(modify);
        expect_refused(run(TERN_CMD_MODIFY_QP, modify), TERN_STATUS_BAD_PARAMETER, offset);
        EXPECT_EQ(query(qpn).state, TERN_QP_STATE_RESET);
    };
    refused_attribute([](Modify& m) { m.attributes.port = 3; }, offsetof(Modify, attributes.port));
    refused_attribute([](Modify& m) { m.attributes.pkey_index = 1; }, offsetof(Modify, attributes.pkey_index));
    refused_attribute([](Modify& m) { m.attributes.access = 16; }, offsetof(Modify, attributes.access));
    refused_attribute([](Modify& m) { m.attributes.state = 7; }, offsetof(Modify, attributes.state));
}

TEST_F(QueuePairCommands, AGsiQpHasItsPortFromTheBeginning) {
    Create qp = request();
    qp.type = TERN_QP_GSI;
    qp.flags = TERN_QP_KERNEL;
    qp.port = 2;
    qp.pdn = kernel_pdn;
    qp.send_cqn = qp.recv_cqn = make_cq(0);
    qp.doorbell_pair = 0;
    Modify modify{};
    modify.qpn = make(TERN_CMD_CREATE_QP, qp);
    modify.attributes.state = TERN_QP_STATE_INIT;
    modify.attributes.port = 2;
    modify.valid = TERN_QP_ATTR_STATE | TERN_QP_ATTR_PKEY_INDEX | TERN_QP_ATTR_QKEY | TERN_QP_ATTR_PORT;
    EXPECT_EQ(run(TERN_CMD_MODIFY_QP, modify).status, TERN_STATUS_BAD_STATE);
    modify.valid &= ~TERN_QP_ATTR_PORT;
    EXPECT_EQ(run(TERN_CMD_MODIFY_QP, modify).status, TERN_STATUS_OK);
    EXPECT_EQ(query(modify.qpn).port, 2);
}

TEST_F(QueuePairCommands, ADatagramQpIsDrainedAtOnce) {
    Create qp = request();
    qp.type = TERN_QP_UD;
    Modify modify = to_init(make(TERN_CMD_CREATE_QP, qp));
    modify.valid = TERN_QP_ATTR_STATE | TERN_QP_ATTR_PKEY_INDEX | TERN_QP_ATTR_PORT | TERN_QP_ATTR_QKEY;
    EXPECT_EQ(run(TERN_CMD_MODIFY_QP, modify).status, TERN_STATUS_OK);
    modify.valid = TERN_QP_ATTR_STATE;
    modify.attributes.state = TERN_QP_STATE_RTR;
    EXPECT_EQ(run(TERN_CMD_MODIFY_QP, modify).status, TERN_STATUS_OK);
    modify.valid = TERN_QP_ATTR_STATE | TERN_QP_ATTR_SQ_PSN;
    modify.attributes.state = TERN_QP_STATE_RTS;
    EXPECT_EQ(run(TERN_CMD_MODIFY_QP, modify).status, TERN_STATUS_OK);
    modify.valid = TERN_QP_ATTR_STATE;
    modify.attributes.state = TERN_QP_STATE_SQD;
    EXPECT_EQ(run(TERN_CMD_MODIFY_QP, modify).status, TERN_STATUS_OK);
    (void)card.run(16);
    EXPECT_EQ(query(modify.qpn).state, TERN_QP_STATE_SQD);
    EXPECT_EQ(query(modify.qpn).sqd_async, 0) << "still draining";
}

TEST_F(QueuePairCommands, TransitionsThatVerbsForbidAreABadState) {
    const uint32_t qpn = make(TERN_CMD_CREATE_QP, request());
    Modify modify = to_init(qpn);
    modify.attributes.state = TERN_QP_STATE_RTS;
    EXPECT_EQ(run(TERN_CMD_MODIFY_QP, modify).status, TERN_STATUS_BAD_STATE);
    modify = to_init(qpn);
    modify.valid &= ~TERN_QP_ATTR_PORT;  // required
    EXPECT_EQ(run(TERN_CMD_MODIFY_QP, modify).status, TERN_STATUS_BAD_STATE);
    modify = to_init(qpn ^ 1);
    EXPECT_EQ(run(TERN_CMD_MODIFY_QP, modify).status, TERN_STATUS_BAD_HANDLE);
}

}  // namespace
}  // namespace tern
