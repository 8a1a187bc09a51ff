// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copyright (c) 2026 The Tern authors
 *
 * Address handles. The card has no such object: every UD WQE carries its
 * address vector, so that these functions never sleep, as the connection
 * manager needs.
 */
#include <net/ipv6.h>
#include <rdma/ib_addr.h>

#include "tern_ib.h"

/**
 * tern_ib_flow_class() - flow label, traffic class and SL as the card has them
 * @attr: address with a GRH
 *
 * Return: TERN_AV_* of hw/wqe.h.
 */
__le32 tern_ib_flow_class(const struct rdma_ah_attr *attr)
{
	const struct ib_global_route *grh = rdma_ah_read_grh(attr);

	return cpu_to_le32(TERN_SET32(TERN_AV_FLOW_LABEL, grh->flow_label) |
			   TERN_SET32(TERN_AV_TRAFFIC_CLASS,
				      grh->traffic_class) |
			   TERN_SET32(TERN_AV_SL, rdma_ah_get_sl(attr)));
}

/**
 * tern_ib_check_address() - may the card send to this address?
 * @attr: address of a peer
 *
 * Return: 0, or -EINVAL without GRH or source GID, or for another link layer.
 */
int tern_ib_check_address(const struct rdma_ah_attr *attr)
{
	if (attr->type != RDMA_AH_ATTR_TYPE_ROCE ||
	    !(rdma_ah_get_ah_flags(attr) & IB_AH_GRH))
		return -EINVAL;
	if (!attr->grh.sgid_attr || attr->grh.sgid_attr->index > U8_MAX)
		return -EINVAL;
	return 0;
}

/* A consumer that sets no hop limit means the usual one. */
u8 tern_ib_hop_limit(const struct rdma_ah_attr *attr)
{
	return attr->grh.hop_limit ?: IPV6_DEFAULT_HOPLIMIT;
}

static void tern_ib_fill_av(struct tern_wqe_address_vector *av,
			    const struct rdma_ah_attr *attr)
{
	const struct ib_global_route *grh = rdma_ah_read_grh(attr);

	memcpy(av->dgid, grh->dgid.raw, sizeof(av->dgid));
	memcpy(av->dmac, attr->roce.dmac, sizeof(av->dmac));
	av->sgid_index = grh->sgid_attr->index;
	av->hop_limit = tern_ib_hop_limit(attr);
	av->flow_class = tern_ib_flow_class(attr);
}

/**
 * tern_ib_create_ah() - verb of the RDMA core; does not sleep
 * @ibah: the address handle
 * @init: the address, with its destination MAC resolved
 * @udata: NULL for kernel consumers; response: struct tern_uresp_create_ah
 *
 * Return: 0, -EINVAL or -EFAULT.
 */
int tern_ib_create_ah(struct ib_ah *ibah, struct rdma_ah_init_attr *init,
		      struct ib_udata *udata)
{
	struct tern_uresp_create_ah response = {};
	struct tern_ib_ah *ah = to_tern_ib_ah(ibah);
	int err;

	err = tern_ib_check_address(init->ah_attr);
	if (err)
		return err;
	tern_ib_fill_av(&ah->av, init->ah_attr);
	if (!udata)
		return 0;

	err = tern_ib_read_request(udata, NULL, 0);
	if (err)
		return err;
	memcpy(response.dmac, ah->av.dmac, sizeof(response.dmac));
	return tern_ib_write_response(udata, &response, sizeof(response));
}

int tern_ib_query_ah(struct ib_ah *ibah, struct rdma_ah_attr *attr)
{
	const struct tern_wqe_address_vector *av = &to_tern_ib_ah(ibah)->av;
	u32 flow_class = le32_to_cpu(av->flow_class);

	attr->type = ibah->type;
	rdma_ah_set_port_num(attr, ibah->sgid_attr->port_num);
	rdma_ah_set_sl(attr, TERN_GET32(TERN_AV_SL, flow_class));
	rdma_ah_set_grh(attr, NULL,
			TERN_GET32(TERN_AV_FLOW_LABEL, flow_class),
			av->sgid_index, av->hop_limit,
			TERN_GET32(TERN_AV_TRAFFIC_CLASS, flow_class));
	rdma_ah_set_dgid_raw(attr, (void *)av->dgid);
	rdma_ah_set_ah_flags(attr, IB_AH_GRH);
	memcpy(attr->roce.dmac, av->dmac, sizeof(attr->roce.dmac));
	return 0;
}

int tern_ib_destroy_ah(struct ib_ah *ibah, u32 flags)
{
	return 0;
}
