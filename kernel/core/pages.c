// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copyright (c) 2026 The Tern authors
 *
 * Page lists (hw/page_list.h): the tree is built bottom up, its shape known
 * from the number of data pages before the first of them is named.
 */
#include <linux/dma-mapping.h>
#include <linux/export.h>
#include <linux/math.h>
#include <linux/pci.h>
#include <linux/slab.h>

#include <tern/hw/limits.h>

#include "core.h"

struct tern_list_page {
	__le64 *entries;
	dma_addr_t dma;
};

static_assert(TERN_PAGE_LIST_ENTRIES * sizeof(__le64) == TERN_PAGE_BYTES);

/* Levels of the tree, and list pages in all of them. */
static int tern_pages_shape(u32 count, u8 *levels, u32 *table_count)
{
	u32 nodes = count;

	*levels = 0;
	*table_count = 0;
	while (nodes > 1) {
		nodes = DIV_ROUND_UP(nodes, TERN_PAGE_LIST_ENTRIES);
		*table_count += nodes;
		if (++*levels > TERN_PAGE_LIST_MAX_LEVELS)
			return -EINVAL;
	}
	return 0;
}

static void tern_pages_free_tables(struct tern_device *dev,
				   struct tern_pages *pages, u32 count)
{
	while (count--)
		dma_free_coherent(&dev->pdev->dev, TERN_PAGE_BYTES,
				  pages->tables[count].entries,
				  pages->tables[count].dma);
	kvfree(pages->tables);
	pages->tables = NULL;
	pages->table_count = 0;
}

static int tern_pages_alloc_tables(struct tern_device *dev,
				   struct tern_pages *pages, u32 count)
{
	u32 i;

	pages->tables = kvcalloc(count, sizeof(*pages->tables), GFP_KERNEL);
	if (!pages->tables)
		return -ENOMEM;
	for (i = 0; i < count; i++) {
		struct tern_list_page *table = &pages->tables[i];

		table->entries = dma_alloc_coherent(&dev->pdev->dev,
						    TERN_PAGE_BYTES,
						    &table->dma, GFP_KERNEL);
		if (!table->entries) {
			tern_pages_free_tables(dev, pages, i);
			return -ENOMEM;
		}
		cond_resched();
	}
	pages->table_count = count;
	return 0;
}

/* Each level's list pages are the entries of the level above. */
static void tern_pages_link(struct tern_pages *pages)
{
	u32 nodes = DIV_ROUND_UP(pages->count, TERN_PAGE_LIST_ENTRIES);
	struct tern_list_page *child = pages->tables;
	struct tern_list_page *parent = child + nodes;
	u32 i;

	while (nodes > 1) {
		for (i = 0; i < nodes; i++)
			parent[i / TERN_PAGE_LIST_ENTRIES]
				.entries[i % TERN_PAGE_LIST_ENTRIES] =
				cpu_to_le64(child[i].dma);
		child = parent;
		nodes = DIV_ROUND_UP(nodes, TERN_PAGE_LIST_ENTRIES);
		parent += nodes;
	}
	pages->list.root = cpu_to_le64(child->dma);
}

/**
 * tern_pages_create() - begin a page list
 * @dev: the card
 * @count: data pages that will be named, at least 1
 * @page_shift: log2 of a data page's bytes
 * @pages: receives the list; released by tern_pages_destroy()
 *
 * Return: 0, -EINVAL if the card cannot have so many, or -ENOMEM.
 */
int tern_pages_create(struct tern_device *dev, u32 count, u8 page_shift,
		      struct tern_pages *pages)
{
	u32 table_count;
	u8 levels;
	int err;

	memset(pages, 0, sizeof(*pages));
	if (!count || page_shift < TERN_PAGE_SHIFT_MIN ||
	    page_shift > TERN_PAGE_SHIFT_MAX)
		return -EINVAL;
	err = tern_pages_shape(count, &levels, &table_count);
	if (err)
		return err;
	pages->count = count;
	pages->list.page_count = cpu_to_le32(count);
	pages->list.page_shift = page_shift;
	pages->list.levels = levels;
	if (!table_count)
		return 0;
	err = tern_pages_alloc_tables(dev, pages, table_count);
	if (err)
		return err;
	tern_pages_link(pages);
	return 0;
}
EXPORT_SYMBOL_GPL(tern_pages_create);

/**
 * tern_pages_append() - name the next data page
 * @pages: the list
 * @address: bus address of the page, aligned to its size
 *
 * Called as often as there are data pages, before the card sees the list.
 */
void tern_pages_append(struct tern_pages *pages, u64 address)
{
	u32 index = pages->appended;

	if (WARN_ON_ONCE(index >= pages->count))
		return;
	pages->appended++;
	if (!pages->table_count) {
		pages->list.root = cpu_to_le64(address);
		return;
	}
	pages->tables[index / TERN_PAGE_LIST_ENTRIES]
		.entries[index % TERN_PAGE_LIST_ENTRIES] = cpu_to_le64(address);
}
EXPORT_SYMBOL_GPL(tern_pages_append);

/* A buffer in one piece needs no list. */
void tern_pages_describe(struct tern_pages *pages, u64 address, size_t bytes)
{
	memset(pages, 0, sizeof(*pages));
	pages->count = bytes >> TERN_PAGE_SHIFT;
	pages->appended = pages->count;
	pages->list.root = cpu_to_le64(address);
	pages->list.page_count = cpu_to_le32(pages->count);
	pages->list.page_shift = TERN_PAGE_SHIFT;
}

/**
 * tern_pages_destroy() - release the lists; the card does not read them now
 * @dev: the card
 * @pages: the list
 */
void tern_pages_destroy(struct tern_device *dev, struct tern_pages *pages)
{
	if (pages->tables)
		tern_pages_free_tables(dev, pages, pages->table_count);
}
EXPORT_SYMBOL_GPL(tern_pages_destroy);
