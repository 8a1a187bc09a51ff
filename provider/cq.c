// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copyright (c) 2026 The Tern authors
 *
 * Completion queues: creation, destruction, arming, and the removal of a QP's
 * completions.
 */
#include <errno.h>
#include <stdlib.h>

#include "abi.h"
#include "ring.h"
#include "tern.h"

static int tern_cq_check(const struct tern_context *ctx,
			 const struct ibv_cq_init_attr_ex *attr)
{
	if (attr->cqe < 1 || attr->cqe > 1U << ctx->limits.cqe_log2)
		return EINVAL;
	if (!check_comp_mask(attr->comp_mask, IBV_CQ_INIT_ATTR_MASK_FLAGS |
			     IBV_CQ_INIT_ATTR_MASK_PD))
		return EOPNOTSUPP;
	if (attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS &&
	    attr->flags & ~IBV_CREATE_CQ_ATTR_SINGLE_THREADED)
		return EOPNOTSUPP;
	if (attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_PD &&
	    (!attr->parent_domain ||
	     !to_tern_pd(attr->parent_domain)->contained))
		return EINVAL;
	if (!check_comp_mask(attr->wc_flags, IBV_WC_STANDARD_FLAGS |
			     IBV_WC_EX_WITH_COMPLETION_TIMESTAMP))
		return EOPNOTSUPP;
	return 0;
}

static bool tern_cq_is_single_threaded(const struct tern_cq *cq,
				       const struct ibv_cq_init_attr_ex *attr)
{
	if (attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS &&
	    attr->flags & IBV_CREATE_CQ_ATTR_SINGLE_THREADED)
		return true;
	return cq->parent && cq->parent->td;
}

static int tern_cq_alloc_memory(struct tern_context *ctx, struct tern_cq *cq)
{
	int err;

	err = tern_buffer_alloc(&cq->buffer,
				sizeof(struct tern_cqe) << cq->depth_log2,
				ctx->page_size);
	if (err)
		return err;
	cq->ring = cq->buffer.address;
	cq->ring_end = cq->ring + (1UL << cq->depth_log2);
	tern_cq_look_at(cq, 0);
	cq->record = tern_record_alloc(&ctx->records);
	if (!cq->record) {
		err = errno;
		tern_buffer_free(&cq->buffer);
	}
	return err;
}

static void tern_cq_free_memory(struct tern_context *ctx, struct tern_cq *cq)
{
	tern_record_free(&ctx->records, cq->record);
	tern_buffer_free(&cq->buffer);
}

/* The kernel knows neither the domain nor the flags that only mean locks. */
static int tern_cq_command(struct ibv_context *ibctx, struct tern_cq *cq,
			   const struct ibv_cq_init_attr_ex *attr)
{
	struct ibv_cq_init_attr_ex plain = *attr;
	struct tern_create_cq_resp resp = {};
	struct tern_create_cq cmd = {};
	int err;

	plain.comp_mask = 0;
	plain.flags = 0;
	plain.parent_domain = NULL;
	cmd.drv_payload = (struct tern_ureq_create_cq){
		.buffer_address = (uintptr_t)cq->buffer.address,
		.buffer_length = cq->buffer.length,
		.record_address = (uintptr_t)cq->record,
		.depth_log2 = cq->depth_log2,
	};
	err = ibv_cmd_create_cq_ex(ibctx, &plain, &cq->verbs_cq, &cmd.ibv_cmd,
				   sizeof(cmd), &resp.ibv_resp, sizeof(resp),
				   0);
	cq->cqn = resp.drv_payload.cqn;
	return err;
}

static int tern_cq_init(struct tern_context *ctx, struct tern_cq *cq,
			const struct ibv_cq_init_attr_ex *attr)
{
	int err;

	cq->depth_log2 = tern_depth_log2(attr->cqe);
	cq->qps = &ctx->qps;
	cq->doorbell = ctx->doorbells + TERN_DOORBELL_CQ;
	err = tern_cq_alloc_memory(ctx, cq);
	if (err)
		return err;
	if (attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_PD)
		cq->parent = tern_parent_domain_get(attr->parent_domain);
	cq->need_lock = !tern_cq_is_single_threaded(cq, attr);
	pthread_spin_init(&cq->lock, PTHREAD_PROCESS_PRIVATE);

	err = tern_cq_command(&ctx->ibv_ctx.context, cq, attr);
	if (err) {
		tern_parent_domain_put(cq->parent);
		pthread_spin_destroy(&cq->lock);
		tern_cq_free_memory(ctx, cq);
	}
	return err;
}

struct ibv_cq_ex *tern_create_cq_ex(struct ibv_context *ibctx,
				    struct ibv_cq_init_attr_ex *attr)
{
	struct tern_context *ctx = to_tern_context(ibctx);
	struct tern_cq *cq;
	int err;

	err = tern_cq_check(ctx, attr);
	if (err) {
		errno = err;
		return NULL;
	}
	cq = calloc(1, sizeof(*cq));
	if (!cq)
		return NULL;
	err = tern_cq_init(ctx, cq, attr);
	if (err) {
		free(cq);
		errno = err;
		return NULL;
	}
	tern_cq_ex_init(cq, attr->wc_flags);
	return &cq->verbs_cq.cq_ex;
}

struct ibv_cq *tern_create_cq(struct ibv_context *ibctx, int cqe,
			      struct ibv_comp_channel *channel, int comp_vector)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = cqe < 0 ? 0 : cqe,
		.channel = channel,
		.comp_vector = comp_vector,
	};
	struct ibv_cq_ex *cq = tern_create_cq_ex(ibctx, &attr);

	return cq ? ibv_cq_ex_to_cq(cq) : NULL;
}

int tern_destroy_cq(struct ibv_cq *ibcq)
{
	struct tern_context *ctx = to_tern_context(ibcq->context);
	struct tern_cq *cq = to_tern_cq(ibcq);
	int err;

	err = ibv_cmd_destroy_cq(ibcq);
	if (err)
		return err;
	tern_parent_domain_put(cq->parent);
	pthread_spin_destroy(&cq->lock);
	tern_cq_free_memory(ctx, cq);
	free(cq);
	return 0;
}

/*
 * The record repeats what the doorbell says. Its first word makes the card
 * look, so it is written last.
 */
int tern_req_notify_cq(struct ibv_cq *ibcq, int solicited_only)
{
	uint32_t command = solicited_only ? TERN_CQ_ARM_SOLICITED :
					    TERN_CQ_ARM_NEXT;
	struct tern_cq *cq = to_tern_cq(ibcq);
	uint32_t word;
	uint32_t cons;

	tern_lock(&cq->lock, cq->need_lock);
	cons = atomic_load_explicit(&cq->cons, memory_order_relaxed);
	word = TERN_SET32(TERN_DB_CQ_NUMBER, cq->cqn) |
	       TERN_SET32(TERN_DB_CQ_COMMAND, command) |
	       TERN_SET32(TERN_DB_CQ_SEQ, ++cq->arm_seq);
	tern_record_store(&cq->record->arm_cons, cons);
	tern_record_store(&cq->record->arm, word);
	tern_ring_doorbell(cq->doorbell, word, cons);
	tern_unlock(&cq->lock, cq->need_lock);
	return 0;
}

/* Entries keep their phase, so that the ring looks as the card left it. */
void tern_cq_clean(struct tern_cq *cq, uint32_t uidx)
{
	uint32_t count = atomic_load_explicit(&cq->cons, memory_order_relaxed);
	uint32_t end = count + (1U << cq->depth_log2);

	for (; count != end; count++) {
		struct tern_cqe *cqe = &cq->ring[tern_ring_slot(count,
							       cq->depth_log2)];
		uint32_t owner = tern_cqe_owner(cqe);

		if (!tern_cqe_is_valid(cq, owner, count))
			return;
		if (TERN_GET32(TERN_CQE_UIDX, owner) != uidx)
			continue;
		owner = TERN_SET32(TERN_CQE_OPCODE, TERN_CQE_OP_SKIP) |
			(owner & TERN_MASK32(TERN_CQE_PHASE));
		cqe->owner = htole32(owner);
	}
}
