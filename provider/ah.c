// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copyright (c) 2026 The Tern authors
 *
 * Address handles: an address vector ready to be copied into UD WQEs. The
 * kernel resolves the destination MAC.
 */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "abi.h"
#include "tern.h"

/* For who sets none; the kernel's default as well. */
#define TERN_DEFAULT_HOP_LIMIT	64

static void tern_fill_av(struct tern_wqe_address_vector *av,
			 const struct ibv_ah_attr *attr,
			 const struct tern_uresp_create_ah *resp)
{
	const struct ibv_global_route *grh = &attr->grh;

	memcpy(av->dgid, grh->dgid.raw, sizeof(av->dgid));
	memcpy(av->dmac, resp->dmac, sizeof(av->dmac));
	av->sgid_index = grh->sgid_index;
	av->hop_limit = grh->hop_limit ?: TERN_DEFAULT_HOP_LIMIT;
	av->flow_class =
		htole32(TERN_SET32(TERN_AV_FLOW_LABEL, grh->flow_label) |
			TERN_SET32(TERN_AV_TRAFFIC_CLASS, grh->traffic_class) |
			TERN_SET32(TERN_AV_SL, attr->sl));
}

struct ibv_ah *tern_create_ah(struct ibv_pd *ibpd, struct ibv_ah_attr *attr)
{
	struct tern_create_ah_resp resp = {};
	struct tern_ah *ah;

	if (!attr->is_global) {
		errno = EINVAL;
		return NULL;
	}
	ah = calloc(1, sizeof(*ah));
	if (!ah)
		return NULL;
	if (ibv_cmd_create_ah(ibpd, &ah->ibv_ah, attr, &resp.ibv_resp,
			      sizeof(resp))) {
		free(ah);
		return NULL;
	}
	tern_fill_av(&ah->av, attr, &resp.drv_payload);
	return &ah->ibv_ah;
}

int tern_destroy_ah(struct ibv_ah *ibah)
{
	int err = ibv_cmd_destroy_ah(ibah);

	if (err)
		return err;
	free(to_tern_ah(ibah));
	return 0;
}
