// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copyright (c) 2026 The Tern authors
 */
#include <errno.h>

#include <ccan/minmax.h>

#include "qp_size.h"
#include "ring.h"
#include "wqe.h"

/* Blocks of the longest WQE that the limits of a QP allow. */
static uint32_t tern_wqe_blocks(enum ibv_qp_type type, uint32_t max_sge,
				uint32_t max_inline)
{
	uint32_t data = max_t(uint32_t, max_sge * sizeof(struct tern_sge),
			      max_inline);
	uint32_t bytes;

	if (type == IBV_QPT_UD)
		bytes = TERN_UD_HEADER_BYTES + data;
	else
		bytes = max_t(uint32_t, TERN_RDMA_HEADER_BYTES + data,
			      TERN_ATOMIC_HEADER_BYTES +
			      sizeof(struct tern_sge));
	return DIV_ROUND_UP(bytes, TERN_SQ_BLOCK_BYTES);
}

static int tern_sq_size(const struct tern_limits *limits, enum ibv_qp_type type,
			struct tern_qp_size *size)
{
	struct ibv_qp_cap *cap = &size->cap;
	uint32_t blocks;

	if (cap->max_send_sge > limits->send_sge ||
	    cap->max_inline_data > limits->inline_bytes)
		return EINVAL;
	/* There is always room for one. */
	cap->max_send_sge = max_t(uint32_t, cap->max_send_sge, 1);
	blocks = tern_wqe_blocks(type, cap->max_send_sge,
				 cap->max_inline_data);
	size->sq_depth_log2 =
		tern_depth_log2((uint64_t)cap->max_send_wr * blocks);
	if (size->sq_depth_log2 > limits->send_blocks_log2)
		return EINVAL;
	cap->max_send_wr = (1U << size->sq_depth_log2) / blocks;
	return 0;
}

static int tern_rq_size(const struct tern_limits *limits,
			struct tern_qp_size *size)
{
	struct ibv_qp_cap *cap = &size->cap;

	if (cap->max_recv_sge > limits->recv_sge)
		return EINVAL;
	size->has_rq = cap->max_recv_wr;
	if (!size->has_rq) {
		cap->max_recv_sge = 0;
		return 0;
	}
	size->rq_depth_log2 = tern_depth_log2(cap->max_recv_wr);
	if (size->rq_depth_log2 > limits->recv_entries_log2)
		return EINVAL;
	while (1U << size->rq_stride_log2 < cap->max_recv_sge)
		size->rq_stride_log2++;
	cap->max_recv_wr = 1U << size->rq_depth_log2;
	cap->max_recv_sge = min(1U << size->rq_stride_log2, limits->recv_sge);
	return 0;
}

int tern_qp_size(const struct tern_limits *limits, enum ibv_qp_type type,
		 const struct ibv_qp_cap *cap, struct tern_qp_size *size)
{
	int err;

	*size = (struct tern_qp_size){ .cap = *cap };
	err = tern_sq_size(limits, type, size);
	if (err)
		return err;
	return tern_rq_size(limits, size);
}
