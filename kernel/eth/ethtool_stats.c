// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copyright (c) 2026 The Tern authors
 *
 * ethtool -S: the card's counters of the netdev, and those of each channel.
 */
#include <linux/ethtool.h>
#include <linux/netdevice.h>

#include "eth.h"

/* A row of port_counter.def that the netdev shows. */
struct tern_port_counter_row {
	const char *label;
	u8 index;
};

/* Rows of the RDMA device expand to nothing. */
#define TERN_ROW_ETH(name, label)	{ label, name },
#define TERN_ROW_IB(name, label)
#define TERN_PORT_COUNTER(name, index, label, room, meaning) \
	TERN_ROW_##room(name, label)

static const struct tern_port_counter_row tern_port_rows[] = {
#include <tern/fw/port_counter.def>
};

static const char * const tern_channel_rows[] = {
	"tx%u_packets", "tx%u_bytes", "tx%u_errors", "tx%u_dropped",
	"rx%u_packets", "rx%u_bytes", "rx%u_errors", "rx%u_dropped",
};

int tern_ethtool_get_sset_count(struct net_device *netdev, int set)
{
	const struct tern_netdev *tern = netdev_priv(netdev);

	if (set != ETH_SS_STATS)
		return -EOPNOTSUPP;
	return ARRAY_SIZE(tern_port_rows) +
	       tern->max_channels * ARRAY_SIZE(tern_channel_rows);
}

void tern_ethtool_get_strings(struct net_device *netdev, u32 set, u8 *data)
{
	const struct tern_netdev *tern = netdev_priv(netdev);
	u32 channel, i;

	if (set != ETH_SS_STATS)
		return;
	for (i = 0; i < ARRAY_SIZE(tern_port_rows); i++)
		ethtool_puts(&data, tern_port_rows[i].label);
	for (channel = 0; channel < tern->max_channels; channel++)
		for (i = 0; i < ARRAY_SIZE(tern_channel_rows); i++)
			ethtool_sprintf(&data, tern_channel_rows[i], channel);
}

static u64 *tern_ethtool_channel(const struct tern_channel_stats *stats,
				 u64 *data)
{
	unsigned int start;

	do {
		start = u64_stats_fetch_begin(&stats->tx_sync);
		data[0] = u64_stats_read(&stats->tx_packets);
		data[1] = u64_stats_read(&stats->tx_bytes);
		data[2] = u64_stats_read(&stats->tx_errors);
	} while (u64_stats_fetch_retry(&stats->tx_sync, start));
	do {
		start = u64_stats_fetch_begin(&stats->xmit_sync);
		data[3] = u64_stats_read(&stats->tx_dropped);
	} while (u64_stats_fetch_retry(&stats->xmit_sync, start));
	do {
		start = u64_stats_fetch_begin(&stats->rx_sync);
		data[4] = u64_stats_read(&stats->rx_packets);
		data[5] = u64_stats_read(&stats->rx_bytes);
		data[6] = u64_stats_read(&stats->rx_errors);
		data[7] = u64_stats_read(&stats->rx_dropped);
	} while (u64_stats_fetch_retry(&stats->rx_sync, start));
	return data + ARRAY_SIZE(tern_channel_rows);
}

void tern_ethtool_get_stats(struct net_device *netdev,
			    struct ethtool_stats *stats, u64 *data)
{
	struct tern_netdev *tern = netdev_priv(netdev);
	u32 i;

	/* A dead card's last values are better than none. */
	tern_stats_query(tern);
	for (i = 0; i < ARRAY_SIZE(tern_port_rows); i++)
		*data++ = READ_ONCE(tern->counters[tern_port_rows[i].index]);
	for (i = 0; i < tern->max_channels; i++)
		data = tern_ethtool_channel(&tern->stats[i], data);
}
