// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copyright (c) 2026 The Tern authors
 *
 * A dead card completes nothing any more, but kernel consumers wait for every
 * work request they posted: ib_drain_qp() sleeps until its own comes back.
 * Once the card is dead, polling completes what is outstanding with
 * IB_WC_WR_FLUSH_ERR, and the work item calls the consumers to poll.
 */
#include "tern_ib.h"

static void tern_ib_flush_wc(struct ib_wc *wc, struct tern_ib_qp *qp,
			     u64 wr_id, enum ib_wc_opcode opcode)
{
	*wc = (struct ib_wc) {
		.wr_id = wr_id,
		.qp = &qp->ibqp,
		.status = IB_WC_WR_FLUSH_ERR,
		.opcode = opcode,
	};
}

static bool tern_ib_flush_send(struct tern_ib_qp *qp, struct ib_wc *wc)
{
	const struct tern_ib_send_slot *slot;
	struct tern_ib_sq *sq = &qp->sq;

	if (sq->cons == tern_ib_count_read(&sq->prod))
		return false;
	slot = &sq->slots[tern_ring_slot(sq->cons, sq->depth_log2)];
	tern_ib_flush_wc(wc, qp, slot->wr_id, IB_WC_SEND);
	tern_ib_count_move(&sq->cons, sq->cons + slot->blocks);
	return true;
}

static bool tern_ib_flush_recv(struct tern_ib_qp *qp, struct ib_wc *wc)
{
	struct tern_ib_rq *rq = &qp->rq;

	if (rq->cons == tern_ib_count_read(&rq->prod))
		return false;
	tern_ib_flush_wc(wc, qp,
			 rq->wr_ids[tern_ring_slot(rq->cons, rq->depth_log2)],
			 IB_WC_RECV);
	tern_ib_count_move(&rq->cons, rq->cons + 1);
	return true;
}

/**
 * tern_ib_flush_poll() - completions that a dead card owes
 * @cq: kernel CQ; its lock is held
 * @num_entries: length of @wc
 * @wc: receives completions
 *
 * Return: completions made.
 */
int tern_ib_flush_poll(struct tern_ib_cq *cq, int num_entries, struct ib_wc *wc)
{
	struct tern_ib_qp *qp;
	int flushed = 0;

	lockdep_assert_held(&cq->lock);
	list_for_each_entry(qp, &cq->send_qps, send_link)
		while (flushed < num_entries &&
		       tern_ib_flush_send(qp, &wc[flushed]))
			flushed++;
	list_for_each_entry(qp, &cq->recv_qps, recv_link)
		while (flushed < num_entries &&
		       tern_ib_flush_recv(qp, &wc[flushed]))
			flushed++;
	return flushed;
}

/* Does a dead card owe this kernel CQ completions? Its lock is held. */
bool tern_ib_flush_pending(struct tern_ib_cq *cq)
{
	struct tern_ib_qp *qp;

	lockdep_assert_held(&cq->lock);
	list_for_each_entry(qp, &cq->send_qps, send_link)
		if (qp->sq.cons != tern_ib_count_read(&qp->sq.prod))
			return true;
	list_for_each_entry(qp, &cq->recv_qps, recv_link)
		if (qp->rq.cons != tern_ib_count_read(&qp->rq.prod))
			return true;
	return false;
}

/* User space wakes up; a kernel consumer polls, if it is owed anything. */
static bool tern_ib_flush_wants_call(struct tern_ib_cq *cq)
{
	bool is_pending;

	if (cq->ibcq.uobject)
		return true;
	/* Who polls directly has no handler that may be called. */
	if (cq->ibcq.poll_ctx == IB_POLL_DIRECT)
		return false;
	spin_lock_irq(&cq->lock);
	is_pending = tern_ib_flush_pending(cq);
	spin_unlock_irq(&cq->lock);
	return is_pending;
}

/**
 * tern_ib_flush_wait() - wait until no consumer is called for a QP's sake
 * @dev: the card
 *
 * Once a kernel CQ has no QP any more its consumer ends the work that the
 * handler starts, and frees the CQ: nobody may call the handler then. To be
 * called when a QP has left its CQs.
 */
void tern_ib_flush_wait(struct tern_ib_device *dev)
{
	mutex_lock(&dev->flush_lock);
	mutex_unlock(&dev->flush_lock);
}

/* Calls the consumers of a dead card. */
void tern_ib_flush_work(struct work_struct *work)
{
	struct tern_ib_device *dev =
		container_of(work, struct tern_ib_device, flush_work);
	struct tern_ib_cq *cq;
	unsigned long cqn;

	xa_for_each(&dev->cqs, cqn, cq) {
		cq = tern_ib_cq_get(dev, cqn);
		if (!cq)
			continue;
		mutex_lock(&dev->flush_lock);
		if (tern_ib_flush_wants_call(cq))
			tern_ib_cq_completion(&cq->link);
		mutex_unlock(&dev->flush_lock);
		tern_ib_users_put(&cq->users);
	}
}
