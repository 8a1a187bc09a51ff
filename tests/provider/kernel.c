// SPDX-License-Identifier: BSD-2-Clause
/*
 * Copyright (c) 2026 The Tern authors
 *
 * libibverbs' way into the kernel, as far as the provider takes it. These
 * definitions come before those of the library.
 */
#include <errno.h>
#include <endian.h>
#include <stdlib.h>

#include "abi.h"
#include "kernel.h"
#include "tern.h"

extern const struct verbs_device_ops verbs_provider_tern;

static struct verbs_device_ops device_ops;
static int context_cmd_fd;

/*
 * Stands where the provider's alloc_context does, so that the library sets up
 * the context as for any program and yet asks no kernel for the descriptor.
 */
static struct verbs_context *alloc_context(struct ibv_device *device,
					   int cmd_fd, void *private_data)
{
	verbs_get_device(device)->ops = &verbs_provider_tern;
	return verbs_provider_tern.alloc_context(device, context_cmd_fd,
						 private_data);
}

struct ibv_context *kernel_open(int cmd_fd)
{
	struct verbs_device *device = verbs_provider_tern.alloc_device(NULL);

	device_ops = verbs_provider_tern;
	device_ops.alloc_context = alloc_context;
	device->ops = &device_ops;
	context_cmd_fd = cmd_fd;
	return verbs_open_device(&device->device, NULL);
}

void kernel_pages(struct ibv_context *context, void **doorbells, void **push)
{
	*doorbells = to_tern_context(context)->doorbells;
	*push = to_tern_context(context)->push_page;
}

void provider_start_counts_at(struct ibv_qp *qp, uint32_t sq_prod,
			      uint32_t wr_prod)
{
	struct tern_sq *sq = &to_tern_qp(qp)->sq;

	sq->prod = sq_prod;
	atomic_store(&sq->wr_prod, wr_prod);
	atomic_store(&sq->wr_cons, wr_prod);
}

struct provider_queues provider_queues_of(struct ibv_qp *ibqp)
{
	struct tern_qp *qp = to_tern_qp(ibqp);

	return (struct provider_queues){
		.sq = qp->sq.ring,
		.rq = qp->rq.ring,
		.sq_blocks = qp->sq.mask + 1,
		.sq_prod = qp->sq.prod,
		.record_sq_prod = le32toh(qp->record->sq_prod),
		.record_rq_prod = le32toh(qp->record->rq_prod),
		.qpn = qp->sq.qpn,
		.uidx = qp->uidx,
		.need_lock = qp->sq.need_lock,
		.has_push = qp->sq.push,
	};
}

struct provider_cq provider_cq_of(struct ibv_cq *ibcq)
{
	struct tern_cq *cq = to_tern_cq(ibcq);

	return (struct provider_cq){
		.ring = cq->ring,
		.depth_log2 = cq->depth_log2,
		.cqn = cq->cqn,
		.record_cons = le32toh(cq->record->cons),
		.record_arm = le32toh(cq->record->arm),
		.record_arm_cons = le32toh(cq->record->arm_cons),
	};
}

int ibv_cmd_get_context(struct verbs_context *context,
			struct ibv_get_context *cmd, size_t cmd_size,
			struct ib_uverbs_get_context_resp *resp,
			size_t resp_size)
{
	kernel_describe_context(&((struct tern_alloc_ucontext_resp *)resp)->drv_payload);
	context->context.async_fd = -1;
	context->context.num_comp_vectors = 1;
	return 0;
}

int ibv_cmd_query_device_any(struct ibv_context *context,
			     const struct ibv_query_device_ex_input *input,
			     struct ibv_device_attr_ex *attr, size_t attr_size,
			     struct ib_uverbs_ex_query_device_resp *resp,
			     size_t *resp_size)
{
	resp->base.fw_ver = 1ULL << 32 | 2 << 16 | 3;
	return 0;
}

int ibv_cmd_alloc_pd(struct ibv_context *context, struct ibv_pd *pd,
		     struct ibv_alloc_pd *cmd, size_t cmd_size,
		     struct ib_uverbs_alloc_pd_resp *resp, size_t resp_size)
{
	pd->context = context;
	return kernel_alloc_pd(&pd->handle);
}

int ibv_cmd_dealloc_pd(struct ibv_pd *pd)
{
	return kernel_dealloc_pd(pd->handle);
}

int ibv_cmd_reg_mr(struct ibv_pd *pd, void *address, size_t length,
		   uint64_t iova, int access, struct verbs_mr *vmr,
		   struct ibv_reg_mr *cmd, size_t cmd_size,
		   struct ib_uverbs_reg_mr_resp *resp, size_t resp_size)
{
	struct ibv_mr *mr = &vmr->ibv_mr;
	int err = kernel_create_mr(pd->handle, (uintptr_t)address, length, iova,
				   access, &mr->lkey);

	mr->context = pd->context;
	mr->rkey = mr->lkey;
	mr->handle = mr->lkey;
	return err;
}

int ibv_cmd_dereg_mr(struct verbs_mr *vmr)
{
	return kernel_destroy_mr(vmr->ibv_mr.lkey);
}

int ibv_cmd_create_cq_ex(struct ibv_context *context,
			 const struct ibv_cq_init_attr_ex *attr,
			 struct verbs_cq *cq, struct ibv_create_cq_ex *cmd,
			 size_t cmd_size,
			 struct ib_uverbs_ex_create_cq_resp *resp,
			 size_t resp_size, uint32_t cmd_flags)
{
	const struct tern_create_cq *request = (struct tern_create_cq *)cmd;
	struct tern_create_cq_resp *response = (struct tern_create_cq_resp *)resp;
	int err = kernel_create_cq(&request->drv_payload,
				   &response->drv_payload.cqn);

	cq->cq.context = context;
	cq->cq.handle = response->drv_payload.cqn;
	cq->cq.cqe = attr->cqe;
	return err;
}

int ibv_cmd_destroy_cq(struct ibv_cq *cq)
{
	return kernel_destroy_cq(cq->handle);
}

/* The kernel grants what its own sizes allow; here the provider's decide. */
int ibv_cmd_create_qp_ex(struct ibv_context *context, struct verbs_qp *qp,
			 struct ibv_qp_init_attr_ex *attr,
			 struct ibv_create_qp *cmd, size_t cmd_size,
			 struct ib_uverbs_create_qp_resp *resp,
			 size_t resp_size)
{
	const struct tern_create_qp *request = (struct tern_create_qp *)cmd;
	struct tern_create_qp_resp *response = (struct tern_create_qp_resp *)resp;
	const struct kernel_qp_numbers numbers = {
		.pdn = attr->pd->handle,
		.send_cqn = attr->send_cq->handle,
		.recv_cqn = attr->recv_cq->handle,
		.type = attr->qp_type,
		.signal_all = attr->sq_sig_all,
	};
	int err = kernel_create_qp(&request->drv_payload, &numbers,
				   &response->drv_payload.qpn);

	qp->qp.context = context;
	qp->qp.pd = attr->pd;
	qp->qp.send_cq = attr->send_cq;
	qp->qp.recv_cq = attr->recv_cq;
	qp->qp.qp_type = attr->qp_type;
	qp->qp.qp_num = response->drv_payload.qpn;
	qp->qp.handle = response->drv_payload.qpn;
	attr->cap.max_send_wr = UINT32_MAX;
	attr->cap.max_recv_wr = attr->cap.max_recv_wr ? UINT32_MAX : 0;
	return err;
}

int ibv_cmd_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr,
		      int attr_mask, struct ibv_modify_qp *cmd, size_t cmd_size)
{
	return kernel_modify_qp(qp->handle, attr, attr_mask);
}

int ibv_cmd_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask,
		     struct ibv_qp_init_attr *init_attr,
		     struct ibv_query_qp *cmd, size_t cmd_size)
{
	return 0;
}

int ibv_cmd_destroy_qp(struct ibv_qp *qp)
{
	return kernel_destroy_qp(qp->handle);
}

int ibv_cmd_create_ah(struct ibv_pd *pd, struct ibv_ah *ah,
		      struct ibv_ah_attr *attr,
		      struct ib_uverbs_create_ah_resp *resp, size_t resp_size)
{
	ah->context = pd->context;
	kernel_resolve(attr, ((struct tern_create_ah_resp *)resp)->drv_payload.dmac);
	return 0;
}

int ibv_cmd_destroy_ah(struct ibv_ah *ah)
{
	return 0;
}
