/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Copyright (c) 2026 The Tern authors
 *
 * Event queue entry, 32 bytes. owner holds the phase (ring.h) and is written
 * last.
 */
#ifndef TERN_HW_EQE_H
#define TERN_HW_EQE_H

#include <tern/bits.h>

enum tern_event {
#define TERN_EVENT(name, value, object, meaning) name = (value),
#include <tern/hw/event.def>
};

struct tern_eqe {
	__u8 type;			/* enum tern_event */
	__u8 subtype;			/* zero, or as the event says */
	__le16 port;			/* 1, 2; 0 where no port is meant */
	__le32 object;			/* CQN, object number of the QP, or port */
	__le64 data0;			/* PORT_UP: speed in Mb/s */
	__le64 data1;			/* reserved */
	__le32 token;			/* uidx of the QP, else zero */
	__le32 owner;			/* phase; else reserved */
};

#define TERN_EQE_BYTES_LOG2		5

#define TERN_EQE_OWNER_RESERVED_HI	30
#define TERN_EQE_OWNER_RESERVED_LO	0
#define TERN_EQE_PHASE_HI		31
#define TERN_EQE_PHASE_LO		31

#endif /* TERN_HW_EQE_H */
