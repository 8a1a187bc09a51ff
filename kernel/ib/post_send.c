// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copyright (c) 2026 The Tern authors
 *
 * ib_post_send() of kernel QPs: check the work request, see that its WQE fits,
 * write it into the ring; at the end of the list the record, then one doorbell.
 */
#include "tern_ib.h"
#include "wqe.h"

#define TERN_IB_SHAPE(wqe_opcode, header, what, least, most, with_inline) \
	{ \
		.opcode = (wqe_opcode), \
		.header_bytes = (header), \
		.immediate = TERN_IB_IMMEDIATE_##what, \
		.min_sge = (least), \
		.max_sge = (most), \
		.may_inline = (with_inline), \
	}

static const struct tern_ib_send_shape tern_ib_rc_shapes[] = {
	[IB_WR_SEND] =
		TERN_IB_SHAPE(TERN_WQE_OP_SEND, TERN_IB_SEND_HEADER_BYTES,
			      NONE, 0, TERN_MAX_SEND_SGE, true),
	[IB_WR_SEND_WITH_IMM] =
		TERN_IB_SHAPE(TERN_WQE_OP_SEND_WITH_IMM,
			      TERN_IB_SEND_HEADER_BYTES,
			      DATA, 0, TERN_MAX_SEND_SGE, true),
	[IB_WR_SEND_WITH_INV] =
		TERN_IB_SHAPE(TERN_WQE_OP_SEND_WITH_INV,
			      TERN_IB_SEND_HEADER_BYTES,
			      KEY, 0, TERN_MAX_SEND_SGE, true),
	[IB_WR_RDMA_WRITE] =
		TERN_IB_SHAPE(TERN_WQE_OP_RDMA_WRITE, TERN_IB_RDMA_HEADER_BYTES,
			      NONE, 0, TERN_MAX_SEND_SGE, true),
	[IB_WR_RDMA_WRITE_WITH_IMM] =
		TERN_IB_SHAPE(TERN_WQE_OP_RDMA_WRITE_WITH_IMM,
			      TERN_IB_RDMA_HEADER_BYTES,
			      DATA, 0, TERN_MAX_SEND_SGE, true),
	[IB_WR_RDMA_READ] =
		TERN_IB_SHAPE(TERN_WQE_OP_RDMA_READ, TERN_IB_RDMA_HEADER_BYTES,
			      NONE, 0, TERN_MAX_SEND_SGE, false),
	[IB_WR_ATOMIC_CMP_AND_SWP] =
		TERN_IB_SHAPE(TERN_WQE_OP_ATOMIC_CMP_AND_SWP,
			      TERN_IB_ATOMIC_HEADER_BYTES, NONE, 1, 1, false),
	[IB_WR_ATOMIC_FETCH_AND_ADD] =
		TERN_IB_SHAPE(TERN_WQE_OP_ATOMIC_FETCH_AND_ADD,
			      TERN_IB_ATOMIC_HEADER_BYTES, NONE, 1, 1, false),
	[IB_WR_LOCAL_INV] =
		TERN_IB_SHAPE(TERN_WQE_OP_LOCAL_INV, TERN_IB_SEND_HEADER_BYTES,
			      KEY, 0, 0, false),
	[IB_WR_REG_MR] =
		TERN_IB_SHAPE(TERN_WQE_OP_REG_MR, TERN_IB_REG_HEADER_BYTES,
			      NONE, 0, 0, false),
};

static const struct tern_ib_send_shape tern_ib_ud_shapes[] = {
	[IB_WR_SEND] =
		TERN_IB_SHAPE(TERN_WQE_OP_SEND, TERN_IB_UD_HEADER_BYTES,
			      NONE, 0, TERN_MAX_SEND_SGE, true),
	[IB_WR_SEND_WITH_IMM] =
		TERN_IB_SHAPE(TERN_WQE_OP_SEND_WITH_IMM,
			      TERN_IB_UD_HEADER_BYTES,
			      DATA, 0, TERN_MAX_SEND_SGE, true),
};

/**
 * struct tern_ib_wqe - a WQE that is being written
 * @qp: whose it is
 * @wr: what it says
 * @shape: what it is made of
 * @count: free-running count of its first block
 * @blocks: its length
 * @inline_bytes: bytes of data in it, when inline
 */
struct tern_ib_wqe {
	struct tern_ib_qp *qp;
	const struct ib_send_wr *wr;
	const struct tern_ib_send_shape *shape;
	u32 count;
	u32 blocks;
	u32 inline_bytes;
};

/* What nobody needs to answer. */
static bool tern_ib_is_uc_opcode(u32 opcode)
{
	switch (opcode) {
	case IB_WR_SEND:
	case IB_WR_SEND_WITH_IMM:
	case IB_WR_RDMA_WRITE:
	case IB_WR_RDMA_WRITE_WITH_IMM:
	case IB_WR_LOCAL_INV:
	case IB_WR_REG_MR:
		return true;
	default:
		return false;
	}
}

static const struct tern_ib_send_shape *
tern_ib_find_shape(const struct tern_ib_qp *qp, u32 opcode)
{
	const struct tern_ib_send_shape *shapes = tern_ib_rc_shapes;
	u32 count = ARRAY_SIZE(tern_ib_rc_shapes);

	if (tern_ib_is_datagram(qp->ibqp.qp_type)) {
		shapes = tern_ib_ud_shapes;
		count = ARRAY_SIZE(tern_ib_ud_shapes);
	}
	if (qp->ibqp.qp_type == IB_QPT_UC && !tern_ib_is_uc_opcode(opcode))
		return NULL;
	return opcode < count && shapes[opcode].opcode ? &shapes[opcode] : NULL;
}

static void *tern_ib_at(const struct tern_ib_wqe *wqe, u32 offset)
{
	const struct tern_ib_qp *qp = wqe->qp;

	return tern_ib_wqe_at(qp->sq_ring.memory.cpu, qp->sq.depth_log2,
			      wqe->count, offset);
}

/* Lengths are summed in 64 bits: 32 could wrap below the limit. */
static int tern_ib_measure_inline(struct tern_ib_wqe *wqe)
{
	const struct ib_send_wr *wr = wqe->wr;
	u64 bytes = 0;
	int i;

	if (!wqe->shape->may_inline)
		return -EINVAL;
	for (i = 0; i < wr->num_sge; i++)
		bytes += wr->sg_list[i].length;
	if (bytes > wqe->qp->sq.max_inline)
		return -EINVAL;
	wqe->inline_bytes = bytes;
	return 0;
}

/* Checks the work request and finds the length of its WQE. */
static int tern_ib_measure(struct tern_ib_wqe *wqe)
{
	const struct ib_send_wr *wr = wqe->wr;
	u32 max_sge;
	u32 data;
	int err;

	wqe->shape = tern_ib_find_shape(wqe->qp, wr->opcode);
	if (!wqe->shape)
		return -EINVAL;
	max_sge = min_t(u32, wqe->shape->max_sge, wqe->qp->sq.max_sge);
	if (wr->num_sge < wqe->shape->min_sge || wr->num_sge > max_sge)
		return -EINVAL;
	data = wr->num_sge * sizeof(struct tern_sge);
	if (wr->send_flags & IB_SEND_INLINE) {
		err = tern_ib_measure_inline(wqe);
		if (err)
			return err;
		data = wqe->inline_bytes;
	}
	wqe->blocks = DIV_ROUND_UP(wqe->shape->header_bytes + data,
				   TERN_SQ_BLOCK_BYTES);
	return 0;
}

static __be32 tern_ib_immediate(const struct tern_ib_wqe *wqe)
{
	switch (wqe->shape->immediate) {
	case TERN_IB_IMMEDIATE_DATA:
		return wqe->wr->ex.imm_data;
	case TERN_IB_IMMEDIATE_KEY:
		return cpu_to_be32(wqe->wr->ex.invalidate_rkey);
	default:
		return 0;
	}
}

static u8 tern_ib_wqe_flags(const struct tern_ib_wqe *wqe)
{
	int send_flags = wqe->wr->send_flags;
	u8 flags = TERN_SET32(TERN_WQE_BLOCKS, wqe->blocks - 1);

	if (send_flags & IB_SEND_SIGNALED)
		flags |= TERN_WQE_SIGNALED;
	if (send_flags & IB_SEND_SOLICITED)
		flags |= TERN_WQE_SOLICITED;
	if (send_flags & IB_SEND_FENCE)
		flags |= TERN_WQE_FENCE;
	if (send_flags & IB_SEND_INLINE)
		flags |= TERN_WQE_INLINE;
	return flags;
}

static void tern_ib_write_control(const struct tern_ib_wqe *wqe, u32 qkey)
{
	struct tern_wqe_control *control = tern_ib_at(wqe, 0);
	bool is_inline = wqe->wr->send_flags & IB_SEND_INLINE;

	control->qpn_opcode =
		cpu_to_le32(TERN_SET32(TERN_WQE_QPN, wqe->qp->qpn) |
			    TERN_SET32(TERN_WQE_OPCODE, wqe->shape->opcode));
	control->index = cpu_to_le16((u16)wqe->count);
	control->flags = tern_ib_wqe_flags(wqe);
	control->count = is_inline ? wqe->inline_bytes : wqe->wr->num_sge;
	control->immediate = tern_ib_immediate(wqe);
	control->qkey = cpu_to_le32(qkey);
}

static void tern_ib_write_remote(const struct tern_ib_wqe *wqe, u64 address,
				 u32 rkey)
{
	struct tern_wqe_remote *remote =
		tern_ib_at(wqe, TERN_IB_SEND_HEADER_BYTES);

	remote->address = cpu_to_le64(address);
	remote->rkey = cpu_to_le32(rkey);
	remote->reserved_0c = 0;
}

static void tern_ib_write_atomic(const struct tern_ib_wqe *wqe)
{
	const struct ib_atomic_wr *wr = atomic_wr(wqe->wr);
	bool is_swap = wqe->wr->opcode == IB_WR_ATOMIC_CMP_AND_SWP;
	struct tern_wqe_atomic *atomic =
		tern_ib_at(wqe, TERN_IB_RDMA_HEADER_BYTES);

	tern_ib_write_remote(wqe, wr->remote_addr, wr->rkey);
	atomic->swap_or_add = cpu_to_le64(is_swap ? wr->swap : wr->compare_add);
	atomic->compare = cpu_to_le64(is_swap ? wr->compare_add : 0);
}

static void tern_ib_write_registration(const struct tern_ib_wqe *wqe)
{
	const struct ib_reg_wr *wr = reg_wr(wqe->wr);
	const struct tern_ib_mr *mr = to_tern_ib_mr(wr->mr);
	struct tern_wqe_registration *registration =
		tern_ib_at(wqe, TERN_IB_SEND_HEADER_BYTES);

	*registration = (struct tern_wqe_registration) {
		.iova = cpu_to_le64(mr->ibmr.iova),
		.length_bytes = cpu_to_le64(mr->ibmr.length),
		.page_list = cpu_to_le64(mr->list_dma),
		.page_count = cpu_to_le32(mr->page_count),
		.key = cpu_to_le32(wr->key),
		.access = cpu_to_le32(wr->access & TERN_ACCESS_MASK),
		.page_shift = ilog2(mr->ibmr.page_size),
	};
}

static void tern_ib_write_address(const struct tern_ib_wqe *wqe)
{
	const struct ib_ud_wr *wr = ud_wr(wqe->wr);
	struct tern_wqe_address_vector *av =
		tern_ib_at(wqe, TERN_IB_SEND_HEADER_BYTES);

	*av = to_tern_ib_ah(wr->ah)->av;
	av->remote_qpn = cpu_to_le32(wr->remote_qpn & TERN_OBJECT_NUMBER_MASK);
}

static void tern_ib_write_header(const struct tern_ib_wqe *wqe)
{
	const struct ib_send_wr *wr = wqe->wr;

	if (tern_ib_is_datagram(wqe->qp->ibqp.qp_type)) {
		tern_ib_write_control(wqe, ud_wr(wr)->remote_qkey);
		tern_ib_write_address(wqe);
		return;
	}
	tern_ib_write_control(wqe, 0);
	switch (wr->opcode) {
	case IB_WR_RDMA_WRITE:
	case IB_WR_RDMA_WRITE_WITH_IMM:
	case IB_WR_RDMA_READ:
		tern_ib_write_remote(wqe, rdma_wr(wr)->remote_addr,
				     rdma_wr(wr)->rkey);
		break;
	case IB_WR_ATOMIC_CMP_AND_SWP:
	case IB_WR_ATOMIC_FETCH_AND_ADD:
		tern_ib_write_atomic(wqe);
		break;
	case IB_WR_REG_MR:
		tern_ib_write_registration(wqe);
		break;
	default:
		break;
	}
}

/* The ring may end within the data, at the end of any block. */
static u32 tern_ib_write_bytes(const struct tern_ib_wqe *wqe, u32 offset,
			       const struct ib_sge *sge)
{
	const void *from = (const void *)(uintptr_t)sge->addr;
	u32 bytes = sge->length;

	while (bytes) {
		u32 room = TERN_SQ_BLOCK_BYTES -
			   (offset & (TERN_SQ_BLOCK_BYTES - 1));
		u32 part = min(room, bytes);

		memcpy(tern_ib_at(wqe, offset), from, part);
		from += part;
		offset += part;
		bytes -= part;
	}
	return offset;
}

static void tern_ib_write_data(const struct tern_ib_wqe *wqe)
{
	const struct ib_send_wr *wr = wqe->wr;
	u32 offset = wqe->shape->header_bytes;
	int i;

	for (i = 0; i < wr->num_sge; i++) {
		const struct ib_sge *sge = &wr->sg_list[i];

		if (wr->send_flags & IB_SEND_INLINE) {
			offset = tern_ib_write_bytes(wqe, offset, sge);
		} else {
			tern_ib_sge_set(tern_ib_at(wqe, offset), sge);
			offset += sizeof(struct tern_sge);
		}
	}
}

/* Only the slot of the first block names a WQE. */
static void tern_ib_remember(const struct tern_ib_wqe *wqe)
{
	struct tern_ib_sq *sq = &wqe->qp->sq;
	u32 i;

	for (i = 0; i < wqe->blocks; i++)
		sq->slots[tern_ring_slot(wqe->count + i, sq->depth_log2)] =
			(struct tern_ib_send_slot) {
				.wr_id = wqe->wr->wr_id,
				.blocks = i ? 0 : wqe->blocks,
			};
}

static int tern_ib_post_one_send(struct tern_ib_qp *qp, u32 *prod,
				 const struct ib_send_wr *wr)
{
	struct tern_ib_wqe wqe = { .qp = qp, .wr = wr, .count = *prod };
	struct tern_ib_sq *sq = &qp->sq;
	u32 used = *prod - tern_ib_count_read(&sq->cons);
	int err;

	err = tern_ib_measure(&wqe);
	if (err)
		return err;
	if (used + wqe.blocks > 1U << sq->depth_log2)
		return -ENOMEM;
	tern_ib_write_header(&wqe);
	tern_ib_write_data(&wqe);
	tern_ib_remember(&wqe);
	*prod += wqe.blocks;
	return 0;
}

static void tern_ib_announce_send(struct tern_ib_qp *qp, u32 prod)
{
	struct tern_ib_device *dev = to_tern_ib_device(qp->ibqp.device);
	struct tern_qp_record *record = qp->record.cpu;

	tern_ib_count_move(&qp->sq.prod, prod);
	/* The WQEs before the record that announces them. */
	dma_wmb();
	WRITE_ONCE(record->sq_prod, cpu_to_le32(prod));
	tern_doorbell_ring(dev->core, TERN_DOORBELL_SQ,
			   TERN_SET64(TERN_DB_QUEUE_NUMBER, qp->qpn) |
			   TERN_SET64(TERN_DB_QUEUE_PROD, prod));
	if (unlikely(tern_ib_is_dead(dev)))
		schedule_work(&dev->flush_work);
}

/**
 * tern_ib_post_send() - verb of the RDMA core, kernel QPs
 * @ibqp: the QP
 * @wr: list of work requests
 * @bad_wr: receives the first that was not posted
 *
 * Return: 0; -EINVAL before RTS, or for a work request that the QP type or its
 * limits do not allow; -ENOMEM when the queue is full.
 */
int tern_ib_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
		      const struct ib_send_wr **bad_wr)
{
	struct tern_ib_qp *qp = to_tern_ib_qp(ibqp);
	struct tern_ib_sq *sq = &qp->sq;
	unsigned long flags;
	int err = 0;
	u32 prod;

	if (READ_ONCE(qp->state) < IB_QPS_RTS) {
		*bad_wr = wr;
		return -EINVAL;
	}
	spin_lock_irqsave(&sq->lock, flags);
	for (prod = sq->prod; wr; wr = wr->next) {
		err = tern_ib_post_one_send(qp, &prod, wr);
		if (err) {
			*bad_wr = wr;
			break;
		}
	}
	if (prod != sq->prod)
		tern_ib_announce_send(qp, prod);
	spin_unlock_irqrestore(&sq->lock, flags);
	return err;
}
