// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copyright (c) 2026 The Tern authors
 *
 * Statistics: frames are counted per channel by the driver, what the card
 * alone sees is read from it now and then, as reading sleeps.
 */
#include <linux/netdevice.h>
#include <linux/slab.h>

#include "../core/commands.h"
#include "eth.h"

#define TERN_STATS_INTERVAL	HZ

void tern_stats_init(struct tern_netdev *tern)
{
	u32 i;

	for (i = 0; i < TERN_ETH_MAX_CHANNELS; i++) {
		u64_stats_init(&tern->stats[i].tx_sync);
		u64_stats_init(&tern->stats[i].rx_sync);
		u64_stats_init(&tern->stats[i].xmit_sync);
	}
}

/**
 * tern_stats_query() - read the card's counters
 * @tern: the netdev
 *
 * Context: sleeps.
 * Return: 0 or a negative errno; then the old values stay.
 */
int tern_stats_query(struct tern_netdev *tern)
{
	struct tern_cmd_port_counters *counters;
	u32 i;
	int err;

	counters = kzalloc(sizeof(*counters), GFP_KERNEL);
	if (!counters)
		return -ENOMEM;
	err = tern_cmd_query_port_counters(tern->dev, tern->port, counters);
	for (i = 0; !err && i < TERN_PORT_COUNTER_COUNT; i++)
		WRITE_ONCE(tern->counters[i],
			   le64_to_cpu(counters->value[i]));
	kfree(counters);
	return err;
}

void tern_stats_work(struct work_struct *work)
{
	struct tern_netdev *tern = container_of(to_delayed_work(work),
						struct tern_netdev, stats_work);

	tern_stats_query(tern);
	if (!tern_device_is_dead(tern->dev))
		schedule_delayed_work(&tern->stats_work, TERN_STATS_INTERVAL);
}

static void tern_stats_add_tx(const struct tern_channel_stats *channel,
			      struct rtnl_link_stats64 *stats)
{
	u64 packets, bytes, errors, dropped;
	unsigned int start;

	do {
		start = u64_stats_fetch_begin(&channel->tx_sync);
		packets = u64_stats_read(&channel->tx_packets);
		bytes = u64_stats_read(&channel->tx_bytes);
		errors = u64_stats_read(&channel->tx_errors);
	} while (u64_stats_fetch_retry(&channel->tx_sync, start));
	do {
		start = u64_stats_fetch_begin(&channel->xmit_sync);
		dropped = u64_stats_read(&channel->tx_dropped);
	} while (u64_stats_fetch_retry(&channel->xmit_sync, start));
	stats->tx_packets += packets;
	stats->tx_bytes += bytes;
	stats->tx_errors += errors;
	stats->tx_dropped += dropped;
}

static void tern_stats_add_rx(const struct tern_channel_stats *channel,
			      struct rtnl_link_stats64 *stats)
{
	u64 packets, bytes, errors, dropped;
	unsigned int start;

	do {
		start = u64_stats_fetch_begin(&channel->rx_sync);
		packets = u64_stats_read(&channel->rx_packets);
		bytes = u64_stats_read(&channel->rx_bytes);
		errors = u64_stats_read(&channel->rx_errors);
		dropped = u64_stats_read(&channel->rx_dropped);
	} while (u64_stats_fetch_retry(&channel->rx_sync, start));
	stats->rx_packets += packets;
	stats->rx_bytes += bytes;
	stats->rx_errors += errors;
	stats->rx_dropped += dropped;
}

/**
 * tern_eth_get_stats64() - ndo_get_stats64
 * @netdev: the netdev
 * @stats: zeroed
 */
void tern_eth_get_stats64(struct net_device *netdev,
			  struct rtnl_link_stats64 *stats)
{
	const struct tern_netdev *tern = netdev_priv(netdev);
	const u64 *counters = tern->counters;
	u32 i;

	for (i = 0; i < tern->max_channels; i++) {
		tern_stats_add_tx(&tern->stats[i], stats);
		tern_stats_add_rx(&tern->stats[i], stats);
	}
	stats->multicast =
		READ_ONCE(counters[TERN_PORT_COUNTER_RX_MULTICAST]);
	stats->rx_missed_errors =
		READ_ONCE(counters[TERN_PORT_COUNTER_RX_NO_BUFFER]);
	stats->rx_length_errors =
		READ_ONCE(counters[TERN_PORT_COUNTER_RX_TOO_LONG]) +
		READ_ONCE(counters[TERN_PORT_COUNTER_RX_TOO_SHORT]);
	stats->rx_errors += stats->rx_length_errors +
		READ_ONCE(counters[TERN_PORT_COUNTER_RX_DMA_FAULT]);
	stats->tx_carrier_errors =
		READ_ONCE(counters[TERN_PORT_COUNTER_TX_LINK_DOWN]);
}
