// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copyright (c) 2026 The Tern authors
 *
 * Transmit and receive queues: their memory, and their objects on the card.
 */
#include <linux/log2.h>
#include <linux/netdevice.h>
#include <linux/pci.h>
#include <linux/slab.h>
#include <net/page_pool/helpers.h>

#include "../core/commands.h"
#include "eth.h"

static void tern_queue_describe(struct tern_channel *channel,
				enum tern_channel_record record,
				const struct tern_eth_cq *cq,
				struct tern_cmd_create_eth_queue *request)
{
	u32 offset = record * TERN_RECORD_BYTES;

	memset(request, 0, sizeof(*request));
	request->port = channel->tern->port;
	request->cqn = cpu_to_le32(cq->cqn);
	request->uidx = cpu_to_le32(channel->index);
	request->record = cpu_to_le64(channel->records_dma + offset);
}

static int tern_txq_alloc(struct tern_txq *txq)
{
	u32 blocks = 1U << txq->depth_log2;
	int err;

	err = tern_ring_create(txq->dev,
			       (size_t)blocks << TERN_SQ_BLOCK_SHIFT,
			       &txq->ring);
	if (err)
		return err;
	txq->slots = kvcalloc(blocks, sizeof(*txq->slots), GFP_KERNEL);
	txq->mappings = kvcalloc(blocks * TERN_WQE_BLOCK_SEGMENTS,
				 sizeof(*txq->mappings), GFP_KERNEL);
	if (txq->slots && txq->mappings)
		return 0;
	kvfree(txq->mappings);
	kvfree(txq->slots);
	tern_ring_destroy(txq->dev, &txq->ring);
	return -ENOMEM;
}

static void tern_txq_free(struct tern_txq *txq)
{
	kvfree(txq->mappings);
	kvfree(txq->slots);
	tern_ring_destroy(txq->dev, &txq->ring);
}

/**
 * tern_txq_create() - make the transmit queue of a channel
 * @channel: its CQs exist
 *
 * Return: 0 or a negative errno.
 */
int tern_txq_create(struct tern_channel *channel)
{
	struct tern_netdev *tern = channel->tern;
	struct tern_txq *txq = &channel->txq;
	struct tern_cmd_create_eth_queue request;
	int err;

	txq->dev = tern->dev;
	txq->uidx = channel->index;
	txq->depth_log2 = tern->config.tx_depth_log2;
	txq->netdev_queue = netdev_get_tx_queue(tern->netdev, channel->index);
	txq->record = channel->records +
		      TERN_CHANNEL_RECORD_TXQ * TERN_RECORD_BYTES;
	err = tern_txq_alloc(txq);
	if (err)
		return err;
	tern_queue_describe(channel, TERN_CHANNEL_RECORD_TXQ, &channel->tx_cq,
			    &request);
	request.depth_log2 = txq->depth_log2;
	request.buffer = txq->ring.pages.list;
	err = tern_cmd_create_txq(txq->dev, &request, &txq->number);
	if (err)
		tern_txq_free(txq);
	return err;
}

/* The stack does not transmit, and NAPI is disabled. */
void tern_txq_destroy(struct tern_channel *channel)
{
	struct tern_txq *txq = &channel->txq;

	tern_cmd_must_succeed(txq->dev,
			      tern_cmd_destroy_txq(txq->dev, txq->number));
	tern_txq_drop_all(txq);
	netdev_tx_reset_queue(txq->netdev_queue);
	tern_txq_free(txq);
}

static struct page_pool *tern_rxq_create_pool(struct tern_channel *channel)
{
	struct tern_rxq *rxq = &channel->rxq;
	struct page_pool_params params = {
		.flags = PP_FLAG_DMA_MAP | PP_FLAG_DMA_SYNC_DEV,
		.pool_size = rxq->entry_pages << rxq->depth_log2,
		.nid = NUMA_NO_NODE,
		.dev = &rxq->dev->pdev->dev,
		.napi = &channel->napi,
		.netdev = channel->tern->netdev,
		.dma_dir = DMA_FROM_DEVICE,
		.max_len = PAGE_SIZE,
	};

	return page_pool_create(&params);
}

static int tern_rxq_alloc(struct tern_channel *channel)
{
	struct tern_rxq *rxq = &channel->rxq;
	u32 entries = 1U << rxq->depth_log2;
	int err;

	rxq->pool = tern_rxq_create_pool(channel);
	if (IS_ERR(rxq->pool))
		return PTR_ERR(rxq->pool);
	rxq->pages = kvcalloc(entries * rxq->entry_pages, sizeof(*rxq->pages),
			      GFP_KERNEL);
	if (!rxq->pages) {
		err = -ENOMEM;
		goto destroy_pool;
	}
	err = tern_ring_create(rxq->dev,
			       (sizeof(struct tern_sge) << rxq->stride_log2) *
			       entries, &rxq->ring);
	if (err)
		goto free_pages;
	return 0;

free_pages:
	kvfree(rxq->pages);
destroy_pool:
	page_pool_destroy(rxq->pool);
	return err;
}

static void tern_rxq_free(struct tern_rxq *rxq)
{
	tern_rxq_drop_all(rxq);
	tern_ring_destroy(rxq->dev, &rxq->ring);
	kvfree(rxq->pages);
	page_pool_destroy(rxq->pool);
}

/**
 * tern_rxq_create() - make the receive queue of a channel, filled
 * @channel: its CQs exist
 *
 * Return: 0 or a negative errno.
 */
int tern_rxq_create(struct tern_channel *channel)
{
	struct tern_netdev *tern = channel->tern;
	struct tern_rxq *rxq = &channel->rxq;
	struct tern_cmd_create_eth_queue request;
	int err;

	rxq->dev = tern->dev;
	rxq->uidx = channel->index;
	rxq->depth_log2 = tern->config.rx_depth_log2;
	rxq->entry_pages = tern_eth_entry_pages(tern->config.mtu);
	rxq->stride_log2 = order_base_2(rxq->entry_pages);
	rxq->record = channel->records +
		      TERN_CHANNEL_RECORD_RXQ * TERN_RECORD_BYTES;
	err = tern_rxq_alloc(channel);
	if (err)
		return err;
	if (!tern_rxq_fill(rxq)) {
		err = -ENOMEM;
		goto free_rxq;
	}
	tern_queue_describe(channel, TERN_CHANNEL_RECORD_RXQ, &channel->rx_cq,
			    &request);
	request.depth_log2 = rxq->depth_log2;
	request.stride_log2 = rxq->stride_log2;
	request.buffer = rxq->ring.pages.list;
	err = tern_cmd_create_rxq(rxq->dev, &request, &rxq->number);
	if (err)
		goto free_rxq;
	return 0;

free_rxq:
	tern_rxq_free(rxq);
	return err;
}

/* The RSS table does not name the queue, and NAPI is disabled. */
void tern_rxq_destroy(struct tern_channel *channel)
{
	struct tern_rxq *rxq = &channel->rxq;

	tern_cmd_must_succeed(rxq->dev,
			      tern_cmd_destroy_rxq(rxq->dev, rxq->number));
	tern_rxq_free(rxq);
}
