// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copyright (c) 2026 The Tern authors
 *
 * Memory of queues that the kernel owns. In one piece if there is one, else
 * in pages, where the bus needs no help to see what the kernel wrote.
 */
#include <linux/dma-mapping.h>
#include <linux/export.h>
#include <linux/pci.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "core.h"

static void tern_ring_unmap(struct device *device, struct tern_ring *ring,
			    u32 count)
{
	while (count--)
		dma_unmap_page(device, ring->mapped[count], PAGE_SIZE,
			       DMA_BIDIRECTIONAL);
}

static int tern_ring_map_page(struct device *device, struct tern_ring *ring,
			      u32 index)
{
	struct page *page = vmalloc_to_page(ring->cpu + index * PAGE_SIZE);
	dma_addr_t dma = dma_map_page(device, page, 0, PAGE_SIZE,
				      DMA_BIDIRECTIONAL);

	if (dma_mapping_error(device, dma))
		return -ENOMEM;
	if (dma_need_sync(device, dma)) {
		dma_unmap_page(device, dma, PAGE_SIZE, DMA_BIDIRECTIONAL);
		return -ENOMEM;
	}
	ring->mapped[index] = dma;
	return 0;
}

static int tern_ring_map(struct device *device, struct tern_ring *ring)
{
	u32 count = ring->bytes >> PAGE_SHIFT;
	u32 i;

	for (i = 0; i < count; i++) {
		if (tern_ring_map_page(device, ring, i)) {
			tern_ring_unmap(device, ring, i);
			return -ENOMEM;
		}
	}
	return 0;
}

static int tern_ring_list(struct tern_device *dev, struct tern_ring *ring)
{
	u32 count = ring->bytes >> PAGE_SHIFT;
	u32 i;
	int err;

	err = tern_pages_create(dev, count, PAGE_SHIFT, &ring->pages);
	if (err)
		return err;
	for (i = 0; i < count; i++)
		tern_pages_append(&ring->pages, ring->mapped[i]);
	return 0;
}

static int tern_ring_create_paged(struct tern_device *dev,
				  struct tern_ring *ring)
{
	struct device *device = &dev->pdev->dev;
	u32 count = ring->bytes >> PAGE_SHIFT;
	int err = -ENOMEM;

	ring->cpu = vzalloc(ring->bytes);
	if (!ring->cpu)
		return err;
	ring->mapped = kvcalloc(count, sizeof(*ring->mapped), GFP_KERNEL);
	if (!ring->mapped)
		goto free_memory;
	err = tern_ring_map(device, ring);
	if (err)
		goto free_mapped;
	err = tern_ring_list(dev, ring);
	if (err)
		goto unmap;
	return 0;

unmap:
	tern_ring_unmap(device, ring, count);
free_mapped:
	kvfree(ring->mapped);
	ring->mapped = NULL;
free_memory:
	vfree(ring->cpu);
	ring->cpu = NULL;
	return err;
}

/**
 * tern_ring_create() - memory that the kernel and the card share
 * @dev: the card
 * @bytes: its length, rounded up to whole pages
 * @ring: receives zeroed memory; released by tern_ring_destroy()
 *
 * Return: 0 or -ENOMEM.
 */
int tern_ring_create(struct tern_device *dev, size_t bytes,
		     struct tern_ring *ring)
{
	memset(ring, 0, sizeof(*ring));
	ring->bytes = PAGE_ALIGN(bytes);
	ring->cpu = dma_alloc_coherent(&dev->pdev->dev, ring->bytes, &ring->dma,
				       GFP_KERNEL | __GFP_NOWARN);
	if (!ring->cpu)
		return tern_ring_create_paged(dev, ring);
	tern_pages_describe(&ring->pages, ring->dma, ring->bytes);
	return 0;
}
EXPORT_SYMBOL_GPL(tern_ring_create);

/**
 * tern_ring_destroy() - release the memory; the card does not use it now
 * @dev: the card
 * @ring: the memory
 */
void tern_ring_destroy(struct tern_device *dev, struct tern_ring *ring)
{
	struct device *device = &dev->pdev->dev;

	tern_pages_destroy(dev, &ring->pages);
	if (!ring->mapped) {
		dma_free_coherent(device, ring->bytes, ring->cpu, ring->dma);
		return;
	}
	tern_ring_unmap(device, ring, ring->bytes >> PAGE_SHIFT);
	kvfree(ring->mapped);
	vfree(ring->cpu);
}
EXPORT_SYMBOL_GPL(tern_ring_destroy);
