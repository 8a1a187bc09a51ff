/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Copyright (c) 2026 The Tern authors
 *
 * A buffer as the card sees it: equally sized pages, named by a tree of 4 KiB
 * list pages of 512 little-endian 64-bit bus addresses.
 *
 *	levels 0: root is the bus address of one contiguous buffer of
 *	          page_count pages (a ring or region in one piece)
 *	levels 1: root is a list page of up to 512 data pages
 *	levels 2: root is a list page of list pages, and so on
 *
 * List pages and data pages are aligned to their size. The card may read the
 * lists at any time while the object lives; it checks what it reads.
 */
#ifndef TERN_HW_PAGE_LIST_H
#define TERN_HW_PAGE_LIST_H

#include <linux/types.h>

struct tern_page_list {
	__le64 root;			/* bus address, see above */
	__le32 page_count;		/* data pages, at least 1 */
	__u8 levels;			/* 0 .. TERN_PAGE_LIST_MAX_LEVELS */
	__u8 page_shift;		/* log2 of a data page's bytes, 12 .. 30 */
	__le16 reserved_0e;
};

#endif /* TERN_HW_PAGE_LIST_H */
