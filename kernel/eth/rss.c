// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copyright (c) 2026 The Tern authors
 *
 * Receive side scaling: which queue a frame goes to.
 */
#include <linux/ethtool.h>
#include <linux/netdevice.h>
#include <linux/slab.h>

#include "../core/commands.h"
#include "eth.h"

static_assert(TERN_RSS_KEY_BYTES <= NETDEV_RSS_KEY_LEN);

#define TERN_RSS_HASH_FIELDS \
	(TERN_RSS_HASH_IPV4 | TERN_RSS_HASH_IPV6 | TERN_RSS_HASH_TCP | \
	 TERN_RSS_HASH_UDP)

void tern_rss_spread_evenly(struct tern_netdev *tern)
{
	u32 i;

	for (i = 0; i < TERN_RSS_TABLE_LENGTH; i++)
		tern->indirection[i] =
			ethtool_rxfh_indir_default(i, tern->config.channels);
}

void tern_rss_init(struct tern_netdev *tern)
{
	netdev_rss_key_fill(tern->rss_key, sizeof(tern->rss_key));
	tern_rss_spread_evenly(tern);
}

/**
 * tern_rss_enable() - frames go to the netdev's queues from now on
 * @tern: the netdev, its channels exist
 *
 * Return: 0 or a negative errno.
 */
int tern_rss_enable(struct tern_netdev *tern)
{
	struct tern_cmd_set_rss *request;
	u32 i;
	int err;

	request = kzalloc(sizeof(*request), GFP_KERNEL);
	if (!request)
		return -ENOMEM;
	request->port = tern->port;
	request->enabled = 1;
	request->hash_fields = TERN_RSS_HASH_FIELDS;
	memcpy(request->key, tern->rss_key, sizeof(request->key));
	for (i = 0; i < TERN_RSS_TABLE_LENGTH; i++) {
		u32 channel = tern->indirection[i];

		request->table[i] =
			cpu_to_le32(tern->channels[channel].rxq.number);
	}
	err = tern_cmd_set_rss(tern->dev, request);
	kfree(request);
	return err;
}

/**
 * tern_rss_disable() - no frame goes to the netdev any more
 * @tern: the netdev
 *
 * Return: 0 or a negative errno.
 */
int tern_rss_disable(struct tern_netdev *tern)
{
	struct tern_cmd_set_rss *request;
	int err;

	request = kzalloc(sizeof(*request), GFP_KERNEL | __GFP_NOFAIL);
	request->port = tern->port;
	err = tern_cmd_set_rss(tern->dev, request);
	kfree(request);
	return err;
}
