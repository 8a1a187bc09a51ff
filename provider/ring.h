/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Copyright (c) 2026 The Tern authors
 *
 * How the host tells the card about its queues, and how it sees the card's
 * entries: records, doorbells, pushes, phases.
 */
#ifndef __TERN_RING_H__
#define __TERN_RING_H__

#include <endian.h>

#include <util/compiler.h>
#include <util/mmio.h>
#include <util/udma_barrier.h>

#include "tern.h"

/* Smallest log2 of a ring that holds @entries. */
static inline uint32_t tern_depth_log2(uint64_t entries)
{
	uint32_t log2 = TERN_RING_MIN_DEPTH_LOG2;

	while (1ULL << log2 < entries)
		log2++;
	return log2;
}

/* The entries come before the count that announces them. */
static inline void tern_record_store(__le32 *record, uint32_t count)
{
	udma_ordering_write_barrier();
	*(volatile __le32 *)record = htole32(count);
}

static inline void tern_ring_doorbell(void *doorbell, uint32_t low,
				      uint32_t high)
{
	/* The record comes before the doorbell that may make the card read it. */
	udma_to_device_barrier();
	mmio_write64_le(doorbell, htole64((uint64_t)high << 32 | low));
}

/* Eight stores in ascending order; the last one commits (tern/hw/doorbell.h). */
static inline void tern_push_block(void *slot, const void *block)
{
	const __le64 *from = block;
	__le64 *to = slot;
	int i;

	mmio_wc_start();
	for (i = 0; i < TERN_PUSH_SLOT_BYTES / sizeof(*to); i++)
		mmio_write64_le(to + i, from[i]);
	mmio_flush_writes();
}

/*
 * Announces the WQEs before sq->prod. @block: the WQE if it is the only new one
 * and has one block, else NULL.
 */
static inline void tern_sq_publish(const struct tern_sq *sq, const void *block)
{
	tern_record_store(sq->record, sq->prod);
	if (sq->push && block)
		tern_push_block(sq->push, block);
	else
		tern_ring_doorbell(sq->doorbell, sq->qpn, sq->prod);
}

static inline const struct tern_cqe *tern_cqe_at(const struct tern_cq *cq,
						 uint32_t count)
{
	return &cq->ring[tern_ring_slot(count, cq->depth_log2)];
}

static inline uint32_t tern_cqe_owner(const struct tern_cqe *cqe)
{
	return le32toh(*(const volatile __le32 *)&cqe->owner);
}

/* Is the entry of @count, whose last word is @owner, the card's answer? */
static inline bool tern_cqe_is_valid(const struct tern_cq *cq, uint32_t owner,
				     uint32_t count)
{
	return TERN_GET32(TERN_CQE_PHASE, owner) ==
	       tern_ring_phase(count, cq->depth_log2);
}

/* What the card wrote before the phase is read after it. */
static inline void tern_cqe_read_barrier(void)
{
#if defined(__x86_64__)
	/* Loads from ordinary memory are never reordered: no fence to wait for. */
	atomic_signal_fence(memory_order_acquire);
#else
	udma_from_device_barrier();
#endif
}

/* Entries before @cons are the card's again. */
static inline void tern_cq_publish(struct tern_cq *cq, uint32_t cons)
{
	atomic_store_explicit(&cq->cons, cons, memory_order_relaxed);
	/* The card may overwrite an entry once it sees that it was read. */
	atomic_thread_fence(memory_order_release);
	*(volatile __le32 *)&cq->record->cons = htole32(cons);
}

#endif
