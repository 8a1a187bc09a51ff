// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copyright (c) 2026 The Tern authors
 *
 * ib_post_recv() of kernel QPs. The card reads the record when a message finds
 * its count used up, so a receive needs no doorbell.
 */
#include <tern/hw/access.h>

#include "tern_ib.h"
#include "wqe.h"

/* An SGE of no length is left out: it could look like the end of the list. */
static void tern_ib_write_recv_wqe(struct tern_ib_qp *qp, u32 count,
				   const struct ib_recv_wr *wr)
{
	const struct tern_ib_rq *rq = &qp->rq;
	struct tern_sge *sges = qp->rq_ring.memory.cpu;
	u32 used = 0;
	int i;

	sges += (size_t)tern_ring_slot(count, rq->depth_log2)
		<< rq->stride_log2;
	for (i = 0; i < wr->num_sge; i++)
		if (wr->sg_list[i].length)
			tern_ib_sge_set(&sges[used++], &wr->sg_list[i]);
	if (used < 1U << rq->stride_log2)
		sges[used] = (struct tern_sge) {
			.lkey = cpu_to_le32(TERN_INVALID_LKEY),
		};
}

static int tern_ib_post_one_recv(struct tern_ib_qp *qp, u32 count,
				 const struct ib_recv_wr *wr)
{
	struct tern_ib_rq *rq = &qp->rq;

	if (wr->num_sge < 0 || wr->num_sge > qp->cap.max_recv_sge)
		return -EINVAL;
	if (count - tern_ib_count_read(&rq->cons) >= 1U << rq->depth_log2)
		return -ENOMEM;
	tern_ib_write_recv_wqe(qp, count, wr);
	rq->wr_ids[tern_ring_slot(count, rq->depth_log2)] = wr->wr_id;
	return 0;
}

static void tern_ib_announce_recv(struct tern_ib_qp *qp, u32 prod)
{
	struct tern_ib_device *dev = to_tern_ib_device(qp->ibqp.device);
	struct tern_qp_record *record = qp->record.cpu;

	tern_ib_count_move(&qp->rq.prod, prod);
	/* The entries before the record that announces them. */
	dma_wmb();
	WRITE_ONCE(record->rq_prod, cpu_to_le32(prod));
	if (unlikely(READ_ONCE(qp->state) == IB_QPS_ERR))
		tern_doorbell_ring(dev->core, TERN_DOORBELL_RQ,
				   TERN_SET64(TERN_DB_QUEUE_NUMBER, qp->qpn) |
				   TERN_SET64(TERN_DB_QUEUE_PROD, prod));
	if (unlikely(tern_ib_is_dead(dev)))
		schedule_work(&dev->flush_work);
}

/**
 * tern_ib_post_recv() - verb of the RDMA core, kernel QPs
 * @ibqp: the QP
 * @wr: list of work requests
 * @bad_wr: receives the first that was not posted
 *
 * Return: 0; -EINVAL in RESET, without a receive queue, or for a bad list;
 * -ENOMEM when the queue is full.
 */
int tern_ib_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
		      const struct ib_recv_wr **bad_wr)
{
	struct tern_ib_qp *qp = to_tern_ib_qp(ibqp);
	struct tern_ib_rq *rq = &qp->rq;
	unsigned long flags;
	int err = 0;
	u32 prod;

	if (!qp->has_rq || READ_ONCE(qp->state) == IB_QPS_RESET) {
		*bad_wr = wr;
		return -EINVAL;
	}
	spin_lock_irqsave(&rq->lock, flags);
	for (prod = rq->prod; wr; wr = wr->next, prod++) {
		err = tern_ib_post_one_recv(qp, prod, wr);
		if (err) {
			*bad_wr = wr;
			break;
		}
	}
	if (prod != rq->prod)
		tern_ib_announce_recv(qp, prod);
	spin_unlock_irqrestore(&rq->lock, flags);
	return err;
}
