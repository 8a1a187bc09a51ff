/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Copyright (c) 2026 The Tern authors
 *
 * Writing send WQEs into the ring. Headers stay in the first block and SGEs are
 * 16 bytes, so that only inline bytes are ever cut at the end of the ring.
 */
#ifndef __TERN_PROVIDER_WQE_H__
#define __TERN_PROVIDER_WQE_H__

#include <endian.h>
#include <string.h>

#include <util/compiler.h>

#include "tern.h"

/* Bytes before the data. */
#define TERN_SEND_HEADER_BYTES	sizeof(struct tern_wqe_control)
#define TERN_RDMA_HEADER_BYTES \
	(TERN_SEND_HEADER_BYTES + sizeof(struct tern_wqe_remote))
#define TERN_ATOMIC_HEADER_BYTES \
	(TERN_RDMA_HEADER_BYTES + sizeof(struct tern_wqe_atomic))
#define TERN_UD_HEADER_BYTES \
	(TERN_SEND_HEADER_BYTES + sizeof(struct tern_wqe_address_vector))

#define TERN_SEND_FLAGS \
	(IBV_SEND_FENCE | IBV_SEND_SIGNALED | IBV_SEND_SOLICITED | \
	 IBV_SEND_INLINE)

/* Flags of verbs as those of a WQE; the caller has refused all others. */
static inline uint8_t tern_wqe_flags(unsigned int send_flags)
{
	static_assert(IBV_SEND_SIGNALED << 2 == TERN_WQE_SIGNALED &&
		      IBV_SEND_SOLICITED << 2 == TERN_WQE_SOLICITED &&
		      IBV_SEND_FENCE << 5 == TERN_WQE_FENCE &&
		      IBV_SEND_INLINE << 3 == TERN_WQE_INLINE,
		      "flags move together");

	return (send_flags & (IBV_SEND_SIGNALED | IBV_SEND_SOLICITED)) << 2 |
	       (send_flags & IBV_SEND_FENCE) << 5 |
	       (send_flags & IBV_SEND_INLINE) << 3;
}

/* First block of the WQE with count @count. */
static inline void *tern_wqe_at(const struct tern_sq *sq, uint32_t count)
{
	return sq->ring + ((size_t)(count & sq->mask) << TERN_SQ_BLOCK_SHIFT);
}

/* Blocks after the first one of a WQE of @bytes bytes. */
static inline uint32_t tern_more_blocks(uint32_t bytes)
{
	return (bytes - 1) >> TERN_SQ_BLOCK_SHIFT;
}

static inline void tern_put_remote(void *segment, uint64_t address,
				   uint32_t rkey)
{
	struct tern_wqe_remote *remote = segment;

	remote->address = htole64(address);
	remote->rkey = htole32(rkey);
	remote->reserved_0c = 0;
}

static inline void tern_put_atomic(void *segment, uint64_t swap_or_add,
				   uint64_t compare)
{
	struct tern_wqe_atomic *atomic = segment;

	atomic->swap_or_add = htole64(swap_or_add);
	atomic->compare = htole64(compare);
}

static inline void tern_put_address(void *segment, const struct ibv_ah *ibah,
				    uint32_t remote_qpn)
{
	struct tern_wqe_address_vector *av = segment;

	*av = container_of(ibah, const struct tern_ah, ibv_ah)->av;
	av->remote_qpn = htole32(remote_qpn);
}

static inline void tern_put_sge(struct tern_sge *sge, uint64_t address,
				uint32_t length, uint32_t lkey)
{
	sge->address = htole64(address);
	sge->length_bytes = htole32(length);
	sge->lkey = htole32(lkey);
}

/*
 * Writes SGEs from @to on and returns how many: an empty one says nothing, and
 * its key need not exist.
 */
static inline uint32_t tern_put_sges(const struct tern_sq *sq, void *to,
				     const struct ibv_sge *sges, uint32_t count)
{
	uint32_t written = 0;
	uint32_t i;

	for (i = 0; i < count; i++) {
		if (unlikely(!sges[i].length))
			continue;
		if (unlikely(to == sq->ring_end))
			to = sq->ring;
		tern_put_sge(to, sges[i].addr, sges[i].length, sges[i].lkey);
		to += sizeof(struct tern_sge);
		written++;
	}
	return written;
}

/* A few bytes, without the way to the library. */
static inline void tern_copy(void *to, const void *from, size_t bytes)
{
	uint64_t first, last;

	if (bytes < sizeof(first) || bytes > 2 * sizeof(first)) {
		memcpy(to, from, bytes);
		return;
	}
	memcpy(&first, from, sizeof(first));
	memcpy(&last, from + bytes - sizeof(last), sizeof(last));
	memcpy(to, &first, sizeof(first));
	memcpy(to + bytes - sizeof(last), &last, sizeof(last));
}

/* Writes inline bytes from @to on; returns where the next ones go. */
static inline void *tern_put_inline(const struct tern_sq *sq, void *to,
				    const void *from, size_t bytes)
{
	size_t room = (void *)sq->ring_end - to;

	if (unlikely(!bytes))
		return to;
	if (unlikely(bytes > room)) {
		memcpy(to, from, room);
		from += room;
		bytes -= room;
		to = sq->ring;
	}
	tern_copy(to, from, bytes);
	return to + bytes;
}

#endif
