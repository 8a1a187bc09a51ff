/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Copyright (c) 2026 The Tern authors
 *
 * Bounds that follow from the layouts. What a card really offers is less or
 * equal and comes from QUERY_DEVICE (fw/device.h).
 */
#ifndef TERN_HW_LIMITS_H
#define TERN_HW_LIMITS_H

/* Object numbers and keys: 24 bits. */
#define TERN_OBJECT_NUMBER_BITS		24
#define TERN_OBJECT_NUMBER_MASK		0xffffffU

/* Send queue: 64-byte blocks, a WQE index has 16 bits. */
#define TERN_SQ_BLOCK_SHIFT		6
#define TERN_SQ_BLOCK_BYTES		(1 << TERN_SQ_BLOCK_SHIFT)
#define TERN_SQ_MAX_DEPTH_LOG2		16	/* in blocks */
#define TERN_WQE_MAX_BLOCKS		8
#define TERN_WQE_MAX_INLINE_BYTES	224
#define TERN_MAX_SEND_SGE		16

/* Receive queue: entries of 16 << stride bytes. */
#define TERN_RQ_MAX_DEPTH_LOG2		15	/* in entries */
#define TERN_RQ_MAX_STRIDE_LOG2		4	/* 16 << 4 bytes */
#define TERN_MAX_RECV_SGE		16

#define TERN_CQ_MAX_DEPTH_LOG2		22
#define TERN_EQ_MAX_DEPTH_LOG2		18
#define TERN_COMMAND_MAX_DEPTH_LOG2	10

/* The smallest ring of any kind: one 4 KiB page's worth is not required. */
#define TERN_RING_MIN_DEPTH_LOG2	1

#define TERN_PAGE_LIST_MAX_LEVELS	3
#define TERN_PAGE_LIST_ENTRIES		512	/* per 4 KiB list page */
#define TERN_PAGE_SHIFT_MIN		12
#define TERN_PAGE_SHIFT_MAX		30

#define TERN_GID_TABLE_LENGTH		128	/* per port */
#define TERN_PKEY_DEFAULT		0xffff

/* A message is at most 2^31 bytes (IBTA 9.7.1). */
#define TERN_MAX_MESSAGE_BYTES		0x80000000U

#define TERN_MAX_RD_ATOMIC		16

/* Pages in the list of a fast registration: one list page. */
#define TERN_FAST_REG_MAX_PAGES		512

#define TERN_ETH_MTU_MIN		68
#define TERN_ETH_MTU_MAX		9000
/* Header, two VLAN tags and the largest payload; without FCS. */
#define TERN_ETH_FRAME_MAX_BYTES	(TERN_ETH_MTU_MAX + 14 + 8)
#define TERN_ETH_MAX_SGE		18
#define TERN_ETH_MAX_QUEUES		16	/* of each direction, per port */
#define TERN_RSS_TABLE_LENGTH		128
#define TERN_RSS_KEY_BYTES		40
#define TERN_MULTICAST_FILTER_LENGTH	128

#endif /* TERN_HW_LIMITS_H */
