/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Copyright (c) 2026 The Tern authors
 *
 * Ring algebra. Counts are free-running 32-bit numbers, a slot is a count
 * masked by the depth. CQEs, EQEs and command completions carry one phase bit
 * with one rule: the ring starts zeroed; the entry of count c is valid when
 * its phase bit equals tern_ring_phase(c, depth_log2). The card writes the
 * body, then, with release semantics, the word that has the phase.
 */
#ifndef TERN_HW_RING_H
#define TERN_HW_RING_H

#include <linux/types.h>

/* Phase of the entry with count @count: 1 on the first lap, then alternating. */
static inline __u32 tern_ring_phase(__u32 count, __u32 depth_log2)
{
	return (~count >> depth_log2) & 1;
}

/* Slot of @count. */
static inline __u32 tern_ring_slot(__u32 count, __u32 depth_log2)
{
	return count & ((1U << depth_log2) - 1);
}

#endif /* TERN_HW_RING_H */
