// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copyright (c) 2026 The Tern authors
 *
 * Transmit: a frame becomes one WQE of SGEs, the checksum is left to the card.
 */
#include <linux/dma-mapping.h>
#include <linux/etherdevice.h>
#include <linux/netdevice.h>
#include <linux/pci.h>
#include <net/netdev_queues.h>

#include <tern/hw/access.h>
#include <tern/hw/eth_wqe.h>
#include <tern/hw/ring.h>

#include "eth.h"

static_assert(TERN_ETH_MAX_BLOCKS <= TERN_WQE_MAX_BLOCKS);
static_assert(sizeof(struct tern_sge) == TERN_WQE_SEGMENT_BYTES);
static_assert(sizeof(struct tern_wqe_control) + sizeof(struct tern_wqe_eth) ==
	      TERN_ETH_FIRST_SGE * TERN_WQE_SEGMENT_BYTES);

static u32 tern_txq_room(const struct tern_txq *txq)
{
	return (1U << txq->depth_log2) - (txq->prod - READ_ONCE(txq->cons));
}

static u32 tern_tx_blocks(u32 sges)
{
	return DIV_ROUND_UP(TERN_ETH_FIRST_SGE + sges, TERN_WQE_BLOCK_SEGMENTS);
}

/* Number of a segment within the ring; a WQE may wrap at any block. */
static u32 tern_tx_segment(const struct tern_txq *txq, u32 segment)
{
	u32 first = txq->prod * TERN_WQE_BLOCK_SEGMENTS;
	u32 depth = TERN_WQE_BLOCK_SEGMENTS << txq->depth_log2;

	return (first + segment) & (depth - 1);
}

static void *tern_tx_address(const struct tern_txq *txq, u32 segment)
{
	return txq->ring.cpu +
	       tern_tx_segment(txq, segment) * TERN_WQE_SEGMENT_BYTES;
}

/* The mapping is kept beside the WQE: the card could change what it reads. */
static bool tern_tx_add_sge(struct tern_txq *txq, u32 index, dma_addr_t dma,
			    u32 bytes)
{
	u32 segment = TERN_ETH_FIRST_SGE + index;
	struct tern_sge *sge = tern_tx_address(txq, segment);
	struct tern_tx_mapping *mapping =
		&txq->mappings[tern_tx_segment(txq, segment)];

	if (dma_mapping_error(&txq->dev->pdev->dev, dma))
		return false;
	mapping->dma = dma;
	mapping->bytes = bytes;
	sge->address = cpu_to_le64(dma);
	sge->length_bytes = cpu_to_le32(bytes);
	sge->lkey = cpu_to_le32(TERN_LOCAL_DMA_LKEY);
	return true;
}

static bool tern_tx_map(struct tern_txq *txq, const struct sk_buff *skb)
{
	const struct skb_shared_info *shared = skb_shinfo(skb);
	struct device *device = &txq->dev->pdev->dev;
	dma_addr_t dma;
	u32 i;

	dma = dma_map_single(device, skb->data, skb_headlen(skb),
			     DMA_TO_DEVICE);
	if (!tern_tx_add_sge(txq, 0, dma, skb_headlen(skb)))
		return false;
	for (i = 0; i < shared->nr_frags; i++) {
		const skb_frag_t *frag = &shared->frags[i];

		dma = skb_frag_dma_map(device, frag, 0, skb_frag_size(frag),
				       DMA_TO_DEVICE);
		if (!tern_tx_add_sge(txq, i + 1, dma, skb_frag_size(frag))) {
			tern_txq_unmap(txq, txq->prod, i + 1);
			return false;
		}
	}
	return true;
}

static void tern_tx_write_control(struct tern_txq *txq, u32 blocks, u32 sges,
				  bool has_csum)
{
	struct tern_wqe_control *control = tern_tx_address(txq, 0);

	control->qpn_opcode =
		cpu_to_le32(TERN_SET32(TERN_WQE_QPN, txq->number) |
			    TERN_SET32(TERN_WQE_OPCODE, TERN_WQE_OP_ETH_SEND));
	control->index = cpu_to_le16(txq->prod);
	control->flags = TERN_SET32(TERN_WQE_BLOCKS, blocks - 1) |
			 TERN_WQE_SIGNALED | (has_csum ? TERN_WQE_CSUM : 0);
	control->count = sges;
	control->immediate = 0;
	control->qkey = 0;
}

static void tern_tx_write_offload(struct tern_txq *txq,
				  const struct sk_buff *skb, bool has_csum)
{
	struct tern_wqe_eth *offload = tern_tx_address(txq, 1);

	memset(offload, 0, sizeof(*offload));
	if (!has_csum)
		return;
	offload->csum_start = cpu_to_le16(skb_checksum_start_offset(skb));
	offload->csum_offset = cpu_to_le16(skb->csum_offset);
}

static void tern_tx_write(struct tern_txq *txq, struct sk_buff *skb, u32 sges)
{
	bool has_csum = skb->ip_summed == CHECKSUM_PARTIAL;
	struct tern_tx_slot *slot =
		&txq->slots[tern_ring_slot(txq->prod, txq->depth_log2)];
	u32 blocks = tern_tx_blocks(sges);

	tern_tx_write_control(txq, blocks, sges, has_csum);
	tern_tx_write_offload(txq, skb, has_csum);
	slot->skb = skb;
	slot->blocks = blocks;
	slot->sges = sges;
	/* Pairs with the acquire in tern_tx_is_expected(). */
	smp_store_release(&txq->prod, txq->prod + blocks);
}

static void tern_txq_ring(struct tern_txq *txq)
{
	if (txq->rung == txq->prod)
		return;
	txq->rung = txq->prod;
	/* WQEs before the count that announces them. */
	dma_wmb();
	WRITE_ONCE(txq->record->prod, cpu_to_le32(txq->prod));
	tern_doorbell_ring(txq->dev, TERN_DOORBELL_ETH_TX,
			   TERN_SET64(TERN_DB_QUEUE_NUMBER, txq->number) |
			   TERN_SET64(TERN_DB_QUEUE_PROD, txq->prod));
}

/* Frames before it may wait for the doorbell that it was to ring. */
static netdev_tx_t tern_tx_drop(struct tern_channel *channel,
				struct sk_buff *skb)
{
	struct tern_channel_stats *stats = channel->stats;

	dev_kfree_skb_any(skb);
	u64_stats_update_begin(&stats->xmit_sync);
	u64_stats_inc(&stats->tx_dropped);
	u64_stats_update_end(&stats->xmit_sync);
	if (!netdev_xmit_more())
		tern_txq_ring(&channel->txq);
	return NETDEV_TX_OK;
}

static bool tern_tx_prepare(const struct tern_txq *txq, struct sk_buff *skb)
{
	if (tern_device_is_dead(txq->dev))
		return false;
	if (skb_shinfo(skb)->nr_frags >= TERN_ETH_MAX_SGE &&
	    skb_linearize(skb))
		return false;
	/* Does not free the frame, unlike eth_skb_pad(). */
	return !__skb_put_padto(skb, ETH_ZLEN, false);
}

/**
 * tern_eth_xmit() - ndo_start_xmit
 * @skb: the frame
 * @netdev: the netdev
 *
 * Return: NETDEV_TX_OK, or NETDEV_TX_BUSY if the queue was full though it
 * should have been stopped.
 */
netdev_tx_t tern_eth_xmit(struct sk_buff *skb, struct net_device *netdev)
{
	struct tern_netdev *tern = netdev_priv(netdev);
	struct tern_channel *channel =
		&tern->channels[skb_get_queue_mapping(skb)];
	struct tern_txq *txq = &channel->txq;
	u32 bytes;

	if (unlikely(tern_txq_room(txq) < TERN_ETH_MAX_BLOCKS)) {
		netif_tx_stop_queue(txq->netdev_queue);
		return NETDEV_TX_BUSY;
	}
	if (unlikely(!tern_tx_prepare(txq, skb)) ||
	    unlikely(!tern_tx_map(txq, skb)))
		return tern_tx_drop(channel, skb);
	skb_tx_timestamp(skb);
	bytes = skb->len;
	tern_tx_write(txq, skb, skb_shinfo(skb)->nr_frags + 1);

	netif_txq_maybe_stop(txq->netdev_queue, tern_txq_room(txq),
			     TERN_TXQ_STOP_BLOCKS, TERN_TXQ_START_BLOCKS);
	if (__netdev_tx_sent_queue(txq->netdev_queue, bytes,
				   netdev_xmit_more()))
		tern_txq_ring(txq);
	return NETDEV_TX_OK;
}
