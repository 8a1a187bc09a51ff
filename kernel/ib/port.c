// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copyright (c) 2026 The Tern authors
 *
 * Ports. Their state and MTU are those of their netdevs.
 */
#include <linux/netdevice.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_mad.h>

#include "tern_ib.h"

/* How verbs write down an Ethernet speed. */
struct tern_ib_rate {
	u32 speed_mbps;
	u16 speed;
	u8 width;
};

static const struct tern_ib_rate tern_ib_rates[] = {
	{ 400000, IB_SPEED_NDR, IB_WIDTH_4X },
	{ 200000, IB_SPEED_HDR, IB_WIDTH_4X },
	{ 100000, IB_SPEED_EDR, IB_WIDTH_4X },
	{ 50000, IB_SPEED_HDR, IB_WIDTH_1X },
	{ 40000, IB_SPEED_FDR10, IB_WIDTH_4X },
	{ 25000, IB_SPEED_EDR, IB_WIDTH_1X },
	{ 10000, IB_SPEED_FDR10, IB_WIDTH_1X },
};

/* A card with a speed that verbs has no name for gets the next lower one. */
static const struct tern_ib_rate *tern_ib_rate_of(u32 speed_mbps)
{
	const struct tern_ib_rate *rate = tern_ib_rates;
	const struct tern_ib_rate *last =
		&tern_ib_rates[ARRAY_SIZE(tern_ib_rates) - 1];

	while (rate < last && rate->speed_mbps > speed_mbps)
		rate++;
	return rate;
}

static struct net_device *tern_ib_netdev(const struct tern_ib_device *dev,
					 u32 port_num)
{
	return dev->core->netdevs[port_num - 1];
}

/**
 * tern_ib_active_mtu() - largest path MTU of a port
 * @dev: the card
 * @port_num: 1, 2
 *
 * Return: what fits in the netdev's MTU, at least IB_MTU_256.
 */
enum ib_mtu tern_ib_active_mtu(struct tern_ib_device *dev, u32 port_num)
{
	unsigned int mtu = READ_ONCE(tern_ib_netdev(dev, port_num)->mtu);

	return iboe_get_mtu(mtu) ?: IB_MTU_256;
}

/**
 * tern_ib_query_port() - verb of the RDMA core
 * @ibdev: the device
 * @port_num: 1, 2; the RDMA core has checked it
 * @attr: zeroed by the RDMA core
 *
 * Return: 0.
 */
int tern_ib_query_port(struct ib_device *ibdev, u32 port_num,
		       struct ib_port_attr *attr)
{
	struct tern_ib_device *dev = to_tern_ib_device(ibdev);
	struct net_device *netdev = tern_ib_netdev(dev, port_num);
	const struct tern_ib_rate *rate =
		tern_ib_rate_of(tern_port_speed_mbps(dev->core, port_num));
	bool is_up = netif_running(netdev) && netif_carrier_ok(netdev);

	attr->state = is_up ? IB_PORT_ACTIVE : IB_PORT_DOWN;
	attr->phys_state = is_up ? IB_PORT_PHYS_STATE_LINK_UP :
		netif_running(netdev) ? IB_PORT_PHYS_STATE_POLLING :
					IB_PORT_PHYS_STATE_DISABLED;
	attr->max_mtu = IB_MTU_4096;
	attr->active_mtu = tern_ib_active_mtu(dev, port_num);
	attr->phys_mtu = READ_ONCE(netdev->mtu);
	attr->gid_tbl_len = dev->core->caps.gid_table_length;
	attr->ip_gids = true;
	attr->port_cap_flags = IB_PORT_CM_SUP;
	attr->max_msg_sz = TERN_MAX_MESSAGE_BYTES;
	attr->pkey_tbl_len = 1;
	attr->max_vl_num = 1;
	attr->active_speed = rate->speed;
	attr->active_width = rate->width;
	return 0;
}

int tern_ib_query_pkey(struct ib_device *ibdev, u32 port_num, u16 index,
		       u16 *pkey)
{
	if (index)
		return -EINVAL;
	*pkey = TERN_PKEY_DEFAULT;
	return 0;
}

int tern_ib_get_port_immutable(struct ib_device *ibdev, u32 port_num,
			       struct ib_port_immutable *immutable)
{
	struct ib_port_attr attr;
	int err;

	immutable->core_cap_flags = RDMA_CORE_PORT_IBA_ROCE_UDP_ENCAP;
	err = ib_query_port(ibdev, port_num, &attr);
	if (err)
		return err;
	immutable->pkey_tbl_len = attr.pkey_tbl_len;
	immutable->gid_tbl_len = attr.gid_tbl_len;
	immutable->max_mad_size = IB_MGMT_MAD_SIZE;
	return 0;
}

enum rdma_link_layer tern_ib_get_link_layer(struct ib_device *ibdev,
					    u32 port_num)
{
	return IB_LINK_LAYER_ETHERNET;
}
