// SPDX-License-Identifier: BSD-2-Clause
/*
 * Copyright (c) 2026 The Tern authors
 *
 * Tern on paper.
 */
#include "abi.h"
#include "card.h"

#include <tern/hw/cqe.h>
#include <tern/hw/limits.h>
#include <tern/hw/ring.h>
#include <tern/hw/wqe.h>

#define CQN 1

static struct {
	struct tern_cqe *cqes;
	uint32_t cqe_log2;
	uint32_t cq_prod;
	const unsigned char *sq;
	uint32_t sq_blocks_log2;
	uint32_t sq_cons;
	uint32_t rq_cons;
	uint32_t uidx;
} tern;

static void answer_context(void *response, bool push)
{
	struct tern_alloc_ucontext_resp *resp = response;

	resp->drv_payload = (struct tern_uresp_alloc_ucontext){
		.push_offset = 4096,
		.capabilities = push ? TERN_UCONTEXT_PUSH |
				       TERN_UCONTEXT_PUSH_WORTHWHILE : 0,
		.page_size = 4096,
		.max_send_blocks_log2 = 15,
		.max_recv_entries_log2 = 15,
		.max_cqe_log2 = 16,
		.max_inline = 192,
		.max_send_sge = 16,
		.max_recv_sge = 16,
	};
}

static void answer_cq(const void *command, void *response, unsigned int cqe)
{
	const struct tern_create_cq *cmd = command;
	struct tern_create_cq_resp *resp = response;

	tern.cqes = (void *)(uintptr_t)cmd->drv_payload.buffer_address;
	tern.cqe_log2 = cmd->drv_payload.depth_log2;
	resp->drv_payload.cqn = CQN;
}

static void answer_qp(const void *command, void *response)
{
	const struct tern_create_qp *cmd = command;
	struct tern_create_qp_resp *resp = response;

	tern.sq = (void *)(uintptr_t)cmd->drv_payload.sq_address;
	tern.sq_blocks_log2 = cmd->drv_payload.sq_depth_log2;
	tern.uidx = cmd->drv_payload.uidx;
	resp->drv_payload.qpn = PAPER_QPN;
}

static void complete(uint32_t opcode, uint32_t index)
{
	uint32_t count = tern.cq_prod++;
	struct tern_cqe *cqe = &tern.cqes[tern_ring_slot(count, tern.cqe_log2)];

	cqe->byte_len = htole32(8);
	cqe->wqe_index = htole16(index);
	cqe->owner = htole32(TERN_SET32(TERN_CQE_UIDX, tern.uidx) |
			     TERN_SET32(TERN_CQE_OPCODE, opcode) |
			     TERN_SET32(TERN_CQE_PHASE,
					tern_ring_phase(count, tern.cqe_log2)));
}

static void complete_sends(unsigned int count)
{
	const struct tern_wqe_control *wqe;

	while (count--) {
		wqe = (const void *)&tern.sq[tern_ring_slot(tern.sq_cons,
							    tern.sq_blocks_log2)
					     << TERN_SQ_BLOCK_SHIFT];
		complete(TERN_CQE_OP_RDMA_WRITE, tern.sq_cons);
		tern.sq_cons += 1 + (wqe->flags & TERN_FIELD_MAX(TERN_WQE_BLOCKS));
	}
}

static void complete_receives(unsigned int count)
{
	while (count--)
		complete(TERN_CQE_OP_RECV, tern.rq_cons++);
}

const struct card tern_card = {
	.name = "tern",
	.qp_type = IBV_QPT_RC,
	.has_write = true,
	.has_push = true,
	.has_lockless = true,
	.takes_domains = true,
	.max_inline = 64,
	.answer_context = answer_context,
	.answer_cq = answer_cq,
	.answer_qp = answer_qp,
	.complete_sends = complete_sends,
	.complete_receives = complete_receives,
};
