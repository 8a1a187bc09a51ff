/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Copyright (c) 2026 The Tern authors
 *
 * Rights of memory regions and QPs (values as in verbs), and reserved keys.
 * A key is a 24-bit number in bits 31:8 and the consumer's variant in 7:0.
 */
#ifndef TERN_HW_ACCESS_H
#define TERN_HW_ACCESS_H

#define TERN_ACCESS_LOCAL_WRITE		0x1U
#define TERN_ACCESS_REMOTE_WRITE	0x2U
#define TERN_ACCESS_REMOTE_READ		0x4U
#define TERN_ACCESS_REMOTE_ATOMIC	0x8U
#define TERN_ACCESS_MASK		0xfU

#define TERN_KEY_VARIANT_HI		7
#define TERN_KEY_VARIANT_LO		0
#define TERN_KEY_NUMBER_HI		31
#define TERN_KEY_NUMBER_LO		8

/* Keys with number 0 name no region. */
#define TERN_INVALID_LKEY		0U	/* ends the SGEs of a receive WQE */
#define TERN_LOCAL_DMA_LKEY		1U	/* bus addresses; kernel queues only */

#endif /* TERN_HW_ACCESS_H */
