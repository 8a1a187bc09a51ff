// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copyright (c) 2026 The Tern authors
 *
 * Protection domains, thread domains, and the parent domains that join them.
 */
#include <errno.h>
#include <stdlib.h>

#include "abi.h"
#include "tern.h"

struct ibv_pd *tern_alloc_pd(struct ibv_context *ibctx)
{
	struct tern_alloc_pd_resp resp = {};
	struct ibv_alloc_pd cmd;
	struct tern_pd *pd;

	pd = calloc(1, sizeof(*pd));
	if (!pd)
		return NULL;
	if (ibv_cmd_alloc_pd(ibctx, &pd->ibv_pd, &cmd, sizeof(cmd),
			     &resp.ibv_resp, sizeof(resp))) {
		free(pd);
		return NULL;
	}
	return &pd->ibv_pd;
}

static void tern_parent_domain_free(struct tern_pd *parent)
{
	atomic_fetch_sub(&parent->contained->users, 1);
	if (parent->td)
		atomic_fetch_sub(&parent->td->users, 1);
	free(parent);
}

int tern_dealloc_pd(struct ibv_pd *ibpd)
{
	struct tern_pd *pd = to_tern_pd(ibpd);
	int err;

	if (atomic_load(&pd->users))
		return EBUSY;
	if (pd->contained) {
		tern_parent_domain_free(pd);
		return 0;
	}
	err = ibv_cmd_dealloc_pd(ibpd);
	if (err)
		return err;
	free(pd);
	return 0;
}

struct ibv_td *tern_alloc_td(struct ibv_context *ibctx,
			     struct ibv_td_init_attr *attr)
{
	struct tern_td *td;

	if (attr->comp_mask) {
		errno = EINVAL;
		return NULL;
	}
	td = calloc(1, sizeof(*td));
	if (!td)
		return NULL;
	td->ibv_td.context = ibctx;
	return &td->ibv_td;
}

int tern_dealloc_td(struct ibv_td *ibtd)
{
	struct tern_td *td = to_tern_td(ibtd);

	if (atomic_load(&td->users))
		return EBUSY;
	free(td);
	return 0;
}

struct ibv_pd *
tern_alloc_parent_domain(struct ibv_context *ibctx,
			 struct ibv_parent_domain_init_attr *attr)
{
	struct tern_pd *parent;

	if (ibv_check_alloc_parent_domain(attr))
		return NULL;
	/* Queues always come from the provider's own memory. */
	if (!check_comp_mask(attr->comp_mask,
			     IBV_PARENT_DOMAIN_INIT_ATTR_PD_CONTEXT)) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	if (to_tern_pd(attr->pd)->contained) {
		errno = EINVAL;
		return NULL;
	}
	parent = calloc(1, sizeof(*parent));
	if (!parent)
		return NULL;

	parent->contained = to_tern_pd(attr->pd);
	atomic_fetch_add(&parent->contained->users, 1);
	if (attr->td) {
		parent->td = to_tern_td(attr->td);
		atomic_fetch_add(&parent->td->users, 1);
	}
	ibv_initialize_parent_domain(&parent->ibv_pd, attr->pd);
	return &parent->ibv_pd;
}

struct tern_pd *tern_parent_domain_get(struct ibv_pd *ibpd)
{
	struct tern_pd *pd = to_tern_pd(ibpd);

	if (!pd->contained)
		return NULL;
	atomic_fetch_add(&pd->users, 1);
	return pd;
}

void tern_parent_domain_put(struct tern_pd *parent)
{
	if (parent)
		atomic_fetch_sub(&parent->users, 1);
}
