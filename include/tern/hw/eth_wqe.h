/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Copyright (c) 2026 The Tern authors
 *
 * Ethernet transmit: a send WQE (wqe.h) with opcode ETH_SEND whose QPN field
 * is the transmit queue's number, followed by this offload segment and SGEs
 * with TERN_LOCAL_DMA_LKEY. Immediate and qkey are reserved. The frame has its
 * header and no FCS. Ethernet receive WQEs are receive WQEs (wqe.h).
 */
#ifndef TERN_HW_ETH_WQE_H
#define TERN_HW_ETH_WQE_H

#include <linux/types.h>

/*
 * With TERN_WQE_CSUM: the ones' complement sum of all bytes from csum_start to
 * the end of the frame, which includes what the host left at csum_start +
 * csum_offset, replaces those two bytes (Linux CHECKSUM_PARTIAL).
 */
struct tern_wqe_eth {
	__le16 csum_start;
	__le16 csum_offset;
	__u8 reserved_04[12];
};

#endif /* TERN_HW_ETH_WQE_H */
