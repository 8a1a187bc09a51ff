// SPDX-License-Identifier: BSD-2-Clause
/*
 * Copyright (c) 2026 The Tern authors
 *
 * A ConnectX on paper: one register page for each pair of BlueFlame registers
 * (the legacy layout), CQE version 1.
 */
#include <endian.h>

#include "card.h"
#include "mlx5-abi.h"

#define REGISTERS 16
/* One of the registers that no two QPs share. */
#define OWN_REGISTER 30
#define WQEBB_BYTES 64
#define WQEBB_SEGMENTS 4

static struct {
	struct mlx5_cqe64 *cqes;
	uint32_t cqe_mask;
	uint32_t cq_prod;
	const unsigned char *sq;
	uint32_t sq_mask;
	uint16_t sq_cons;
	uint16_t rq_cons;
	uint32_t uidx;
} mlx5;

static void answer_context(void *response, bool push)
{
	struct mlx5_alloc_ucontext_resp *resp = response;

	resp->drv_payload = (struct mlx5_ib_alloc_ucontext_resp){
		.qp_tab_size = 1 << 18,
		.bf_reg_size = 512,
		.tot_bfregs = REGISTERS,
		.cache_line_size = 64,
		.max_sq_desc_sz = 1024,
		.max_rq_desc_sz = 512,
		.max_send_wqebb = 1 << 15,
		.max_recv_wr = 1 << 15,
		.max_srq_recv_wr = 1 << 15,
		.num_ports = 1,
		.response_length = sizeof(resp->drv_payload),
		.cqe_version = 1,
		.log_uar_size = 12,
		.num_uars_per_page = 1,
	};
}

static void answer_cq(const void *command, void *response, unsigned int cqe)
{
	const struct mlx5_create_cq_ex *cmd = command;
	struct mlx5_create_cq_ex_resp *resp = response;

	mlx5.cqes = (void *)(uintptr_t)cmd->drv_payload.buf_addr;
	mlx5.cqe_mask = cqe;
	resp->drv_payload.cqn = 1;
}

/* The receive queue comes first in the QP's buffer. */
static void answer_qp(const void *command, void *response)
{
	const struct mlx5_create_qp *cmd = command;
	struct mlx5_create_qp_resp *resp = response;

	mlx5.sq = (unsigned char *)(uintptr_t)cmd->drv_payload.buf_addr +
		  ((size_t)cmd->drv_payload.rq_wqe_count
		   << cmd->drv_payload.rq_wqe_shift);
	mlx5.sq_mask = cmd->drv_payload.sq_wqe_count - 1;
	mlx5.uidx = cmd->drv_payload.uidx;
	resp->drv_payload.bfreg_index = OWN_REGISTER;
}

static void complete(uint8_t opcode, uint8_t wqe_opcode, uint16_t index)
{
	uint32_t count = mlx5.cq_prod++;
	struct mlx5_cqe64 *cqe = &mlx5.cqes[count & mlx5.cqe_mask];

	cqe->srqn_uidx = htobe32(mlx5.uidx);
	cqe->byte_cnt = htobe32(8);
	cqe->sop_drop_qpn = htobe32((uint32_t)wqe_opcode << 24 | PAPER_QPN);
	cqe->wqe_counter = htobe16(index);
	cqe->op_own = opcode << 4 | !!(count & (mlx5.cqe_mask + 1));
}

static void complete_sends(unsigned int count)
{
	const struct mlx5_wqe_ctrl_seg *control;
	uint32_t segments;

	while (count--) {
		control = (const void *)&mlx5.sq[(mlx5.sq_cons & mlx5.sq_mask) *
						 WQEBB_BYTES];
		segments = be32toh(control->qpn_ds) & 0x3f;
		complete(MLX5_CQE_REQ, MLX5_OPCODE_RDMA_WRITE, mlx5.sq_cons);
		mlx5.sq_cons += (segments + WQEBB_SEGMENTS - 1) / WQEBB_SEGMENTS;
	}
}

static void complete_receives(unsigned int count)
{
	while (count--)
		complete(MLX5_CQE_RESP_SEND, 0, mlx5.rq_cons++);
}

const struct card mlx5_card = {
	.name = "mlx5",
	.qp_type = IBV_QPT_RC,
	.has_write = true,
	.has_lockless = true,
	.lockless_variable = "MLX5_SINGLE_THREADED",
	.max_inline = 64,
	.answer_context = answer_context,
	.answer_cq = answer_cq,
	.answer_qp = answer_qp,
	.complete_sends = complete_sends,
	.complete_receives = complete_receives,
};
