// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copyright (c) 2026 The Tern authors
 *
 * Receive completions: pages become frames.
 */
#include <linux/etherdevice.h>
#include <linux/netdevice.h>
#include <net/page_pool/helpers.h>

#include <tern/hw/ring.h>

#include "eth.h"

/* Shorter frames are copied; of longer ones the headers are. */
#define TERN_RX_COPY_BYTES	256

static struct page **tern_rx_entry(const struct tern_rxq *rxq)
{
	u32 slot = tern_ring_slot(rxq->cons, rxq->depth_log2);

	return &rxq->pages[slot * rxq->entry_pages];
}

static void tern_rx_sync(const struct tern_rxq *rxq, struct page **pages,
			 u32 bytes)
{
	u32 i;

	for (i = 0; i * PAGE_SIZE < bytes; i++)
		page_pool_dma_sync_for_cpu(rxq->pool, pages[i], 0,
					   min_t(u32, bytes - i * PAGE_SIZE,
						 PAGE_SIZE));
}

/* Bytes from @offset on stay where they are; the frame takes the pages. */
static void tern_rx_add_pages(struct tern_rxq *rxq, struct sk_buff *skb,
			      struct page **pages, u32 offset, u32 bytes)
{
	u32 i;

	for (i = 0; i * PAGE_SIZE < bytes; i++) {
		u32 end = min_t(u32, bytes - i * PAGE_SIZE, PAGE_SIZE);

		skb_add_rx_frag(skb, i, pages[i], offset, end - offset,
				PAGE_SIZE);
		pages[i] = NULL;
		offset = 0;
	}
	skb_mark_for_recycle(skb);
}

static struct sk_buff *tern_rx_build(struct tern_channel *channel,
				     struct page **pages, u32 bytes)
{
	void *data = page_address(pages[0]);
	struct sk_buff *skb;
	u32 copied = bytes;

	skb = napi_alloc_skb(&channel->napi, TERN_RX_COPY_BYTES);
	if (unlikely(!skb))
		return NULL;
	tern_rx_sync(&channel->rxq, pages, bytes);
	if (bytes > TERN_RX_COPY_BYTES)
		copied = eth_get_headlen(channel->tern->netdev, data,
					 TERN_RX_COPY_BYTES);
	skb_put_data(skb, data, copied);
	if (copied < bytes)
		tern_rx_add_pages(&channel->rxq, skb, pages, copied, bytes);
	return skb;
}

static void tern_rx_describe(struct tern_channel *channel, struct sk_buff *skb,
			     const struct tern_cqe *cqe)
{
	struct net_device *netdev = channel->tern->netdev;
	bool is_verified = le32_to_cpu(cqe->source) & TERN_CQE_CSUM_OK;
	u32 hash = be32_to_cpu(cqe->immediate);

	skb_record_rx_queue(skb, channel->index);
	skb->protocol = eth_type_trans(skb, netdev);
	if (is_verified && netdev->features & NETIF_F_RXCSUM)
		skb->ip_summed = CHECKSUM_UNNECESSARY;
	/* A verified L4 checksum means that ports were hashed, too. */
	if (hash && netdev->features & NETIF_F_RXHASH)
		skb_set_hash(skb, hash, is_verified ? PKT_HASH_TYPE_L4 :
						      PKT_HASH_TYPE_L3);
}

static void tern_rx_count(struct tern_channel_stats *stats, u32 packets,
			  u32 bytes, u32 errors, u32 dropped)
{
	u64_stats_update_begin(&stats->rx_sync);
	u64_stats_add(&stats->rx_packets, packets);
	u64_stats_add(&stats->rx_bytes, bytes);
	u64_stats_add(&stats->rx_errors, errors);
	u64_stats_add(&stats->rx_dropped, dropped);
	u64_stats_update_end(&stats->rx_sync);
}

/* A completion of the entry at cons; its pages stay there unless taken. */
static void tern_rx_one(struct tern_channel *channel,
			const struct tern_cqe *cqe)
{
	struct tern_rxq *rxq = &channel->rxq;
	u32 bytes = le32_to_cpu(cqe->byte_len);
	struct sk_buff *skb;

	if (unlikely(le32_to_cpu(cqe->owner) & TERN_CQE_FAILED ||
		     bytes < ETH_HLEN ||
		     bytes > rxq->entry_pages * PAGE_SIZE)) {
		tern_rx_count(channel->stats, 0, 0, 1, 0);
		return;
	}
	skb = tern_rx_build(channel, tern_rx_entry(rxq), bytes);
	if (unlikely(!skb)) {
		tern_rx_count(channel->stats, 0, 0, 0, 1);
		return;
	}
	tern_rx_describe(channel, skb, cqe);
	tern_rx_count(channel->stats, 1, bytes, 0, 0);
	napi_gro_receive(&channel->napi, skb);
}

/* Pages that a frame did not take serve the entry that comes next there. */
static bool tern_rx_is_expected(const struct tern_rxq *rxq,
				const struct tern_cqe *cqe)
{
	return rxq->cons != rxq->prod &&
	       tern_eth_cqe_is_from(cqe, TERN_CQE_OP_ETH_RX, rxq->uidx,
				    rxq->cons);
}

/**
 * tern_rxq_poll() - take receive completions
 * @channel: whose NAPI runs
 * @budget: frames at most
 *
 * Return: frames taken.
 */
int tern_rxq_poll(struct tern_channel *channel, int budget)
{
	struct tern_rxq *rxq = &channel->rxq;
	struct tern_cqe cqe;
	int taken = 0;

	while (taken < budget && tern_eth_cq_next(&channel->rx_cq, &cqe)) {
		if (unlikely(!tern_rx_is_expected(rxq, &cqe))) {
			tern_device_set_fatal(rxq->dev,
					      "impossible receive completion");
			break;
		}
		tern_rx_one(channel, &cqe);
		rxq->cons++;
		taken++;
	}
	if (taken)
		tern_eth_cq_release(&channel->rx_cq);
	return taken;
}
