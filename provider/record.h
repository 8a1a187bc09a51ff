/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Copyright (c) 2026 The Tern authors
 *
 * Doorbell records (tern/hw/doorbell.h): 64-byte lines, many to a page, because
 * the kernel pins pages.
 */
#ifndef __TERN_RECORD_H__
#define __TERN_RECORD_H__

#include <pthread.h>

#include <ccan/list.h>

struct tern_record_pool {
	pthread_mutex_t mutex;
	struct list_head pages;
	size_t page_size;
};

void tern_record_pool_init(struct tern_record_pool *pool, size_t page_size);
/* Every record has been freed. */
void tern_record_pool_fini(struct tern_record_pool *pool);

/* A zeroed record, or NULL with errno set. */
void *tern_record_alloc(struct tern_record_pool *pool);
/* The kernel has unpinned the record: its queue is destroyed. */
void tern_record_free(struct tern_record_pool *pool, void *record);

#endif
