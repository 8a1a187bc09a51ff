/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Copyright (c) 2026 The Tern authors
 *
 * BAR2: pairs of pages. Pair n starts at 2 * n * TERN_PAGE_BYTES. Its first
 * page takes doorbells (uncached), its second page takes pushed WQEs
 * (write combining). Pair 0 is the kernel's; each user context has its own.
 * The card obeys a doorbell only if the queue was created on that pair.
 *
 * A doorbell is one aligned 8-byte store; other sizes are ignored. Its payload
 * says all that the card must know, and the record (below) says it again in
 * host memory, so that a lost or merged doorbell is never a lost request: when
 * the card's doorbell queue overflows it reads the records instead.
 */
#ifndef TERN_HW_DOORBELL_H
#define TERN_HW_DOORBELL_H

#include <tern/bits.h>

/* Offsets in a doorbell page. */
#define TERN_DOORBELL_SQ		0x00	/* send queue of a QP */
#define TERN_DOORBELL_CQ		0x08	/* arm a CQ */
#define TERN_DOORBELL_RQ		0x10	/* look at a receive queue in ERR */
#define TERN_DOORBELL_EQ		0x18	/* pair 0 only */
#define TERN_DOORBELL_ETH_TX		0x20	/* pair 0 only */
#define TERN_DOORBELL_ETH_RX		0x28	/* pair 0 only */

/*
 * SQ, RQ, ETH_TX, ETH_RX: object number and free-running producer count (SQ
 * and ETH_TX in blocks, RQ and ETH_RX in entries).
 */
#define TERN_DB_QUEUE_NUMBER_HI		23
#define TERN_DB_QUEUE_NUMBER_LO		0
#define TERN_DB_QUEUE_RESERVED_HI	31
#define TERN_DB_QUEUE_RESERVED_LO	24
#define TERN_DB_QUEUE_PROD_HI		63
#define TERN_DB_QUEUE_PROD_LO		32

/*
 * CQ: ask for one event. CONS is the consumer count up to which the host has
 * polled; entries beyond it that qualify fire at once. SEQ differs from the one
 * of the arm before, so that a record read after an overflow is obeyed once.
 */
#define TERN_DB_CQ_NUMBER_HI		23
#define TERN_DB_CQ_NUMBER_LO		0
#define TERN_DB_CQ_COMMAND_HI		25
#define TERN_DB_CQ_COMMAND_LO		24
#define TERN_DB_CQ_SEQ_HI		27
#define TERN_DB_CQ_SEQ_LO		26
#define TERN_DB_CQ_RESERVED_HI		31
#define TERN_DB_CQ_RESERVED_LO		28
#define TERN_DB_CQ_CONS_HI		63
#define TERN_DB_CQ_CONS_LO		32

enum tern_cq_arm {
	TERN_CQ_ARM_NONE		= 0,
	TERN_CQ_ARM_SOLICITED		= 1,	/* solicited or failed completions */
	TERN_CQ_ARM_NEXT		= 2,	/* any completion */
};

/*
 * EQ: entries before CONS are free again. ARM = 1 asks for one interrupt, at
 * once if entries from CONS on are there.
 */
#define TERN_DB_EQ_NUMBER_HI		23
#define TERN_DB_EQ_NUMBER_LO		0
#define TERN_DB_EQ_ARM_HI		24
#define TERN_DB_EQ_ARM_LO		24
#define TERN_DB_EQ_RESERVED_HI		31
#define TERN_DB_EQ_RESERVED_LO		25
#define TERN_DB_EQ_CONS_HI		63
#define TERN_DB_EQ_CONS_LO		32

/*
 * Push page: 64 slots of 64 bytes. A push is a one-block WQE as eight
 * ascending 8-byte stores into one slot and is committed by the one at +56; an
 * incomplete or disordered push is dropped, the record and the WQE in host
 * memory cover it. A push also acts as the SQ doorbell with PROD = the WQE's
 * index + 1, if the WQE is the next that the card expects; else the card falls
 * back to the queue in memory.
 */
#define TERN_PUSH_SLOT_BYTES		64
#define TERN_PUSH_SLOTS			64

/*
 * Doorbell records, one 64-byte line each, at a 64-byte aligned bus address
 * given when the object is created. Written by the host with a release store
 * after the entries they announce.
 */
#define TERN_RECORD_BYTES		64

struct tern_qp_record {
	__le32 sq_prod;			/* free-running, in blocks */
	__le32 rq_prod;			/* free-running, in entries */
	__u8 reserved_08[56];
};

/* Also of Ethernet queues: prod in blocks (transmit) or entries (receive). */
struct tern_queue_record {
	__le32 prod;
	__u8 reserved_04[60];
};

struct tern_cq_record {
	__le32 cons;			/* free-running, in entries */
	__le32 arm;			/* low word of the last arm doorbell */
	__le32 arm_cons;		/* high word of the last arm doorbell */
	__u8 reserved_0c[52];
};

#endif /* TERN_HW_DOORBELL_H */
