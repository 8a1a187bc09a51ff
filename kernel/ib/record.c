// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copyright (c) 2026 The Tern authors
 *
 * Doorbell records (hw/doorbell.h). Those of user queues lie in pages of the
 * provider; one page holds the records of many queues and stays pinned until
 * the last of them is destroyed, whatever the process does with its mapping.
 * Those of kernel queues come from a DMA pool.
 */
#include <linux/dmapool.h>
#include <linux/sched/mm.h>

#include "tern_ib.h"

/**
 * struct tern_ib_record_page - pinned page of doorbell records
 * @link: in the context's record_pages
 * @umem: the page
 * @users: records in use; the context's record_lock guards it
 */
struct tern_ib_record_page {
	struct list_head link;
	struct ib_umem *umem;
	u32 users;
};

/* The same address names another page in the child of a fork(). */
static struct tern_ib_record_page *
tern_ib_record_page_find(struct tern_ib_ucontext *context, u64 address)
{
	struct tern_ib_record_page *page;

	lockdep_assert_held(&context->record_lock);
	list_for_each_entry(page, &context->record_pages, link)
		if (page->umem->address == address &&
		    page->umem->owning_mm == current->mm)
			return page;
	return NULL;
}

static struct tern_ib_record_page *
tern_ib_record_page_pin(struct tern_ib_ucontext *context, u64 address)
{
	struct tern_ib_record_page *page;
	struct ib_umem *umem;

	lockdep_assert_held(&context->record_lock);
	page = kzalloc(sizeof(*page), GFP_KERNEL);
	if (!page)
		return ERR_PTR(-ENOMEM);
	umem = ib_umem_get(context->ibucontext.device, address, PAGE_SIZE,
			   IB_ACCESS_LOCAL_WRITE);
	if (IS_ERR(umem)) {
		kfree(page);
		return ERR_CAST(umem);
	}
	page->umem = umem;
	list_add(&page->link, &context->record_pages);
	return page;
}

/**
 * tern_ib_record_pin() - doorbell record of a user queue
 * @context: who owns the queue
 * @address: user address of the record
 * @record: receives the bus address; released by tern_ib_record_unpin()
 *
 * Return: 0, -EINVAL for an unaligned address, or why the page cannot be
 * pinned.
 */
int tern_ib_record_pin(struct tern_ib_ucontext *context, u64 address,
		       struct tern_ib_record *record)
{
	u64 page_address = address & PAGE_MASK;
	struct tern_ib_record_page *page;
	int err = 0;

	if (!IS_ALIGNED(address, TERN_RECORD_BYTES))
		return -EINVAL;
	mutex_lock(&context->record_lock);
	page = tern_ib_record_page_find(context, page_address);
	if (!page)
		page = tern_ib_record_page_pin(context, page_address);
	if (IS_ERR(page)) {
		err = PTR_ERR(page);
		goto unlock;
	}
	page->users++;
	record->page = page;
	record->dma = sg_dma_address(page->umem->sgt_append.sgt.sgl) +
		      (address - page_address);
unlock:
	mutex_unlock(&context->record_lock);
	return err;
}

void tern_ib_record_unpin(struct tern_ib_ucontext *context,
			  struct tern_ib_record *record)
{
	struct tern_ib_record_page *page = record->page;

	mutex_lock(&context->record_lock);
	if (--page->users == 0) {
		list_del(&page->link);
		ib_umem_release(page->umem);
		kfree(page);
	}
	mutex_unlock(&context->record_lock);
}

/**
 * tern_ib_record_alloc() - doorbell record of a kernel queue
 * @dev: the card
 * @record: receives a zeroed record; released by tern_ib_record_free()
 *
 * Return: 0 or -ENOMEM.
 */
int tern_ib_record_alloc(struct tern_ib_device *dev,
			 struct tern_ib_record *record)
{
	record->cpu = dma_pool_zalloc(dev->records, GFP_KERNEL, &record->dma);
	return record->cpu ? 0 : -ENOMEM;
}

void tern_ib_record_free(struct tern_ib_device *dev,
			 struct tern_ib_record *record)
{
	dma_pool_free(dev->records, record->cpu, record->dma);
}
