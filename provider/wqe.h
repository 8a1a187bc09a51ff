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

#include "ring.h"

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

#define TERN_WQE_FLAGS_OF(send_flags)					\
	(((send_flags) & IBV_SEND_SIGNALED ? TERN_WQE_SIGNALED : 0) |	\
	 ((send_flags) & IBV_SEND_SOLICITED ? TERN_WQE_SOLICITED : 0) |	\
	 ((send_flags) & IBV_SEND_FENCE ? TERN_WQE_FENCE : 0) |		\
	 ((send_flags) & IBV_SEND_INLINE ? TERN_WQE_INLINE : 0))
#define TERN_WQE_FLAGS_OF_4(send_flags)					\
	TERN_WQE_FLAGS_OF(send_flags), TERN_WQE_FLAGS_OF((send_flags) + 1), \
	TERN_WQE_FLAGS_OF((send_flags) + 2), TERN_WQE_FLAGS_OF((send_flags) + 3)

/* Flags of verbs as those of a WQE; the caller has refused all others. */
static inline uint8_t tern_wqe_flags(unsigned int send_flags)
{
	static const uint8_t flags[TERN_SEND_FLAGS + 1] = {
		TERN_WQE_FLAGS_OF_4(0), TERN_WQE_FLAGS_OF_4(4),
		TERN_WQE_FLAGS_OF_4(8), TERN_WQE_FLAGS_OF_4(12),
	};

	static_assert(TERN_SEND_FLAGS == 15, "the lowest four");
	return flags[send_flags];
}

/* Likewise where the way the data are set says whether they are inline. */
static inline uint8_t tern_build_flags(unsigned int send_flags)
{
	static const uint8_t flags[TERN_SEND_FLAGS + 1] = {
		TERN_WQE_FLAGS_OF_4(0), TERN_WQE_FLAGS_OF_4(4),
		TERN_WQE_FLAGS_OF_4(0), TERN_WQE_FLAGS_OF_4(4),
	};

	return flags[send_flags];
}

/*
 * The first 8 bytes of a WQE, in one store: @opcode_qpn is its first word, the
 * others as in struct tern_wqe_control.
 */
static inline void tern_put_control(struct tern_wqe_control *control,
				    uint32_t opcode_qpn, uint16_t index,
				    uint8_t flags, uint8_t count)
{
	__le64 word = htole64((uint64_t)count << 56 | (uint64_t)flags << 48 |
			      (uint64_t)index << 32 | opcode_qpn);

	static_assert(offsetof(struct tern_wqe_control, index) == 4 &&
		      offsetof(struct tern_wqe_control, flags) == 6 &&
		      offsetof(struct tern_wqe_control, count) == 7,
		      "one word");
	memcpy(control, &word, sizeof(word));
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

/* An SGE of verbs is one of the card's, where the host is little-endian. */
static inline void tern_copy_sge(struct tern_sge *to, const struct ibv_sge *from)
{
#if __BYTE_ORDER == __LITTLE_ENDIAN
	static_assert(sizeof(*to) == sizeof(*from) &&
		      offsetof(struct ibv_sge, length) ==
			      offsetof(struct tern_sge, length_bytes) &&
		      offsetof(struct ibv_sge, lkey) ==
			      offsetof(struct tern_sge, lkey), "one layout");
	memcpy(to, from, sizeof(*to));
#else
	tern_put_sge(to, from->addr, from->length, from->lkey);
#endif
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
		tern_copy_sge(to, &sges[i]);
		to += sizeof(struct tern_sge);
		written++;
	}
	return written;
}

/* Bytes that a copy of constant size moves without the library. */
struct tern_chunk {
	uint8_t bytes[16];
};

/* 8 to 16 bytes, as two words that may overlap. */
static inline void tern_copy_16(void *to, const void *from, size_t bytes)
{
	uint64_t first, last;

	memcpy(&first, from, sizeof(first));
	memcpy(&last, from + bytes - sizeof(last), sizeof(last));
	memcpy(to, &first, sizeof(first));
	memcpy(to + bytes - sizeof(last), &last, sizeof(last));
}

/* 16 to 64 bytes, as chunks of which the last may overlap. */
static inline void tern_copy_64(void *to, const void *from, size_t bytes)
{
	void *end = to + bytes - sizeof(struct tern_chunk);
	struct tern_chunk last;

	memcpy(&last, from + bytes - sizeof(last), sizeof(last));
	for (; to < end; to += sizeof(last), from += sizeof(last))
		memcpy(to, from, sizeof(last));
	memcpy(end, &last, sizeof(last));
}

static inline void tern_copy(void *to, const void *from, size_t bytes)
{
	if (bytes - 8 <= 8)
		tern_copy_16(to, from, bytes);
	else if (bytes - 16 <= 48)
		tern_copy_64(to, from, bytes);
	else
		memcpy(to, from, bytes);
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
