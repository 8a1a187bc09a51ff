// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copyright (c) 2026 The Tern authors
 *
 * The receive filter. The stack tells of it in atomic context, commands sleep.
 */
#include <linux/etherdevice.h>
#include <linux/netdevice.h>
#include <linux/slab.h>

#include "../core/commands.h"
#include "eth.h"

void tern_eth_set_rx_mode(struct net_device *netdev)
{
	struct tern_netdev *tern = netdev_priv(netdev);

	schedule_work(&tern->rx_mode_work);
}

static void tern_rx_mode_collect(struct net_device *netdev,
				 struct tern_cmd_rx_mode *request)
{
	struct netdev_hw_addr *address;
	u16 count = 0;

	netif_addr_lock_bh(netdev);
	if (netdev->flags & IFF_PROMISC)
		request->flags |= TERN_RX_MODE_PROMISCUOUS;
	if (netdev->flags & IFF_ALLMULTI ||
	    netdev_mc_count(netdev) > TERN_MULTICAST_FILTER_LENGTH) {
		request->flags |= TERN_RX_MODE_ALL_MULTICAST;
	} else {
		netdev_for_each_mc_addr(address, netdev)
			ether_addr_copy(request->address[count++],
					address->addr);
	}
	netif_addr_unlock_bh(netdev);
	request->address_count = cpu_to_le16(count);
}

void tern_rx_mode_work(struct work_struct *work)
{
	struct tern_netdev *tern = container_of(work, struct tern_netdev,
						rx_mode_work);
	struct tern_cmd_rx_mode *request;
	int err;

	if (tern_device_is_dead(tern->dev))
		return;
	request = kzalloc(sizeof(*request), GFP_KERNEL);
	if (!request)
		return;
	request->port = tern->port;
	tern_rx_mode_collect(tern->netdev, request);
	err = tern_cmd_set_rx_mode(tern->dev, request);
	if (err && !tern_device_is_dead(tern->dev))
		netdev_err(tern->netdev, "cannot set the receive filter: %d\n",
			   err);
	kfree(request);
}
