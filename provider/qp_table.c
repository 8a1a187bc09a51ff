// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copyright (c) 2026 The Tern authors
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "qp_table.h"

static struct tern_qp_page tern_no_qps;

void tern_qp_table_init(struct tern_qp_table *table)
{
	uint32_t i;

	for (i = 0; i < TERN_QP_TABLE_PAGES; i++)
		atomic_store_explicit(&table->pages[i], &tern_no_qps,
				      memory_order_relaxed);
	pthread_mutex_init(&table->mutex, NULL);
}

static bool tern_qp_table_has_page(struct tern_qp_table *table, uint32_t i)
{
	return atomic_load(&table->pages[i]) != &tern_no_qps;
}

void tern_qp_table_fini(struct tern_qp_table *table)
{
	uint32_t i;

	for (i = 0; i < TERN_QP_TABLE_PAGES; i++)
		if (tern_qp_table_has_page(table, i))
			free(atomic_load(&table->pages[i]));
	pthread_mutex_destroy(&table->mutex);
}

static int tern_qp_table_grow(struct tern_qp_table *table, uint32_t page_index)
{
	struct tern_qp_page *page;

	if (tern_qp_table_has_page(table, page_index))
		return 0;
	page = calloc(1, sizeof(*page));
	if (!page)
		return ENOMEM;
	atomic_store(&table->pages[page_index], page);
	return 0;
}

static int tern_qp_table_place(struct tern_qp_table *table, struct tern_qp *qp,
			       uint32_t *uidx)
{
	uint32_t i = table->first_free;
	struct tern_qp_page *page;
	int err;

	while (i < TERN_QP_TABLE_QPS && tern_qp_table_find(table, i))
		i++;
	if (i == TERN_QP_TABLE_QPS)
		return ENOMEM;
	err = tern_qp_table_grow(table, i >> TERN_QP_PAGE_SHIFT);
	if (err)
		return err;
	page = atomic_load(&table->pages[i >> TERN_QP_PAGE_SHIFT]);
	atomic_store(&page->qps[i & (TERN_QP_PAGE_QPS - 1)], qp);
	table->first_free = i + 1;
	*uidx = i;
	return 0;
}

int tern_qp_table_add(struct tern_qp_table *table, struct tern_qp *qp,
		      uint32_t *uidx)
{
	int err;

	pthread_mutex_lock(&table->mutex);
	err = tern_qp_table_place(table, qp, uidx);
	pthread_mutex_unlock(&table->mutex);
	return err;
}

void tern_qp_table_remove(struct tern_qp_table *table, uint32_t uidx)
{
	struct tern_qp_page *page;

	pthread_mutex_lock(&table->mutex);
	page = atomic_load(&table->pages[uidx >> TERN_QP_PAGE_SHIFT]);
	atomic_store(&page->qps[uidx & (TERN_QP_PAGE_QPS - 1)], NULL);
	if (uidx < table->first_free)
		table->first_free = uidx;
	pthread_mutex_unlock(&table->mutex);
}
