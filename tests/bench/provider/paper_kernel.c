// SPDX-License-Identifier: BSD-2-Clause
/*
 * Copyright (c) 2026 The Tern authors
 *
 * libibverbs' way into the kernel, as far as the measured providers take it.
 * The program's definitions come before those of the library, so that the
 * providers, loaded as they are installed, find these.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include <infiniband/driver.h>
#include <infiniband/kern-abi.h>

#include "card.h"

unsigned char *paper_memory;

static const struct card *card;
static bool may_push;
static const struct verbs_device_ops *provider;
static struct verbs_device_ops device_ops;
static int paper_fd = -1;

/* A provider calls this when it is loaded. */
void verbs_register_driver(const struct verbs_device_ops *ops)
{
	provider = ops;
}

static struct verbs_context *alloc_context(struct ibv_device *device,
					   int cmd_fd, void *private_data)
{
	verbs_get_device(device)->ops = provider;
	return provider->alloc_context(device, paper_fd, private_data);
}

static bool make_memory(void)
{
	paper_fd = memfd_create("card", MFD_CLOEXEC);
	if (paper_fd < 0 || ftruncate(paper_fd, PAPER_BYTES))
		return false;
	paper_memory = mmap(NULL, PAPER_BYTES, PROT_READ | PROT_WRITE,
			    MAP_SHARED, paper_fd, 0);
	return paper_memory != MAP_FAILED;
}

struct ibv_context *paper_open(const struct card *of, const char *library,
			       bool push)
{
	static struct verbs_sysfs_dev sysfs = { .abi_ver = 1 };
	struct verbs_device *device;

	card = of;
	may_push = push;
	if (!dlopen(library, RTLD_NOW)) {
		fprintf(stderr, "%s\n", dlerror());
		return NULL;
	}
	if (!provider) {
		fprintf(stderr, "%s: no provider of this libibverbs\n", library);
		return NULL;
	}
	if (!make_memory()) {
		perror("memory of the card");
		return NULL;
	}
	device = provider->alloc_device(&sysfs);
	device_ops = *provider;
	device_ops.alloc_context = alloc_context;
	device->ops = &device_ops;
	return verbs_open_device(&device->device, NULL);
}

int ibv_cmd_get_context(struct verbs_context *context,
			struct ibv_get_context *cmd, size_t cmd_size,
			struct ib_uverbs_get_context_resp *resp,
			size_t resp_size)
{
	card->answer_context(resp, may_push);
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
	attr->orig_attr.max_qp = 1024;
	attr->orig_attr.max_qp_wr = 4096;
	if (card->answer_device)
		card->answer_device(resp, *resp_size);
	return 0;
}

int ibv_cmd_query_port(struct ibv_context *context, uint8_t port_num,
		       struct ibv_port_attr *attr, struct ibv_query_port *cmd,
		       size_t cmd_size)
{
	attr->link_layer = IBV_LINK_LAYER_ETHERNET;
	attr->state = IBV_PORT_ACTIVE;
	return 0;
}

int ibv_cmd_alloc_pd(struct ibv_context *context, struct ibv_pd *pd,
		     struct ibv_alloc_pd *cmd, size_t cmd_size,
		     struct ib_uverbs_alloc_pd_resp *resp, size_t resp_size)
{
	pd->context = context;
	pd->handle = 1;
	if (card->answer_pd)
		card->answer_pd(resp);
	return 0;
}

static int create_cq(struct ibv_context *context,
		     const struct ibv_cq_init_attr_ex *attr,
		     struct verbs_cq *cq, const void *cmd, void *resp)
{
	card->answer_cq(cmd, resp, attr->cqe);
	cq->cq.context = context;
	cq->cq.handle = 1;
	cq->cq.cqe = attr->cqe;
	return 0;
}

int ibv_cmd_create_cq_ex(struct ibv_context *context,
			 const struct ibv_cq_init_attr_ex *attr,
			 struct verbs_cq *cq, struct ibv_create_cq_ex *cmd,
			 size_t cmd_size,
			 struct ib_uverbs_ex_create_cq_resp *resp,
			 size_t resp_size, uint32_t cmd_flags)
{
	return create_cq(context, attr, cq, cmd, resp);
}

int ibv_cmd_create_cq_ex2(struct ibv_context *context,
			  const struct ibv_cq_init_attr_ex *attr,
			  struct verbs_cq *cq, struct ibv_create_cq_ex *cmd,
			  size_t cmd_size,
			  struct ib_uverbs_ex_create_cq_resp *resp,
			  size_t resp_size, uint32_t cmd_flags,
			  struct ibv_command_buffer *link)
{
	return create_cq(context, attr, cq, cmd, resp);
}

int ibv_cmd_create_qp_ex(struct ibv_context *context, struct verbs_qp *qp,
			 struct ibv_qp_init_attr_ex *attr,
			 struct ibv_create_qp *cmd, size_t cmd_size,
			 struct ib_uverbs_create_qp_resp *resp,
			 size_t resp_size)
{
	card->answer_qp(cmd, resp);
	qp->qp.context = context;
	qp->qp.pd = attr->pd;
	qp->qp.send_cq = attr->send_cq;
	qp->qp.recv_cq = attr->recv_cq;
	qp->qp.qp_type = attr->qp_type;
	qp->qp.qp_num = PAPER_QPN;
	return 0;
}

int ibv_cmd_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr,
		      int attr_mask, struct ibv_modify_qp *cmd, size_t cmd_size)
{
	qp->state = attr->qp_state;
	return 0;
}

int ibv_cmd_create_ah(struct ibv_pd *pd, struct ibv_ah *ah,
		      struct ibv_ah_attr *attr,
		      struct ib_uverbs_create_ah_resp *resp, size_t resp_size)
{
	ah->context = pd->context;
	if (card->answer_ah)
		card->answer_ah(resp);
	return 0;
}

int execute_ioctl(struct ibv_context *context, struct ibv_command_buffer *cmd)
{
	return EOPNOTSUPP;
}
