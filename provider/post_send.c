// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copyright (c) 2026 The Tern authors
 *
 * ibv_post_send(): one entry point per QP type. A list of work requests is
 * written into the ring, then announced once.
 */
#include <errno.h>

#include <ccan/array_size.h>

#include "ring.h"
#include "tern.h"
#include "wqe.h"

/* What is peculiar to an opcode. */
#define TERN_SHAPE_REMOTE	0x01	/* remote segment */
#define TERN_SHAPE_ATOMIC	0x02	/* atomic segment, one SGE */
#define TERN_SHAPE_KEY		0x04	/* the immediate is a key */
#define TERN_SHAPE_NO_INLINE	0x08	/* no inline data */
#define TERN_SHAPE_NO_DATA	0x10	/* no data at all */

struct tern_send_shape {
	uint32_t opcode;		/* in place; 0: the QP has no such work request */
	uint32_t immediate_mask;	/* all ones where there is one */
	uint8_t header_bytes;
	uint8_t flags;			/* TERN_SHAPE_* */
	uint8_t plain_end;		/* send flags below this may be plain */
};

/* Plain: no flag of the shape asks for more than tern_put_plain() does. */
#define TERN_SHAPE_PLAIN_END(what)					\
	((what) & (TERN_SHAPE_ATOMIC | TERN_SHAPE_KEY | TERN_SHAPE_NO_DATA) ? 0 : \
	 (what) & TERN_SHAPE_NO_INLINE ? IBV_SEND_INLINE : TERN_SEND_FLAGS + 1)

#define TERN_SHAPE(op, header, mask, what)				\
	{								\
		.opcode = TERN_SET32(TERN_WQE_OPCODE, op),		\
		.immediate_mask = (mask),				\
		.header_bytes = (header),				\
		.flags = (what),					\
		.plain_end = TERN_SHAPE_PLAIN_END(what),		\
	}

static const struct tern_send_shape tern_rc_shapes[] = {
	[IBV_WR_RDMA_WRITE] =
		TERN_SHAPE(TERN_WQE_OP_RDMA_WRITE, TERN_RDMA_HEADER_BYTES, 0,
			   TERN_SHAPE_REMOTE),
	[IBV_WR_RDMA_WRITE_WITH_IMM] =
		TERN_SHAPE(TERN_WQE_OP_RDMA_WRITE_WITH_IMM,
			   TERN_RDMA_HEADER_BYTES, UINT32_MAX,
			   TERN_SHAPE_REMOTE),
	[IBV_WR_SEND] =
		TERN_SHAPE(TERN_WQE_OP_SEND, TERN_SEND_HEADER_BYTES, 0, 0),
	[IBV_WR_SEND_WITH_IMM] =
		TERN_SHAPE(TERN_WQE_OP_SEND_WITH_IMM, TERN_SEND_HEADER_BYTES,
			   UINT32_MAX, 0),
	[IBV_WR_RDMA_READ] =
		TERN_SHAPE(TERN_WQE_OP_RDMA_READ, TERN_RDMA_HEADER_BYTES, 0,
			   TERN_SHAPE_REMOTE | TERN_SHAPE_NO_INLINE),
	[IBV_WR_ATOMIC_CMP_AND_SWP] =
		TERN_SHAPE(TERN_WQE_OP_ATOMIC_CMP_AND_SWP,
			   TERN_ATOMIC_HEADER_BYTES, 0,
			   TERN_SHAPE_ATOMIC | TERN_SHAPE_NO_INLINE),
	[IBV_WR_ATOMIC_FETCH_AND_ADD] =
		TERN_SHAPE(TERN_WQE_OP_ATOMIC_FETCH_AND_ADD,
			   TERN_ATOMIC_HEADER_BYTES, 0,
			   TERN_SHAPE_ATOMIC | TERN_SHAPE_NO_INLINE),
	[IBV_WR_LOCAL_INV] =
		TERN_SHAPE(TERN_WQE_OP_LOCAL_INV, TERN_SEND_HEADER_BYTES,
			   UINT32_MAX, TERN_SHAPE_KEY | TERN_SHAPE_NO_INLINE |
			   TERN_SHAPE_NO_DATA),
	[IBV_WR_SEND_WITH_INV] =
		TERN_SHAPE(TERN_WQE_OP_SEND_WITH_INV, TERN_SEND_HEADER_BYTES,
			   UINT32_MAX, TERN_SHAPE_KEY),
};

/* Of RC, what nobody needs to answer. */
static const struct tern_send_shape tern_uc_shapes[] = {
	[IBV_WR_RDMA_WRITE] =
		TERN_SHAPE(TERN_WQE_OP_RDMA_WRITE, TERN_RDMA_HEADER_BYTES, 0,
			   TERN_SHAPE_REMOTE),
	[IBV_WR_RDMA_WRITE_WITH_IMM] =
		TERN_SHAPE(TERN_WQE_OP_RDMA_WRITE_WITH_IMM,
			   TERN_RDMA_HEADER_BYTES, UINT32_MAX,
			   TERN_SHAPE_REMOTE),
	[IBV_WR_SEND] =
		TERN_SHAPE(TERN_WQE_OP_SEND, TERN_SEND_HEADER_BYTES, 0, 0),
	[IBV_WR_SEND_WITH_IMM] =
		TERN_SHAPE(TERN_WQE_OP_SEND_WITH_IMM, TERN_SEND_HEADER_BYTES,
			   UINT32_MAX, 0),
};

static const struct tern_send_shape tern_ud_shapes[] = {
	[IBV_WR_SEND] =
		TERN_SHAPE(TERN_WQE_OP_SEND, TERN_UD_HEADER_BYTES, 0, 0),
	[IBV_WR_SEND_WITH_IMM] =
		TERN_SHAPE(TERN_WQE_OP_SEND_WITH_IMM, TERN_UD_HEADER_BYTES,
			   UINT32_MAX, 0),
};

/* Inline data of any number of pieces. Returns its bytes, or -1: too many. */
static int tern_put_pieces(const struct tern_sq *sq, void *to,
			   const struct ibv_send_wr *wr)
{
	uint64_t bytes = 0;
	int i;

	for (i = 0; i < wr->num_sge; i++)
		bytes += wr->sg_list[i].length;
	if (bytes > sq->max_inline)
		return -1;
	for (i = 0; i < wr->num_sge; i++)
		to = tern_put_inline(sq, to,
				     (void *)(uintptr_t)wr->sg_list[i].addr,
				     wr->sg_list[i].length);
	return bytes;
}

/* Returns how many bytes follow the header, with @count set; -1: too many. */
static inline ALWAYS_INLINE int tern_put_data(const struct tern_sq *sq, void *to,
				       const struct ibv_send_wr *wr,
				       uint8_t *count)
{
	const struct ibv_sge *sge = wr->sg_list;
	int bytes;

	if (wr->send_flags & IBV_SEND_INLINE) {
		if (likely(wr->num_sge == 1 && sge->length <= sq->max_inline)) {
			tern_put_inline(sq, to, (void *)(uintptr_t)sge->addr,
					sge->length);
			*count = sge->length;
			return sge->length;
		}
		bytes = tern_put_pieces(sq, to, wr);
		*count = bytes;
		return bytes;
	}
	*count = tern_put_sges(sq, to, sge, wr->num_sge);
	return *count * sizeof(struct tern_sge);
}

/* What must hold before anything is written. */
static inline ALWAYS_INLINE bool tern_may_post(const struct tern_sq *sq,
					const struct ibv_send_wr *wr,
					const struct tern_send_shape *shape)
{
	if (unlikely((uint32_t)wr->num_sge > sq->max_sge ||
		     wr->send_flags & ~TERN_SEND_FLAGS))
		return false;
	if (shape->flags & TERN_SHAPE_NO_INLINE &&
	    wr->send_flags & IBV_SEND_INLINE)
		return false;
	if (shape->flags & TERN_SHAPE_ATOMIC)
		return wr->num_sge == 1 && wr->sg_list->length;
	return !(shape->flags & TERN_SHAPE_NO_DATA && wr->num_sge);
}

static inline ALWAYS_INLINE __be32 tern_immediate(const struct ibv_send_wr *wr,
					   const struct tern_send_shape *shape)
{
	if (unlikely(shape->flags & TERN_SHAPE_KEY))
		return htobe32(wr->invalidate_rkey);
	return wr->imm_data & (__force __be32)shape->immediate_mask;
}

static void tern_put_rc_atomic(struct tern_wqe_control *control,
			       const struct ibv_send_wr *wr)
{
	bool is_swap = wr->opcode == IBV_WR_ATOMIC_CMP_AND_SWP;

	tern_put_remote((void *)control + TERN_SEND_HEADER_BYTES,
			wr->wr.atomic.remote_addr, wr->wr.atomic.rkey);
	tern_put_atomic((void *)control + TERN_RDMA_HEADER_BYTES,
			is_swap ? wr->wr.atomic.swap : wr->wr.atomic.compare_add,
			is_swap ? wr->wr.atomic.compare_add : 0);
}

/* The segments of an RC WQE between control segment and data, and the Q_Key. */
static inline ALWAYS_INLINE void tern_put_rc(struct tern_wqe_control *control,
				      const struct ibv_send_wr *wr,
				      const struct tern_send_shape *shape)
{
	control->qkey = 0;
	if (likely(shape->flags & TERN_SHAPE_REMOTE))
		tern_put_remote((void *)control + TERN_SEND_HEADER_BYTES,
				wr->wr.rdma.remote_addr, wr->wr.rdma.rkey);
	else if (shape->flags & TERN_SHAPE_ATOMIC)
		tern_put_rc_atomic(control, wr);
}

static inline ALWAYS_INLINE void tern_put_ud(struct tern_wqe_control *control,
				      const struct ibv_send_wr *wr,
				      const struct tern_send_shape *shape)
{
	control->qkey = htole32(wr->wr.ud.remote_qkey);
	tern_put_address((void *)control + TERN_SEND_HEADER_BYTES,
			 wr->wr.ud.ah, wr->wr.ud.remote_qpn);
}

/* What differs between QP types; constant where it is used. */
struct tern_send_type {
	const struct tern_send_shape *shapes;
	uint32_t shape_count;
	void (*put_segments)(struct tern_wqe_control *control,
			     const struct ibv_send_wr *wr,
			     const struct tern_send_shape *shape);
	uint32_t (*put_any)(const struct tern_sq *sq, uint32_t prod,
			    const struct ibv_send_wr *wr);
};

/* Writes the WQE of @wr at @prod. Returns its blocks, or 0: refused. */
static inline ALWAYS_INLINE uint32_t tern_put_wqe(const struct tern_sq *sq,
					   uint32_t prod,
					   const struct ibv_send_wr *wr,
					   const struct tern_send_type type)
{
	struct tern_wqe_control *control = tern_wqe_at(sq, prod);
	const struct tern_send_shape *shape;
	uint8_t count;
	uint32_t more;
	int bytes;

	if (wr->opcode >= type.shape_count)
		return 0;
	shape = &type.shapes[wr->opcode];
	if (!shape->opcode || !tern_may_post(sq, wr, shape))
		return 0;
	bytes = tern_put_data(sq, (void *)control + shape->header_bytes, wr,
			      &count);
	if (bytes < 0)
		return 0;

	more = tern_more_blocks(shape->header_bytes + bytes);
	tern_put_control(control, shape->opcode | sq->qpn, prod,
			 tern_wqe_flags(wr->send_flags) | more, count);
	control->immediate = tern_immediate(wr, shape);
	type.put_segments(control, wr, shape);
	return 1 + more;
}

/*
 * What is posted most: one SGE, or 8 to 16 bytes inline, in one block. False:
 * it is something else, and what was written does not count.
 */
static inline ALWAYS_INLINE bool tern_put_plain(const struct tern_sq *sq,
					 uint32_t prod,
					 const struct ibv_send_wr *wr,
					 const struct tern_send_type type)
{
	struct tern_wqe_control *control = tern_wqe_at(sq, prod);
	const struct ibv_sge *sge = wr->sg_list;
	const struct tern_send_shape *shape;
	uint8_t count = 1;
	void *data;

	if (unlikely(wr->opcode >= type.shape_count || wr->num_sge != 1))
		return false;
	shape = &type.shapes[wr->opcode];
	if (unlikely(wr->send_flags >= shape->plain_end))
		return false;
	data = (void *)control + shape->header_bytes;
	if (wr->send_flags & IBV_SEND_INLINE) {
		count = sge->length;
		if (unlikely(sge->length - 8 > 8 ||
			     sge->length > sq->max_inline))
			return false;
		tern_copy_16(data, (void *)(uintptr_t)sge->addr, count);
	} else {
		if (unlikely(!sge->length))
			return false;
		tern_copy_sge(data, sge);
	}
	tern_put_control(control, shape->opcode | sq->qpn, prod,
			 tern_wqe_flags(wr->send_flags), count);
	control->immediate = wr->imm_data &
			     (__force __be32)shape->immediate_mask;
	type.put_segments(control, wr, shape);
	return true;
}

static inline ALWAYS_INLINE int tern_post(struct tern_sq *sq,
				   struct ibv_send_wr *wr,
				   struct ibv_send_wr **bad_wr,
				   const struct tern_send_type type)
{
	uint32_t wr_prod = atomic_load_explicit(&sq->wr_prod,
						memory_order_relaxed);
	uint32_t full = atomic_load_explicit(&sq->wr_cons,
					     memory_order_acquire) + sq->max_wr;
	uint32_t first = sq->prod;
	struct tern_sq_shadow *shadow;
	uint32_t prod = first;
	uint32_t blocks;
	int err = 0;

	for (; wr; wr = wr->next) {
		if (unlikely(wr_prod == full)) {
			err = sq->max_wr ? ENOMEM : EINVAL;
			break;
		}
		blocks = 1;
		if (unlikely(!tern_put_plain(sq, prod, wr, type))) {
			blocks = type.put_any(sq, prod, wr);
			if (unlikely(!blocks)) {
				err = EINVAL;
				break;
			}
		}
		shadow = &sq->shadow[prod & sq->mask];
		shadow->wr_id = wr->wr_id;
		shadow->next_wr = ++wr_prod;
		prod += blocks;
	}
	if (unlikely(err))
		*bad_wr = wr;
	if (likely(prod != first)) {
		atomic_store_explicit(&sq->wr_prod, wr_prod,
				      memory_order_relaxed);
		tern_sq_publish(sq, first, prod);
	}
	return err;
}

static uint32_t tern_put_any_rc(const struct tern_sq *sq, uint32_t prod,
				const struct ibv_send_wr *wr);
static uint32_t tern_put_any_uc(const struct tern_sq *sq, uint32_t prod,
				const struct ibv_send_wr *wr);
static uint32_t tern_put_any_ud(const struct tern_sq *sq, uint32_t prod,
				const struct ibv_send_wr *wr);

static const struct tern_send_type tern_rc = {
	.shapes = tern_rc_shapes,
	.shape_count = ARRAY_SIZE(tern_rc_shapes),
	.put_segments = tern_put_rc,
	.put_any = tern_put_any_rc,
};

static const struct tern_send_type tern_uc = {
	.shapes = tern_uc_shapes,
	.shape_count = ARRAY_SIZE(tern_uc_shapes),
	.put_segments = tern_put_rc,
	.put_any = tern_put_any_uc,
};

static const struct tern_send_type tern_ud = {
	.shapes = tern_ud_shapes,
	.shape_count = ARRAY_SIZE(tern_ud_shapes),
	.put_segments = tern_put_ud,
	.put_any = tern_put_any_ud,
};

static __attribute__((noinline)) uint32_t
tern_put_any_rc(const struct tern_sq *sq, uint32_t prod,
		const struct ibv_send_wr *wr)
{
	return tern_put_wqe(sq, prod, wr, tern_rc);
}

static __attribute__((noinline)) uint32_t
tern_put_any_uc(const struct tern_sq *sq, uint32_t prod,
		const struct ibv_send_wr *wr)
{
	return tern_put_wqe(sq, prod, wr, tern_uc);
}

static __attribute__((noinline)) uint32_t
tern_put_any_ud(const struct tern_sq *sq, uint32_t prod,
		const struct ibv_send_wr *wr)
{
	return tern_put_wqe(sq, prod, wr, tern_ud);
}

static int tern_post_rc(struct tern_sq *sq, struct ibv_send_wr *wr,
			struct ibv_send_wr **bad_wr)
{
	return tern_post(sq, wr, bad_wr, tern_rc);
}

static int tern_post_uc(struct tern_sq *sq, struct ibv_send_wr *wr,
			struct ibv_send_wr **bad_wr)
{
	return tern_post(sq, wr, bad_wr, tern_uc);
}

static int tern_post_ud(struct tern_sq *sq, struct ibv_send_wr *wr,
			struct ibv_send_wr **bad_wr)
{
	return tern_post(sq, wr, bad_wr, tern_ud);
}

tern_post_send_fn tern_post_send_of(enum ibv_qp_type type)
{
	switch (type) {
	case IBV_QPT_UC:
		return tern_post_uc;
	case IBV_QPT_UD:
		return tern_post_ud;
	default:
		return tern_post_rc;
	}
}

int tern_post_send(struct ibv_qp *ibqp, struct ibv_send_wr *wr,
		   struct ibv_send_wr **bad_wr)
{
	struct tern_qp *qp = to_tern_qp(ibqp);
	int err;

	if (!qp->sq.need_lock)
		return qp->post_send(&qp->sq, wr, bad_wr);
	pthread_spin_lock(&qp->sq.lock);
	err = qp->post_send(&qp->sq, wr, bad_wr);
	pthread_spin_unlock(&qp->sq.lock);
	return err;
}
