// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copyright (c) 2026 The Tern authors
 *
 * Transmit completions: frames go back to the stack.
 */
#include <linux/dma-mapping.h>
#include <linux/netdevice.h>
#include <linux/pci.h>
#include <net/netdev_queues.h>

#include <tern/hw/ring.h>

#include "eth.h"

/* Completions of one poll; more wait for the next. */
#define TERN_TX_CLEAN_BUDGET	256

static struct tern_tx_mapping *tern_tx_mapping(const struct tern_txq *txq,
					       u32 block, u32 sge)
{
	u32 first = block * TERN_WQE_BLOCK_SEGMENTS + TERN_ETH_FIRST_SGE;
	u32 depth = TERN_WQE_BLOCK_SEGMENTS << txq->depth_log2;

	return &txq->mappings[(first + sge) & (depth - 1)];
}

/**
 * tern_txq_unmap() - end the mappings of a WQE
 * @txq: the queue
 * @block: free-running count of its first block
 * @sges: how many there are, the head of the frame first
 */
void tern_txq_unmap(struct tern_txq *txq, u32 block, u32 sges)
{
	struct device *device = &txq->dev->pdev->dev;
	const struct tern_tx_mapping *mapping;
	u32 i;

	if (!sges)
		return;
	mapping = tern_tx_mapping(txq, block, 0);
	dma_unmap_single(device, mapping->dma, mapping->bytes, DMA_TO_DEVICE);
	for (i = 1; i < sges; i++) {
		mapping = tern_tx_mapping(txq, block, i);
		dma_unmap_page(device, mapping->dma, mapping->bytes,
			       DMA_TO_DEVICE);
	}
}

/* The oldest frame leaves the queue. */
static struct sk_buff *tern_txq_take(struct tern_txq *txq, u32 *cons)
{
	struct tern_tx_slot *slot =
		&txq->slots[tern_ring_slot(*cons, txq->depth_log2)];
	struct sk_buff *skb = slot->skb;

	tern_txq_unmap(txq, *cons, slot->sges);
	slot->skb = NULL;
	*cons += slot->blocks;
	return skb;
}

static void tern_tx_count(struct tern_channel_stats *stats, u32 packets,
			  u32 bytes, u32 errors)
{
	u64_stats_update_begin(&stats->tx_sync);
	u64_stats_add(&stats->tx_packets, packets);
	u64_stats_add(&stats->tx_bytes, bytes);
	u64_stats_add(&stats->tx_errors, errors);
	u64_stats_update_end(&stats->tx_sync);
}

/* Nothing is outstanding, or the card completes what never was posted. */
static bool tern_tx_is_expected(const struct tern_txq *txq, u32 cons,
				const struct tern_cqe *cqe)
{
	/* Pairs with the release in tern_tx_write(): the slot is whole. */
	return cons != smp_load_acquire(&txq->prod) &&
	       tern_eth_cqe_is_from(cqe, TERN_CQE_OP_ETH_TX, txq->uidx, cons);
}

/**
 * tern_txq_clean() - take transmit completions
 * @channel: whose NAPI runs
 * @budget: of NAPI; zero for netpoll
 *
 * Return: false if there may be more.
 */
bool tern_txq_clean(struct tern_channel *channel, int budget)
{
	u32 packets = 0, bytes = 0, errors = 0, taken = 0;
	struct tern_txq *txq = &channel->txq;
	u32 cons = txq->cons;
	struct tern_cqe cqe;

	while (taken < TERN_TX_CLEAN_BUDGET &&
	       tern_eth_cq_next(&channel->tx_cq, &cqe)) {
		struct sk_buff *skb;

		if (unlikely(!tern_tx_is_expected(txq, cons, &cqe))) {
			tern_device_set_fatal(txq->dev,
					      "impossible transmit completion");
			break;
		}
		skb = tern_txq_take(txq, &cons);
		if (le32_to_cpu(cqe.owner) & TERN_CQE_FAILED)
			errors++;
		bytes += skb->len;
		packets++;
		napi_consume_skb(skb, budget);
		taken++;
	}
	if (!taken)
		return true;
	tern_eth_cq_release(&channel->tx_cq);
	tern_tx_count(channel->stats, packets - errors, bytes, errors);
	/* Pairs with tern_txq_room() of the transmitting side. */
	smp_store_release(&txq->cons, cons);
	__netif_txq_completed_wake(txq->netdev_queue, packets, bytes,
				   (1U << txq->depth_log2) -
				   (READ_ONCE(txq->prod) - cons),
				   TERN_TXQ_START_BLOCKS, false);
	return taken < TERN_TX_CLEAN_BUDGET;
}

/**
 * tern_txq_drop_all() - free the frames that never completed
 * @txq: a queue that the card does not know any more
 */
void tern_txq_drop_all(struct tern_txq *txq)
{
	while (txq->cons != txq->prod)
		dev_kfree_skb_any(tern_txq_take(txq, &txq->cons));
}
