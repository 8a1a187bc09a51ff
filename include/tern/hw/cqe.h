/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Copyright (c) 2026 The Tern authors
 *
 * Completion queue entry, 32 bytes. owner holds the phase (ring.h) and is
 * written last.
 */
#ifndef TERN_HW_CQE_H
#define TERN_HW_CQE_H

#include <tern/bits.h>

enum tern_cqe_opcode {
#define TERN_CQE_OPCODE(name, value, verbs, meaning) name = (value),
#include <tern/hw/cqe_opcode.def>
};

enum tern_cqe_status {
#define TERN_CQE_STATUS(name, value, verbs, meaning) name = (value),
#include <tern/hw/cqe_status.def>
};

struct tern_cqe {
	__le64 timestamp_ns;		/* clock of TERN_REG_CLOCK_TIME */
	__le32 byte_len;		/* UD: includes the 40 bytes of GRH */
	__be32 immediate;		/* or invalidated key, or RSS hash */
	__le32 source;			/* TERN_CQE_SRC_QPN .. TERN_CQE_PCP */
	__le32 error;			/* TERN_CQE_STATUS, vendor; zero when ok */
	__le16 wqe_index;		/* low 16 bits of the WQE's first count */
	__le16 vlan_tci;		/* when TERN_CQE_VLAN */
	__le32 owner;			/* uidx, opcode, error, srq, phase */
};

#define TERN_CQE_BYTES_LOG2		5

/* source */
#define TERN_CQE_SRC_QPN_HI		23
#define TERN_CQE_SRC_QPN_LO		0
#define TERN_CQE_GRH			0x01000000U
#define TERN_CQE_VLAN			0x02000000U
#define TERN_CQE_CSUM_OK		0x04000000U	/* L3 and L4 were right */
#define TERN_CQE_IPV6			0x08000000U	/* UD: RoCE v2 over IPv6 */
#define TERN_CQE_SOURCE_RESERVED_HI	28
#define TERN_CQE_SOURCE_RESERVED_LO	28
#define TERN_CQE_PCP_HI			31
#define TERN_CQE_PCP_LO			29

/* error */
#define TERN_CQE_ERROR_STATUS_HI	7
#define TERN_CQE_ERROR_STATUS_LO	0
#define TERN_CQE_ERROR_VENDOR_HI	31
#define TERN_CQE_ERROR_VENDOR_LO	8

/* owner */
#define TERN_CQE_UIDX_HI		23
#define TERN_CQE_UIDX_LO		0
#define TERN_CQE_OPCODE_HI		28
#define TERN_CQE_OPCODE_LO		24
#define TERN_CQE_FAILED			0x20000000U
#define TERN_CQE_SRQ			0x40000000U
#define TERN_CQE_PHASE_HI		31
#define TERN_CQE_PHASE_LO		31

/* Opcodes from here on complete receive WQEs. */
#define TERN_CQE_OP_RECEIVE_FIRST	16

#endif /* TERN_HW_CQE_H */
