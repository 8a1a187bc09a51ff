/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Copyright (c) 2026 The Tern authors
 *
 * Queue pairs.
 */
#ifndef TERN_FW_QP_H
#define TERN_FW_QP_H

#include <linux/types.h>
#include <tern/bits.h>
#include <tern/hw/page_list.h>

enum tern_qp_type {
	TERN_QP_RC			= 1,
	TERN_QP_UD			= 2,
	TERN_QP_GSI			= 3,	/* UD, QPN 1 of its port on the wire */
	TERN_QP_UC			= 4,
};

enum tern_qp_state {
	TERN_QP_STATE_RESET		= 0,
	TERN_QP_STATE_INIT		= 1,
	TERN_QP_STATE_RTR		= 2,
	TERN_QP_STATE_RTS		= 3,
	TERN_QP_STATE_SQD		= 4,
	TERN_QP_STATE_SQE		= 5,
	TERN_QP_STATE_ERR		= 6,
};

/* tern_cmd_create_qp.flags */
#define TERN_QP_KERNEL			0x1	/* REG_MR, local DMA lkey, privileged Q_Keys */
#define TERN_QP_SIGNAL_ALL		0x2	/* every send WQE is signaled */

struct tern_cmd_create_qp {
	__u8 type;			/* enum tern_qp_type */
	__u8 flags;
	__u8 port;			/* GSI: its port; else zero */
	__u8 sq_depth_log2;		/* blocks */
	__u8 rq_depth_log2;		/* entries; 0 with no receive queue */
	__u8 rq_stride_log2;		/* bytes are 16 << rq_stride_log2 */
	__u8 has_rq;			/* 0: no receive queue */
	__u8 reserved_07;
	__le32 pdn;
	__le32 send_cqn;
	__le32 recv_cqn;
	__le32 doorbell_pair;		/* 0: kernel */
	__le32 uidx;			/* 23:0, comes back in CQEs and EQEs */
	__le32 reserved_1c;
	__le64 record;			/* bus address of a tern_qp_record */
	struct tern_page_list sq;	/* (64 << sq_depth_log2) bytes */
	struct tern_page_list rq;	/* zero with no receive queue */
	__u8 reserved_48[8];
};

/* Attributes of MODIFY_QP, bits of valid. */
#define TERN_QP_ATTR_STATE		0x00000001
#define TERN_QP_ATTR_CURRENT_STATE	0x00000002
#define TERN_QP_ATTR_SQD_ASYNC		0x00000004
#define TERN_QP_ATTR_ACCESS		0x00000008
#define TERN_QP_ATTR_PKEY_INDEX		0x00000010
#define TERN_QP_ATTR_PORT		0x00000020
#define TERN_QP_ATTR_QKEY		0x00000040
#define TERN_QP_ATTR_ADDRESS_VECTOR	0x00000080
#define TERN_QP_ATTR_PATH_MTU		0x00000100
#define TERN_QP_ATTR_TIMEOUT		0x00000200
#define TERN_QP_ATTR_RETRY_COUNT	0x00000400
#define TERN_QP_ATTR_RNR_RETRY		0x00000800
#define TERN_QP_ATTR_RQ_PSN		0x00001000
#define TERN_QP_ATTR_MAX_RD_ATOMIC	0x00002000
#define TERN_QP_ATTR_MIN_RNR_TIMER	0x00008000
#define TERN_QP_ATTR_SQ_PSN		0x00010000
#define TERN_QP_ATTR_MAX_DEST_RD_ATOMIC	0x00020000
#define TERN_QP_ATTR_DEST_QPN		0x00100000
#define TERN_QP_ATTR_ALL		0x0013bfff

/* Address of a connected peer; also what QUERY_QP gives back. */
struct tern_path {
	__u8 dgid[16];
	__u8 dmac[6];
	__u8 sgid_index;
	__u8 hop_limit;
	__le32 flow_class;		/* TERN_AV_* of hw/wqe.h */
	__le32 reserved_1c;
};

struct tern_cmd_qp_attributes {
	__u8 state;			/* enum tern_qp_state; new one when modifying */
	__u8 current_state;		/* as the host believes it, when valid */
	__u8 port;
	__u8 path_mtu;			/* log2 of bytes, 8 .. 12 */
	__u8 pkey_index;		/* 0 */
	__u8 timeout;			/* 4.096 us * 2^n, 0: never (IBTA 9.7.6.1.3) */
	__u8 retry_count;		/* 0 .. 7 */
	__u8 rnr_retry;			/* 0 .. 7, 7: for ever */
	__u8 min_rnr_timer;		/* IBTA table 45 code, 0 .. 31 */
	__u8 max_rd_atomic;
	__u8 max_dest_rd_atomic;
	__u8 sqd_async;			/* event when SQD is drained; query: 1 while draining */
	__le32 access;			/* TERN_ACCESS_* granted to the peer */
	__le32 qkey;
	__le32 dest_qpn;		/* 23:0 */
	__le32 rq_psn;			/* 23:0; query: next expected */
	__le32 sq_psn;			/* 23:0; query: next to send */
	struct tern_path path;
	__u8 reserved_40[16];
};

struct tern_cmd_modify_qp {
	__le32 qpn;			/* object number */
	__le32 valid;			/* TERN_QP_ATTR_* */
	struct tern_cmd_qp_attributes attributes; /* zero where not valid */
};

#endif /* TERN_FW_QP_H */
