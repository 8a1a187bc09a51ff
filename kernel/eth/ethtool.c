// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copyright (c) 2026 The Tern authors
 *
 * ethtool: who the driver is, rings, channels and receive side scaling.
 */
#include <linux/ethtool.h>
#include <linux/log2.h>
#include <linux/netdevice.h>
#include <linux/pci.h>

#include "../core/port.h"
#include "eth.h"

static void tern_ethtool_get_drvinfo(struct net_device *netdev,
				     struct ethtool_drvinfo *info)
{
	const struct tern_netdev *tern = netdev_priv(netdev);
	const struct tern_firmware_version *version =
		&tern->dev->firmware_version;

	strscpy(info->driver, "tern", sizeof(info->driver));
	snprintf(info->fw_version, sizeof(info->fw_version), "%u.%u.%u (%s)",
		 version->major, version->minor, version->patch,
		 tern_firmware_board_id(tern->dev));
	strscpy(info->bus_info, pci_name(tern->dev->pdev),
		sizeof(info->bus_info));
}

/* Rings */

static void
tern_ethtool_get_ringparam(struct net_device *netdev,
			   struct ethtool_ringparam *ring,
			   struct kernel_ethtool_ringparam *kernel_ring,
			   struct netlink_ext_ack *extack)
{
	const struct tern_netdev *tern = netdev_priv(netdev);
	const struct tern_caps *caps = &tern->dev->caps;

	ring->rx_max_pending =
		1U << tern_eth_max_depth_log2(tern->dev,
					      caps->max_rq_depth_log2);
	ring->tx_max_pending =
		1U << tern_eth_max_depth_log2(tern->dev,
					      caps->max_sq_depth_log2);
	ring->rx_pending = 1U << tern->config.rx_depth_log2;
	ring->tx_pending = 1U << tern->config.tx_depth_log2;
}

static int tern_ethtool_depth_log2(u32 entries)
{
	return max(order_base_2(entries), TERN_ETH_MIN_DEPTH_LOG2);
}

/* The core has compared with the maxima; rings are powers of two. */
static int
tern_ethtool_set_ringparam(struct net_device *netdev,
			   struct ethtool_ringparam *ring,
			   struct kernel_ethtool_ringparam *kernel_ring,
			   struct netlink_ext_ack *extack)
{
	struct tern_netdev *tern = netdev_priv(netdev);
	struct tern_eth_config config = tern->config;

	if (ring->rx_mini_pending || ring->rx_jumbo_pending)
		return -EINVAL;
	config.rx_depth_log2 = tern_ethtool_depth_log2(ring->rx_pending);
	config.tx_depth_log2 = tern_ethtool_depth_log2(ring->tx_pending);
	return tern_eth_reconfigure(tern, &config);
}

/* Channels */

static void tern_ethtool_get_channels(struct net_device *netdev,
				      struct ethtool_channels *channels)
{
	const struct tern_netdev *tern = netdev_priv(netdev);

	channels->max_combined = tern->max_channels;
	channels->combined_count = tern->config.channels;
}

static int tern_ethtool_set_channels(struct net_device *netdev,
				     struct ethtool_channels *channels)
{
	struct tern_netdev *tern = netdev_priv(netdev);
	struct tern_eth_config config = tern->config;

	config.channels = channels->combined_count;
	return tern_eth_reconfigure(tern, &config);
}

/* Receive side scaling */

static int tern_ethtool_get_rxnfc(struct net_device *netdev,
				  struct ethtool_rxnfc *info, u32 *rules)
{
	const struct tern_netdev *tern = netdev_priv(netdev);

	if (info->cmd != ETHTOOL_GRXRINGS)
		return -EOPNOTSUPP;
	info->data = tern->config.channels;
	return 0;
}

static u32 tern_ethtool_get_rxfh_key_size(struct net_device *netdev)
{
	return TERN_RSS_KEY_BYTES;
}

static u32 tern_ethtool_get_rxfh_indir_size(struct net_device *netdev)
{
	return TERN_RSS_TABLE_LENGTH;
}

static int tern_ethtool_get_rxfh(struct net_device *netdev,
				 struct ethtool_rxfh_param *rxfh)
{
	const struct tern_netdev *tern = netdev_priv(netdev);

	rxfh->hfunc = ETH_RSS_HASH_TOP;
	if (rxfh->indir)
		memcpy(rxfh->indir, tern->indirection,
		       sizeof(tern->indirection));
	if (rxfh->key)
		memcpy(rxfh->key, tern->rss_key, sizeof(tern->rss_key));
	return 0;
}

/* The core has compared the table with the number of channels. */
static int tern_ethtool_set_rxfh(struct net_device *netdev,
				 struct ethtool_rxfh_param *rxfh,
				 struct netlink_ext_ack *extack)
{
	struct tern_netdev *tern = netdev_priv(netdev);

	if (rxfh->hfunc != ETH_RSS_HASH_NO_CHANGE &&
	    rxfh->hfunc != ETH_RSS_HASH_TOP)
		return -EOPNOTSUPP;
	if (rxfh->indir)
		memcpy(tern->indirection, rxfh->indir,
		       sizeof(tern->indirection));
	if (rxfh->key)
		memcpy(tern->rss_key, rxfh->key, sizeof(tern->rss_key));
	return tern->is_open ? tern_rss_enable(tern) : 0;
}

const struct ethtool_ops tern_ethtool_ops = {
	.get_drvinfo = tern_ethtool_get_drvinfo,
	.get_link = ethtool_op_get_link,
	.get_link_ksettings = tern_ethtool_get_link_ksettings,
	.get_ringparam = tern_ethtool_get_ringparam,
	.set_ringparam = tern_ethtool_set_ringparam,
	.get_channels = tern_ethtool_get_channels,
	.set_channels = tern_ethtool_set_channels,
	.get_rxnfc = tern_ethtool_get_rxnfc,
	.get_rxfh_key_size = tern_ethtool_get_rxfh_key_size,
	.get_rxfh_indir_size = tern_ethtool_get_rxfh_indir_size,
	.get_rxfh = tern_ethtool_get_rxfh,
	.set_rxfh = tern_ethtool_set_rxfh,
	.get_sset_count = tern_ethtool_get_sset_count,
	.get_strings = tern_ethtool_get_strings,
	.get_ethtool_stats = tern_ethtool_get_stats,
	.get_ts_info = ethtool_op_get_ts_info,
};
