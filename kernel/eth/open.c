// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copyright (c) 2026 The Tern authors
 *
 * Up and down, and down and up again with other queues. RTNL guards all of it.
 */
#include <linux/netdevice.h>

#include "../core/commands.h"
#include "../core/port.h"
#include "eth.h"

/**
 * tern_eth_entry_pages() - pages of a receive entry
 * @mtu: of the netdev
 *
 * Return: as many as the longest frame needs.
 */
u8 tern_eth_entry_pages(u32 mtu)
{
	return DIV_ROUND_UP(mtu + TERN_ETH_OVERHEAD_BYTES, PAGE_SIZE);
}

/**
 * tern_eth_set_mtu() - tell the card which frames are too long
 * @tern: the netdev
 * @mtu: bytes
 *
 * Return: 0 or a negative errno.
 */
int tern_eth_set_mtu(struct tern_netdev *tern, u32 mtu)
{
	struct tern_cmd_set_port request = {
		.port = tern->port,
		.valid = TERN_SET_PORT_MTU,
		.mtu = cpu_to_le16(mtu),
	};

	return tern_cmd_set_port(tern->dev, &request);
}

static void tern_eth_set_open(struct tern_netdev *tern, bool is_open)
{
	mutex_lock(&tern->link_lock);
	tern->is_open = is_open;
	if (!is_open)
		netif_carrier_off(tern->netdev);
	mutex_unlock(&tern->link_lock);
}

static int tern_eth_up(struct tern_netdev *tern)
{
	int err;

	err = tern_channels_create(tern);
	if (err)
		return err;
	err = tern_eth_set_mtu(tern, tern->config.mtu);
	if (err)
		goto destroy_channels;
	err = tern_rss_enable(tern);
	if (err)
		goto destroy_channels;
	tern_channels_enable(tern);
	/* Frames may wait in qdiscs since the queues before these. */
	netif_tx_wake_all_queues(tern->netdev);
	/* Who hears of PORT_UP finds the carrier on. */
	tern_eth_set_open(tern, true);
	err = tern_port_set_admin_up(tern->dev, tern->port, true);
	if (err)
		goto close;
	tern_eth_link_changed(tern);
	schedule_work(&tern->rx_mode_work);
	schedule_delayed_work(&tern->stats_work, 0);
	return 0;

close:
	tern_eth_set_open(tern, false);
	tern_channels_disable(tern);
	netif_tx_disable(tern->netdev);
	tern_cmd_must_succeed(tern->dev, tern_rss_disable(tern));
destroy_channels:
	tern_channels_destroy(tern);
	return err;
}

/* No frame comes or goes when it returns, and nobody wakes a queue. */
static void tern_eth_down(struct tern_netdev *tern)
{
	cancel_delayed_work_sync(&tern->stats_work);
	tern_eth_set_open(tern, false);
	tern_port_set_admin_up(tern->dev, tern->port, false);
	tern_channels_disable(tern);
	netif_tx_disable(tern->netdev);
	tern_cmd_must_succeed(tern->dev, tern_rss_disable(tern));
	tern_channels_destroy(tern);
}

/**
 * tern_eth_open() - ndo_open
 * @netdev: the netdev
 *
 * Return: 0 or a negative errno.
 */
int tern_eth_open(struct net_device *netdev)
{
	return tern_eth_up(netdev_priv(netdev));
}

/* Queues may be missing already, see tern_eth_reconfigure(). */
int tern_eth_stop(struct net_device *netdev)
{
	struct tern_netdev *tern = netdev_priv(netdev);

	if (tern->is_open)
		tern_eth_down(tern);
	return 0;
}

static int tern_eth_apply(struct tern_netdev *tern,
			  const struct tern_eth_config *config)
{
	bool has_other_channels = config->channels != tern->config.channels;
	int err;

	err = netif_set_real_num_queues(tern->netdev, config->channels,
					config->channels);
	if (err)
		return err;
	tern->config = *config;
	if (has_other_channels && !netif_is_rxfh_configured(tern->netdev))
		tern_rss_spread_evenly(tern);
	return 0;
}

static int tern_eth_apply_and_up(struct tern_netdev *tern,
				 const struct tern_eth_config *config)
{
	int err;

	err = tern_eth_apply(tern, config);
	return err ?: tern_eth_up(tern);
}

/**
 * tern_eth_reconfigure() - make new queues
 * @tern: the netdev, up or down
 * @config: of the new queues
 *
 * If they cannot be had the old ones come back.
 *
 * Return: 0 or a negative errno.
 */
int tern_eth_reconfigure(struct tern_netdev *tern,
			 const struct tern_eth_config *config)
{
	const struct tern_eth_config old = tern->config;
	int err;

	if (!netif_running(tern->netdev)) {
		err = tern_eth_set_mtu(tern, config->mtu);
		return err ?: tern_eth_apply(tern, config);
	}
	if (tern->is_open)
		tern_eth_down(tern);
	err = tern_eth_apply_and_up(tern, config);
	if (err && tern_eth_apply_and_up(tern, &old))
		netdev_err(tern->netdev, "cannot make queues, set it down and up\n");
	return err;
}
