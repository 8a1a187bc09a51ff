// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copyright (c) 2026 The Tern authors
 *
 * Channels: a transmit and a receive queue on one vector, polled together.
 */
#include <linux/dma-mapping.h>
#include <linux/netdevice.h>
#include <linux/pci.h>
#include <linux/slab.h>

#include "eth.h"

#define TERN_CHANNEL_RECORDS_BYTES \
	(TERN_CHANNEL_RECORDS * TERN_RECORD_BYTES)

/* Without a single buffer nothing would ever wake it up again. */
static int tern_channel_poll(struct napi_struct *napi, int budget)
{
	struct tern_channel *channel = container_of(napi, struct tern_channel,
						    napi);
	bool is_clean, has_buffers;
	int received = 0;

	is_clean = tern_txq_clean(channel, budget);
	/* netpoll wants to transmit only. */
	if (!budget)
		return 0;
	received = tern_rxq_poll(channel, budget);
	has_buffers = tern_rxq_fill(&channel->rxq);
	if (received == budget || !is_clean || !has_buffers)
		return budget;
	if (napi_complete_done(napi, received)) {
		tern_eth_cq_arm(&channel->tx_cq);
		tern_eth_cq_arm(&channel->rx_cq);
	}
	return received;
}

static int tern_channel_create_cqs(struct tern_channel *channel)
{
	const struct tern_eth_config *config = &channel->tern->config;
	int err;

	err = tern_eth_cq_create(channel, &channel->rx_cq,
				 TERN_CHANNEL_RECORD_RX_CQ,
				 config->rx_depth_log2);
	if (err)
		return err;
	/* The shortest WQE has one block. */
	err = tern_eth_cq_create(channel, &channel->tx_cq,
				 TERN_CHANNEL_RECORD_TX_CQ,
				 config->tx_depth_log2);
	if (err)
		tern_eth_cq_destroy(&channel->rx_cq);
	return err;
}

static void tern_channel_destroy_cqs(struct tern_channel *channel)
{
	tern_eth_cq_destroy(&channel->tx_cq);
	tern_eth_cq_destroy(&channel->rx_cq);
}

static int tern_channel_create_queues(struct tern_channel *channel)
{
	int err;

	err = tern_channel_create_cqs(channel);
	if (err)
		return err;
	err = tern_txq_create(channel);
	if (err)
		goto destroy_cqs;
	err = tern_rxq_create(channel);
	if (err)
		goto destroy_txq;
	return 0;

destroy_txq:
	tern_txq_destroy(channel);
destroy_cqs:
	tern_channel_destroy_cqs(channel);
	return err;
}

/* NAPI is there before the card can speak of the CQs. */
static int tern_channel_create(struct tern_channel *channel)
{
	struct tern_netdev *tern = channel->tern;
	struct device *device = &tern->dev->pdev->dev;
	int err;

	channel->records = dma_alloc_coherent(device,
					      TERN_CHANNEL_RECORDS_BYTES,
					      &channel->records_dma,
					      GFP_KERNEL);
	if (!channel->records)
		return -ENOMEM;
	netif_napi_add(tern->netdev, &channel->napi, tern_channel_poll);
	err = tern_channel_create_queues(channel);
	if (err) {
		netif_napi_del(&channel->napi);
		dma_free_coherent(device, TERN_CHANNEL_RECORDS_BYTES,
				  channel->records, channel->records_dma);
	}
	return err;
}

/* NAPI is disabled. */
static void tern_channel_destroy(struct tern_channel *channel)
{
	struct device *device = &channel->tern->dev->pdev->dev;

	tern_rxq_destroy(channel);
	tern_txq_destroy(channel);
	tern_channel_destroy_cqs(channel);
	netif_napi_del(&channel->napi);
	dma_free_coherent(device, TERN_CHANNEL_RECORDS_BYTES, channel->records,
			  channel->records_dma);
}

static void tern_channels_drop(struct tern_netdev *tern, u32 count)
{
	while (count--)
		tern_channel_destroy(&tern->channels[count]);
	kvfree(tern->channels);
	tern->channels = NULL;
}

/**
 * tern_channels_create() - make the queues of a netdev
 * @tern: the netdev; its configuration says how many and how deep
 *
 * Return: 0 or a negative errno.
 */
int tern_channels_create(struct tern_netdev *tern)
{
	u32 i;
	int err;

	tern->channels = kvcalloc(tern->config.channels,
				  sizeof(*tern->channels), GFP_KERNEL);
	if (!tern->channels)
		return -ENOMEM;
	for (i = 0; i < tern->config.channels; i++) {
		struct tern_channel *channel = &tern->channels[i];

		channel->tern = tern;
		channel->index = i;
		channel->stats = &tern->stats[i];
		err = tern_channel_create(channel);
		if (err) {
			tern_channels_drop(tern, i);
			return err;
		}
	}
	return 0;
}

void tern_channels_destroy(struct tern_netdev *tern)
{
	tern_channels_drop(tern, tern->config.channels);
}

static void tern_channel_set_napi(struct tern_channel *channel,
				  struct napi_struct *napi)
{
	struct net_device *netdev = channel->tern->netdev;

	netif_queue_set_napi(netdev, channel->index, NETDEV_QUEUE_TYPE_RX,
			     napi);
	netif_queue_set_napi(netdev, channel->index, NETDEV_QUEUE_TYPE_TX,
			     napi);
}

/* From here on completions are polled. */
void tern_channels_enable(struct tern_netdev *tern)
{
	u32 i;

	for (i = 0; i < tern->config.channels; i++) {
		struct tern_channel *channel = &tern->channels[i];

		tern_channel_set_napi(channel, &channel->napi);
		napi_enable(&channel->napi);
		tern_eth_cq_arm(&channel->tx_cq);
		tern_eth_cq_arm(&channel->rx_cq);
	}
}

void tern_channels_disable(struct tern_netdev *tern)
{
	u32 i;

	for (i = 0; i < tern->config.channels; i++) {
		napi_disable(&tern->channels[i].napi);
		tern_channel_set_napi(&tern->channels[i], NULL);
	}
}
