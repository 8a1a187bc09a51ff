// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copyright (c) 2026 The Tern authors
 *
 * Buffers for receive queues: pages of a pool, an entry takes as many as the
 * longest frame needs.
 */
#include <linux/netdevice.h>
#include <net/page_pool/helpers.h>

#include <tern/hw/access.h>
#include <tern/hw/ring.h>

#include "eth.h"

static struct page **tern_rx_entry_pages(const struct tern_rxq *rxq, u32 count)
{
	u32 slot = tern_ring_slot(count, rxq->depth_log2);

	return &rxq->pages[slot * rxq->entry_pages];
}

/* False: no memory now; what was had is kept for the next attempt. */
static bool tern_rx_get_pages(struct tern_rxq *rxq, struct page **pages)
{
	u32 i;

	for (i = 0; i < rxq->entry_pages; i++) {
		if (!pages[i])
			pages[i] = page_pool_dev_alloc_pages(rxq->pool);
		if (unlikely(!pages[i]))
			return false;
	}
	return true;
}

static void tern_rx_write(struct tern_rxq *rxq, struct page **pages)
{
	u32 slot = tern_ring_slot(rxq->prod, rxq->depth_log2);
	struct tern_sge *sge = rxq->ring.cpu;
	u32 i;

	sge += slot << rxq->stride_log2;
	for (i = 0; i < rxq->entry_pages; i++, sge++) {
		sge->address = cpu_to_le64(page_pool_get_dma_addr(pages[i]));
		sge->length_bytes = cpu_to_le32(PAGE_SIZE);
		sge->lkey = cpu_to_le32(TERN_LOCAL_DMA_LKEY);
	}
	if (i == 1U << rxq->stride_log2)
		return;
	sge->address = 0;
	sge->length_bytes = 0;
	sge->lkey = cpu_to_le32(TERN_INVALID_LKEY);
}

/**
 * tern_rxq_fill() - give the card all the buffers that it can have
 * @rxq: the queue
 *
 * Return: false if it has none at all, for want of memory.
 */
bool tern_rxq_fill(struct tern_rxq *rxq)
{
	u32 first = rxq->prod;

	while (rxq->prod - rxq->cons < 1U << rxq->depth_log2) {
		struct page **pages = tern_rx_entry_pages(rxq, rxq->prod);

		if (!tern_rx_get_pages(rxq, pages))
			break;
		tern_rx_write(rxq, pages);
		rxq->prod++;
	}
	if (rxq->prod != first) {
		/* Entries before the count that announces them. */
		dma_wmb();
		WRITE_ONCE(rxq->record->prod, cpu_to_le32(rxq->prod));
	}
	return rxq->prod != rxq->cons;
}

/**
 * tern_rxq_drop_all() - give all pages back
 * @rxq: a queue that the card does not know any more, or never did
 */
void tern_rxq_drop_all(struct tern_rxq *rxq)
{
	u32 count = rxq->entry_pages << rxq->depth_log2;
	u32 i;

	for (i = 0; i < count; i++) {
		if (rxq->pages[i])
			page_pool_put_full_page(rxq->pool, rxq->pages[i],
						false);
		rxq->pages[i] = NULL;
	}
}
