// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copyright (c) 2026 The Tern authors
 *
 * Queue pairs: creation, states, destruction.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <ccan/ilog.h>
#include <ccan/minmax.h>

#include "abi.h"
#include "qp_size.h"
#include "ring.h"
#include "tern.h"

static int tern_qp_check(const struct ibv_qp_init_attr_ex *attr)
{
	if (attr->qp_type != IBV_QPT_RC && attr->qp_type != IBV_QPT_UC &&
	    attr->qp_type != IBV_QPT_UD)
		return EOPNOTSUPP;
	if (attr->srq)
		return EOPNOTSUPP;
	if (!check_comp_mask(attr->comp_mask, IBV_QP_INIT_ATTR_PD |
			     IBV_QP_INIT_ATTR_SEND_OPS_FLAGS))
		return EOPNOTSUPP;
	if (!(attr->comp_mask & IBV_QP_INIT_ATTR_PD) || !attr->pd ||
	    !attr->send_cq || !attr->recv_cq)
		return EINVAL;
	return 0;
}

static int tern_sq_alloc(struct tern_context *ctx, struct tern_qp *qp,
			 const struct tern_qp_size *size)
{
	size_t blocks = (size_t)1 << size->sq_depth_log2;
	struct tern_sq *sq = &qp->sq;
	int err;

	sq->shadow = calloc(blocks, sizeof(*sq->shadow));
	if (!sq->shadow)
		return ENOMEM;
	err = tern_buffer_alloc(&qp->sq_buffer, blocks << TERN_SQ_BLOCK_SHIFT,
				ctx->page_size);
	if (err) {
		free(sq->shadow);
		return err;
	}
	sq->ring = qp->sq_buffer.address;
	sq->ring_end = sq->ring + (blocks << TERN_SQ_BLOCK_SHIFT);
	sq->mask = blocks - 1;
	return 0;
}

static void tern_sq_free(struct tern_qp *qp)
{
	tern_buffer_free(&qp->sq_buffer);
	free(qp->sq.shadow);
}

static int tern_rq_alloc(struct tern_context *ctx, struct tern_qp *qp,
			 const struct tern_qp_size *size)
{
	size_t entries = (size_t)1 << size->rq_depth_log2;
	struct tern_rq *rq = &qp->rq;
	int err;

	if (!size->has_rq)
		return 0;
	rq->wr_ids = calloc(entries, sizeof(*rq->wr_ids));
	if (!rq->wr_ids)
		return ENOMEM;
	err = tern_buffer_alloc(&qp->rq_buffer, (entries << size->rq_stride_log2) *
				sizeof(struct tern_sge), ctx->page_size);
	if (err) {
		free(rq->wr_ids);
		return err;
	}
	rq->ring = qp->rq_buffer.address;
	rq->mask = entries - 1;
	rq->stride_log2 = size->rq_stride_log2;
	return 0;
}

static void tern_rq_free(struct tern_qp *qp)
{
	tern_buffer_free(&qp->rq_buffer);
	free(qp->rq.wr_ids);
}

static int tern_qp_alloc_memory(struct tern_context *ctx, struct tern_qp *qp,
				const struct tern_qp_size *size)
{
	int err;

	qp->record = tern_record_alloc(&ctx->records);
	if (!qp->record)
		return errno;
	err = tern_sq_alloc(ctx, qp, size);
	if (err)
		goto free_record;
	err = tern_rq_alloc(ctx, qp, size);
	if (err)
		goto free_sq;
	qp->sq.record = &qp->record->sq_prod;
	qp->rq.record = &qp->record->rq_prod;
	return 0;

free_sq:
	tern_sq_free(qp);
free_record:
	tern_record_free(&ctx->records, qp->record);
	return err;
}

static void tern_qp_free_memory(struct tern_context *ctx, struct tern_qp *qp)
{
	tern_rq_free(qp);
	tern_sq_free(qp);
	tern_record_free(&ctx->records, qp->record);
}

/* A slot of its own, so that no other QP's stores come between; or none. */
static void tern_qp_take_push_slot(struct tern_context *ctx, struct tern_qp *qp)
{
	if (!ctx->push_page)
		return;
	pthread_mutex_lock(&ctx->push_mutex);
	if (ctx->free_push_slots) {
		qp->push_slot = ilog64(ctx->free_push_slots) - 1;
		ctx->free_push_slots &= ~(1ULL << qp->push_slot);
		qp->sq.push = ctx->push_page +
			      qp->push_slot * TERN_PUSH_SLOT_BYTES;
	}
	pthread_mutex_unlock(&ctx->push_mutex);
}

static void tern_qp_return_push_slot(struct tern_context *ctx,
				     struct tern_qp *qp)
{
	if (!qp->sq.push)
		return;
	pthread_mutex_lock(&ctx->push_mutex);
	ctx->free_push_slots |= 1ULL << qp->push_slot;
	pthread_mutex_unlock(&ctx->push_mutex);
}

static void tern_qp_init_locks(struct tern_qp *qp, struct ibv_pd *ibpd)
{
	qp->parent = tern_parent_domain_get(ibpd);
	qp->sq.need_lock = !(qp->parent && qp->parent->td);
	qp->rq.need_lock = qp->sq.need_lock;
	pthread_spin_init(&qp->sq.lock, PTHREAD_PROCESS_PRIVATE);
	pthread_spin_init(&qp->rq.lock, PTHREAD_PROCESS_PRIVATE);
}

static void tern_qp_fini_locks(struct tern_qp *qp)
{
	pthread_spin_destroy(&qp->rq.lock);
	pthread_spin_destroy(&qp->sq.lock);
	tern_parent_domain_put(qp->parent);
}

/* What is granted is what fits, and no more than the kernel grants. */
static void tern_qp_grant(struct tern_qp *qp, const struct tern_qp_size *size,
			  struct ibv_qp_cap *cap)
{
	cap->max_send_wr = min(cap->max_send_wr, size->cap.max_send_wr);
	cap->max_recv_wr = min(cap->max_recv_wr, size->cap.max_recv_wr);
	cap->max_send_sge = size->cap.max_send_sge;
	cap->max_recv_sge = size->cap.max_recv_sge;
	cap->max_inline_data = size->cap.max_inline_data;
	qp->cap = *cap;
	qp->sq.max_sge = cap->max_send_sge;
	qp->sq.max_inline = cap->max_inline_data;
	qp->rq.max_sge = cap->max_recv_sge;
}

static int tern_qp_command(struct ibv_context *ibctx, struct tern_qp *qp,
			   const struct tern_qp_size *size,
			   struct ibv_qp_init_attr_ex *attr)
{
	struct ibv_qp_init_attr_ex granted = *attr;
	struct tern_create_qp_resp resp = {};
	struct tern_create_qp cmd = {};
	int err;

	cmd.drv_payload = (struct tern_ureq_create_qp){
		.sq_address = (uintptr_t)qp->sq_buffer.address,
		.sq_length = qp->sq_buffer.length,
		.rq_address = (uintptr_t)qp->rq_buffer.address,
		.rq_length = qp->rq_buffer.length,
		.record_address = (uintptr_t)qp->record,
		.uidx = qp->uidx,
		.sq_depth_log2 = size->sq_depth_log2,
		.rq_depth_log2 = size->rq_depth_log2,
		.rq_stride_log2 = size->rq_stride_log2,
	};
	err = ibv_cmd_create_qp_ex(ibctx, &qp->verbs_qp, &granted, &cmd.ibv_cmd,
				   sizeof(cmd), &resp.ibv_resp, sizeof(resp));
	if (err)
		return err;
	tern_qp_grant(qp, size, &granted.cap);
	qp->sq.qpn = resp.drv_payload.qpn & TERN_OBJECT_NUMBER_MASK;
	if (attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS)
		qp->verbs_qp.comp_mask |= VERBS_QP_EX;
	attr->cap = granted.cap;
	return 0;
}

static int tern_qp_init(struct tern_context *ctx, struct tern_qp *qp,
			struct ibv_qp_init_attr_ex *attr)
{
	struct tern_qp_size size;
	int err;

	err = tern_qp_size(&ctx->limits, attr->qp_type, &attr->cap, &size);
	if (!err && attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS)
		err = tern_wr_init(qp, attr->qp_type, attr->send_ops_flags);
	if (err)
		return err;
	qp->post_send = tern_post_send_of(attr->qp_type);
	qp->sq.doorbell = ctx->doorbells + TERN_DOORBELL_SQ;
	err = tern_qp_alloc_memory(ctx, qp, &size);
	if (err)
		return err;
	err = tern_qp_table_add(&ctx->qps, qp, &qp->uidx);
	if (err)
		goto free_memory;
	tern_qp_init_locks(qp, attr->pd);

	err = tern_qp_command(&ctx->ibv_ctx.context, qp, &size, attr);
	if (err)
		goto fini_locks;
	tern_qp_take_push_slot(ctx, qp);
	return 0;

fini_locks:
	tern_qp_fini_locks(qp);
	tern_qp_table_remove(&ctx->qps, qp->uidx);
free_memory:
	tern_qp_free_memory(ctx, qp);
	return err;
}

static struct tern_qp *tern_qp_alloc(void)
{
	size_t bytes = align(sizeof(struct tern_qp), TERN_CACHE_LINE_BYTES);
	struct tern_qp *qp = aligned_alloc(TERN_CACHE_LINE_BYTES, bytes);

	if (qp)
		memset(qp, 0, bytes);
	return qp;
}

struct ibv_qp *tern_create_qp_ex(struct ibv_context *ibctx,
				 struct ibv_qp_init_attr_ex *attr)
{
	struct tern_qp *qp;
	int err;

	err = tern_qp_check(attr);
	if (err) {
		errno = err;
		return NULL;
	}
	qp = tern_qp_alloc();
	if (!qp)
		return NULL;
	err = tern_qp_init(to_tern_context(ibctx), qp, attr);
	if (err) {
		free(qp);
		errno = err;
		return NULL;
	}
	return &qp->verbs_qp.qp;
}

struct ibv_qp *tern_create_qp(struct ibv_pd *ibpd,
			      struct ibv_qp_init_attr *attr)
{
	struct ibv_qp_init_attr_ex extended = {
		.qp_context = attr->qp_context,
		.send_cq = attr->send_cq,
		.recv_cq = attr->recv_cq,
		.srq = attr->srq,
		.cap = attr->cap,
		.qp_type = attr->qp_type,
		.sq_sig_all = attr->sq_sig_all,
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = ibpd,
	};
	struct ibv_qp *qp = tern_create_qp_ex(ibpd->context, &extended);

	if (qp)
		attr->cap = extended.cap;
	return qp;
}

/* Both CQs, in the order that everybody takes them in. */
static void tern_lock_cqs(struct ibv_qp *ibqp)
{
	struct tern_cq *send_cq = to_tern_cq(ibqp->send_cq);
	struct tern_cq *recv_cq = to_tern_cq(ibqp->recv_cq);
	struct tern_cq *first = send_cq < recv_cq ? send_cq : recv_cq;
	struct tern_cq *second = send_cq < recv_cq ? recv_cq : send_cq;

	tern_lock(&first->lock, first->need_lock);
	if (second != first)
		tern_lock(&second->lock, second->need_lock);
}

static void tern_unlock_cqs(struct ibv_qp *ibqp)
{
	struct tern_cq *send_cq = to_tern_cq(ibqp->send_cq);
	struct tern_cq *recv_cq = to_tern_cq(ibqp->recv_cq);

	tern_unlock(&send_cq->lock, send_cq->need_lock);
	if (recv_cq != send_cq)
		tern_unlock(&recv_cq->lock, recv_cq->need_lock);
}

/* The caller holds the locks of both CQs. */
static void tern_qp_clean_cqs(struct tern_qp *qp)
{
	struct ibv_qp *ibqp = &qp->verbs_qp.qp;

	tern_cq_clean(to_tern_cq(ibqp->send_cq), qp->uidx);
	if (ibqp->recv_cq != ibqp->send_cq)
		tern_cq_clean(to_tern_cq(ibqp->recv_cq), qp->uidx);
}

/*
 * A queue that may not be posted to in this state holds nothing and has room for
 * nothing (IBTA 10.8.2): whoever posts looks no further than for room.
 */
static void tern_qp_open_queues(struct tern_qp *qp, enum ibv_qp_state state)
{
	bool may_send = state >= IBV_QPS_RTS;
	bool may_receive = state != IBV_QPS_RESET;

	tern_lock(&qp->sq.lock, qp->sq.need_lock);
	qp->sq.max_wr = may_send ? qp->cap.max_send_wr : 0;
	tern_unlock(&qp->sq.lock, qp->sq.need_lock);
	tern_lock(&qp->rq.lock, qp->rq.need_lock);
	qp->rq.max_wr = may_receive ? qp->cap.max_recv_wr : 0;
	tern_unlock(&qp->rq.lock, qp->rq.need_lock);
}

/* In RESET the card's counts are 0, and so are ours. */
static void tern_qp_start_anew(struct tern_qp *qp)
{
	tern_lock_cqs(&qp->verbs_qp.qp);
	tern_qp_clean_cqs(qp);
	qp->sq.prod = 0;
	atomic_store(&qp->sq.wr_prod, 0);
	atomic_store(&qp->sq.wr_cons, 0);
	atomic_store(&qp->rq.prod, 0);
	atomic_store(&qp->rq.cons, 0);
	tern_record_store(qp->sq.record, 0);
	tern_record_store(qp->rq.record, 0);
	tern_unlock_cqs(&qp->verbs_qp.qp);
}

int tern_modify_qp(struct ibv_qp *ibqp, struct ibv_qp_attr *attr, int attr_mask)
{
	struct ibv_modify_qp cmd = {};
	int err;

	err = ibv_cmd_modify_qp(ibqp, attr, attr_mask, &cmd, sizeof(cmd));
	if (err)
		return err;
	if (!(attr_mask & IBV_QP_STATE))
		return 0;
	if (attr->qp_state == IBV_QPS_RESET)
		tern_qp_start_anew(to_tern_qp(ibqp));
	tern_qp_open_queues(to_tern_qp(ibqp), attr->qp_state);
	return 0;
}

int tern_query_qp(struct ibv_qp *ibqp, struct ibv_qp_attr *attr, int attr_mask,
		  struct ibv_qp_init_attr *init_attr)
{
	struct ibv_query_qp cmd;
	int err;

	err = ibv_cmd_query_qp(ibqp, attr, attr_mask, init_attr, &cmd,
			       sizeof(cmd));
	if (err)
		return err;
	init_attr->cap = to_tern_qp(ibqp)->cap;
	attr->cap = init_attr->cap;
	return 0;
}

/* The kernel's answer means that the card writes no more completions. */
int tern_destroy_qp(struct ibv_qp *ibqp)
{
	struct tern_context *ctx = to_tern_context(ibqp->context);
	struct tern_qp *qp = to_tern_qp(ibqp);
	int err;

	err = ibv_cmd_destroy_qp(ibqp);
	if (err)
		return err;
	tern_lock_cqs(ibqp);
	tern_qp_clean_cqs(qp);
	tern_qp_table_remove(&ctx->qps, qp->uidx);
	tern_unlock_cqs(ibqp);
	tern_qp_return_push_slot(ctx, qp);
	tern_qp_fini_locks(qp);
	tern_qp_free_memory(ctx, qp);
	free(qp);
	return 0;
}
