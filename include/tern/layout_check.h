/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Copyright (c) 2026 The Tern authors
 *
 * Size of every struct of the contract and offset of every field, checked by
 * each consumer's compiler: kernel, provider, engine, firmware model, tests.
 * Include it in one source file of each.
 */
#ifndef TERN_LAYOUT_CHECK_H
#define TERN_LAYOUT_CHECK_H

#ifdef __KERNEL__
#include <linux/build_bug.h>
#include <linux/stddef.h>
#else
#include <assert.h>
#include <stddef.h>
#endif

#include <tern/hw/page_list.h>
#include <tern/hw/doorbell.h>
#include <tern/hw/wqe.h>
#include <tern/hw/eth_wqe.h>
#include <tern/hw/cqe.h>
#include <tern/hw/eqe.h>
#include <tern/fw/command.h>
#include <tern/fw/device.h>
#include <tern/fw/port.h>
#include <tern/fw/cq.h>
#include <tern/fw/mr.h>
#include <tern/fw/qp.h>
#include <tern/fw/eth.h>

#define TERN_LAYOUT_SIZE(type, bytes) \
	static_assert(sizeof(struct type) == (bytes), #type " has another size")
#define TERN_LAYOUT_OFFSET(type, field, offset) \
	static_assert(offsetof(struct type, field) == (offset), \
		      #type "." #field " is elsewhere")

TERN_LAYOUT_SIZE(tern_page_list, 16);
TERN_LAYOUT_OFFSET(tern_page_list, root, 0x00);
TERN_LAYOUT_OFFSET(tern_page_list, page_count, 0x08);
TERN_LAYOUT_OFFSET(tern_page_list, levels, 0x0c);
TERN_LAYOUT_OFFSET(tern_page_list, page_shift, 0x0d);
TERN_LAYOUT_OFFSET(tern_page_list, reserved_0e, 0x0e);

TERN_LAYOUT_SIZE(tern_qp_record, 64);
TERN_LAYOUT_OFFSET(tern_qp_record, sq_prod, 0x00);
TERN_LAYOUT_OFFSET(tern_qp_record, rq_prod, 0x04);
TERN_LAYOUT_OFFSET(tern_qp_record, reserved_08, 0x08);

TERN_LAYOUT_SIZE(tern_queue_record, 64);
TERN_LAYOUT_OFFSET(tern_queue_record, prod, 0x00);
TERN_LAYOUT_OFFSET(tern_queue_record, reserved_04, 0x04);

TERN_LAYOUT_SIZE(tern_cq_record, 64);
TERN_LAYOUT_OFFSET(tern_cq_record, cons, 0x00);
TERN_LAYOUT_OFFSET(tern_cq_record, arm, 0x04);
TERN_LAYOUT_OFFSET(tern_cq_record, arm_cons, 0x08);
TERN_LAYOUT_OFFSET(tern_cq_record, reserved_0c, 0x0c);

TERN_LAYOUT_SIZE(tern_wqe_control, 16);
TERN_LAYOUT_OFFSET(tern_wqe_control, qpn_opcode, 0x00);
TERN_LAYOUT_OFFSET(tern_wqe_control, index, 0x04);
TERN_LAYOUT_OFFSET(tern_wqe_control, flags, 0x06);
TERN_LAYOUT_OFFSET(tern_wqe_control, count, 0x07);
TERN_LAYOUT_OFFSET(tern_wqe_control, immediate, 0x08);
TERN_LAYOUT_OFFSET(tern_wqe_control, qkey, 0x0c);

TERN_LAYOUT_SIZE(tern_wqe_remote, 16);
TERN_LAYOUT_OFFSET(tern_wqe_remote, address, 0x00);
TERN_LAYOUT_OFFSET(tern_wqe_remote, rkey, 0x08);
TERN_LAYOUT_OFFSET(tern_wqe_remote, reserved_0c, 0x0c);

TERN_LAYOUT_SIZE(tern_wqe_atomic, 16);
TERN_LAYOUT_OFFSET(tern_wqe_atomic, swap_or_add, 0x00);
TERN_LAYOUT_OFFSET(tern_wqe_atomic, compare, 0x08);

TERN_LAYOUT_SIZE(tern_wqe_address_vector, 32);
TERN_LAYOUT_OFFSET(tern_wqe_address_vector, dgid, 0x00);
TERN_LAYOUT_OFFSET(tern_wqe_address_vector, dmac, 0x10);
TERN_LAYOUT_OFFSET(tern_wqe_address_vector, sgid_index, 0x16);
TERN_LAYOUT_OFFSET(tern_wqe_address_vector, hop_limit, 0x17);
TERN_LAYOUT_OFFSET(tern_wqe_address_vector, flow_class, 0x18);
TERN_LAYOUT_OFFSET(tern_wqe_address_vector, remote_qpn, 0x1c);

TERN_LAYOUT_SIZE(tern_wqe_registration, 40);
TERN_LAYOUT_OFFSET(tern_wqe_registration, iova, 0x00);
TERN_LAYOUT_OFFSET(tern_wqe_registration, length_bytes, 0x08);
TERN_LAYOUT_OFFSET(tern_wqe_registration, page_list, 0x10);
TERN_LAYOUT_OFFSET(tern_wqe_registration, page_count, 0x18);
TERN_LAYOUT_OFFSET(tern_wqe_registration, key, 0x1c);
TERN_LAYOUT_OFFSET(tern_wqe_registration, access, 0x20);
TERN_LAYOUT_OFFSET(tern_wqe_registration, page_shift, 0x24);
TERN_LAYOUT_OFFSET(tern_wqe_registration, reserved_25, 0x25);

TERN_LAYOUT_SIZE(tern_sge, 16);
TERN_LAYOUT_OFFSET(tern_sge, address, 0x00);
TERN_LAYOUT_OFFSET(tern_sge, length_bytes, 0x08);
TERN_LAYOUT_OFFSET(tern_sge, lkey, 0x0c);

TERN_LAYOUT_SIZE(tern_wqe_eth, 16);
TERN_LAYOUT_OFFSET(tern_wqe_eth, csum_start, 0x00);
TERN_LAYOUT_OFFSET(tern_wqe_eth, csum_offset, 0x02);
TERN_LAYOUT_OFFSET(tern_wqe_eth, reserved_04, 0x04);

TERN_LAYOUT_SIZE(tern_cqe, 32);
TERN_LAYOUT_OFFSET(tern_cqe, timestamp_ns, 0x00);
TERN_LAYOUT_OFFSET(tern_cqe, byte_len, 0x08);
TERN_LAYOUT_OFFSET(tern_cqe, immediate, 0x0c);
TERN_LAYOUT_OFFSET(tern_cqe, source, 0x10);
TERN_LAYOUT_OFFSET(tern_cqe, error, 0x14);
TERN_LAYOUT_OFFSET(tern_cqe, wqe_index, 0x18);
TERN_LAYOUT_OFFSET(tern_cqe, vlan_tci, 0x1a);
TERN_LAYOUT_OFFSET(tern_cqe, owner, 0x1c);

TERN_LAYOUT_SIZE(tern_eqe, 32);
TERN_LAYOUT_OFFSET(tern_eqe, type, 0x00);
TERN_LAYOUT_OFFSET(tern_eqe, subtype, 0x01);
TERN_LAYOUT_OFFSET(tern_eqe, port, 0x02);
TERN_LAYOUT_OFFSET(tern_eqe, object, 0x04);
TERN_LAYOUT_OFFSET(tern_eqe, data0, 0x08);
TERN_LAYOUT_OFFSET(tern_eqe, data1, 0x10);
TERN_LAYOUT_OFFSET(tern_eqe, token, 0x18);
TERN_LAYOUT_OFFSET(tern_eqe, owner, 0x1c);

TERN_LAYOUT_SIZE(tern_command, 64);
TERN_LAYOUT_OFFSET(tern_command, opcode, 0x00);
TERN_LAYOUT_OFFSET(tern_command, version, 0x02);
TERN_LAYOUT_OFFSET(tern_command, flags, 0x03);
TERN_LAYOUT_OFFSET(tern_command, cookie, 0x04);
TERN_LAYOUT_OFFSET(tern_command, in_length, 0x08);
TERN_LAYOUT_OFFSET(tern_command, out_length, 0x0c);
TERN_LAYOUT_OFFSET(tern_command, in_mailbox, 0x10);
TERN_LAYOUT_OFFSET(tern_command, out_mailbox, 0x18);
TERN_LAYOUT_OFFSET(tern_command, inline_data, 0x20);

TERN_LAYOUT_SIZE(tern_command_completion, 32);
TERN_LAYOUT_OFFSET(tern_command_completion, cookie, 0x00);
TERN_LAYOUT_OFFSET(tern_command_completion, status, 0x04);
TERN_LAYOUT_OFFSET(tern_command_completion, reserved_06, 0x06);
TERN_LAYOUT_OFFSET(tern_command_completion, syndrome, 0x08);
TERN_LAYOUT_OFFSET(tern_command_completion, result, 0x0c);
TERN_LAYOUT_OFFSET(tern_command_completion, owner, 0x1c);

TERN_LAYOUT_SIZE(tern_cmd_empty, 4);
TERN_LAYOUT_OFFSET(tern_cmd_empty, reserved_00, 0x00);

TERN_LAYOUT_SIZE(tern_cmd_handle, 8);
TERN_LAYOUT_OFFSET(tern_cmd_handle, handle, 0x00);
TERN_LAYOUT_OFFSET(tern_cmd_handle, reserved_04, 0x04);

TERN_LAYOUT_SIZE(tern_cmd_device_caps, 128);
TERN_LAYOUT_OFFSET(tern_cmd_device_caps, capabilities, 0x00);
TERN_LAYOUT_OFFSET(tern_cmd_device_caps, node_guid, 0x08);
TERN_LAYOUT_OFFSET(tern_cmd_device_caps, max_mr_bytes, 0x10);
TERN_LAYOUT_OFFSET(tern_cmd_device_caps, page_sizes, 0x18);
TERN_LAYOUT_OFFSET(tern_cmd_device_caps, max_qps, 0x20);
TERN_LAYOUT_OFFSET(tern_cmd_device_caps, max_cqs, 0x24);
TERN_LAYOUT_OFFSET(tern_cmd_device_caps, max_mrs, 0x28);
TERN_LAYOUT_OFFSET(tern_cmd_device_caps, max_pds, 0x2c);
TERN_LAYOUT_OFFSET(tern_cmd_device_caps, max_eqs, 0x30);
TERN_LAYOUT_OFFSET(tern_cmd_device_caps, max_txqs, 0x34);
TERN_LAYOUT_OFFSET(tern_cmd_device_caps, max_rxqs, 0x38);
TERN_LAYOUT_OFFSET(tern_cmd_device_caps, vectors, 0x3c);
TERN_LAYOUT_OFFSET(tern_cmd_device_caps, ports, 0x40);
TERN_LAYOUT_OFFSET(tern_cmd_device_caps, max_sq_depth_log2, 0x41);
TERN_LAYOUT_OFFSET(tern_cmd_device_caps, max_rq_depth_log2, 0x42);
TERN_LAYOUT_OFFSET(tern_cmd_device_caps, max_cq_depth_log2, 0x43);
TERN_LAYOUT_OFFSET(tern_cmd_device_caps, max_eq_depth_log2, 0x44);
TERN_LAYOUT_OFFSET(tern_cmd_device_caps, max_send_sge, 0x45);
TERN_LAYOUT_OFFSET(tern_cmd_device_caps, max_recv_sge, 0x46);
TERN_LAYOUT_OFFSET(tern_cmd_device_caps, max_inline_bytes, 0x47);
TERN_LAYOUT_OFFSET(tern_cmd_device_caps, max_rd_atomic, 0x48);
TERN_LAYOUT_OFFSET(tern_cmd_device_caps, max_dest_rd_atomic, 0x49);
TERN_LAYOUT_OFFSET(tern_cmd_device_caps, gid_table_length, 0x4a);
TERN_LAYOUT_OFFSET(tern_cmd_device_caps, local_ack_delay, 0x4c);
TERN_LAYOUT_OFFSET(tern_cmd_device_caps, fast_reg_max_pages, 0x4e);
TERN_LAYOUT_OFFSET(tern_cmd_device_caps, reserved_50, 0x50);

TERN_LAYOUT_SIZE(tern_cmd_firmware_info, 160);
TERN_LAYOUT_OFFSET(tern_cmd_firmware_info, major, 0x00);
TERN_LAYOUT_OFFSET(tern_cmd_firmware_info, minor, 0x02);
TERN_LAYOUT_OFFSET(tern_cmd_firmware_info, patch, 0x04);
TERN_LAYOUT_OFFSET(tern_cmd_firmware_info, reserved_06, 0x06);
TERN_LAYOUT_OFFSET(tern_cmd_firmware_info, build, 0x08);
TERN_LAYOUT_OFFSET(tern_cmd_firmware_info, board_id, 0x28);
TERN_LAYOUT_OFFSET(tern_cmd_firmware_info, board_revision, 0x48);
TERN_LAYOUT_OFFSET(tern_cmd_firmware_info, serial_number, 0x68);
TERN_LAYOUT_OFFSET(tern_cmd_firmware_info, reserved_88, 0x88);

TERN_LAYOUT_SIZE(tern_cmd_object_counts, 128);
TERN_LAYOUT_OFFSET(tern_cmd_object_counts, value, 0x00);

TERN_LAYOUT_SIZE(tern_cmd_port, 8);
TERN_LAYOUT_OFFSET(tern_cmd_port, port, 0x00);
TERN_LAYOUT_OFFSET(tern_cmd_port, reserved_01, 0x01);

TERN_LAYOUT_SIZE(tern_cmd_port_info, 32);
TERN_LAYOUT_OFFSET(tern_cmd_port_info, port, 0x00);
TERN_LAYOUT_OFFSET(tern_cmd_port_info, flags, 0x01);
TERN_LAYOUT_OFFSET(tern_cmd_port_info, mtu, 0x02);
TERN_LAYOUT_OFFSET(tern_cmd_port_info, speed_mbps, 0x04);
TERN_LAYOUT_OFFSET(tern_cmd_port_info, lanes, 0x08);
TERN_LAYOUT_OFFSET(tern_cmd_port_info, reserved_09, 0x09);
TERN_LAYOUT_OFFSET(tern_cmd_port_info, mac, 0x0c);
TERN_LAYOUT_OFFSET(tern_cmd_port_info, permanent_mac, 0x12);
TERN_LAYOUT_OFFSET(tern_cmd_port_info, reserved_18, 0x18);

TERN_LAYOUT_SIZE(tern_cmd_set_port, 16);
TERN_LAYOUT_OFFSET(tern_cmd_set_port, port, 0x00);
TERN_LAYOUT_OFFSET(tern_cmd_set_port, valid, 0x01);
TERN_LAYOUT_OFFSET(tern_cmd_set_port, flags, 0x02);
TERN_LAYOUT_OFFSET(tern_cmd_set_port, reserved_03, 0x03);
TERN_LAYOUT_OFFSET(tern_cmd_set_port, mtu, 0x04);
TERN_LAYOUT_OFFSET(tern_cmd_set_port, mac, 0x06);
TERN_LAYOUT_OFFSET(tern_cmd_set_port, reserved_0c, 0x0c);

TERN_LAYOUT_SIZE(tern_cmd_rx_mode, 1032);
TERN_LAYOUT_OFFSET(tern_cmd_rx_mode, port, 0x00);
TERN_LAYOUT_OFFSET(tern_cmd_rx_mode, flags, 0x01);
TERN_LAYOUT_OFFSET(tern_cmd_rx_mode, address_count, 0x02);
TERN_LAYOUT_OFFSET(tern_cmd_rx_mode, reserved_04, 0x04);
TERN_LAYOUT_OFFSET(tern_cmd_rx_mode, address, 0x08);

TERN_LAYOUT_SIZE(tern_cmd_port_counters, 512);
TERN_LAYOUT_OFFSET(tern_cmd_port_counters, value, 0x00);

TERN_LAYOUT_SIZE(tern_cmd_set_gid, 32);
TERN_LAYOUT_OFFSET(tern_cmd_set_gid, port, 0x00);
TERN_LAYOUT_OFFSET(tern_cmd_set_gid, type, 0x01);
TERN_LAYOUT_OFFSET(tern_cmd_set_gid, index, 0x02);
TERN_LAYOUT_OFFSET(tern_cmd_set_gid, vlan_id, 0x04);
TERN_LAYOUT_OFFSET(tern_cmd_set_gid, mac, 0x06);
TERN_LAYOUT_OFFSET(tern_cmd_set_gid, reserved_0c, 0x0c);
TERN_LAYOUT_OFFSET(tern_cmd_set_gid, gid, 0x10);

TERN_LAYOUT_SIZE(tern_cmd_create_eq, 24);
TERN_LAYOUT_OFFSET(tern_cmd_create_eq, flags, 0x00);
TERN_LAYOUT_OFFSET(tern_cmd_create_eq, depth_log2, 0x01);
TERN_LAYOUT_OFFSET(tern_cmd_create_eq, vector, 0x02);
TERN_LAYOUT_OFFSET(tern_cmd_create_eq, reserved_04, 0x04);
TERN_LAYOUT_OFFSET(tern_cmd_create_eq, buffer, 0x08);

TERN_LAYOUT_SIZE(tern_cmd_create_cq, 40);
TERN_LAYOUT_OFFSET(tern_cmd_create_cq, eqn, 0x00);
TERN_LAYOUT_OFFSET(tern_cmd_create_cq, depth_log2, 0x04);
TERN_LAYOUT_OFFSET(tern_cmd_create_cq, reserved_05, 0x05);
TERN_LAYOUT_OFFSET(tern_cmd_create_cq, doorbell_pair, 0x08);
TERN_LAYOUT_OFFSET(tern_cmd_create_cq, reserved_0c, 0x0c);
TERN_LAYOUT_OFFSET(tern_cmd_create_cq, record, 0x10);
TERN_LAYOUT_OFFSET(tern_cmd_create_cq, buffer, 0x18);

TERN_LAYOUT_SIZE(tern_cmd_modify_cq, 8);
TERN_LAYOUT_OFFSET(tern_cmd_modify_cq, cqn, 0x00);
TERN_LAYOUT_OFFSET(tern_cmd_modify_cq, moderation_count, 0x04);
TERN_LAYOUT_OFFSET(tern_cmd_modify_cq, moderation_usec, 0x06);

TERN_LAYOUT_SIZE(tern_cmd_alloc_pd, 8);
TERN_LAYOUT_OFFSET(tern_cmd_alloc_pd, flags, 0x00);
TERN_LAYOUT_OFFSET(tern_cmd_alloc_pd, reserved_01, 0x01);

TERN_LAYOUT_SIZE(tern_cmd_create_mr, 56);
TERN_LAYOUT_OFFSET(tern_cmd_create_mr, pdn, 0x00);
TERN_LAYOUT_OFFSET(tern_cmd_create_mr, flags, 0x04);
TERN_LAYOUT_OFFSET(tern_cmd_create_mr, reserved_05, 0x05);
TERN_LAYOUT_OFFSET(tern_cmd_create_mr, access, 0x08);
TERN_LAYOUT_OFFSET(tern_cmd_create_mr, max_pages, 0x0c);
TERN_LAYOUT_OFFSET(tern_cmd_create_mr, iova, 0x10);
TERN_LAYOUT_OFFSET(tern_cmd_create_mr, length_bytes, 0x18);
TERN_LAYOUT_OFFSET(tern_cmd_create_mr, first_offset, 0x20);
TERN_LAYOUT_OFFSET(tern_cmd_create_mr, pages, 0x28);

TERN_LAYOUT_SIZE(tern_cmd_create_qp, 80);
TERN_LAYOUT_OFFSET(tern_cmd_create_qp, type, 0x00);
TERN_LAYOUT_OFFSET(tern_cmd_create_qp, flags, 0x01);
TERN_LAYOUT_OFFSET(tern_cmd_create_qp, port, 0x02);
TERN_LAYOUT_OFFSET(tern_cmd_create_qp, sq_depth_log2, 0x03);
TERN_LAYOUT_OFFSET(tern_cmd_create_qp, rq_depth_log2, 0x04);
TERN_LAYOUT_OFFSET(tern_cmd_create_qp, rq_stride_log2, 0x05);
TERN_LAYOUT_OFFSET(tern_cmd_create_qp, has_rq, 0x06);
TERN_LAYOUT_OFFSET(tern_cmd_create_qp, reserved_07, 0x07);
TERN_LAYOUT_OFFSET(tern_cmd_create_qp, pdn, 0x08);
TERN_LAYOUT_OFFSET(tern_cmd_create_qp, send_cqn, 0x0c);
TERN_LAYOUT_OFFSET(tern_cmd_create_qp, recv_cqn, 0x10);
TERN_LAYOUT_OFFSET(tern_cmd_create_qp, doorbell_pair, 0x14);
TERN_LAYOUT_OFFSET(tern_cmd_create_qp, uidx, 0x18);
TERN_LAYOUT_OFFSET(tern_cmd_create_qp, reserved_1c, 0x1c);
TERN_LAYOUT_OFFSET(tern_cmd_create_qp, record, 0x20);
TERN_LAYOUT_OFFSET(tern_cmd_create_qp, sq, 0x28);
TERN_LAYOUT_OFFSET(tern_cmd_create_qp, rq, 0x38);
TERN_LAYOUT_OFFSET(tern_cmd_create_qp, reserved_48, 0x48);

TERN_LAYOUT_SIZE(tern_path, 32);
TERN_LAYOUT_OFFSET(tern_path, dgid, 0x00);
TERN_LAYOUT_OFFSET(tern_path, dmac, 0x10);
TERN_LAYOUT_OFFSET(tern_path, sgid_index, 0x16);
TERN_LAYOUT_OFFSET(tern_path, hop_limit, 0x17);
TERN_LAYOUT_OFFSET(tern_path, flow_class, 0x18);
TERN_LAYOUT_OFFSET(tern_path, reserved_1c, 0x1c);

TERN_LAYOUT_SIZE(tern_cmd_qp_attributes, 80);
TERN_LAYOUT_OFFSET(tern_cmd_qp_attributes, state, 0x00);
TERN_LAYOUT_OFFSET(tern_cmd_qp_attributes, current_state, 0x01);
TERN_LAYOUT_OFFSET(tern_cmd_qp_attributes, port, 0x02);
TERN_LAYOUT_OFFSET(tern_cmd_qp_attributes, path_mtu, 0x03);
TERN_LAYOUT_OFFSET(tern_cmd_qp_attributes, pkey_index, 0x04);
TERN_LAYOUT_OFFSET(tern_cmd_qp_attributes, timeout, 0x05);
TERN_LAYOUT_OFFSET(tern_cmd_qp_attributes, retry_count, 0x06);
TERN_LAYOUT_OFFSET(tern_cmd_qp_attributes, rnr_retry, 0x07);
TERN_LAYOUT_OFFSET(tern_cmd_qp_attributes, min_rnr_timer, 0x08);
TERN_LAYOUT_OFFSET(tern_cmd_qp_attributes, max_rd_atomic, 0x09);
TERN_LAYOUT_OFFSET(tern_cmd_qp_attributes, max_dest_rd_atomic, 0x0a);
TERN_LAYOUT_OFFSET(tern_cmd_qp_attributes, sqd_async, 0x0b);
TERN_LAYOUT_OFFSET(tern_cmd_qp_attributes, access, 0x0c);
TERN_LAYOUT_OFFSET(tern_cmd_qp_attributes, qkey, 0x10);
TERN_LAYOUT_OFFSET(tern_cmd_qp_attributes, dest_qpn, 0x14);
TERN_LAYOUT_OFFSET(tern_cmd_qp_attributes, rq_psn, 0x18);
TERN_LAYOUT_OFFSET(tern_cmd_qp_attributes, sq_psn, 0x1c);
TERN_LAYOUT_OFFSET(tern_cmd_qp_attributes, path, 0x20);
TERN_LAYOUT_OFFSET(tern_cmd_qp_attributes, reserved_40, 0x40);

TERN_LAYOUT_SIZE(tern_cmd_modify_qp, 88);
TERN_LAYOUT_OFFSET(tern_cmd_modify_qp, qpn, 0x00);
TERN_LAYOUT_OFFSET(tern_cmd_modify_qp, valid, 0x04);
TERN_LAYOUT_OFFSET(tern_cmd_modify_qp, attributes, 0x08);

TERN_LAYOUT_SIZE(tern_cmd_create_eth_queue, 40);
TERN_LAYOUT_OFFSET(tern_cmd_create_eth_queue, port, 0x00);
TERN_LAYOUT_OFFSET(tern_cmd_create_eth_queue, depth_log2, 0x01);
TERN_LAYOUT_OFFSET(tern_cmd_create_eth_queue, stride_log2, 0x02);
TERN_LAYOUT_OFFSET(tern_cmd_create_eth_queue, reserved_03, 0x03);
TERN_LAYOUT_OFFSET(tern_cmd_create_eth_queue, cqn, 0x04);
TERN_LAYOUT_OFFSET(tern_cmd_create_eth_queue, uidx, 0x08);
TERN_LAYOUT_OFFSET(tern_cmd_create_eth_queue, reserved_0c, 0x0c);
TERN_LAYOUT_OFFSET(tern_cmd_create_eth_queue, record, 0x10);
TERN_LAYOUT_OFFSET(tern_cmd_create_eth_queue, buffer, 0x18);

TERN_LAYOUT_SIZE(tern_cmd_set_rss, 560);
TERN_LAYOUT_OFFSET(tern_cmd_set_rss, port, 0x00);
TERN_LAYOUT_OFFSET(tern_cmd_set_rss, enabled, 0x01);
TERN_LAYOUT_OFFSET(tern_cmd_set_rss, hash_fields, 0x02);
TERN_LAYOUT_OFFSET(tern_cmd_set_rss, reserved_03, 0x03);
TERN_LAYOUT_OFFSET(tern_cmd_set_rss, key, 0x08);
TERN_LAYOUT_OFFSET(tern_cmd_set_rss, table, 0x30);

#undef TERN_LAYOUT_SIZE
#undef TERN_LAYOUT_OFFSET

#endif /* TERN_LAYOUT_CHECK_H */
