// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copyright (c) 2026 The Tern authors
 *
 * ibv_post_recv(). No doorbell: the card reads the record when it needs more.
 */
#include <errno.h>

#include <tern/hw/access.h>

#include "ring.h"
#include "tern.h"
#include "wqe.h"

static inline void tern_put_end(struct tern_sge *to)
{
	tern_put_sge(to, 0, 0, TERN_INVALID_LKEY);
}

/*
 * Writes what is posted into @to. An empty SGE could be taken for the end of the
 * list, and says nothing.
 */
static __attribute__((noinline)) void
tern_put_receive_sges(const struct tern_rq *rq, struct tern_sge *to,
		      const struct ibv_recv_wr *wr)
{
	struct tern_sge *end = to + (1U << rq->stride_log2);
	int i;

	for (i = 0; i < wr->num_sge; i++)
		if (likely(wr->sg_list[i].length))
			tern_copy_sge(to++, &wr->sg_list[i]);
	if (to < end)
		tern_put_end(to);
}

static inline ALWAYS_INLINE int tern_post_receives(struct tern_rq *rq,
					    struct ibv_recv_wr *wr,
					    struct ibv_recv_wr **bad_wr)
{
	uint32_t prod = atomic_load_explicit(&rq->prod, memory_order_relaxed);
	uint32_t full = atomic_load_explicit(&rq->cons, memory_order_acquire) +
			rq->max_wr;
	struct tern_sge *to;
	uint32_t slot;
	int err = 0;

	for (; wr; wr = wr->next) {
		if (unlikely(prod == full)) {
			err = rq->max_wr ? ENOMEM : EINVAL;
			break;
		}
		slot = prod & rq->mask;
		to = (struct tern_sge *)rq->ring + ((size_t)slot << rq->stride_log2);
		if (likely(wr->num_sge == 1 && wr->sg_list->length)) {
			tern_copy_sge(to, wr->sg_list);
			if (rq->stride_log2)
				tern_put_end(to + 1);
		} else {
			if (unlikely((uint32_t)wr->num_sge > rq->max_sge)) {
				err = EINVAL;
				break;
			}
			tern_put_receive_sges(rq, to, wr);
		}
		rq->wr_ids[slot] = wr->wr_id;
		prod++;
	}
	if (unlikely(err))
		*bad_wr = wr;
	atomic_store_explicit(&rq->prod, prod, memory_order_relaxed);
	tern_record_store(rq->record, prod);
	return err;
}

int tern_post_recv(struct ibv_qp *ibqp, struct ibv_recv_wr *wr,
		   struct ibv_recv_wr **bad_wr)
{
	struct tern_rq *rq = &to_tern_qp(ibqp)->rq;
	int err;

	tern_lock(&rq->lock, rq->need_lock);
	err = tern_post_receives(rq, wr, bad_wr);
	tern_unlock(&rq->lock, rq->need_lock);
	return err;
}
