// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copyright (c) 2026 The Tern authors
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <util/bitmap.h>

#include <tern/hw/doorbell.h>

#include "buffer.h"
#include "record.h"

struct tern_record_page {
	struct list_node entry;
	struct tern_buffer buffer;
	unsigned int count;
	unsigned int used;
	unsigned long *free_records;	/* bit set: free */
};

void tern_record_pool_init(struct tern_record_pool *pool, size_t page_size)
{
	pthread_mutex_init(&pool->mutex, NULL);
	list_head_init(&pool->pages);
	pool->page_size = page_size;
}

void tern_record_pool_fini(struct tern_record_pool *pool)
{
	pthread_mutex_destroy(&pool->mutex);
}

static struct tern_record_page *tern_record_page_alloc(size_t page_size)
{
	struct tern_record_page *page;
	int err;

	page = calloc(1, sizeof(*page));
	if (!page)
		return NULL;
	page->count = page_size / TERN_RECORD_BYTES;
	page->free_records = bitmap_alloc1(page->count);
	if (!page->free_records)
		goto free_page;
	err = tern_buffer_alloc(&page->buffer, page_size, page_size);
	if (err) {
		errno = err;
		goto free_bitmap;
	}
	return page;

free_bitmap:
	free(page->free_records);
free_page:
	free(page);
	return NULL;
}

static void tern_record_page_free(struct tern_record_page *page)
{
	tern_buffer_free(&page->buffer);
	free(page->free_records);
	free(page);
}

static struct tern_record_page *
tern_record_page_with_room(struct tern_record_pool *pool)
{
	struct tern_record_page *page;

	list_for_each(&pool->pages, page, entry)
		if (page->used < page->count)
			return page;

	page = tern_record_page_alloc(pool->page_size);
	if (page)
		list_add(&pool->pages, &page->entry);
	return page;
}

void *tern_record_alloc(struct tern_record_pool *pool)
{
	struct tern_record_page *page;
	void *record = NULL;
	unsigned int line;

	pthread_mutex_lock(&pool->mutex);
	page = tern_record_page_with_room(pool);
	if (page) {
		line = bitmap_find_first_bit(page->free_records, 0,
					     page->count);
		bitmap_clear_bit(page->free_records, line);
		page->used++;
		record = page->buffer.address + line * TERN_RECORD_BYTES;
		memset(record, 0, TERN_RECORD_BYTES);
	}
	pthread_mutex_unlock(&pool->mutex);
	return record;
}

static struct tern_record_page *tern_record_page_of(struct tern_record_pool *pool,
						    void *record)
{
	uintptr_t address = (uintptr_t)record & ~(pool->page_size - 1);
	struct tern_record_page *page;

	list_for_each(&pool->pages, page, entry)
		if ((uintptr_t)page->buffer.address == address)
			return page;
	return NULL;
}

void tern_record_free(struct tern_record_pool *pool, void *record)
{
	struct tern_record_page *page;
	unsigned int line;

	pthread_mutex_lock(&pool->mutex);
	page = tern_record_page_of(pool, record);
	if (page) {
		line = (record - page->buffer.address) / TERN_RECORD_BYTES;
		bitmap_set_bit(page->free_records, line);
		if (--page->used == 0) {
			list_del(&page->entry);
			tern_record_page_free(page);
		}
	}
	pthread_mutex_unlock(&pool->mutex);
}
