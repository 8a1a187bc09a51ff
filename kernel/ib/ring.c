// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copyright (c) 2026 The Tern authors
 *
 * Memory of queues. That of user queues is pinned when the queue is created
 * and stays so until it is destroyed, whatever the process does with its
 * mapping; its length must be the one that follows from the depth.
 */
#include <linux/dma-mapping.h>
#include <rdma/iter.h>

#include "tern_ib.h"

/**
 * tern_ib_umem_pages() - pinned user memory as the card sees it
 * @dev: the card
 * @umem: the memory
 * @iova: address of its first byte to the card; its low bits are those of the
 *        first byte's place in its page
 * @pages: receives the list; released by tern_pages_destroy()
 *
 * The largest pages that the card has and the memory allows are used.
 *
 * Return: 0, -EINVAL or -ENOMEM.
 */
int tern_ib_umem_pages(struct tern_ib_device *dev, struct ib_umem *umem,
		       u64 iova, struct tern_pages *pages)
{
	struct ib_block_iter iterator;
	unsigned long page_bytes;
	size_t count;
	int err;

	page_bytes = ib_umem_find_best_pgsz(umem, dev->core->caps.page_sizes,
					    iova);
	if (!page_bytes)
		return -EINVAL;
	count = ib_umem_num_dma_blocks(umem, page_bytes);
	if (count > U32_MAX)
		return -EINVAL;
	err = tern_pages_create(dev->core, count, ilog2(page_bytes), pages);
	if (err)
		return err;
	rdma_umem_for_each_dma_block(umem, &iterator, page_bytes)
		tern_pages_append(pages,
				  rdma_block_iter_dma_address(&iterator));
	return 0;
}

/**
 * tern_ib_ring_pin() - memory of a user queue
 * @dev: the card
 * @address: user address, page aligned
 * @length: its length as the provider states it
 * @bytes: length of the queue
 * @ring: receives the memory; released by tern_ib_ring_release()
 *
 * Return: 0, -EINVAL if @length is not @bytes in whole pages, or why the
 * memory cannot be pinned.
 */
int tern_ib_ring_pin(struct tern_ib_device *dev, u64 address, u64 length,
		     u64 bytes, struct tern_ib_ring *ring)
{
	struct ib_umem *umem;
	int err;

	if (!PAGE_ALIGNED(address) || length != PAGE_ALIGN(bytes))
		return -EINVAL;
	umem = ib_umem_get(&dev->ibdev, address, length, IB_ACCESS_LOCAL_WRITE);
	if (IS_ERR(umem))
		return PTR_ERR(umem);
	err = tern_ib_umem_pages(dev, umem, 0, &ring->pages);
	if (err) {
		ib_umem_release(umem);
		return err;
	}
	ring->umem = umem;
	return 0;
}

/**
 * tern_ib_ring_alloc() - memory of a kernel queue
 * @dev: the card
 * @bytes: length of the queue
 * @ring: receives zeroed memory; released by tern_ib_ring_release()
 *
 * Return: 0 or -ENOMEM.
 */
int tern_ib_ring_alloc(struct tern_ib_device *dev, size_t bytes,
		       struct tern_ib_ring *ring)
{
	return tern_ring_create(dev->core, bytes, &ring->memory);
}

/* What the command that creates the queue carries. */
const struct tern_page_list *tern_ib_ring_list(const struct tern_ib_ring *ring)
{
	return ring->umem ? &ring->pages.list : &ring->memory.pages.list;
}

/* The card does not look at the ring any more. */
void tern_ib_ring_release(struct tern_ib_device *dev, struct tern_ib_ring *ring)
{
	if (ring->umem) {
		tern_pages_destroy(dev->core, &ring->pages);
		ib_umem_release(ring->umem);
	} else {
		tern_ring_destroy(dev->core, &ring->memory);
	}
}
