/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Copyright (c) 2026 The Tern authors
 *
 * Ethernet queues and their spreading.
 */
#ifndef TERN_FW_ETH_H
#define TERN_FW_ETH_H

#include <linux/types.h>
#include <tern/hw/limits.h>
#include <tern/hw/page_list.h>

/* Transmit and receive queues; both belong to the kernel's doorbell pair. */
struct tern_cmd_create_eth_queue {
	__u8 port;
	__u8 depth_log2;		/* transmit: blocks; receive: entries */
	__u8 stride_log2;		/* receive: entries of 16 << n bytes; transmit: 0 */
	__u8 reserved_03;
	__le32 cqn;
	__le32 uidx;			/* comes back in CQEs */
	__le32 reserved_0c;
	__le64 record;			/* bus address of a tern_queue_record */
	struct tern_page_list buffer;
};

/* hash_fields: what the Toeplitz hash covers, where a frame has it */
#define TERN_RSS_HASH_IPV4		0x1
#define TERN_RSS_HASH_IPV6		0x2
#define TERN_RSS_HASH_TCP		0x4
#define TERN_RSS_HASH_UDP		0x8

/*
 * Frame goes to table[hash % TERN_RSS_TABLE_LENGTH]; frames without a hash go
 * to table[0]. enabled 0 drops all frames of the netdev (rx_no_buffer).
 */
struct tern_cmd_set_rss {
	__u8 port;
	__u8 enabled;
	__u8 hash_fields;
	__u8 reserved_03[5];
	__u8 key[TERN_RSS_KEY_BYTES];
	__le32 table[TERN_RSS_TABLE_LENGTH];	/* receive queue numbers */
};

#endif /* TERN_FW_ETH_H */
