// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copyright (c) 2026 The Tern authors
 *
 * The driver as libibverbs finds it, and the user context: one page of
 * doorbells and one of push slots, mapped once.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <tern/hw/ids.h>
#include <tern/layout_check.h>

#include "abi.h"
#include "tern.h"

static void tern_free_context(struct ibv_context *ibctx);

static int tern_query_device_ex(struct ibv_context *ibctx,
				const struct ibv_query_device_ex_input *input,
				struct ibv_device_attr_ex *attr,
				size_t attr_size)
{
	struct ib_uverbs_ex_query_device_resp resp;
	size_t resp_size = sizeof(resp);
	uint64_t version;
	int err;

	err = ibv_cmd_query_device_any(ibctx, input, attr, attr_size, &resp,
				       &resp_size);
	if (err)
		return err;
	version = resp.base.fw_ver;
	snprintf(attr->orig_attr.fw_ver, sizeof(attr->orig_attr.fw_ver),
		 "%u.%u.%u", (unsigned int)(version >> 32) & 0xffff,
		 (unsigned int)(version >> 16) & 0xffff,
		 (unsigned int)version & 0xffff);
	return 0;
}

static int tern_query_port(struct ibv_context *ibctx, uint8_t port_num,
			   struct ibv_port_attr *attr)
{
	struct ibv_query_port cmd;

	return ibv_cmd_query_port(ibctx, port_num, attr, &cmd, sizeof(cmd));
}

static const struct verbs_context_ops tern_context_ops = {
	.alloc_parent_domain = tern_alloc_parent_domain,
	.alloc_pd = tern_alloc_pd,
	.alloc_td = tern_alloc_td,
	.create_ah = tern_create_ah,
	.create_cq = tern_create_cq,
	.create_cq_ex = tern_create_cq_ex,
	.create_qp = tern_create_qp,
	.create_qp_ex = tern_create_qp_ex,
	.dealloc_pd = tern_dealloc_pd,
	.dealloc_td = tern_dealloc_td,
	.dereg_mr = tern_dereg_mr,
	.destroy_ah = tern_destroy_ah,
	.destroy_cq = tern_destroy_cq,
	.destroy_qp = tern_destroy_qp,
	.free_context = tern_free_context,
	.modify_qp = tern_modify_qp,
	.poll_cq = tern_poll_cq,
	.post_recv = tern_post_recv,
	.post_send = tern_post_send,
	.query_device_ex = tern_query_device_ex,
	.query_port = tern_query_port,
	.query_qp = tern_query_qp,
	.reg_mr = tern_reg_mr,
	.req_notify_cq = tern_req_notify_cq,
};

static void *tern_map_page(int cmd_fd, uint64_t offset, uint32_t page_size)
{
	void *page = mmap(NULL, page_size, PROT_READ | PROT_WRITE, MAP_SHARED,
			  cmd_fd, offset);

	return page == MAP_FAILED ? NULL : page;
}

/* A push page that is not worth its stores is not mapped. */
static int tern_map_pages(struct tern_context *ctx, int cmd_fd,
			  const struct tern_uresp_alloc_ucontext *resp)
{
	ctx->page_size = resp->page_size;
	ctx->doorbells = tern_map_page(cmd_fd, resp->doorbell_offset,
				       ctx->page_size);
	if (!ctx->doorbells)
		return errno;
	if (!resp->push_offset ||
	    !(resp->capabilities & TERN_UCONTEXT_PUSH) ||
	    !(resp->capabilities & TERN_UCONTEXT_PUSH_WORTHWHILE))
		return 0;

	ctx->push_page = tern_map_page(cmd_fd, resp->push_offset,
				       ctx->page_size);
	if (!ctx->push_page) {
		munmap(ctx->doorbells, ctx->page_size);
		return errno;
	}
	return 0;
}

static void tern_unmap_pages(struct tern_context *ctx)
{
	if (ctx->push_page)
		munmap(ctx->push_page, ctx->page_size);
	munmap(ctx->doorbells, ctx->page_size);
}

static void tern_context_init(struct tern_context *ctx,
			      const struct tern_uresp_alloc_ucontext *resp)
{
	ctx->limits = (struct tern_limits){
		.send_blocks_log2 = resp->max_send_blocks_log2,
		.recv_entries_log2 = resp->max_recv_entries_log2,
		.cqe_log2 = resp->max_cqe_log2,
		.inline_bytes = resp->max_inline,
		.send_sge = resp->max_send_sge,
		.recv_sge = resp->max_recv_sge,
	};
	tern_record_pool_init(&ctx->records, ctx->page_size);
	tern_qp_table_init(&ctx->qps);
	pthread_mutex_init(&ctx->push_mutex, NULL);
	static_assert(TERN_PUSH_SLOTS == 64, "a bit of a word for each slot");
	ctx->free_push_slots = UINT64_MAX;
}

static struct verbs_context *tern_alloc_context(struct ibv_device *ibdev,
						int cmd_fd, void *private_data)
{
	struct tern_alloc_ucontext_resp resp = {};
	struct ibv_get_context cmd = {};
	struct tern_context *ctx;
	int err;

	ctx = verbs_init_and_alloc_context(ibdev, cmd_fd, ctx, ibv_ctx,
					   RDMA_DRIVER_UNKNOWN);
	if (!ctx)
		return NULL;
	err = ibv_cmd_get_context(&ctx->ibv_ctx, &cmd, sizeof(cmd),
				  &resp.ibv_resp, sizeof(resp));
	if (err)
		goto uninit;
	err = tern_map_pages(ctx, cmd_fd, &resp.drv_payload);
	if (err) {
		verbs_err(&ctx->ibv_ctx, "cannot map the doorbell pages\n");
		goto uninit;
	}
	tern_context_init(ctx, &resp.drv_payload);
	verbs_set_ops(&ctx->ibv_ctx, &tern_context_ops);
	return &ctx->ibv_ctx;

uninit:
	verbs_uninit_context(&ctx->ibv_ctx);
	free(ctx);
	errno = err;
	return NULL;
}

static void tern_free_context(struct ibv_context *ibctx)
{
	struct tern_context *ctx = to_tern_context(ibctx);

	pthread_mutex_destroy(&ctx->push_mutex);
	tern_qp_table_fini(&ctx->qps);
	tern_record_pool_fini(&ctx->records);
	tern_unmap_pages(ctx);
	verbs_uninit_context(&ctx->ibv_ctx);
	free(ctx);
}

static struct verbs_device *tern_alloc_device(struct verbs_sysfs_dev *sysfs_dev)
{
	return calloc(1, sizeof(struct verbs_device));
}

static void tern_uninit_device(struct verbs_device *verbs_device)
{
	free(verbs_device);
}

/* The kernel's list of drivers has no entry for one from outside its tree. */
static const struct verbs_match_ent tern_match_table[] = {
	VERBS_PCI_MATCH(TERN_PCI_VENDOR_ID, TERN_PCI_DEVICE_ID, NULL),
	{},
};

static const struct verbs_device_ops tern_device_ops = {
	.name = "tern",
	.match_min_abi_version = TERN_UVERBS_ABI_VERSION,
	.match_max_abi_version = TERN_UVERBS_ABI_VERSION,
	.match_table = tern_match_table,
	.alloc_device = tern_alloc_device,
	.uninit_device = tern_uninit_device,
	.alloc_context = tern_alloc_context,
};

PROVIDER_DRIVER(tern, tern_device_ops);
