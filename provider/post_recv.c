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

/* An empty SGE could be taken for the end of the list, and says nothing. */
static void tern_put_receive_sges(const struct tern_rq *rq,
				  struct tern_sge *to,
				  const struct ibv_recv_wr *wr)
{
	struct tern_sge *end = to + (1U << rq->stride_log2);
	int i;

	for (i = 0; i < wr->num_sge; i++)
		if (likely(wr->sg_list[i].length))
			tern_put_sge(to++, wr->sg_list[i].addr,
				     wr->sg_list[i].length,
				     wr->sg_list[i].lkey);
	if (to < end)
		tern_put_sge(to, 0, 0, TERN_INVALID_LKEY);
}

int tern_post_recv(struct ibv_qp *ibqp, struct ibv_recv_wr *wr,
		   struct ibv_recv_wr **bad_wr)
{
	struct tern_rq *rq = &to_tern_qp(ibqp)->rq;
	uint32_t prod, full;
	uint32_t slot;
	int err = 0;

	tern_lock(&rq->lock, rq->need_lock);
	prod = atomic_load_explicit(&rq->prod, memory_order_relaxed);
	full = atomic_load_explicit(&rq->cons, memory_order_acquire) +
	       rq->max_wr;
	for (; wr; wr = wr->next) {
		if (unlikely(prod == full)) {
			err = ENOMEM;
			break;
		}
		if (unlikely((uint32_t)wr->num_sge > rq->max_sge)) {
			err = EINVAL;
			break;
		}
		slot = prod & rq->mask;
		tern_put_receive_sges(rq, (struct tern_sge *)rq->ring +
				      ((size_t)slot << rq->stride_log2), wr);
		rq->wr_ids[slot] = wr->wr_id;
		prod++;
	}
	if (unlikely(err))
		*bad_wr = wr;
	atomic_store_explicit(&rq->prod, prod, memory_order_relaxed);
	tern_record_store(rq->record, prod);
	tern_unlock(&rq->lock, rq->need_lock);
	return err;
}
