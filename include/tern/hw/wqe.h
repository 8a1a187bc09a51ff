/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Copyright (c) 2026 The Tern authors
 *
 * Work queue entries. A send WQE is 1 to 8 blocks of 64 bytes at consecutive
 * slots of the ring (it may wrap at any block):
 *
 *	0x00  control segment, 16 bytes
 *	0x10  RDMA: remote segment, 16 bytes; atomics: 16 bytes more
 *	      UD: address vector, 32 bytes
 *	      REG_MR: registration segment, 40 bytes; ETH_SEND: offload, 16 bytes
 *	then  num_sge SGEs of 16 bytes, or the inline bytes
 *
 * Reserved means zero and is checked. The WQE carries its own QPN and index;
 * a WQE that does not match the slot it is fetched from is an error of its QP.
 */
#ifndef TERN_HW_WQE_H
#define TERN_HW_WQE_H

#include <tern/bits.h>

enum tern_wqe_opcode {
#define TERN_WQE_OPCODE(name, value, meaning) name = (value),
#include <tern/hw/wqe_opcode.def>
};

struct tern_wqe_control {
	__le32 qpn_opcode;
	__le16 index;			/* low 16 bits of the first block's count */
	__u8 flags;			/* TERN_WQE_FLAGS_* */
	__u8 count;			/* SGEs, or inline bytes */
	__be32 immediate;		/* or the key to invalidate */
	__le32 qkey;			/* UD; else reserved */
};

#define TERN_WQE_QPN_HI			23
#define TERN_WQE_QPN_LO			0
#define TERN_WQE_OPCODE_HI		31
#define TERN_WQE_OPCODE_LO		24

/* flags */
#define TERN_WQE_BLOCKS_HI		2	/* blocks of this WQE, less one */
#define TERN_WQE_BLOCKS_LO		0
#define TERN_WQE_SIGNALED		0x08
#define TERN_WQE_SOLICITED		0x10
#define TERN_WQE_FENCE			0x20
#define TERN_WQE_INLINE			0x40
#define TERN_WQE_CSUM			0x80	/* ETH_SEND only */

struct tern_wqe_remote {
	__le64 address;
	__le32 rkey;
	__le32 reserved_0c;
};

struct tern_wqe_atomic {
	__le64 swap_or_add;
	__le64 compare;			/* zero for fetch and add */
};

/* Address vector of a UD WQE. */
struct tern_wqe_address_vector {
	__u8 dgid[16];
	__u8 dmac[6];
	__u8 sgid_index;		/* in the GID table of the QP's port */
	__u8 hop_limit;
	__le32 flow_class;
	__le32 remote_qpn;		/* 23:0 */
};

#define TERN_AV_FLOW_LABEL_HI		19
#define TERN_AV_FLOW_LABEL_LO		0
#define TERN_AV_TRAFFIC_CLASS_HI	27
#define TERN_AV_TRAFFIC_CLASS_LO	20
#define TERN_AV_SL_HI			30	/* PCP where the GID has a VLAN */
#define TERN_AV_SL_LO			28
#define TERN_AV_RESERVED_HI		31
#define TERN_AV_RESERVED_LO		31

/*
 * REG_MR: gives the free region named by @key a new variant, address, length
 * and pages. The list is one list page (page_list.h, levels 1).
 */
struct tern_wqe_registration {
	__le64 iova;
	__le64 length_bytes;
	__le64 page_list;
	__le32 page_count;
	__le32 key;
	__le32 access;			/* TERN_ACCESS_* */
	__u8 page_shift;
	__u8 reserved_25[3];
};

struct tern_sge {
	__le64 address;
	__le32 length_bytes;
	__le32 lkey;
};

/*
 * A receive WQE is SGEs only, as many as the stride holds; one with
 * TERN_INVALID_LKEY and length 0 ends the list early.
 */

#endif /* TERN_HW_WQE_H */
