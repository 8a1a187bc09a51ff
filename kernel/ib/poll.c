// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copyright (c) 2026 The Tern authors
 *
 * Completions of kernel CQs: polling, arming, and what is left of a destroyed
 * QP. The ring is the card's to write, so each entry is copied once and every
 * number in the copy is checked before it is used; an entry that makes no
 * sense is consumed and says nothing.
 */
#include <linux/if_vlan.h>

#include "tern_ib.h"
#include "wqe.h"

static struct tern_cqe *tern_ib_cqe_at(const struct tern_ib_cq *cq, u32 count)
{
	return (struct tern_cqe *)cq->ring.memory.cpu +
	       tern_ring_slot(count, cq->depth_log2);
}

static bool tern_ib_cqe_is_valid(const struct tern_ib_cq *cq, u32 count,
				 u32 owner)
{
	return TERN_GET32(TERN_CQE_PHASE, owner) ==
	       tern_ring_phase(count, cq->depth_log2);
}

/* The owner word of the entry of @count, if the card has written it. */
static bool tern_ib_cqe_owner(const struct tern_ib_cq *cq, u32 count,
			      u32 *owner)
{
	*owner = le32_to_cpu(READ_ONCE(tern_ib_cqe_at(cq, count)->owner));
	return tern_ib_cqe_is_valid(cq, count, *owner);
}

/* Copies the next entry; owner in the copy is in host order. */
static bool tern_ib_cqe_take(struct tern_ib_cq *cq, struct tern_cqe *cqe,
			     u32 *owner)
{
	if (!tern_ib_cqe_owner(cq, cq->cons, owner))
		return false;
	/* The body is older than its owner word: the card's release store. */
	dma_rmb();
	*cqe = *tern_ib_cqe_at(cq, cq->cons);
	cq->cons++;
	return true;
}

static bool tern_ib_retire_send(struct tern_ib_cq *cq, struct tern_ib_qp *qp,
				u16 index, u64 *wr_id)
{
	struct tern_ib_sq *sq = &qp->sq;
	u16 distance = index - (u16)sq->cons;
	const struct tern_ib_send_slot *slot;
	u32 count;

	if (qp->ibqp.send_cq != &cq->ibcq)
		return false;
	if (distance >= tern_ib_count_read(&sq->prod) - sq->cons)
		return false;
	count = sq->cons + distance;
	slot = &sq->slots[tern_ring_slot(count, sq->depth_log2)];
	if (!slot->blocks)
		return false;
	*wr_id = slot->wr_id;
	/* The slots up to here may be posted to again. */
	tern_ib_count_move(&sq->cons, count + slot->blocks);
	return true;
}

static bool tern_ib_retire_recv(struct tern_ib_cq *cq, struct tern_ib_qp *qp,
				u16 index, u64 *wr_id)
{
	struct tern_ib_rq *rq = &qp->rq;
	u16 distance = index - (u16)rq->cons;
	u32 count;

	if (qp->ibqp.recv_cq != &cq->ibcq)
		return false;
	if (distance >= tern_ib_count_read(&rq->prod) - rq->cons)
		return false;
	count = rq->cons + distance;
	*wr_id = rq->wr_ids[tern_ring_slot(count, rq->depth_log2)];
	tern_ib_count_move(&rq->cons, count + 1);
	return true;
}

static void tern_ib_fill_immediate(struct ib_wc *wc, const struct tern_cqe *cqe,
				   u32 opcode)
{
	switch (opcode) {
	case TERN_CQE_OP_RECV_WITH_IMM:
	case TERN_CQE_OP_RECV_RDMA_WITH_IMM:
		wc->ex.imm_data = cqe->immediate;
		wc->wc_flags |= IB_WC_WITH_IMM;
		break;
	case TERN_CQE_OP_RECV_WITH_INV:
		wc->ex.invalidate_rkey = be32_to_cpu(cqe->immediate);
		wc->wc_flags |= IB_WC_WITH_INVALIDATE;
		break;
	}
}

static void tern_ib_fill_source(struct ib_wc *wc, const struct tern_cqe *cqe)
{
	u32 source = le32_to_cpu(cqe->source);

	wc->src_qp = TERN_GET32(TERN_CQE_SRC_QPN, source);
	if (source & TERN_CQE_GRH) {
		wc->wc_flags |= IB_WC_GRH | IB_WC_WITH_NETWORK_HDR_TYPE;
		wc->network_hdr_type = source & TERN_CQE_IPV6 ?
				       RDMA_NETWORK_IPV6 : RDMA_NETWORK_IPV4;
	}
	if (source & TERN_CQE_VLAN) {
		wc->wc_flags |= IB_WC_WITH_VLAN;
		wc->vlan_id = le16_to_cpu(cqe->vlan_tci) & VLAN_VID_MASK;
		wc->sl = TERN_GET32(TERN_CQE_PCP, source);
	}
}

static void tern_ib_fill_wc(struct ib_wc *wc, const struct tern_cqe *cqe,
			    u32 owner)
{
	u32 opcode = TERN_GET32(TERN_CQE_OPCODE, owner);
	u32 error = le32_to_cpu(cqe->error);

	wc->opcode = tern_ib_wc_opcode(opcode);
	if (owner & TERN_CQE_FAILED) {
		wc->status = tern_ib_wc_status(TERN_GET32(TERN_CQE_ERROR_STATUS,
							  error));
		wc->vendor_err = TERN_GET32(TERN_CQE_ERROR_VENDOR, error);
		return;
	}
	wc->byte_len = le32_to_cpu(cqe->byte_len);
	tern_ib_fill_immediate(wc, cqe, opcode);
	if (tern_ib_is_datagram(wc->qp->qp_type))
		tern_ib_fill_source(wc, cqe);
}

/* False: the entry completes nothing that this CQ waits for. */
static bool tern_ib_complete(struct tern_ib_cq *cq, const struct tern_cqe *cqe,
			     u32 owner, struct ib_wc *wc)
{
	struct tern_ib_device *dev = to_tern_ib_device(cq->ibcq.device);
	u32 opcode = TERN_GET32(TERN_CQE_OPCODE, owner);
	u16 index = le16_to_cpu(cqe->wqe_index);
	struct tern_ib_qp *qp;
	bool is_known;
	u64 wr_id;

	if (opcode == TERN_CQE_OP_SKIP)
		return false;
	qp = xa_load(&dev->uidx, TERN_GET32(TERN_CQE_UIDX, owner));
	if (!qp)
		return false;
	if (opcode >= TERN_CQE_OP_RECEIVE_FIRST)
		is_known = tern_ib_retire_recv(cq, qp, index, &wr_id);
	else
		is_known = tern_ib_retire_send(cq, qp, index, &wr_id);
	if (!is_known)
		return false;
	*wc = (struct ib_wc) { .wr_id = wr_id, .qp = &qp->ibqp };
	tern_ib_fill_wc(wc, cqe, owner);
	return true;
}

static void tern_ib_publish_cons(struct tern_ib_cq *cq)
{
	struct tern_cq_record *record = cq->record.cpu;

	/* The card may overwrite an entry once it sees that it was read. */
	dma_mb();
	WRITE_ONCE(record->cons, cpu_to_le32(cq->cons));
}

/**
 * tern_ib_poll_cq() - verb of the RDMA core, kernel CQs
 * @ibcq: the CQ
 * @num_entries: length of @wc
 * @wc: receives completions
 *
 * Return: completions found.
 */
int tern_ib_poll_cq(struct ib_cq *ibcq, int num_entries, struct ib_wc *wc)
{
	struct tern_ib_device *dev = to_tern_ib_device(ibcq->device);
	struct tern_ib_cq *cq = to_tern_ib_cq(ibcq);
	u32 budget = 1U << cq->depth_log2;
	unsigned long flags;
	struct tern_cqe cqe;
	int polled = 0;
	u32 owner;
	u32 first;

	spin_lock_irqsave(&cq->lock, flags);
	first = cq->cons;
	while (polled < num_entries && budget-- &&
	       tern_ib_cqe_take(cq, &cqe, &owner))
		polled += tern_ib_complete(cq, &cqe, owner, &wc[polled]);
	if (cq->cons != first)
		tern_ib_publish_cons(cq);
	if (unlikely(tern_ib_is_dead(dev)))
		polled += tern_ib_flush_poll(cq, num_entries - polled,
					     &wc[polled]);
	spin_unlock_irqrestore(&cq->lock, flags);
	return polled;
}

/* The record first: it stands in for a doorbell that the card loses. */
static void tern_ib_arm(struct tern_ib_device *dev, struct tern_ib_cq *cq,
			enum tern_cq_arm command)
{
	struct tern_cq_record *record = cq->record.cpu;
	u64 doorbell;

	cq->arm_seq++;
	doorbell = TERN_SET64(TERN_DB_CQ_NUMBER, cq->cqn) |
		   TERN_SET64(TERN_DB_CQ_COMMAND, command) |
		   TERN_SET64(TERN_DB_CQ_SEQ, cq->arm_seq) |
		   TERN_SET64(TERN_DB_CQ_CONS, cq->cons);
	WRITE_ONCE(record->arm_cons, cpu_to_le32(upper_32_bits(doorbell)));
	/* The card obeys the record once the sequence number in arm changes. */
	dma_wmb();
	WRITE_ONCE(record->arm, cpu_to_le32(lower_32_bits(doorbell)));
	tern_doorbell_ring(dev->core, TERN_DOORBELL_CQ, doorbell);
}

/**
 * tern_ib_req_notify_cq() - verb of the RDMA core, kernel CQs
 * @ibcq: the CQ
 * @flags: IB_CQ_SOLICITED or IB_CQ_NEXT_COMP, and IB_CQ_REPORT_MISSED_EVENTS
 *
 * Return: 1 if completions wait and the caller asked to be told, else 0.
 */
int tern_ib_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags flags)
{
	struct tern_ib_device *dev = to_tern_ib_device(ibcq->device);
	struct tern_ib_cq *cq = to_tern_ib_cq(ibcq);
	unsigned long irq_flags;
	bool is_waiting;
	u32 owner;

	spin_lock_irqsave(&cq->lock, irq_flags);
	tern_ib_arm(dev, cq, (flags & IB_CQ_SOLICITED_MASK) == IB_CQ_SOLICITED ?
			     TERN_CQ_ARM_SOLICITED : TERN_CQ_ARM_NEXT);
	is_waiting = tern_ib_cqe_owner(cq, cq->cons, &owner);
	if (unlikely(tern_ib_is_dead(dev)))
		is_waiting |= tern_ib_flush_pending(cq);
	spin_unlock_irqrestore(&cq->lock, irq_flags);
	return is_waiting && (flags & IB_CQ_REPORT_MISSED_EVENTS);
}

/**
 * tern_ib_cq_forget_qp() - take a destroyed QP's entries out of a kernel CQ
 * @cq: the CQ; its lock is held
 * @uidx: the QP's
 *
 * The entries stay where they are and complete nothing.
 */
void tern_ib_cq_forget_qp(struct tern_ib_cq *cq, u32 uidx)
{
	u32 end = cq->cons + (1U << cq->depth_log2);
	u32 count;
	u32 owner;

	lockdep_assert_held(&cq->lock);
	for (count = cq->cons; count != end; count++) {
		if (!tern_ib_cqe_owner(cq, count, &owner))
			break;
		if (TERN_GET32(TERN_CQE_UIDX, owner) != uidx)
			continue;
		owner &= TERN_MASK32(TERN_CQE_PHASE);
		owner |= TERN_SET32(TERN_CQE_OPCODE, TERN_CQE_OP_SKIP);
		WRITE_ONCE(tern_ib_cqe_at(cq, count)->owner,
			   cpu_to_le32(owner));
	}
}
