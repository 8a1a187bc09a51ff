// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copyright (c) 2026 The Tern authors
 *
 * What kernel QPs have beyond user ones: memory of the work requests they
 * posted, and their place in the CQs that the kernel polls.
 */
#include <linux/slab.h>

#include "tern_ib.h"

/**
 * tern_ib_kernel_qp_init() - memory of work requests, and a uidx
 * @dev: the card
 * @qp: its depths are set; undone by tern_ib_kernel_qp_fini()
 *
 * The uidx is reserved; completions find the QP by it once it is attached.
 *
 * Return: 0 or a negative errno.
 */
int tern_ib_kernel_qp_init(struct tern_ib_device *dev, struct tern_ib_qp *qp)
{
	int err;

	spin_lock_init(&qp->sq.lock);
	spin_lock_init(&qp->rq.lock);
	qp->sq.slots = kvcalloc(1U << qp->sq.depth_log2, sizeof(*qp->sq.slots),
				GFP_KERNEL);
	if (!qp->sq.slots)
		return -ENOMEM;
	if (qp->has_rq) {
		qp->rq.wr_ids = kvcalloc(1U << qp->rq.depth_log2,
					 sizeof(*qp->rq.wr_ids), GFP_KERNEL);
		if (!qp->rq.wr_ids) {
			err = -ENOMEM;
			goto free_slots;
		}
	}
	err = xa_alloc(&dev->uidx, &qp->uidx, NULL,
		       XA_LIMIT(0, TERN_OBJECT_NUMBER_MASK), GFP_KERNEL);
	if (err)
		goto free_wr_ids;
	return 0;

free_wr_ids:
	kvfree(qp->rq.wr_ids);
free_slots:
	kvfree(qp->sq.slots);
	return err;
}

void tern_ib_kernel_qp_fini(struct tern_ib_device *dev, struct tern_ib_qp *qp)
{
	xa_erase(&dev->uidx, qp->uidx);
	kvfree(qp->rq.wr_ids);
	kvfree(qp->sq.slots);
}

/**
 * tern_ib_kernel_qp_attach() - let its completions find a QP
 * @dev: the card
 * @qp: the QP, not yet known to its consumer
 * @init: its CQs, which the RDMA core has not noted in the QP yet
 */
void tern_ib_kernel_qp_attach(struct tern_ib_device *dev, struct tern_ib_qp *qp,
			      const struct ib_qp_init_attr *init)
{
	struct tern_ib_cq *send_cq = to_tern_ib_cq(init->send_cq);
	struct tern_ib_cq *recv_cq = to_tern_ib_cq(init->recv_cq);

	/* The entry was reserved: storing to it allocates nothing. */
	xa_store(&dev->uidx, qp->uidx, qp, GFP_KERNEL);

	spin_lock_irq(&send_cq->lock);
	list_add_tail(&qp->send_link, &send_cq->send_qps);
	spin_unlock_irq(&send_cq->lock);
	spin_lock_irq(&recv_cq->lock);
	list_add_tail(&qp->recv_link, &recv_cq->recv_qps);
	spin_unlock_irq(&recv_cq->lock);
}

/**
 * tern_ib_kernel_qp_detach() - no completion finds the QP any more
 * @dev: the card, which has destroyed the QP
 * @qp: the QP
 *
 * Who polls holds the CQ's lock while it uses the QP: once both locks have been
 * taken after the look-up was closed, nobody does. The uidx stays reserved
 * until the entries that carry it are gone.
 */
void tern_ib_kernel_qp_detach(struct tern_ib_device *dev, struct tern_ib_qp *qp)
{
	struct tern_ib_cq *send_cq = to_tern_ib_cq(qp->ibqp.send_cq);
	struct tern_ib_cq *recv_cq = to_tern_ib_cq(qp->ibqp.recv_cq);

	xa_store(&dev->uidx, qp->uidx, XA_ZERO_ENTRY, GFP_KERNEL);

	spin_lock_irq(&send_cq->lock);
	list_del(&qp->send_link);
	tern_ib_cq_forget_qp(send_cq, qp->uidx);
	spin_unlock_irq(&send_cq->lock);
	spin_lock_irq(&recv_cq->lock);
	list_del(&qp->recv_link);
	tern_ib_cq_forget_qp(recv_cq, qp->uidx);
	spin_unlock_irq(&recv_cq->lock);

	tern_ib_flush_wait(dev);
}

static void tern_ib_rewind_send(struct tern_ib_qp *qp)
{
	struct tern_ib_cq *cq = to_tern_ib_cq(qp->ibqp.send_cq);
	struct tern_qp_record *record = qp->record.cpu;

	spin_lock_irq(&cq->lock);
	spin_lock(&qp->sq.lock);
	tern_ib_cq_forget_qp(cq, qp->uidx);
	qp->sq.prod = 0;
	qp->sq.cons = 0;
	WRITE_ONCE(record->sq_prod, 0);
	spin_unlock(&qp->sq.lock);
	spin_unlock_irq(&cq->lock);
}

static void tern_ib_rewind_recv(struct tern_ib_qp *qp)
{
	struct tern_ib_cq *cq = to_tern_ib_cq(qp->ibqp.recv_cq);
	struct tern_qp_record *record = qp->record.cpu;

	spin_lock_irq(&cq->lock);
	spin_lock(&qp->rq.lock);
	tern_ib_cq_forget_qp(cq, qp->uidx);
	qp->rq.prod = 0;
	qp->rq.cons = 0;
	WRITE_ONCE(record->rq_prod, 0);
	spin_unlock(&qp->rq.lock);
	spin_unlock_irq(&cq->lock);
}

/**
 * tern_ib_kernel_qp_rewind() - start over after a transition to RESET
 * @qp: kernel QP whose mutex is held
 *
 * The card has dropped all work requests and counts from 0 again.
 */
void tern_ib_kernel_qp_rewind(struct tern_ib_qp *qp)
{
	lockdep_assert_held(&qp->mutex);
	tern_ib_rewind_send(qp);
	tern_ib_rewind_recv(qp);
}
