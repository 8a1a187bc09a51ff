// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copyright (c) 2026 The Tern authors
 *
 * ibv_poll_cq(). An entry that makes no sense stays where it is, so that the
 * consumer is told each time it polls: the CQ cannot be trusted any more.
 */
#include <errno.h>

#include <ccan/array_size.h>

#include "completion.h"
#include "tern.h"

#define TERN_OPCODE_FLAGS(name)						\
	((name) == TERN_CQE_OP_RECV_WITH_IMM ? IBV_WC_WITH_IMM :		\
	 (name) == TERN_CQE_OP_RECV_RDMA_WITH_IMM ? IBV_WC_WITH_IMM :	\
	 (name) == TERN_CQE_OP_RECV_WITH_INV ? IBV_WC_WITH_INV : 0)

/* What only the kernel's queues complete is unknown here. */
#define TERN_OPCODE_KIND(name)						\
	((name) == TERN_CQE_OP_SKIP ? TERN_COMPLETION_SKIP :		\
	 (name) == TERN_CQE_OP_REG_MR ? TERN_COMPLETION_UNKNOWN :	\
	 (name) >= TERN_CQE_OP_ETH_TX ? TERN_COMPLETION_UNKNOWN :	\
	 (name) >= TERN_CQE_OP_RECEIVE_FIRST ? TERN_COMPLETION_RECEIVE :	\
					       TERN_COMPLETION_SEND)

const struct tern_completion_shape
	tern_completion_shapes[TERN_FIELD_MAX(TERN_CQE_OPCODE) + 1] = {
#define TERN_CQE_OPCODE(name, value, verbs, meaning)			\
	[value] = {							\
		.kind = TERN_OPCODE_KIND(name),				\
		.opcode = IBV_WC_##verbs,				\
		.flags = TERN_OPCODE_FLAGS(name),			\
	},
#include <tern/hw/cqe_opcode.def>
};

static const uint8_t tern_statuses[] = {
#define TERN_CQE_STATUS(name, value, verbs, meaning) [value] = IBV_WC_##verbs,
#include <tern/hw/cqe_status.def>
};

/* A status that we do not know is still a failure. */
enum ibv_wc_status tern_completion_status(uint32_t error)
{
	uint32_t status = TERN_GET32(TERN_CQE_ERROR_STATUS, error);

	if (status == TERN_CQE_STATUS_SUCCESS ||
	    status >= ARRAY_SIZE(tern_statuses))
		return IBV_WC_GENERAL_ERR;
	return tern_statuses[status];
}

static void tern_fill_failure(const struct tern_cqe *cqe, struct ibv_wc *wc)
{
	uint32_t error = le32toh(cqe->error);

	wc->status = tern_completion_status(error);
	wc->vendor_err = TERN_GET32(TERN_CQE_ERROR_VENDOR, error);
}

static inline void tern_fill_receive(const struct tern_cqe *cqe,
				     const struct tern_completion_shape *shape,
				     struct ibv_wc *wc)
{
	uint32_t source = le32toh(cqe->source);

	if (shape->flags & IBV_WC_WITH_INV)
		wc->invalidated_rkey = be32toh(cqe->immediate);
	else
		wc->imm_data = cqe->immediate;
	wc->src_qp = TERN_GET32(TERN_CQE_SRC_QPN, source);
	wc->wc_flags = shape->flags | (source & TERN_CQE_GRH ? IBV_WC_GRH : 0);
	wc->pkey_index = 0;
	wc->slid = 0;
	wc->sl = TERN_GET32(TERN_CQE_PCP, source);
	wc->dlid_path_bits = 0;
}

/* False: the entry makes no sense. */
static inline bool tern_fill(struct tern_cq *cq, const struct tern_cqe *cqe,
			     uint32_t owner,
			     const struct tern_completion_shape *shape,
			     struct ibv_wc *wc)
{
	struct tern_qp *qp = tern_complete(cq, cqe, owner, shape->kind,
					   &wc->wr_id);

	if (unlikely(!qp))
		return false;
	wc->qp_num = qp->verbs_qp.qp.qp_num;
	wc->opcode = shape->opcode;
	wc->byte_len = le32toh(cqe->byte_len);
	wc->status = IBV_WC_SUCCESS;
	wc->vendor_err = 0;
	wc->wc_flags = 0;
	if (shape->kind == TERN_COMPLETION_RECEIVE)
		tern_fill_receive(cqe, shape, wc);
	if (unlikely(owner & TERN_CQE_FAILED))
		tern_fill_failure(cqe, wc);
	return true;
}

static int tern_poll_entries(struct tern_cq *cq, int count, struct ibv_wc *wc)
{
	uint32_t first = atomic_load_explicit(&cq->cons, memory_order_relaxed);
	const struct tern_completion_shape *shape;
	const struct tern_cqe *cqe;
	uint32_t cons = first;
	uint32_t owner;
	int polled = 0;
	int err = 0;

	for (; polled < count; cons++) {
		cqe = tern_cqe_at(cq, cons);
		owner = tern_cqe_owner(cqe);
		if (!tern_cqe_is_valid(cq, owner, cons))
			break;
		tern_cqe_read_barrier();
		shape = tern_completion_shape(owner);
		if (unlikely(shape->kind == TERN_COMPLETION_SKIP))
			continue;
		if (unlikely(shape->kind == TERN_COMPLETION_UNKNOWN ||
			     !tern_fill(cq, cqe, owner, shape, &wc[polled]))) {
			err = -EIO;
			break;
		}
		polled++;
	}
	if (cons != first)
		tern_cq_publish(cq, cons);
	return polled ? polled : err;
}

/* Polling is mostly finding nothing: that takes no lock. */
static inline bool tern_cq_is_empty(const struct tern_cq *cq)
{
	uint32_t cons = atomic_load_explicit(&cq->cons, memory_order_relaxed);

	return !tern_cqe_is_valid(cq, tern_cqe_owner(tern_cqe_at(cq, cons)),
				  cons);
}

static __attribute__((noinline)) int
tern_poll_locked(struct tern_cq *cq, int count, struct ibv_wc *wc)
{
	int polled;

	pthread_spin_lock(&cq->lock);
	polled = tern_poll_entries(cq, count, wc);
	pthread_spin_unlock(&cq->lock);
	return polled;
}

static __attribute__((noinline)) int
tern_poll_unlocked(struct tern_cq *cq, int count, struct ibv_wc *wc)
{
	return tern_poll_entries(cq, count, wc);
}

int tern_poll_cq(struct ibv_cq *ibcq, int count, struct ibv_wc *wc)
{
	struct tern_cq *cq = to_tern_cq(ibcq);

	if (tern_cq_is_empty(cq))
		return 0;
	if (cq->need_lock)
		return tern_poll_locked(cq, count, wc);
	return tern_poll_unlocked(cq, count, wc);
}
