/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Copyright (c) 2026 The Tern authors
 *
 * Event and completion queues.
 */
#ifndef TERN_FW_CQ_H
#define TERN_FW_CQ_H

#include <linux/types.h>
#include <tern/hw/page_list.h>

/* tern_cmd_create_eq.flags */
#define TERN_EQ_ASYNCHRONOUS		0x1	/* takes all but completion events */

struct tern_cmd_create_eq {
	__u8 flags;
	__u8 depth_log2;
	__le16 vector;
	__le32 reserved_04;
	struct tern_page_list buffer;	/* zeroed, (32 << depth_log2) bytes */
};

struct tern_cmd_create_cq {
	__le32 eqn;
	__u8 depth_log2;
	__u8 reserved_05[3];
	__le32 doorbell_pair;		/* 0: kernel */
	__le32 reserved_0c;
	__le64 record;			/* bus address of a tern_cq_record */
	struct tern_page_list buffer;	/* zeroed, (32 << depth_log2) bytes */
};

struct tern_cmd_modify_cq {
	__le32 cqn;
	__le16 moderation_count;	/* event after so many completions, 0: each */
	__le16 moderation_usec;		/* or after so long */
};

#endif /* TERN_FW_CQ_H */
