// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
#include "tern/fw/port.h"
#include "tests/firmware/commands.h"

namespace tern {
namespace {

class PortCommands : public test::Commands {
protected:
    PortCommands() { boot(); }

    tern_cmd_port_info query(uint8_t port) {
        EXPECT_EQ(run(TERN_CMD_QUERY_PORT, tern_cmd_port{port, {}}, sizeof(tern_cmd_port_info)).status, TERN_STATUS_OK);
        return fake.at<tern_cmd_port_info>(test::kOut);
    }

    static tern_cmd_set_gid make_gid() {
        tern_cmd_set_gid gid{};
        gid.port = 1;
        gid.type = TERN_GID_ROCE_V2_IPV4;
        gid.vlan_id = TERN_VLAN_NONE;
        gid.mac[0] = 2;
        gid.gid[10] = gid.gid[11] = 0xff;
        gid.gid[12] = 10;
        return gid;
    }
};

TEST_F(PortCommands, SetPortTakesOnlyWhatIsValid) {
    tern_cmd_set_port set{};
    set.port = 2;
    set.valid = TERN_SET_PORT_FLAGS | TERN_SET_PORT_MTU;
    set.flags = TERN_PORT_ADMIN_UP | TERN_PORT_ROCE;
    set.mtu = 9000;
    EXPECT_EQ(run(TERN_CMD_SET_PORT, set).status, TERN_STATUS_OK);
    EXPECT_EQ(query(2).flags, TERN_PORT_ADMIN_UP | TERN_PORT_ROCE | TERN_PORT_LINK_UP);
    EXPECT_EQ(query(2).mtu, 9000);
    EXPECT_EQ(query(1).flags, 0);
    set.valid = TERN_SET_PORT_MAC;
    set.flags = 0;
    set.mtu = 0;
    set.mac[0] = 2;
    EXPECT_EQ(run(TERN_CMD_SET_PORT, set).status, TERN_STATUS_OK);
    EXPECT_EQ(query(2).mtu, 9000);
    EXPECT_EQ(query(2).mac[0], 2);
    EXPECT_EQ(query(2).flags & TERN_PORT_ROCE, TERN_PORT_ROCE);
}

TEST_F(PortCommands, ImpossibleSettingsAreRefusedWithTheirOffset) {
    for (const uint16_t mtu : {67, 9001, 65535}) {
        tern_cmd_set_port set{};
        set.port = 1;
        set.valid = TERN_SET_PORT_MTU;
        set.mtu = mtu;
        expect_refused(run(TERN_CMD_SET_PORT, set), TERN_STATUS_BAD_PARAMETER, offsetof(tern_cmd_set_port, mtu));
    }
    tern_cmd_set_port group{};
    group.port = 1;
    group.valid = TERN_SET_PORT_MAC;
    group.mac[0] = 1;
    expect_refused(run(TERN_CMD_SET_PORT, group), TERN_STATUS_BAD_PARAMETER, offsetof(tern_cmd_set_port, mac));
    for (const uint8_t port : {0, 3, 255})
        expect_refused(run(TERN_CMD_QUERY_PORT, tern_cmd_port{port, {}}, sizeof(tern_cmd_port_info)),
                       TERN_STATUS_BAD_PARAMETER, 0);
}

TEST_F(PortCommands, GidsLiveInTheirPortsTable) {
    tern_cmd_set_gid gid = make_gid();
    gid.index = 127;
    EXPECT_EQ(run(TERN_CMD_SET_GID, gid).status, TERN_STATUS_OK);
    EXPECT_EQ(run(TERN_CMD_QUERY_OBJECTS, {}, sizeof(tern_cmd_object_counts)).status, TERN_STATUS_OK);
    EXPECT_EQ(fake.at<tern_cmd_object_counts>(test::kOut).value[TERN_DEVICE_COUNTER_GIDS], 1u);
    gid = {};
    gid.port = 1;
    gid.index = 127;
    EXPECT_EQ(run(TERN_CMD_SET_GID, gid).status, TERN_STATUS_OK);
    EXPECT_EQ(run(TERN_CMD_QUERY_OBJECTS, {}, sizeof(tern_cmd_object_counts)).status, TERN_STATUS_OK);
    EXPECT_EQ(fake.at<tern_cmd_object_counts>(test::kOut).value[TERN_DEVICE_COUNTER_GIDS], 0u);
}

TEST_F(PortCommands, AGidMustSuitItsType) {
    const auto refused = [this](auto change, size_t offset) {
        tern_cmd_set_gid gid = make_gid();
        change(gid);
        expect_refused(run(TERN_CMD_SET_GID, gid), TERN_STATUS_BAD_PARAMETER, offset);
    };
    using T = tern_cmd_set_gid;
    refused([](T& gid) { gid.type = 3; }, offsetof(T, type));
    refused([](T& gid) { gid.index = 128; }, offsetof(T, index));
    refused([](T& gid) { gid.vlan_id = 4095; }, offsetof(T, vlan_id));
    refused([](T& gid) { gid.mac[0] = 1; }, offsetof(T, mac));
    refused([](T& gid) { gid.type = TERN_GID_ROCE_V2_IPV6; }, offsetof(T, gid));
    refused([](T& gid) { gid.gid[0] = 0x20; }, offsetof(T, gid));
}

TEST_F(PortCommands, TheReceiveFilterTakesGroupAddressesOnly) {
    tern_cmd_rx_mode mode{};
    mode.port = 1;
    mode.address_count = 2;
    mode.address[0][0] = mode.address[1][0] = 1;
    EXPECT_EQ(run(TERN_CMD_SET_RX_MODE, mode).status, TERN_STATUS_OK);
    mode.address[1][0] = 2;
    expect_refused(run(TERN_CMD_SET_RX_MODE, mode), TERN_STATUS_BAD_PARAMETER, offsetof(tern_cmd_rx_mode, address) + 8);
    mode.address_count = 129;
    expect_refused(run(TERN_CMD_SET_RX_MODE, mode), TERN_STATUS_BAD_PARAMETER,
                   offsetof(tern_cmd_rx_mode, address_count));
}

TEST_F(PortCommands, CountersOfANewPortAreZero) {
    EXPECT_EQ(run(TERN_CMD_QUERY_PORT_COUNTERS, tern_cmd_port{2, {}}, sizeof(tern_cmd_port_counters)).status,
              TERN_STATUS_OK);
    for (const uint64_t value : fake.at<tern_cmd_port_counters>(test::kOut).value) EXPECT_EQ(value, 0u);
}

}  // namespace
}  // namespace tern
