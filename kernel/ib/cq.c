// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copyright (c) 2026 The Tern authors
 *
 * Completion queues of user space and of the kernel.
 */
#include <linux/log2.h>

#include "tern_ib.h"

/* Calls the consumer; any context. */
void tern_ib_cq_completion(struct tern_cq_link *link)
{
	struct tern_ib_cq *cq = container_of(link, struct tern_ib_cq, link);
	ib_comp_handler handler = READ_ONCE(cq->ibcq.comp_handler);

	if (handler)
		handler(&cq->ibcq, cq->ibcq.cq_context);
}

/* CQEs always carry a timestamp, so that asking for one changes nothing. */
static int tern_ib_check_cq(const struct tern_ib_device *dev,
			    const struct ib_cq_init_attr *attr)
{
	u32 max_cqe = (1U << dev->core->caps.max_cq_depth_log2) - 1;

	if (attr->flags & ~IB_UVERBS_CQ_FLAGS_TIMESTAMP_COMPLETION)
		return -EOPNOTSUPP;
	if (attr->cqe < 1 || attr->cqe > max_cqe ||
	    attr->comp_vector >= dev->ibdev.num_comp_vectors)
		return -EINVAL;
	return 0;
}

static int tern_ib_cq_take_user(struct tern_ib_device *dev,
				struct tern_ib_cq *cq,
				struct tern_ib_ucontext *context,
				struct ib_udata *udata)
{
	struct tern_ureq_create_cq request;
	int err;

	err = tern_ib_read_request(udata, &request, sizeof(request));
	if (err)
		return err;
	if (request.reserved ||
	    request.depth_log2 < TERN_RING_MIN_DEPTH_LOG2 ||
	    request.depth_log2 > dev->core->caps.max_cq_depth_log2 ||
	    1U << request.depth_log2 < cq->ibcq.cqe)
		return -EINVAL;
	cq->depth_log2 = request.depth_log2;

	err = tern_ib_ring_pin(dev, request.buffer_address,
			       request.buffer_length,
			       sizeof(struct tern_cqe) << cq->depth_log2,
			       &cq->ring);
	if (err)
		return err;
	err = tern_ib_record_pin(context, request.record_address, &cq->record);
	if (err)
		tern_ib_ring_release(dev, &cq->ring);
	return err;
}

/* One entry more than asked for: a CQ reports a count that is one less. */
static int tern_ib_cq_take_kernel(struct tern_ib_device *dev,
				  struct tern_ib_cq *cq)
{
	int err;

	cq->depth_log2 = max_t(u32, order_base_2(cq->ibcq.cqe + 1),
			       TERN_RING_MIN_DEPTH_LOG2);
	err = tern_ib_ring_alloc(dev, sizeof(struct tern_cqe) << cq->depth_log2,
				 &cq->ring);
	if (err)
		return err;
	err = tern_ib_record_alloc(dev, &cq->record);
	if (err)
		tern_ib_ring_release(dev, &cq->ring);
	return err;
}

static void tern_ib_cq_give_back(struct tern_ib_device *dev,
				 struct tern_ib_cq *cq,
				 struct tern_ib_ucontext *context)
{
	if (context)
		tern_ib_record_unpin(context, &cq->record);
	else
		tern_ib_record_free(dev, &cq->record);
	tern_ib_ring_release(dev, &cq->ring);
}

static int tern_ib_cq_command(struct tern_ib_device *dev, struct tern_ib_cq *cq,
			      u32 comp_vector, u32 doorbell_pair)
{
	struct tern_cmd_create_cq command = {
		.eqn = cpu_to_le32(tern_eq_for_vector(dev->core, comp_vector)),
		.depth_log2 = cq->depth_log2,
		.doorbell_pair = cpu_to_le32(doorbell_pair),
		.record = cpu_to_le64(cq->record.dma),
		.buffer = *tern_ib_ring_list(&cq->ring),
	};

	return tern_cmd_create_cq(dev->core, &command, &cq->cqn);
}

/* The RDMA core has seen to it that no QP uses the CQ: the card must agree. */
static void tern_ib_cq_end(struct tern_ib_device *dev, struct tern_ib_cq *cq)
{
	tern_cmd_must_succeed(dev->core,
			      tern_cmd_destroy_cq(dev->core, cq->cqn));
}

/* From here on events find the CQ. */
static int tern_ib_cq_publish(struct tern_ib_device *dev, struct tern_ib_cq *cq)
{
	int err;

	tern_ib_users_init(&cq->users);
	cq->link.handler = tern_ib_cq_completion;
	err = tern_cq_register(dev->core, cq->cqn, &cq->link);
	if (err)
		return err;
	err = xa_err(xa_store(&dev->cqs, cq->cqn, cq, GFP_KERNEL));
	if (err)
		tern_cq_unregister(dev->core, cq->cqn, &cq->link);
	return err;
}

/* A new CQ may have taken over the number since the card let go of it. */
static void tern_ib_cq_unpublish(struct tern_ib_device *dev,
				 struct tern_ib_cq *cq)
{
	tern_cq_unregister(dev->core, cq->cqn, &cq->link);
	xa_cmpxchg(&dev->cqs, cq->cqn, cq, NULL, GFP_KERNEL);
	tern_ib_users_wait(&cq->users);
}

static int tern_ib_cq_respond(struct tern_ib_cq *cq, struct ib_udata *udata)
{
	struct tern_uresp_create_cq response = { .cqn = cq->cqn };

	return tern_ib_write_response(udata, &response, sizeof(response));
}

/**
 * tern_ib_create_cq() - verb of the RDMA core
 * @ibcq: the CQ
 * @attr: entries, completion vector, flags
 * @attrs: NULL for kernel consumers; request: struct tern_ureq_create_cq,
 *         response: struct tern_uresp_create_cq
 *
 * Return: 0; -EINVAL or -EOPNOTSUPP for what the card cannot do; or another
 * negative errno.
 */
int tern_ib_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		      struct uverbs_attr_bundle *attrs)
{
	struct ib_udata *udata = attrs ? &attrs->driver_udata : NULL;
	struct tern_ib_ucontext *context =
		rdma_udata_to_drv_context(udata, struct tern_ib_ucontext,
					  ibucontext);
	struct tern_ib_device *dev = to_tern_ib_device(ibcq->device);
	struct tern_ib_cq *cq = to_tern_ib_cq(ibcq);
	int err;

	err = tern_ib_check_cq(dev, attr);
	if (err)
		return err;
	spin_lock_init(&cq->lock);
	INIT_LIST_HEAD(&cq->send_qps);
	INIT_LIST_HEAD(&cq->recv_qps);
	ibcq->cqe = attr->cqe;
	err = udata ? tern_ib_cq_take_user(dev, cq, context, udata) :
		      tern_ib_cq_take_kernel(dev, cq);
	if (err)
		return err;
	ibcq->cqe = max_t(int, ibcq->cqe, (1U << cq->depth_log2) - 1);

	err = tern_ib_cq_command(dev, cq, attr->comp_vector,
				 context ? context->doorbell_pair.number : 0);
	if (err)
		goto give_back;
	err = tern_ib_cq_publish(dev, cq);
	if (err)
		goto destroy;
	if (udata)
		err = tern_ib_cq_respond(cq, udata);
	if (err)
		goto unpublish;
	return 0;

unpublish:
	tern_ib_cq_unpublish(dev, cq);
destroy:
	tern_ib_cq_end(dev, cq);
give_back:
	tern_ib_cq_give_back(dev, cq, context);
	return err;
}

/**
 * tern_ib_modify_cq() - verb of the RDMA core: event moderation
 * @ibcq: the CQ
 * @count: an event after so many completions
 * @period: or after so many microseconds
 *
 * Return: 0 or a negative errno.
 */
int tern_ib_modify_cq(struct ib_cq *ibcq, u16 count, u16 period)
{
	struct tern_ib_device *dev = to_tern_ib_device(ibcq->device);
	struct tern_cmd_modify_cq command = {
		.cqn = cpu_to_le32(to_tern_ib_cq(ibcq)->cqn),
		.moderation_count = cpu_to_le16(count),
		.moderation_usec = cpu_to_le16(period),
	};

	return tern_cmd_modify_cq(dev->core, &command);
}

/* The card's last word about the CQ comes before its memory goes. */
int tern_ib_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata)
{
	struct tern_ib_ucontext *context =
		rdma_udata_to_drv_context(udata, struct tern_ib_ucontext,
					  ibucontext);
	struct tern_ib_device *dev = to_tern_ib_device(ibcq->device);
	struct tern_ib_cq *cq = to_tern_ib_cq(ibcq);

	tern_ib_cq_end(dev, cq);
	tern_ib_cq_unpublish(dev, cq);
	tern_ib_cq_give_back(dev, cq, context);
	return 0;
}
