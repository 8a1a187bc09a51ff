// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copyright (c) 2026 The Tern authors
 *
 * Creation and destruction of queue pairs. What differs between user space and
 * the kernel is where the queues' memory comes from: the provider's request, or
 * qp_kernel.c.
 */
#include <linux/log2.h>

#include "tern_ib.h"
#include "wqe.h"

static int tern_ib_check_qp_kind(const struct ib_qp_init_attr *init,
				 bool is_user)
{
	if (init->srq || init->rwq_ind_tbl || init->create_flags)
		return -EOPNOTSUPP;
	if (!init->send_cq || !init->recv_cq)
		return -EINVAL;
	switch (init->qp_type) {
	case IB_QPT_RC:
	case IB_QPT_UC:
	case IB_QPT_UD:
		return 0;
	case IB_QPT_GSI:
		return is_user ? -EOPNOTSUPP : 0;
	default:
		return -EOPNOTSUPP;
	}
}

static int tern_ib_check_qp_cap(const struct tern_ib_device *dev,
				const struct ib_qp_cap *cap)
{
	const struct tern_caps *caps = &dev->core->caps;
	u32 max_wr = tern_ib_max_qp_wr(dev);

	if (cap->max_send_wr > max_wr || cap->max_recv_wr > max_wr ||
	    cap->max_send_sge > caps->max_send_sge ||
	    cap->max_recv_sge > caps->max_recv_sge ||
	    cap->max_inline_data > caps->max_inline_bytes)
		return -EINVAL;
	return 0;
}

static u8 tern_ib_qp_type(enum ib_qp_type type)
{
	switch (type) {
	case IB_QPT_RC:
		return TERN_QP_RC;
	case IB_QPT_UC:
		return TERN_QP_UC;
	case IB_QPT_UD:
		return TERN_QP_UD;
	default:
		return TERN_QP_GSI;
	}
}

/* log2 of the entries that hold @count, which may be 0. */
static u8 tern_ib_depth_log2(u32 count)
{
	return max_t(u32, order_base_2(count), TERN_RING_MIN_DEPTH_LOG2);
}

/*
 * The smallest queues that hold what was asked for. What is granted is all
 * that fits in them: a consumer may count on it to the last work request.
 */
static void tern_ib_qp_size(struct tern_ib_device *dev, struct tern_ib_qp *qp)
{
	u32 max_wr = tern_ib_max_qp_wr(dev);
	struct ib_qp_cap *cap = &qp->cap;
	u32 blocks;

	blocks = tern_ib_wqe_blocks(qp->ibqp.qp_type, cap->max_send_sge,
				    cap->max_inline_data);
	qp->sq.depth_log2 = tern_ib_depth_log2(cap->max_send_wr * blocks);
	qp->sq.max_sge = cap->max_send_sge;
	qp->sq.max_inline = cap->max_inline_data;
	cap->max_send_wr = min((1U << qp->sq.depth_log2) / blocks, max_wr);

	qp->has_rq = cap->max_recv_wr;
	if (!qp->has_rq) {
		cap->max_recv_sge = 0;
		return;
	}
	qp->rq.depth_log2 = tern_ib_depth_log2(cap->max_recv_wr);
	qp->rq.stride_log2 = order_base_2(cap->max_recv_sge ?: 1);
	cap->max_recv_wr = min(1U << qp->rq.depth_log2, max_wr);
	cap->max_recv_sge = min(1U << qp->rq.stride_log2,
				(u32)dev->core->caps.max_recv_sge);
}

static size_t tern_ib_sq_bytes(const struct tern_ib_qp *qp)
{
	return (size_t)TERN_SQ_BLOCK_BYTES << qp->sq.depth_log2;
}

static size_t tern_ib_rq_bytes(const struct tern_ib_qp *qp)
{
	return (sizeof(struct tern_sge) << qp->rq.stride_log2)
	       << qp->rq.depth_log2;
}

/*
 * The provider's queues must hold what the caps say, and the depths it states
 * become the queue's.
 */
static int tern_ib_qp_check_request(struct tern_ib_device *dev,
				    struct tern_ib_qp *qp,
				    const struct tern_ureq_create_qp *request)
{
	const struct tern_caps *caps = &dev->core->caps;

	if (request->reserved || request->uidx > TERN_OBJECT_NUMBER_MASK ||
	    request->sq_depth_log2 < qp->sq.depth_log2 ||
	    request->sq_depth_log2 > caps->max_sq_depth_log2)
		return -EINVAL;
	if (!qp->has_rq)
		return request->rq_address || request->rq_length ||
		       request->rq_depth_log2 || request->rq_stride_log2 ?
		       -EINVAL : 0;
	if (request->rq_depth_log2 < qp->rq.depth_log2 ||
	    request->rq_depth_log2 > caps->max_rq_depth_log2 ||
	    request->rq_stride_log2 < qp->rq.stride_log2 ||
	    request->rq_stride_log2 > TERN_RQ_MAX_STRIDE_LOG2)
		return -EINVAL;
	return 0;
}

static int tern_ib_qp_pin_queues(struct tern_ib_device *dev,
				 struct tern_ib_qp *qp,
				 const struct tern_ureq_create_qp *request)
{
	int err;

	err = tern_ib_ring_pin(dev, request->sq_address, request->sq_length,
			       tern_ib_sq_bytes(qp), &qp->sq_ring);
	if (err || !qp->has_rq)
		return err;
	err = tern_ib_ring_pin(dev, request->rq_address, request->rq_length,
			       tern_ib_rq_bytes(qp), &qp->rq_ring);
	if (err)
		tern_ib_ring_release(dev, &qp->sq_ring);
	return err;
}

static void tern_ib_qp_release_rings(struct tern_ib_device *dev,
				     struct tern_ib_qp *qp)
{
	tern_ib_ring_release(dev, &qp->sq_ring);
	if (qp->has_rq)
		tern_ib_ring_release(dev, &qp->rq_ring);
}

static int tern_ib_qp_take_user(struct tern_ib_device *dev,
				struct tern_ib_qp *qp,
				struct tern_ib_ucontext *context,
				struct ib_udata *udata)
{
	struct tern_ureq_create_qp request;
	int err;

	err = tern_ib_read_request(udata, &request, sizeof(request));
	if (err)
		return err;
	err = tern_ib_qp_check_request(dev, qp, &request);
	if (err)
		return err;
	qp->uidx = request.uidx;
	qp->sq.depth_log2 = request.sq_depth_log2;
	qp->rq.depth_log2 = request.rq_depth_log2;
	qp->rq.stride_log2 = request.rq_stride_log2;
	err = tern_ib_qp_pin_queues(dev, qp, &request);
	if (err)
		return err;
	err = tern_ib_record_pin(context, request.record_address, &qp->record);
	if (err)
		tern_ib_qp_release_rings(dev, qp);
	return err;
}

static int tern_ib_qp_take_kernel(struct tern_ib_device *dev,
				  struct tern_ib_qp *qp)
{
	int err;

	err = tern_ib_ring_alloc(dev, tern_ib_sq_bytes(qp), &qp->sq_ring);
	if (err)
		return err;
	if (qp->has_rq) {
		err = tern_ib_ring_alloc(dev, tern_ib_rq_bytes(qp),
					 &qp->rq_ring);
		if (err)
			goto release_sq;
	}
	err = tern_ib_record_alloc(dev, &qp->record);
	if (err)
		goto release_rings;
	err = tern_ib_kernel_qp_init(dev, qp);
	if (err)
		goto free_record;
	return 0;

free_record:
	tern_ib_record_free(dev, &qp->record);
release_rings:
	tern_ib_qp_release_rings(dev, qp);
	return err;
release_sq:
	tern_ib_ring_release(dev, &qp->sq_ring);
	return err;
}

static void tern_ib_qp_give_back(struct tern_ib_device *dev,
				 struct tern_ib_qp *qp,
				 struct tern_ib_ucontext *context)
{
	if (context) {
		tern_ib_record_unpin(context, &qp->record);
	} else {
		tern_ib_kernel_qp_fini(dev, qp);
		tern_ib_record_free(dev, &qp->record);
	}
	tern_ib_qp_release_rings(dev, qp);
}

static int tern_ib_qp_command(struct tern_ib_device *dev, struct tern_ib_qp *qp,
			      const struct ib_qp_init_attr *init,
			      const struct tern_ib_ucontext *context)
{
	bool is_gsi = init->qp_type == IB_QPT_GSI;
	struct tern_cmd_create_qp command = {
		.type = tern_ib_qp_type(init->qp_type),
		.flags = (context ? 0 : TERN_QP_KERNEL) |
			 (qp->signal_all ? TERN_QP_SIGNAL_ALL : 0),
		.port = is_gsi ? init->port_num : 0,
		.sq_depth_log2 = qp->sq.depth_log2,
		.has_rq = qp->has_rq,
		.pdn = cpu_to_le32(to_tern_ib_pd(qp->ibqp.pd)->pdn),
		.send_cqn = cpu_to_le32(to_tern_ib_cq(init->send_cq)->cqn),
		.recv_cqn = cpu_to_le32(to_tern_ib_cq(init->recv_cq)->cqn),
		.doorbell_pair = cpu_to_le32(context ?
					     context->doorbell_pair.number : 0),
		.uidx = cpu_to_le32(qp->uidx),
		.record = cpu_to_le64(qp->record.dma),
		.sq = *tern_ib_ring_list(&qp->sq_ring),
	};
	int err;

	if (qp->has_rq) {
		command.rq_depth_log2 = qp->rq.depth_log2;
		command.rq_stride_log2 = qp->rq.stride_log2;
		command.rq = *tern_ib_ring_list(&qp->rq_ring);
	}
	err = tern_cmd_create_qp(dev->core, &command, &qp->qpn);
	if (err)
		return err;
	/* On the wire the GSI QP is number 1 of its port (IBTA 9.2.3). */
	qp->ibqp.qp_num = is_gsi ? 1 : qp->qpn;
	return 0;
}

/* Nothing can be in the way: a card that refuses uses the memory for ever. */
static void tern_ib_qp_end(struct tern_ib_device *dev, struct tern_ib_qp *qp)
{
	tern_cmd_must_succeed(dev->core,
			      tern_cmd_destroy_qp(dev->core, qp->qpn));
}

/* From here on events find the QP. */
static int tern_ib_qp_publish(struct tern_ib_device *dev, struct tern_ib_qp *qp)
{
	tern_ib_users_init(&qp->users);
	return xa_err(xa_store(&dev->qps, qp->qpn, qp, GFP_KERNEL));
}

/* A new QP may have taken over the number since the card let go of it. */
static void tern_ib_qp_unpublish(struct tern_ib_device *dev,
				 struct tern_ib_qp *qp)
{
	xa_cmpxchg(&dev->qps, qp->qpn, qp, NULL, GFP_KERNEL);
	tern_ib_users_wait(&qp->users);
}

static int tern_ib_qp_respond(struct tern_ib_qp *qp, struct ib_udata *udata)
{
	struct tern_uresp_create_qp response = { .qpn = qp->qpn };

	return tern_ib_write_response(udata, &response, sizeof(response));
}

static void tern_ib_qp_init(struct tern_ib_qp *qp,
			    const struct ib_qp_init_attr *init)
{
	mutex_init(&qp->mutex);
	qp->state = IB_QPS_RESET;
	qp->signal_all = init->sq_sig_type == IB_SIGNAL_ALL_WR;
	qp->cap = init->cap;
	qp->port = init->qp_type == IB_QPT_GSI ? init->port_num : 0;
}

/**
 * tern_ib_create_qp() - verb of the RDMA core
 * @ibqp: the QP
 * @init: type, queues, limits; receives the limits granted
 * @udata: NULL for kernel consumers; request: struct tern_ureq_create_qp,
 *         response: struct tern_uresp_create_qp
 *
 * Return: 0; -EOPNOTSUPP for a kind of QP that the card does not have;
 * -EINVAL for limits beyond the device's or a bad request; or another negative
 * errno.
 */
int tern_ib_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *init,
		      struct ib_udata *udata)
{
	struct tern_ib_ucontext *context =
		rdma_udata_to_drv_context(udata, struct tern_ib_ucontext,
					  ibucontext);
	struct tern_ib_device *dev = to_tern_ib_device(ibqp->device);
	struct tern_ib_qp *qp = to_tern_ib_qp(ibqp);
	int err;

	err = tern_ib_check_qp_kind(init, udata);
	if (!err)
		err = tern_ib_check_qp_cap(dev, &init->cap);
	if (err)
		return err;
	tern_ib_qp_init(qp, init);
	tern_ib_qp_size(dev, qp);
	err = udata ? tern_ib_qp_take_user(dev, qp, context, udata) :
		      tern_ib_qp_take_kernel(dev, qp);
	if (err)
		return err;

	err = tern_ib_qp_command(dev, qp, init, context);
	if (err)
		goto give_back;
	err = tern_ib_qp_publish(dev, qp);
	if (err)
		goto destroy;
	if (udata)
		err = tern_ib_qp_respond(qp, udata);
	if (err)
		goto unpublish;
	if (!udata)
		tern_ib_kernel_qp_attach(dev, qp, init);
	init->cap = qp->cap;
	return 0;

unpublish:
	tern_ib_qp_unpublish(dev, qp);
destroy:
	tern_ib_qp_end(dev, qp);
give_back:
	tern_ib_qp_give_back(dev, qp, context);
	return err;
}

/* The card's last word about the QP comes before its memory goes. */
int tern_ib_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata)
{
	struct tern_ib_ucontext *context =
		rdma_udata_to_drv_context(udata, struct tern_ib_ucontext,
					  ibucontext);
	struct tern_ib_device *dev = to_tern_ib_device(ibqp->device);
	struct tern_ib_qp *qp = to_tern_ib_qp(ibqp);

	tern_ib_qp_end(dev, qp);
	tern_ib_qp_unpublish(dev, qp);
	if (!context)
		tern_ib_kernel_qp_detach(dev, qp);
	tern_ib_qp_give_back(dev, qp, context);
	mutex_destroy(&qp->mutex);
	return 0;
}
