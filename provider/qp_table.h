/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Copyright (c) 2026 The Tern authors
 *
 * From the uidx of a CQE to the QP. Indices are dense, so two levels stay
 * small; pages once there stay, so looking up takes no lock.
 */
#ifndef __TERN_QP_TABLE_H__
#define __TERN_QP_TABLE_H__

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include <tern/hw/cqe.h>

#define TERN_QP_PAGE_SHIFT	12
#define TERN_QP_PAGE_QPS	(1U << TERN_QP_PAGE_SHIFT)
#define TERN_QP_TABLE_QPS	(TERN_FIELD_MAX(TERN_CQE_UIDX) + 1)
#define TERN_QP_TABLE_PAGES	(TERN_QP_TABLE_QPS >> TERN_QP_PAGE_SHIFT)

struct tern_qp;

struct tern_qp_page {
	_Atomic(struct tern_qp *) qps[TERN_QP_PAGE_QPS];
};

struct tern_qp_table {
	/* Never NULL: where there is no QP yet, they share an empty page. */
	_Atomic(struct tern_qp_page *) pages[TERN_QP_TABLE_PAGES];
	pthread_mutex_t mutex;		/* of whoever adds or removes */
	uint32_t first_free;		/* no free index is lower */
};

void tern_qp_table_init(struct tern_qp_table *table);
void tern_qp_table_fini(struct tern_qp_table *table);
/* Gives @qp the lowest free index. Returns 0 or ENOMEM. */
int tern_qp_table_add(struct tern_qp_table *table, struct tern_qp *qp,
		      uint32_t *uidx);
void tern_qp_table_remove(struct tern_qp_table *table, uint32_t uidx);

/* The QP of @uidx (below TERN_QP_TABLE_QPS), or NULL. */
static inline struct tern_qp *tern_qp_table_find(struct tern_qp_table *table,
						 uint32_t uidx)
{
	struct tern_qp_page *page =
		atomic_load_explicit(&table->pages[uidx >> TERN_QP_PAGE_SHIFT],
				     memory_order_acquire);

	return atomic_load_explicit(&page->qps[uidx & (TERN_QP_PAGE_QPS - 1)],
				    memory_order_acquire);
}

#endif
