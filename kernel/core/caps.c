// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copyright (c) 2026 The Tern authors
 *
 * What the card says about itself, checked once: later code relies on it.
 */
#include <linux/ctype.h>
#include <linux/minmax.h>
#include <linux/pci.h>

#include <tern/hw/limits.h>
#include <tern/layout_check.h>

#include "../eth/tern_eth.h"
#include "commands.h"
#include "core.h"

/* The control vector and one for completions. */
#define TERN_MIN_VECTORS	2
#define TERN_MIN_EQS		2

#define TERN_PAGE_SIZES_KNOWN \
	GENMASK_ULL(TERN_PAGE_SHIFT_MAX, TERN_PAGE_SHIFT_MIN)

/* IBTA 14.2.5.6: the field has five bits. */
#define TERN_MAX_LOCAL_ACK_DELAY	31

/* The longest WQE fits in the shortest send queue. */
static_assert(TERN_WQE_MAX_BLOCKS <= 1 << TERN_ETH_MIN_DEPTH_LOG2);

/* A QP's sgid_index has eight bits. */
static_assert(TERN_GID_TABLE_LENGTH <= U8_MAX + 1);

struct tern_caps_range {
	const char *name;
	u64 value;
	u64 min;
	u64 max;
};

static int tern_caps_check_ranges(struct tern_core *core,
				  const struct tern_caps_range *ranges,
				  size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		if (in_range(ranges[i].value, ranges[i].min,
			     ranges[i].max - ranges[i].min + 1))
			continue;
		dev_err(&core->dev.pdev->dev,
			"card offers %s = %llu, which is not within %llu..%llu\n",
			ranges[i].name, ranges[i].value, ranges[i].min,
			ranges[i].max);
		return -EIO;
	}
	return 0;
}

static int tern_caps_check(struct tern_core *core)
{
	const struct tern_caps *caps = &core->dev.caps;
	const u32 objects = TERN_OBJECT_NUMBER_MASK;
	const struct tern_caps_range ranges[] = {
		{ "ports", caps->ports, 1, TERN_MAX_PORTS },
		{ "vectors", caps->vectors, TERN_MIN_VECTORS,
		  TERN_MAX_VECTORS },
		{ "max_eqs", caps->max_eqs, TERN_MIN_EQS, objects },
		{ "max_cqs", caps->max_cqs, 1, objects },
		{ "max_qps", caps->max_qps, 1, objects },
		{ "max_mrs", caps->max_mrs, 1, objects },
		{ "max_pds", caps->max_pds, 1, objects },
		{ "max_txqs", caps->max_txqs, caps->ports, objects },
		{ "max_rxqs", caps->max_rxqs, caps->ports, objects },
		{ "max_mr_bytes", caps->max_mr_bytes, TERN_PAGE_BYTES,
		  U64_MAX - 1 },
		{ "max_sq_depth_log2", caps->max_sq_depth_log2,
		  TERN_ETH_MIN_DEPTH_LOG2, TERN_SQ_MAX_DEPTH_LOG2 },
		{ "max_rq_depth_log2", caps->max_rq_depth_log2,
		  TERN_ETH_MIN_DEPTH_LOG2, TERN_RQ_MAX_DEPTH_LOG2 },
		{ "max_cq_depth_log2", caps->max_cq_depth_log2,
		  TERN_ETH_MIN_DEPTH_LOG2, TERN_CQ_MAX_DEPTH_LOG2 },
		{ "max_eq_depth_log2", caps->max_eq_depth_log2,
		  TERN_RING_MIN_DEPTH_LOG2, TERN_EQ_MAX_DEPTH_LOG2 },
		{ "max_send_sge", caps->max_send_sge, 1, TERN_MAX_SEND_SGE },
		{ "max_recv_sge", caps->max_recv_sge, 1, TERN_MAX_RECV_SGE },
		{ "max_inline_bytes", caps->max_inline_bytes, 0,
		  TERN_WQE_MAX_INLINE_BYTES },
		{ "max_rd_atomic", caps->max_rd_atomic, 0,
		  TERN_MAX_RD_ATOMIC },
		{ "max_dest_rd_atomic", caps->max_dest_rd_atomic, 0,
		  TERN_MAX_RD_ATOMIC },
		{ "gid_table_length", caps->gid_table_length, 1,
		  TERN_GID_TABLE_LENGTH },
		{ "local_ack_delay", caps->local_ack_delay, 0,
		  TERN_MAX_LOCAL_ACK_DELAY },
		{ "fast_reg_max_pages", caps->fast_reg_max_pages, 0,
		  TERN_FAST_REG_MAX_PAGES },
	};

	if (!(caps->page_sizes & BIT_ULL(TERN_PAGE_SHIFT_MIN))) {
		dev_err(&core->dev.pdev->dev, "card has no pages of 4 KiB\n");
		return -EIO;
	}
	return tern_caps_check_ranges(core, ranges, ARRAY_SIZE(ranges));
}

static void tern_caps_decode(struct tern_caps *caps,
			     const struct tern_cmd_device_caps *raw)
{
	caps->capabilities = le64_to_cpu(raw->capabilities);
	caps->node_guid = le64_to_cpu(raw->node_guid);
	caps->max_mr_bytes = le64_to_cpu(raw->max_mr_bytes);
	caps->page_sizes = le64_to_cpu(raw->page_sizes) &
			   TERN_PAGE_SIZES_KNOWN;
	caps->max_qps = le32_to_cpu(raw->max_qps);
	caps->max_cqs = le32_to_cpu(raw->max_cqs);
	caps->max_mrs = le32_to_cpu(raw->max_mrs);
	caps->max_pds = le32_to_cpu(raw->max_pds);
	caps->max_eqs = le32_to_cpu(raw->max_eqs);
	caps->max_txqs = le32_to_cpu(raw->max_txqs);
	caps->max_rxqs = le32_to_cpu(raw->max_rxqs);
	caps->vectors = le32_to_cpu(raw->vectors);
	caps->ports = raw->ports;
	caps->max_sq_depth_log2 = raw->max_sq_depth_log2;
	caps->max_rq_depth_log2 = raw->max_rq_depth_log2;
	caps->max_cq_depth_log2 = raw->max_cq_depth_log2;
	caps->max_eq_depth_log2 = raw->max_eq_depth_log2;
	caps->max_send_sge = raw->max_send_sge;
	caps->max_recv_sge = raw->max_recv_sge;
	caps->max_inline_bytes = raw->max_inline_bytes;
	caps->max_rd_atomic = raw->max_rd_atomic;
	caps->max_dest_rd_atomic = raw->max_dest_rd_atomic;
	caps->gid_table_length = le16_to_cpu(raw->gid_table_length);
	caps->local_ack_delay = le16_to_cpu(raw->local_ack_delay);
	caps->fast_reg_max_pages = le16_to_cpu(raw->fast_reg_max_pages);
}

/**
 * tern_caps_query() - learn what the card can do
 * @core: the card; its commands work
 *
 * Return: 0, -EIO if the card offers what cannot be, or another negative errno.
 */
int tern_caps_query(struct tern_core *core)
{
	struct tern_cmd_device_caps raw;
	int err;

	err = tern_cmd_query_device(&core->dev, &raw);
	if (err)
		return err;
	tern_caps_decode(&core->dev.caps, &raw);
	return tern_caps_check(core);
}

/* Strings of the card end up in terminals. */
static void tern_identity_copy(char *to, const char *from)
{
	size_t i;

	for (i = 0; i < TERN_FIRMWARE_STRING_BYTES - 1 && from[i]; i++)
		to[i] = isascii(from[i]) && isprint(from[i]) ? from[i] : '?';
	to[i] = '\0';
}

/**
 * tern_identity_query() - learn which firmware and board this is
 * @core: the card; its commands work
 *
 * Return: 0 or a negative errno.
 */
int tern_identity_query(struct tern_core *core)
{
	struct tern_firmware_version *version = &core->dev.firmware_version;
	struct tern_identity *identity = &core->identity;
	struct tern_cmd_firmware_info info;
	int err;

	err = tern_cmd_query_firmware(&core->dev, &info);
	if (err)
		return err;
	version->major = le16_to_cpu(info.major);
	version->minor = le16_to_cpu(info.minor);
	version->patch = le16_to_cpu(info.patch);
	tern_identity_copy(identity->build, info.build);
	tern_identity_copy(identity->board_id, info.board_id);
	tern_identity_copy(identity->board_revision, info.board_revision);
	tern_identity_copy(identity->serial_number, info.serial_number);
	return 0;
}
