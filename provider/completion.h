/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Copyright (c) 2026 The Tern authors
 *
 * From a CQE to the work request that it completes. Nothing the card wrote is
 * used as an index before it is checked.
 */
#ifndef __TERN_COMPLETION_H__
#define __TERN_COMPLETION_H__

#include "ring.h"

enum tern_completion_kind {
	TERN_COMPLETION_UNKNOWN,	/* the card made no sense */
	TERN_COMPLETION_SKIP,		/* of a QP that is gone */
	TERN_COMPLETION_SEND,		/* from here on there is a work request */
	TERN_COMPLETION_RECEIVE,
};

/*
 * What an opcode of the card is to the consumer. The first two are as they
 * follow each other in struct ibv_wc.
 */
struct tern_completion_shape {
	enum ibv_wc_status status;	/* IBV_WC_SUCCESS */
	enum ibv_wc_opcode opcode;
	uint32_t kind;			/* enum tern_completion_kind */
	uint32_t flags;			/* enum ibv_wc_flags */
};

/* poll.c */
extern const struct tern_completion_shape
	tern_completion_shapes[TERN_FIELD_MAX(TERN_CQE_OPCODE) + 1];
enum ibv_wc_status tern_completion_status(uint32_t error);

static inline const struct tern_completion_shape *
tern_completion_shape(uint32_t owner)
{
	return &tern_completion_shapes[TERN_GET32(TERN_CQE_OPCODE, owner)];
}

/*
 * Retires the send work request at @index and all before it. False: none is
 * outstanding there.
 */
static inline bool tern_sq_retire(struct tern_sq *sq, uint32_t index,
				  uint64_t *wr_id)
{
	const struct tern_sq_shadow *shadow = &sq->shadow[index & sq->mask];
	uint32_t prod = atomic_load_explicit(&sq->wr_prod,
					     memory_order_relaxed);
	uint32_t cons = atomic_load_explicit(&sq->wr_cons,
					     memory_order_relaxed);
	uint32_t next = shadow->next_wr;

	if (unlikely(next - cons - 1 >= prod - cons))
		return false;
	*wr_id = shadow->wr_id;
	/* Who posts may overwrite the shadow once it sees this. */
	atomic_store_explicit(&sq->wr_cons, next, memory_order_release);
	return true;
}

/* Likewise for receive work requests, which complete one by one. */
static inline bool tern_rq_retire(struct tern_rq *rq, uint32_t index,
				  uint64_t *wr_id)
{
	uint32_t prod = atomic_load_explicit(&rq->prod, memory_order_relaxed);
	uint32_t cons = atomic_load_explicit(&rq->cons, memory_order_relaxed);
	uint32_t count = cons + (uint16_t)(index - cons);

	if (unlikely(count - cons >= prod - cons))
		return false;
	*wr_id = rq->wr_ids[index & rq->mask];
	atomic_store_explicit(&rq->cons, count + 1, memory_order_release);
	return true;
}

/* The QP of a CQE that completes a send or a receive, or NULL. */
static inline struct tern_qp *tern_completion_qp(struct tern_cq *cq,
						 uint32_t owner)
{
	return tern_qp_table_find(cq->qps, TERN_GET32(TERN_CQE_UIDX, owner));
}

/*
 * Finds the QP and the work request of a CQE and retires it. NULL: the CQE is
 * not the answer to anything.
 */
static inline struct tern_qp *
tern_complete(struct tern_cq *cq, const struct tern_cqe *cqe, uint32_t owner,
	      const struct tern_completion_shape *shape, uint64_t *wr_id)
{
	struct tern_qp *qp = tern_completion_qp(cq, owner);
	uint32_t index = le16toh(cqe->wqe_index);
	bool is_known;

	if (unlikely(!qp))
		return NULL;
	if (shape->kind == TERN_COMPLETION_SEND)
		is_known = tern_sq_retire(&qp->sq, index, wr_id);
	else
		is_known = tern_rq_retire(&qp->rq, index, wr_id);
	return likely(is_known) ? qp : NULL;
}

#endif
