// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copyright (c) 2026 The Tern authors
 *
 * Protection domains.
 */
#include "tern_ib.h"

/* The kernel bit comes from who calls, never from user data. */
static int tern_ib_pd_create(struct tern_ib_device *dev, struct tern_ib_pd *pd,
			     bool is_kernel)
{
	struct tern_cmd_alloc_pd command = {
		.flags = is_kernel ? TERN_PD_KERNEL : 0,
	};

	return tern_cmd_alloc_pd(dev->core, &command, &pd->pdn);
}

/**
 * tern_ib_alloc_pd() - verb of the RDMA core
 * @ibpd: the protection domain
 * @udata: NULL for kernel consumers; response: struct tern_uresp_alloc_pd
 *
 * Return: 0 or a negative errno.
 */
int tern_ib_alloc_pd(struct ib_pd *ibpd, struct ib_udata *udata)
{
	struct tern_ib_device *dev = to_tern_ib_device(ibpd->device);
	struct tern_uresp_alloc_pd response = {};
	struct tern_ib_pd *pd = to_tern_ib_pd(ibpd);
	int err;

	if (udata) {
		err = tern_ib_read_request(udata, NULL, 0);
		if (err)
			return err;
	}
	err = tern_ib_pd_create(dev, pd, !udata);
	if (err || !udata)
		return err;

	response.pdn = pd->pdn;
	err = tern_ib_write_response(udata, &response, sizeof(response));
	if (err)
		tern_ib_dealloc_pd(ibpd, udata);
	return err;
}

int tern_ib_dealloc_pd(struct ib_pd *ibpd, struct ib_udata *udata)
{
	struct tern_ib_device *dev = to_tern_ib_device(ibpd->device);
	int err = tern_cmd_dealloc_pd(dev->core, to_tern_ib_pd(ibpd)->pdn);

	return tern_ib_destroyed(dev, err);
}
