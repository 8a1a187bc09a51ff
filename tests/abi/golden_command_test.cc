// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
//
// The command queue's entries (chapter 6 of the guide), and requests and
// responses for objects that are no queues (chapter 21).
#include "tern/fw/command.h"
#include "tern/fw/device.h"
#include "tern/fw/mr.h"
#include "tern/fw/port.h"
#include "tests/abi/golden.h"
#include "tests/abi/golden_bytes.h"

namespace tern::test {
namespace {

using namespace golden;

TEST(GoldenCommand, Inline) {
    Golden<tern_command>(kCommandInline)
        .has(&tern_command::opcode, TERN_CMD_ALLOC_PD)
        .has(&tern_command::cookie, 42)
        .has(&tern_command::in_length, sizeof(tern_cmd_alloc_pd))
        .has(&tern_command::out_length, sizeof(tern_cmd_handle))
        .has(&tern_command::inline_data, {TERN_PD_KERNEL});
}

TEST(GoldenCommand, InMailbox) {
    Golden<tern_command>(kCommandMailbox)
        .has(&tern_command::opcode, TERN_CMD_CREATE_QP)
        .has(&tern_command::cookie, 43)
        .has(&tern_command::in_length, 80)
        .has(&tern_command::out_length, sizeof(tern_cmd_handle))
        .has(&tern_command::in_mailbox, 0x76543000);
}

TEST(GoldenCommand, Completions) {
    Golden<tern_command_completion>(kCompletionOk)
        .has(&tern_command_completion::cookie, 42)
        .has(&tern_command_completion::status, TERN_STATUS_OK)
        .has(&tern_command_completion::result, {0xc3, 0x17, 0x5a})
        .has(&tern_command_completion::owner, TERN_SET32(TERN_COMMAND_COMPLETION_PHASE, 1));
    Golden<tern_command_completion>(kCompletionRefused)
        .has(&tern_command_completion::cookie, 43)
        .has(&tern_command_completion::status, TERN_STATUS_BAD_HANDLE)
        .has(&tern_command_completion::syndrome, 12);
}

TEST(GoldenCommand, Handle) { Golden<tern_cmd_handle>(kHandle).has(&tern_cmd_handle::handle, 0x4a3b2c); }

TEST(GoldenDevice, Capabilities) {
    using T = tern_cmd_device_caps;
    Golden<T>(kDeviceCaps)
        .has(&T::capabilities, TERN_CAP_PUSH | TERN_CAP_FAST_REGISTRATION)
        .has(&T::node_guid, 0x505400fffe123456)
        .has(&T::max_mr_bytes, uint64_t{1} << 48)
        .has(&T::page_sizes, 0x7ffff000)
        .has(&T::max_qps, 65536)
        .has(&T::max_cqs, 65536)
        .has(&T::max_mrs, 1048576)
        .has(&T::max_pds, 65536)
        .has(&T::max_eqs, 256)
        .has(&T::max_txqs, 32)
        .has(&T::max_rxqs, 32)
        .has(&T::vectors, 64)
        .has(&T::ports, 2)
        .has(&T::max_sq_depth_log2, 16)
        .has(&T::max_rq_depth_log2, 15)
        .has(&T::max_cq_depth_log2, 22)
        .has(&T::max_eq_depth_log2, 18)
        .has(&T::max_send_sge, 16)
        .has(&T::max_recv_sge, 16)
        .has(&T::max_inline_bytes, 224)
        .has(&T::max_rd_atomic, 16)
        .has(&T::max_dest_rd_atomic, 16)
        .has(&T::gid_table_length, 128)
        .has(&T::local_ack_delay, 0)
        .has(&T::fast_reg_max_pages, 512);
}

TEST(GoldenDevice, FirmwareInformation) {
    using T = tern_cmd_firmware_info;
    Golden<T> golden(kFirmwareInfo);
    golden.has(&T::major, 1).has(&T::minor, 0).has(&T::patch, 0);
    golden.has_values(&T::build, {'e', 'm', 'u', 'l', 'a', 't', 'e', 'd'});
    golden.has_values(&T::board_id, {'t', 'e', 'r', 'n', '4', '0', '0'});
    golden.has_values(&T::board_revision, {'A', '0'});
    golden.has_values(&T::serial_number, {'T', '4', '0', '0', '-', '1'});
}

TEST(GoldenDevice, ObjectCounts) {
    Golden<tern_cmd_object_counts> golden(kObjectCounts);
    golden.has_values(&tern_cmd_object_counts::value, {1, 2});
    EXPECT_EQ(golden.decoded().value[TERN_DEVICE_COUNTER_EQS], 1u);
    EXPECT_EQ(golden.decoded().value[TERN_DEVICE_COUNTER_CQS], 2u);
}

TEST(GoldenPort, Number) { Golden<tern_cmd_port>(kPort).has(&tern_cmd_port::port, 2); }

TEST(GoldenPort, Information) {
    using T = tern_cmd_port_info;
    Golden<T>(kPortInfo)
        .has(&T::port, 1)
        .has(&T::flags, TERN_PORT_ADMIN_UP | TERN_PORT_ROCE | TERN_PORT_LINK_UP)
        .has(&T::mtu, 9000)
        .has(&T::speed_mbps, 200000)
        .has(&T::lanes, 4)
        .has(&T::mac, {2, 0, 0, 0, 0, 1})
        .has(&T::permanent_mac, {0x52, 0x54, 0, 0x12, 0x34, 0x56});
}

TEST(GoldenPort, Set) {
    using T = tern_cmd_set_port;
    Golden<T>(kSetPort)
        .has(&T::port, 1)
        .has(&T::valid, TERN_SET_PORT_FLAGS | TERN_SET_PORT_MTU)
        .has(&T::flags, TERN_PORT_ADMIN_UP | TERN_PORT_ROCE)
        .has(&T::mtu, 9000);
}

TEST(GoldenPort, ReceiveMode) {
    using T = tern_cmd_rx_mode;
    Golden<T> golden(kRxMode);
    golden.has(&T::port, 1).has(&T::flags, 0).has(&T::address_count, 2);
    const uint8_t addresses[2][8] = {{0x33, 0x33, 0, 0, 0, 1}, {1, 0, 0x5e, 0, 0, 0xfb}};
    EXPECT_EQ(std::memcmp(golden.decoded().address, addresses, sizeof(addresses)), 0);
    std::memcpy(golden.encoded().address, addresses, sizeof(addresses));
}

TEST(GoldenPort, Counters) {
    Golden<tern_cmd_port_counters> golden(kPortCounters);
    golden.has_values(&tern_cmd_port_counters::value, {10, 1000});
    EXPECT_EQ(golden.decoded().value[TERN_PORT_COUNTER_TX_FRAMES], 10u);
    EXPECT_EQ(golden.decoded().value[TERN_PORT_COUNTER_TX_BYTES], 1000u);
}

TEST(GoldenPort, SetGid) {
    using T = tern_cmd_set_gid;
    Golden<T>(kSetGid)
        .has(&T::port, 1)
        .has(&T::type, TERN_GID_ROCE_V2_IPV4)
        .has(&T::index, 0)
        .has(&T::vlan_id, TERN_VLAN_NONE)
        .has(&T::mac, {2, 0, 0, 0, 0, 1})
        .has(&T::gid, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, 1});
}

TEST(GoldenMemory, AllocPd) { Golden<tern_cmd_alloc_pd>(kAllocPd).has(&tern_cmd_alloc_pd::flags, TERN_PD_KERNEL); }

TEST(GoldenMemory, CreateMr) {
    using T = tern_cmd_create_mr;
    Golden<T>(kCreateMr)
        .has(&T::pdn, 0x5a17c3)
        .has(&T::access, 7)
        .has(&T::iova, 0x7f0000020000)
        .has(&T::length_bytes, 128 << 10)
        .has(&T::pages, contiguous(0x20000, 32));
    Golden<T>(kCreateMrFastRegistration).has(&T::pdn, 0x5a17c3).has(&T::flags, TERN_MR_FAST_REG).has(&T::max_pages, 64);
}

}  // namespace
}  // namespace tern::test
