/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Copyright (c) 2026 The Tern authors
 *
 * How large the queues of a QP must be, and what then fits in them.
 */
#ifndef __TERN_QP_SIZE_H__
#define __TERN_QP_SIZE_H__

#include "tern.h"

struct tern_qp_size {
	uint32_t sq_depth_log2;		/* blocks */
	uint32_t rq_depth_log2;		/* entries; with has_rq */
	uint32_t rq_stride_log2;	/* SGEs per entry; with has_rq */
	bool has_rq;
	struct ibv_qp_cap cap;		/* granted: at least what was asked for */
};

/*
 * Sizes the queues for @cap. Returns 0, or EINVAL for more than the card has.
 * Granted are as many work requests as always fit, whatever their mixture;
 * max_send_sge and max_inline_data are granted as asked.
 */
int tern_qp_size(const struct tern_limits *limits, enum ibv_qp_type type,
		 const struct ibv_qp_cap *cap, struct tern_qp_size *size);

#endif
