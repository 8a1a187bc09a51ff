// SPDX-License-Identifier: BSD-2-Clause
/*
 * Copyright (c) 2026 The Tern authors
 *
 * An Elastic Fabric Adapter on paper: two sub-CQs, the first for sends. Its
 * provider has locks always, no RDMA over UD, and writes every WQE into the
 * card's memory.
 */
#include <endian.h>

#include "card.h"
#include "efa-abi.h"
#include "efa_io_defs.h"

#define SUB_CQS 2

/* Offsets in the card's memory. */
#define DOORBELLS 0
#define CQES (1UL << 20)
#define SEND_RING (8UL << 20)
#define RECV_RING (16UL << 20)
#define RING_BYTES (4UL << 20)

struct sub_cq {
	unsigned char *cqes;
	uint32_t prod;
};

static struct {
	struct sub_cq sub_cqs[SUB_CQS];
	uint32_t cqe_bytes;
	uint32_t cqe_count;
	uint32_t sq_mask;
	uint32_t rq_mask;
	uint32_t sq_cons;
	uint32_t rq_cons;
} efa;

static void answer_context(void *response, bool push)
{
	struct efa_alloc_ucontext_resp *resp = response;

	resp->drv_payload = (struct efa_ibv_alloc_ucontext_resp){
		.cmds_supp_udata_mask = EFA_USER_CMDS_SUPP_UDATA_QUERY_DEVICE |
					EFA_USER_CMDS_SUPP_UDATA_CREATE_AH,
		.sub_cqs_per_cq = SUB_CQS,
		.inline_buf_size = EFA_IO_TX_DESC_INLINE_MAX_SIZE,
		.max_llq_size = RING_BYTES,
		.min_sq_wr = 16,
	};
}

static void answer_device(void *response, size_t bytes)
{
	struct efa_query_device_ex_resp *resp = response;

	if (bytes < sizeof(*resp))
		return;
	resp->drv_payload = (struct efa_ibv_ex_query_device_resp){
		.max_sq_wr = 4096,
		.max_rq_wr = 4096,
		.max_sq_sge = EFA_IO_TX_DESC_NUM_BUFS,
		.max_rq_sge = 3,
		.max_rdma_size = 1 << 20,
	};
}

static void answer_cq(const void *command, void *response, unsigned int cqe)
{
	const struct efa_create_cq *cmd = command;
	struct efa_create_cq_resp *resp = response;
	int i;

	efa.cqe_bytes = cmd->drv_payload.cq_entry_size;
	efa.cqe_count = cqe;
	for (i = 0; i < SUB_CQS; i++)
		efa.sub_cqs[i].cqes = paper_memory + CQES +
				      (size_t)i * cqe * efa.cqe_bytes;
	resp->drv_payload = (struct efa_ibv_create_cq_resp){
		.q_mmap_key = CQES,
		.q_mmap_size = RING_BYTES,
		.cq_idx = 1,
	};
}

static void answer_qp(const void *command, void *response)
{
	const struct efa_create_qp *cmd = command;
	struct efa_create_qp_resp *resp = response;

	efa.sq_mask = cmd->drv_payload.sq_ring_size /
		      sizeof(struct efa_io_tx_wqe) - 1;
	efa.rq_mask = cmd->drv_payload.rq_ring_size /
		      sizeof(struct efa_io_rx_desc) - 1;
	resp->drv_payload = (struct efa_ibv_create_qp_resp){
		.rq_db_offset = 64,
		.rq_mmap_key = RECV_RING,
		.rq_mmap_size = RING_BYTES,
		.rq_db_mmap_key = DOORBELLS,
		.sq_db_mmap_key = DOORBELLS,
		.llq_desc_mmap_key = SEND_RING,
		.send_sub_cq_idx = 0,
		.recv_sub_cq_idx = 1,
	};
}

static void answer_ah(void *response)
{
	struct efa_create_ah_resp *resp = response;

	resp->drv_payload.efa_address_handle = 1;
}

static void complete(struct sub_cq *sub_cq, enum efa_io_queue_type type,
		     uint16_t req_id)
{
	uint32_t count = sub_cq->prod++;
	struct efa_io_rx_cdesc *cqe =
		(void *)(sub_cq->cqes +
			 (size_t)(count % efa.cqe_count) * efa.cqe_bytes);

	*cqe = (struct efa_io_rx_cdesc){
		.common = {
			.req_id = req_id,
			.flags = type << 1 | !(count / efa.cqe_count & 1),
			.qp_num = PAPER_QPN,
		},
		.length = 8,
	};
}

static void complete_sends(unsigned int count)
{
	const struct efa_io_tx_wqe *ring = (void *)(paper_memory + SEND_RING);

	while (count--)
		complete(&efa.sub_cqs[0], EFA_IO_SEND_QUEUE,
			 ring[efa.sq_cons++ & efa.sq_mask].meta.req_id);
}

static void complete_receives(unsigned int count)
{
	const struct efa_io_rx_desc *ring = (void *)(paper_memory + RECV_RING);

	while (count--)
		complete(&efa.sub_cqs[1], EFA_IO_RECV_QUEUE,
			 ring[efa.rq_cons++ & efa.rq_mask].req_id);
}

const struct card efa_card = {
	.name = "efa",
	.qp_type = IBV_QPT_UD,
	.max_inline = EFA_IO_TX_DESC_INLINE_MAX_SIZE,
	.answer_context = answer_context,
	.answer_device = answer_device,
	.answer_cq = answer_cq,
	.answer_qp = answer_qp,
	.answer_ah = answer_ah,
	.complete_sends = complete_sends,
	.complete_receives = complete_receives,
};
