/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Copyright (c) 2026 The Tern authors
 *
 * The shape of a send WQE: which opcodes a QP type has, what stands before
 * their data, how many blocks they take, and where each segment lies in the
 * ring. Every segment is a multiple of 16 bytes or stays in the first block,
 * so that none straddles the end of the ring.
 */
#ifndef TERN_IB_WQE_H
#define TERN_IB_WQE_H

#include <linux/math.h>
#include <linux/minmax.h>
#include <rdma/ib_verbs.h>

#include <tern/hw/limits.h>
#include <tern/hw/ring.h>
#include <tern/hw/wqe.h>

/* Bytes before the data, by what the WQE is made of. */
#define TERN_IB_SEND_HEADER_BYTES	sizeof(struct tern_wqe_control)
#define TERN_IB_RDMA_HEADER_BYTES \
	(TERN_IB_SEND_HEADER_BYTES + sizeof(struct tern_wqe_remote))
#define TERN_IB_ATOMIC_HEADER_BYTES \
	(TERN_IB_RDMA_HEADER_BYTES + sizeof(struct tern_wqe_atomic))
#define TERN_IB_UD_HEADER_BYTES \
	(TERN_IB_SEND_HEADER_BYTES + sizeof(struct tern_wqe_address_vector))
#define TERN_IB_REG_HEADER_BYTES \
	(TERN_IB_SEND_HEADER_BYTES + sizeof(struct tern_wqe_registration))

/* What the immediate field of an opcode holds. */
enum tern_ib_immediate {
	TERN_IB_IMMEDIATE_NONE,
	TERN_IB_IMMEDIATE_DATA,
	TERN_IB_IMMEDIATE_KEY,
};

/**
 * struct tern_ib_send_shape - what a WQE of one opcode is made of
 * @opcode: TERN_WQE_OP_*; 0: the QP type has no such work request
 * @header_bytes: where the SGEs or the inline bytes begin
 * @immediate: what the immediate field holds
 * @min_sge: fewest SGEs
 * @max_sge: most SGEs; 0: no data
 * @may_inline: IB_SEND_INLINE is allowed
 */
struct tern_ib_send_shape {
	u8 opcode;
	u8 header_bytes;
	u8 immediate;
	u8 min_sge;
	u8 max_sge;
	bool may_inline;
};

/* Does each work request say where it goes? */
static inline bool tern_ib_is_datagram(enum ib_qp_type qp_type)
{
	return qp_type == IB_QPT_UD || qp_type == IB_QPT_GSI;
}

/**
 * tern_ib_wqe_blocks() - blocks of the largest WQE that a QP may hold
 * @qp_type: IB_QPT_RC, IB_QPT_UC, IB_QPT_UD or IB_QPT_GSI
 * @max_sge: most SGEs of a send work request
 * @max_inline: most inline bytes of one
 *
 * Return: 1 .. TERN_WQE_MAX_BLOCKS for limits that the card has.
 */
static inline u32 tern_ib_wqe_blocks(enum ib_qp_type qp_type, u32 max_sge,
				     u32 max_inline)
{
	u32 data = max_t(u32, max_sge * sizeof(struct tern_sge), max_inline);
	u32 bytes;

	if (tern_ib_is_datagram(qp_type))
		bytes = TERN_IB_UD_HEADER_BYTES + data;
	else
		bytes = max_t(u32, TERN_IB_RDMA_HEADER_BYTES + data,
			      TERN_IB_ATOMIC_HEADER_BYTES +
			      sizeof(struct tern_sge));
	return DIV_ROUND_UP(bytes, TERN_SQ_BLOCK_BYTES);
}

/* Byte @offset of the WQE whose first block has count @count. */
static inline void *tern_ib_wqe_at(void *ring, u8 depth_log2, u32 count,
				   u32 offset)
{
	u32 slot = tern_ring_slot(count + (offset >> TERN_SQ_BLOCK_SHIFT),
				  depth_log2);

	return ring + ((size_t)slot << TERN_SQ_BLOCK_SHIFT) +
	       (offset & (TERN_SQ_BLOCK_BYTES - 1));
}

static inline void tern_ib_sge_set(struct tern_sge *to,
				   const struct ib_sge *sge)
{
	to->address = cpu_to_le64(sge->addr);
	to->length_bytes = cpu_to_le32(sge->length);
	to->lkey = cpu_to_le32(sge->lkey);
}

#endif /* TERN_IB_WQE_H */
