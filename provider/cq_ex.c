// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copyright (c) 2026 The Tern authors
 *
 * ibv_start_poll(), ibv_next_poll(), ibv_end_poll() and the functions that read
 * the entry shown between them. The lock is held from a start that succeeds to
 * the end; the consumer index moves when the next entry is asked for or at the
 * end, and only past entries that were shown.
 */
#include <errno.h>

#include "completion.h"
#include "tern.h"

/*
 * Shows the first entry from @count on that is a completion; entries skipped on
 * the way are consumed at once.
 */
static int tern_show(struct tern_cq *cq, uint32_t count)
{
	const struct tern_completion_shape *shape;
	const struct tern_cqe *cqe;
	uint32_t owner;

	for (;; count++) {
		cqe = tern_cqe_at(cq, count);
		owner = tern_cqe_owner(cqe);
		tern_cq_look_at(cq, count);
		if (!tern_cqe_is_valid(cq, owner, count))
			return ENOENT;
		tern_cqe_read_barrier();
		shape = tern_completion_shape(owner);
		if (shape->kind != TERN_COMPLETION_SKIP)
			break;
	}
	if (shape->kind == TERN_COMPLETION_UNKNOWN)
		return EIO;
	cq->current_qp = tern_complete(cq, cqe, owner, shape,
				       &cq->verbs_cq.cq_ex.wr_id);
	if (!cq->current_qp)
		return EIO;
	cq->verbs_cq.cq_ex.status = owner & TERN_CQE_FAILED ?
		tern_completion_status(le32toh(cqe->error)) : IBV_WC_SUCCESS;
	cq->current = cqe;
	cq->current_owner = owner;
	return 0;
}

static void tern_publish_shown(struct tern_cq *cq)
{
	tern_cq_publish(cq,
			atomic_load_explicit(&cq->cons, memory_order_relaxed),
			atomic_load_explicit(&cq->next, memory_order_relaxed));
}

static int tern_start_poll(struct ibv_cq_ex *ibcq,
			   struct ibv_poll_cq_attr *attr)
{
	struct tern_cq *cq = to_tern_cq_ex(ibcq);
	int err;

	if (attr->comp_mask)
		return EINVAL;
	tern_lock(&cq->lock, cq->need_lock);
	cq->current = NULL;
	err = tern_show(cq, atomic_load_explicit(&cq->cons,
						 memory_order_relaxed));
	if (err) {
		tern_publish_shown(cq);
		tern_unlock(&cq->lock, cq->need_lock);
	}
	return err;
}

/* The entry that is shown has not been counted yet, if there is one. */
static uint32_t tern_cq_after_shown(const struct tern_cq *cq)
{
	return atomic_load_explicit(&cq->cons, memory_order_relaxed) +
	       (cq->current ? 1 : 0);
}

static int tern_next_poll(struct ibv_cq_ex *ibcq)
{
	struct tern_cq *cq = to_tern_cq_ex(ibcq);
	uint32_t next = tern_cq_after_shown(cq);

	cq->current = NULL;
	return tern_show(cq, next);
}

static void tern_end_poll(struct ibv_cq_ex *ibcq)
{
	struct tern_cq *cq = to_tern_cq_ex(ibcq);

	tern_cq_look_at(cq, tern_cq_after_shown(cq));
	tern_publish_shown(cq);
	cq->current = NULL;
	tern_unlock(&cq->lock, cq->need_lock);
}

static enum ibv_wc_opcode tern_read_opcode(struct ibv_cq_ex *ibcq)
{
	return tern_completion_shape(to_tern_cq_ex(ibcq)->current_owner)->opcode;
}

static uint32_t tern_read_vendor_err(struct ibv_cq_ex *ibcq)
{
	return TERN_GET32(TERN_CQE_ERROR_VENDOR,
			  le32toh(to_tern_cq_ex(ibcq)->current->error));
}

static unsigned int tern_read_wc_flags(struct ibv_cq_ex *ibcq)
{
	struct tern_cq *cq = to_tern_cq_ex(ibcq);
	unsigned int flags = tern_completion_shape(cq->current_owner)->flags;

	if (le32toh(cq->current->source) & TERN_CQE_GRH)
		flags |= IBV_WC_GRH;
	return flags;
}

static uint32_t tern_read_byte_len(struct ibv_cq_ex *ibcq)
{
	return le32toh(to_tern_cq_ex(ibcq)->current->byte_len);
}

/* ibv_wc_read_invalidated_rkey() takes this for a host-order number. */
static __be32 tern_read_imm_data(struct ibv_cq_ex *ibcq)
{
	struct tern_cq *cq = to_tern_cq_ex(ibcq);
	__be32 immediate = cq->current->immediate;

	if (tern_completion_shape(cq->current_owner)->flags & IBV_WC_WITH_INV)
		return (__force __be32)be32toh(immediate);
	return immediate;
}

static uint32_t tern_read_qp_num(struct ibv_cq_ex *ibcq)
{
	return to_tern_cq_ex(ibcq)->current_qp->verbs_qp.qp.qp_num;
}

static uint32_t tern_read_src_qp(struct ibv_cq_ex *ibcq)
{
	return TERN_GET32(TERN_CQE_SRC_QPN,
			  le32toh(to_tern_cq_ex(ibcq)->current->source));
}

/* RoCE has no LIDs. */
static uint32_t tern_read_slid(struct ibv_cq_ex *ibcq)
{
	return 0;
}

static uint8_t tern_read_dlid_path_bits(struct ibv_cq_ex *ibcq)
{
	return 0;
}

static uint8_t tern_read_sl(struct ibv_cq_ex *ibcq)
{
	return TERN_GET32(TERN_CQE_PCP,
			  le32toh(to_tern_cq_ex(ibcq)->current->source));
}

static uint64_t tern_read_completion_ts(struct ibv_cq_ex *ibcq)
{
	return le64toh(to_tern_cq_ex(ibcq)->current->timestamp_ns);
}

void tern_cq_ex_init(struct tern_cq *cq, uint64_t wc_flags)
{
	struct ibv_cq_ex *ex = &cq->verbs_cq.cq_ex;

	ex->start_poll = tern_start_poll;
	ex->next_poll = tern_next_poll;
	ex->end_poll = tern_end_poll;
	ex->read_opcode = tern_read_opcode;
	ex->read_vendor_err = tern_read_vendor_err;
	ex->read_wc_flags = tern_read_wc_flags;
	if (wc_flags & IBV_WC_EX_WITH_BYTE_LEN)
		ex->read_byte_len = tern_read_byte_len;
	if (wc_flags & IBV_WC_EX_WITH_IMM)
		ex->read_imm_data = tern_read_imm_data;
	if (wc_flags & IBV_WC_EX_WITH_QP_NUM)
		ex->read_qp_num = tern_read_qp_num;
	if (wc_flags & IBV_WC_EX_WITH_SRC_QP)
		ex->read_src_qp = tern_read_src_qp;
	if (wc_flags & IBV_WC_EX_WITH_SLID)
		ex->read_slid = tern_read_slid;
	if (wc_flags & IBV_WC_EX_WITH_SL)
		ex->read_sl = tern_read_sl;
	if (wc_flags & IBV_WC_EX_WITH_DLID_PATH_BITS)
		ex->read_dlid_path_bits = tern_read_dlid_path_bits;
	if (wc_flags & IBV_WC_EX_WITH_COMPLETION_TIMESTAMP)
		ex->read_completion_ts = tern_read_completion_ts;
}
