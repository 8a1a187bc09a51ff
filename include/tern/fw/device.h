/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Copyright (c) 2026 The Tern authors
 *
 * What a card can do and how much of it.
 */
#ifndef TERN_FW_DEVICE_H
#define TERN_FW_DEVICE_H

#include <linux/types.h>

/* capabilities */
#define TERN_CAP_PUSH			0x1ULL	/* push pages work */
#define TERN_CAP_PUSH_WORTHWHILE	0x2ULL	/* a push beats a doorbell */
#define TERN_CAP_FAST_REGISTRATION	0x4ULL	/* REG_MR, LOCAL_INV, SEND_WITH_INV */

struct tern_cmd_device_caps {
	__le64 capabilities;		/* TERN_CAP_* */
	__le64 node_guid;		/* big-endian EUI-64 read as one number */
	__le64 max_mr_bytes;
	__le64 page_sizes;		/* bit n: data pages of 2^n bytes */
	__le32 max_qps;
	__le32 max_cqs;
	__le32 max_mrs;
	__le32 max_pds;
	__le32 max_eqs;
	__le32 max_txqs;
	__le32 max_rxqs;
	__le32 vectors;			/* MSI-X vectors */
	__u8 ports;
	__u8 max_sq_depth_log2;		/* blocks */
	__u8 max_rq_depth_log2;		/* entries */
	__u8 max_cq_depth_log2;
	__u8 max_eq_depth_log2;
	__u8 max_send_sge;
	__u8 max_recv_sge;
	__u8 max_inline_bytes;
	__u8 max_rd_atomic;		/* as requester, per QP */
	__u8 max_dest_rd_atomic;	/* as responder, per QP */
	__le16 gid_table_length;	/* per port */
	__le16 local_ack_delay;		/* exponent, 4.096 us * 2^n */
	__le16 fast_reg_max_pages;
	__u8 reserved_50[48];
};

#define TERN_FIRMWARE_STRING_BYTES	32

struct tern_cmd_firmware_info {
	__le16 major;
	__le16 minor;
	__le16 patch;
	__le16 reserved_06;
	char build[TERN_FIRMWARE_STRING_BYTES];		/* NUL-terminated */
	char board_id[TERN_FIRMWARE_STRING_BYTES];
	char board_revision[TERN_FIRMWARE_STRING_BYTES];
	char serial_number[TERN_FIRMWARE_STRING_BYTES];
	__u8 reserved_88[24];
};

/* Live objects of the function, device_counter.def. */
enum tern_device_counter {
#define TERN_DEVICE_COUNTER(name, index, label, meaning) name = (index),
#include <tern/fw/device_counter.def>
	TERN_DEVICE_COUNTER_COUNT
};

#define TERN_DEVICE_COUNTER_SLOTS	16

struct tern_cmd_object_counts {
	__le64 value[TERN_DEVICE_COUNTER_SLOTS];
};

#endif /* TERN_FW_DEVICE_H */
