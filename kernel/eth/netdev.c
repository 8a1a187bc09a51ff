// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copyright (c) 2026 The Tern authors
 *
 * The netdev of a port: how it comes, goes, and follows its link.
 */
#include <linux/etherdevice.h>
#include <linux/netdevice.h>
#include <linux/pci.h>
#include <linux/rtnetlink.h>

#include "../core/commands.h"
#include "../core/port.h"
#include "eth.h"

static void tern_eth_set_carrier(struct tern_netdev *tern)
{
	struct tern_cmd_port_info info;

	if (tern->is_open && !tern_device_is_dead(tern->dev) &&
	    !tern_cmd_query_port(tern->dev, tern->port, &info) &&
	    info.flags & TERN_PORT_LINK_UP)
		netif_carrier_on(tern->netdev);
	else
		netif_carrier_off(tern->netdev);
}

/**
 * tern_eth_link_changed() - the link may have come or gone, or the card died
 * @tern: the netdev
 *
 * Asks the card instead of believing the event: events of the past may come
 * after newer answers.
 *
 * Context: sleeps.
 */
void tern_eth_link_changed(struct tern_netdev *tern)
{
	mutex_lock(&tern->link_lock);
	tern_eth_set_carrier(tern);
	mutex_unlock(&tern->link_lock);
}

static int tern_eth_set_mac_address(struct net_device *netdev, void *address)
{
	struct tern_netdev *tern = netdev_priv(netdev);
	struct tern_cmd_set_port request = {
		.port = tern->port,
		.valid = TERN_SET_PORT_MAC,
	};
	struct sockaddr *socket = address;
	int err;

	err = eth_prepare_mac_addr_change(netdev, address);
	if (err)
		return err;
	ether_addr_copy(request.mac, socket->sa_data);
	err = tern_cmd_set_port(tern->dev, &request);
	if (!err)
		eth_commit_mac_addr_change(netdev, address);
	return err;
}

/* New queues only if frames need another number of pages. */
static int tern_eth_change_mtu(struct net_device *netdev, int mtu)
{
	struct tern_netdev *tern = netdev_priv(netdev);
	struct tern_eth_config config = tern->config;
	int err;

	config.mtu = mtu;
	if (tern_eth_entry_pages(mtu) != tern_eth_entry_pages(netdev->mtu)) {
		err = tern_eth_reconfigure(tern, &config);
	} else {
		err = tern_eth_set_mtu(tern, mtu);
		if (!err)
			tern->config = config;
	}
	if (!err)
		WRITE_ONCE(netdev->mtu, mtu);
	return err;
}

static void tern_eth_tx_timeout(struct net_device *netdev, unsigned int queue)
{
	struct tern_netdev *tern = netdev_priv(netdev);

	netdev_warn(netdev, "transmit queue %u hangs, making new ones\n",
		    queue);
	schedule_work(&tern->restart_work);
}

static void tern_eth_restart_work(struct work_struct *work)
{
	struct tern_netdev *tern = container_of(work, struct tern_netdev,
						restart_work);
	struct tern_eth_config config;

	rtnl_lock();
	config = tern->config;
	if (tern->is_open && !tern_device_is_dead(tern->dev))
		tern_eth_reconfigure(tern, &config);
	rtnl_unlock();
}

static const struct net_device_ops tern_netdev_ops = {
	.ndo_open = tern_eth_open,
	.ndo_stop = tern_eth_stop,
	.ndo_start_xmit = tern_eth_xmit,
	.ndo_set_rx_mode = tern_eth_set_rx_mode,
	.ndo_set_mac_address = tern_eth_set_mac_address,
	.ndo_validate_addr = eth_validate_addr,
	.ndo_change_mtu = tern_eth_change_mtu,
	.ndo_tx_timeout = tern_eth_tx_timeout,
	.ndo_get_stats64 = tern_eth_get_stats64,
};

static void tern_eth_set_features(struct net_device *netdev)
{
	netdev->hw_features = NETIF_F_SG | NETIF_F_HW_CSUM | NETIF_F_RXCSUM |
			      NETIF_F_RXHASH;
	netdev->features = netdev->hw_features | NETIF_F_HIGHDMA;
	netdev->vlan_features = NETIF_F_SG | NETIF_F_HW_CSUM | NETIF_F_HIGHDMA;
	netdev->hw_enc_features = netdev->vlan_features;
	netdev->priv_flags |= IFF_LIVE_ADDR_CHANGE;
	netdev->min_mtu = TERN_ETH_MTU_MIN;
	netdev->max_mtu = TERN_ETH_MTU_MAX;
}

/* Ports share the card's queues evenly. */
static u32 tern_eth_max_channels(const struct tern_device *dev)
{
	u32 queues = min(dev->caps.max_txqs, dev->caps.max_rxqs);

	return min3(queues / dev->caps.ports, tern_vector_count(dev),
		    (u32)TERN_ETH_MAX_CHANNELS);
}

static void tern_eth_init(struct tern_netdev *tern)
{
	const struct tern_caps *caps = &tern->dev->caps;

	tern->config = (struct tern_eth_config) {
		.channels = tern->max_channels,
		.mtu = tern->netdev->mtu,
		.tx_depth_log2 =
			min_t(u8, TERN_ETH_DEFAULT_TX_DEPTH_LOG2,
			      tern_eth_max_depth_log2(tern->dev,
						      caps->max_sq_depth_log2)),
		.rx_depth_log2 =
			min_t(u8, TERN_ETH_DEFAULT_RX_DEPTH_LOG2,
			      tern_eth_max_depth_log2(tern->dev,
						      caps->max_rq_depth_log2)),
	};
	mutex_init(&tern->link_lock);
	INIT_WORK(&tern->rx_mode_work, tern_rx_mode_work);
	INIT_WORK(&tern->restart_work, tern_eth_restart_work);
	INIT_DELAYED_WORK(&tern->stats_work, tern_stats_work);
	tern_stats_init(tern);
	tern_rss_init(tern);
}

static struct net_device *tern_eth_alloc(struct tern_device *dev, u8 port)
{
	u32 channels = tern_eth_max_channels(dev);
	struct net_device *netdev;
	struct tern_netdev *tern;

	netdev = alloc_etherdev_mqs(sizeof(*tern), channels, channels);
	if (!netdev)
		return NULL;
	SET_NETDEV_DEV(netdev, &dev->pdev->dev);
	SET_NETDEV_DEVLINK_PORT(netdev, tern_port_devlink(dev, port));
	netdev->dev_port = port - 1;
	netdev->netdev_ops = &tern_netdev_ops;
	netdev->ethtool_ops = &tern_ethtool_ops;
	eth_hw_addr_set(netdev, tern_port_permanent_mac(dev, port));
	tern_eth_set_features(netdev);

	tern = netdev_priv(netdev);
	tern->netdev = netdev;
	tern->dev = dev;
	tern->port = port;
	tern->max_channels = channels;
	tern_eth_init(tern);
	return netdev;
}

/**
 * tern_eth_create() - register the netdev of a port
 * @dev: the card
 * @port: 1, 2
 *
 * Return: the netdev, or an error pointer.
 */
struct net_device *tern_eth_create(struct tern_device *dev, u8 port)
{
	struct net_device *netdev = tern_eth_alloc(dev, port);
	int err;

	if (!netdev)
		return ERR_PTR(-ENOMEM);
	netif_carrier_off(netdev);
	err = register_netdev(netdev);
	if (err) {
		free_netdev(netdev);
		return ERR_PTR(err);
	}
	tern_port_listen(dev, port, netdev_priv(netdev));
	/* It may have been set up at once, and missed what happened since. */
	tern_eth_link_changed(netdev_priv(netdev));
	return netdev;
}

/**
 * tern_eth_destroy() - end of tern_eth_create()
 * @netdev: the netdev, up or down
 */
void tern_eth_destroy(struct net_device *netdev)
{
	struct tern_netdev *tern = netdev_priv(netdev);

	tern_port_listen(tern->dev, tern->port, NULL);
	disable_work_sync(&tern->restart_work);
	unregister_netdev(netdev);
	disable_work_sync(&tern->rx_mode_work);
	free_netdev(netdev);
}
