// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copyright (c) 2026 The Tern authors
 *
 * ibv_poll_cq(). An entry that makes no sense stays where it is, so that the
 * consumer is told each time it polls: the CQ cannot be trusted any more.
 */
#include <errno.h>
#include <string.h>

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

static __attribute__((noinline)) void
tern_fill_failure(const struct tern_cqe *cqe, struct ibv_wc *wc)
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

/* What a completion of @qp says, whatever it completes. */
static inline ALWAYS_INLINE void
tern_fill(const struct tern_qp *qp, const struct tern_cqe *cqe,
	  const struct tern_completion_shape *shape, struct ibv_wc *wc)
{
	static_assert(offsetof(struct ibv_wc, opcode) -
		      offsetof(struct ibv_wc, status) ==
		      offsetof(struct tern_completion_shape, opcode) &&
		      offsetof(struct tern_completion_shape, status) == 0,
		      "status and opcode are copied together");

	memcpy(&wc->status, &shape->status,
	       sizeof(shape->status) + sizeof(shape->opcode));
	wc->vendor_err = 0;
	wc->byte_len = le32toh(cqe->byte_len);
	wc->qp_num = qp->verbs_qp.qp.qp_num;
}

/* Retires the send that the entry completes. False: the entry makes no sense. */
static inline ALWAYS_INLINE bool
tern_take_send(struct tern_qp *qp, const struct tern_cqe *cqe,
	       const struct tern_completion_shape *shape, struct ibv_wc *wc)
{
	if (unlikely(!tern_sq_retire(&qp->sq, le16toh(cqe->wqe_index),
				     &wc->wr_id)))
		return false;
	wc->wc_flags = 0;
	tern_fill(qp, cqe, shape, wc);
	return true;
}

/* Likewise for a receive. */
static inline ALWAYS_INLINE bool
tern_take_receive(struct tern_qp *qp, const struct tern_cqe *cqe,
		  const struct tern_completion_shape *shape, struct ibv_wc *wc)
{
	if (unlikely(!tern_rq_retire(&qp->rq, le16toh(cqe->wqe_index),
				     &wc->wr_id)))
		return false;
	tern_fill_receive(cqe, shape, wc);
	tern_fill(qp, cqe, shape, wc);
	return true;
}

/* Entries that follow each other are mostly alike: of one QP and one opcode. */
static __attribute__((noinline)) int
tern_poll_many(struct tern_cq *cq, int count, struct ibv_wc *wc)
{
	uintptr_t next = atomic_load_explicit(&cq->next, memory_order_relaxed);
	uint32_t first = atomic_load_explicit(&cq->cons, memory_order_relaxed);
	const struct tern_completion_shape *shape = NULL;
	const struct tern_cqe *cqe = tern_cqe_of(next);
	const struct ibv_wc *end = wc + count;
	uint32_t phase = next << 31;
	struct ibv_wc *to = wc;
	struct tern_qp *qp = NULL;
	uint64_t last = UINT64_MAX;	/* no owner word */
	uint32_t cons = first;
	uint32_t owner;
	bool is_known;
	int err = 0;

	for (; to < end; cons++) {
		owner = tern_cqe_owner(cqe);
		if ((int32_t)(owner ^ phase) < 0)
			break;
		tern_cqe_read_barrier();
		if (owner != last) {
			last = UINT64_MAX;
			shape = tern_completion_shape(owner);
			if (unlikely(shape->kind == TERN_COMPLETION_SKIP))
				goto next;
			qp = tern_completion_qp(cq, owner);
			if (unlikely(!qp ||
				     shape->kind == TERN_COMPLETION_UNKNOWN)) {
				err = -EIO;
				break;
			}
			last = owner;
		}
		if (shape->kind == TERN_COMPLETION_SEND)
			is_known = tern_take_send(qp, cqe, shape, to);
		else
			is_known = tern_take_receive(qp, cqe, shape, to);
		if (unlikely(!is_known)) {
			err = -EIO;
			break;
		}
		if (unlikely(owner & TERN_CQE_FAILED))
			tern_fill_failure(cqe, to);
		to++;
next:
		if (unlikely(++cqe == cq->ring_end)) {
			cqe = cq->ring;
			phase ^= TERN_MASK32(TERN_CQE_PHASE);
		}
	}
	if (cons != first)
		tern_cq_publish(cq, cons, (uintptr_t)cqe | phase >> 31);
	return to != wc ? to - wc : err;
}

/*
 * Likewise for one, which the caller has found valid. What is not a send that
 * succeeded is left to the other.
 */
static __attribute__((noinline)) int
tern_poll_one(struct tern_cq *cq, struct ibv_wc *wc)
{
	uintptr_t next = atomic_load_explicit(&cq->next, memory_order_relaxed);
	uint32_t owner = tern_cqe_owner(tern_cqe_of(next));
	const struct tern_completion_shape *shape = tern_completion_shape(owner);
	struct tern_qp *qp;

	tern_cqe_read_barrier();
	if (unlikely(owner & TERN_CQE_FAILED ||
		     shape->kind != TERN_COMPLETION_SEND))
		return tern_poll_many(cq, 1, wc);
	qp = tern_completion_qp(cq, owner);
	if (unlikely(!qp ||
		     !tern_take_send(qp, tern_cqe_of(next), shape, wc)))
		return -EIO;
	tern_cq_publish(cq, atomic_load_explicit(&cq->cons,
						 memory_order_relaxed) + 1,
			tern_cqe_after(cq, next));
	return 1;
}

static __attribute__((noinline)) int
tern_poll_locked(struct tern_cq *cq, int count, struct ibv_wc *wc)
{
	int polled;

	pthread_spin_lock(&cq->lock);
	polled = tern_poll_many(cq, count, wc);
	pthread_spin_unlock(&cq->lock);
	return polled;
}

/* Polling is mostly finding nothing: that takes no lock. */
int tern_poll_cq(struct ibv_cq *ibcq, int count, struct ibv_wc *wc)
{
	struct tern_cq *cq = to_tern_cq(ibcq);
	uintptr_t next = atomic_load_explicit(&cq->next, memory_order_relaxed);

	if (tern_cqe_is_pending(next, tern_cqe_owner(tern_cqe_of(next))))
		return 0;
	if (cq->need_lock)
		return tern_poll_locked(cq, count, wc);
	if (count == 1)
		return tern_poll_one(cq, wc);
	return tern_poll_many(cq, count, wc);
}
