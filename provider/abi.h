/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Copyright (c) 2026 The Tern authors
 *
 * uverbs commands with the driver-private data of rdma/tern-abi.h.
 */
#ifndef __TERN_PROVIDER_ABI_H__
#define __TERN_PROVIDER_ABI_H__

#include <infiniband/kern-abi.h>
#include <rdma/tern-abi.h>
#include <kernel-abi/tern-abi.h>

DECLARE_DRV_CMD(tern_alloc_ucontext, IB_USER_VERBS_CMD_GET_CONTEXT,
		empty, tern_uresp_alloc_ucontext);
DECLARE_DRV_CMD(tern_alloc_pd, IB_USER_VERBS_CMD_ALLOC_PD,
		empty, tern_uresp_alloc_pd);
DECLARE_DRV_CMD(tern_create_cq, IB_USER_VERBS_EX_CMD_CREATE_CQ,
		tern_ureq_create_cq, tern_uresp_create_cq);
DECLARE_DRV_CMD(tern_create_qp, IB_USER_VERBS_CMD_CREATE_QP,
		tern_ureq_create_qp, tern_uresp_create_qp);
DECLARE_DRV_CMD(tern_create_ah, IB_USER_VERBS_CMD_CREATE_AH,
		empty, tern_uresp_create_ah);

#endif
