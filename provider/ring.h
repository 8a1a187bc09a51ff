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
	#pragma GCC unroll 8
	for (i = 0; i < TERN_PUSH_SLOT_BYTES / sizeof(*to); i++)
		mmio_write64_le(to + i, from[i]);
	mmio_flush_writes();
}

/* First block of the WQE with count @count. */
static inline void *tern_wqe_at(const struct tern_sq *sq, uint32_t count)
{
	return sq->ring + ((size_t)(count & sq->mask) << TERN_SQ_BLOCK_SHIFT);
}

/*
 * The queue's producer moves from @first to @prod, and the card hears of it. One
 * WQE of one block alone may be pushed.
 */
static inline void tern_sq_publish(struct tern_sq *sq, uint32_t first,
				   uint32_t prod)
{
	sq->prod = prod;
	tern_record_store(sq->record, prod);
	if (sq->push && prod - first == 1)
		tern_push_block(sq->push, tern_wqe_at(sq, first));
	else
		tern_ring_doorbell(sq->doorbell, sq->qpn, prod);
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

/* The entry of cq->next. */
static inline const struct tern_cqe *tern_cqe_of(uintptr_t next)
{
	return (const struct tern_cqe *)(next & ~(uintptr_t)1);
}

/* Is the entry of cq->next, whose last word is @owner, still the card's? */
static inline bool tern_cqe_is_pending(uintptr_t next, uint32_t owner)
{
	static_assert(TERN_CQE_PHASE_HI == 31 && TERN_CQE_PHASE_LO == 31,
		      "the phase is the sign");

	return (int32_t)(owner ^ (uint32_t)next << 31) < 0;
}

/* The entry after that of @next. */
static inline uintptr_t tern_cqe_after(const struct tern_cq *cq, uintptr_t next)
{
	next += sizeof(struct tern_cqe);
	if (unlikely(tern_cqe_of(next) == cq->ring_end))
		next = (uintptr_t)cq->ring | !(next & 1);
	return next;
}

/*
 * The entry of @cons, at @next, is looked at next. Its address and its phase
 * are one word, so that who polls without the lock never sees one without the
 * other.
 */
static inline void tern_cq_set(struct tern_cq *cq, uint32_t cons,
			       uintptr_t next)
{
	atomic_store_explicit(&cq->cons, cons, memory_order_relaxed);
	atomic_store_explicit(&cq->next, next, memory_order_relaxed);
}

static inline void tern_cq_look_at(struct tern_cq *cq, uint32_t cons)
{
	tern_cq_set(cq, cons, (uintptr_t)tern_cqe_at(cq, cons) |
		    tern_ring_phase(cons, cq->depth_log2));
}

/* Entries before @cons, which is at @next, are the card's again. */
static inline void tern_cq_publish(struct tern_cq *cq, uint32_t cons,
				   uintptr_t next)
{
	tern_cq_set(cq, cons, next);
	/* The card may overwrite an entry once it sees that it was read. */
	atomic_thread_fence(memory_order_release);
	*(volatile __le32 *)&cq->record->cons = htole32(cons);
}

#endif
