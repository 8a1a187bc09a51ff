/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Copyright (c) 2026 The Tern authors
 *
 * Protection domains and memory regions.
 */
#ifndef TERN_FW_MR_H
#define TERN_FW_MR_H

#include <linux/types.h>
#include <tern/hw/page_list.h>

/* tern_cmd_alloc_pd.flags */
#define TERN_PD_KERNEL			0x1	/* set by the driver, never from user data */

struct tern_cmd_alloc_pd {
	__u8 flags;
	__u8 reserved_01[7];
};

/* tern_cmd_create_mr.flags */
#define TERN_MR_FAST_REG		0x1	/* free until REG_MR; kernel PDs only */
#define TERN_MR_ALL_MEMORY		0x2	/* bus addresses, no list; kernel PDs only */

struct tern_cmd_create_mr {
	__le32 pdn;
	__u8 flags;
	__u8 reserved_05[3];
	__le32 access;			/* TERN_ACCESS_*; zero with FAST_REG */
	__le32 max_pages;		/* FAST_REG: longest list; else zero */
	__le64 iova;			/* address by which the key is used */
	__le64 length_bytes;		/* iova + length_bytes does not wrap */
	__le64 first_offset;		/* of iova within the first data page */
	struct tern_page_list pages;	/* zero with FAST_REG or ALL_MEMORY */
};

#endif /* TERN_FW_MR_H */
