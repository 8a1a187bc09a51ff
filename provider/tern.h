/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Copyright (c) 2026 The Tern authors
 *
 * Objects of the provider and the verbs on them.
 */
#ifndef __TERN_H__
#define __TERN_H__

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <infiniband/driver.h>
#include <ccan/container_of.h>
#include <util/util.h>

#include <tern/hw/cqe.h>
#include <tern/hw/doorbell.h>
#include <tern/hw/limits.h>
#include <tern/hw/ring.h>
#include <tern/hw/wqe.h>

#include "buffer.h"
#include "qp_table.h"
#include "record.h"

#define TERN_CACHE_LINE_BYTES	64

/* What the kernel says at open: limits of queues, in the ABI's units. */
struct tern_limits {
	uint32_t send_blocks_log2;
	uint32_t recv_entries_log2;
	uint32_t cqe_log2;
	uint32_t inline_bytes;
	uint32_t send_sge;
	uint32_t recv_sge;
};

struct tern_context {
	struct verbs_context ibv_ctx;
	void *doorbells;		/* one page, uncached */
	void *push_page;		/* one page, write combining; NULL: unused */
	uint32_t page_size;
	struct tern_limits limits;
	struct tern_record_pool records;
	struct tern_qp_table qps;
	pthread_mutex_t push_mutex;
	uint64_t free_push_slots;	/* bit n: slot n */
};

/* One thread at a time uses what belongs to it, so nothing in it is locked. */
struct tern_td {
	struct ibv_td ibv_td;
	atomic_int users;
};

/* A protection domain, or a parent domain around one. */
struct tern_pd {
	struct ibv_pd ibv_pd;
	struct tern_pd *contained;	/* parent domain: around this one */
	struct tern_td *td;		/* parent domain: may be NULL */
	atomic_int users;		/* parent domains, QPs and CQs made with it */
};

struct tern_ah {
	struct ibv_ah ibv_ah;
	struct tern_wqe_address_vector av; /* all but remote_qpn */
};

struct tern_cq {
	struct verbs_cq verbs_cq;
	_Atomic(uintptr_t) next;	/* entry to look at, and its phase */
	struct tern_cqe *ring;
	struct tern_cqe *ring_end;
	_Atomic(uint32_t) cons;		/* free-running count of that entry */
	uint32_t depth_log2;
	struct tern_qp_table *qps;
	struct tern_cq_record *record;
	pthread_spinlock_t lock;
	bool need_lock;
	uint32_t cqn;
	uint32_t arm_seq;
	void *doorbell;
	struct tern_buffer buffer;
	struct tern_pd *parent;		/* NULL: no parent domain */

	/* ibv_start_poll() up to ibv_end_poll(): the entry that is shown. */
	const struct tern_cqe *current;
	struct tern_qp *current_qp;
	uint32_t current_owner;
};

/* What a send WQE, found by its first slot, is to the consumer. */
struct tern_sq_shadow {
	uint64_t wr_id;
	uint32_t next_wr;		/* count of the work request after it */
};

/*
 * Counts are free-running: blocks of the ring, and work requests. Every WQE is
 * at most as long as the ring's share of one work request, so that a ring with
 * room for a work request has room for its WQE.
 */
struct tern_sq {
	uint8_t *ring;
	uint8_t *ring_end;
	struct tern_sq_shadow *shadow;	/* one per block */
	uint32_t mask;			/* blocks less one */
	uint32_t qpn;
	uint32_t prod;			/* blocks */
	_Atomic(uint32_t) wr_prod;	/* work requests */
	uint32_t max_wr;		/* 0: the state forbids posting */
	uint32_t max_sge;
	uint32_t max_inline;
	pthread_spinlock_t lock;
	bool need_lock;
	__le32 *record;
	void *doorbell;
	void *push;			/* slot of this QP alone; NULL: doorbells */

	/* ibv_wr_start() up to ibv_wr_complete(). */
	void *build;			/* where the data of the WQE being written go */
	uint32_t build_prod;
	uint32_t build_wr_prod;
	uint32_t build_full;		/* build_wr_prod at which no more fit */
	int build_err;
	/* Stands for the WQE that was refused, so that its data harm nothing. */
	uint8_t build_refused[TERN_SQ_BLOCK_BYTES]
		__attribute__((aligned(TERN_SQ_BLOCK_BYTES)));

	/* Written by who polls; apart from what is read by who posts. */
	_Atomic(uint32_t) wr_cons
		__attribute__((aligned(TERN_CACHE_LINE_BYTES)));
};

/* Posts a list into a queue that nobody else posts to at the same time. */
typedef int (*tern_post_send_fn)(struct tern_sq *sq, struct ibv_send_wr *wr,
				 struct ibv_send_wr **bad_wr);

struct tern_rq {
	uint8_t *ring;
	uint64_t *wr_ids;		/* one per entry */
	uint32_t mask;			/* entries less one */
	uint32_t stride_log2;		/* SGEs per entry */
	_Atomic(uint32_t) prod;
	uint32_t max_wr;		/* 0: the state forbids posting */
	uint32_t max_sge;
	pthread_spinlock_t lock;
	bool need_lock;
	__le32 *record;

	_Atomic(uint32_t) cons
		__attribute__((aligned(TERN_CACHE_LINE_BYTES)));
};

struct tern_qp {
	struct verbs_qp verbs_qp;
	tern_post_send_fn post_send;
	struct tern_sq sq;
	struct tern_rq rq;
	uint32_t uidx;
	uint32_t push_slot;		/* with sq.push */
	struct ibv_qp_cap cap;
	struct tern_qp_record *record;
	struct tern_buffer sq_buffer;
	struct tern_buffer rq_buffer;	/* address NULL: no receive queue */
	struct tern_pd *parent;		/* NULL: no parent domain */
};

static inline struct tern_context *to_tern_context(struct ibv_context *ibctx)
{
	return container_of(ibctx, struct tern_context, ibv_ctx.context);
}

static inline struct tern_td *to_tern_td(struct ibv_td *ibtd)
{
	return container_of(ibtd, struct tern_td, ibv_td);
}

static inline struct tern_pd *to_tern_pd(struct ibv_pd *ibpd)
{
	return container_of(ibpd, struct tern_pd, ibv_pd);
}

static inline struct tern_ah *to_tern_ah(struct ibv_ah *ibah)
{
	return container_of(ibah, struct tern_ah, ibv_ah);
}

static inline struct tern_cq *to_tern_cq(struct ibv_cq *ibcq)
{
	return container_of(ibcq, struct tern_cq, verbs_cq.cq);
}

static inline struct tern_cq *to_tern_cq_ex(struct ibv_cq_ex *ibcq)
{
	return container_of(ibcq, struct tern_cq, verbs_cq.cq_ex);
}

static inline struct tern_qp *to_tern_qp(struct ibv_qp *ibqp)
{
	return container_of(ibqp, struct tern_qp, verbs_qp.qp);
}

static inline struct tern_qp *to_tern_qp_ex(struct ibv_qp_ex *ibqp)
{
	return container_of(ibqp, struct tern_qp, verbs_qp.qp_ex);
}

static inline void tern_lock(pthread_spinlock_t *lock, bool need_lock)
{
	if (need_lock)
		pthread_spin_lock(lock);
}

static inline void tern_unlock(pthread_spinlock_t *lock, bool need_lock)
{
	if (need_lock)
		pthread_spin_unlock(lock);
}

/* domain.c */
struct ibv_pd *tern_alloc_pd(struct ibv_context *ibctx);
int tern_dealloc_pd(struct ibv_pd *ibpd);
struct ibv_td *tern_alloc_td(struct ibv_context *ibctx,
			     struct ibv_td_init_attr *attr);
int tern_dealloc_td(struct ibv_td *ibtd);
struct ibv_pd *
tern_alloc_parent_domain(struct ibv_context *ibctx,
			 struct ibv_parent_domain_init_attr *attr);
/*
 * A QP or a CQ is made with @ibpd. Returns its parent domain, which must be
 * put later, or NULL if it is an ordinary PD.
 */
struct tern_pd *tern_parent_domain_get(struct ibv_pd *ibpd);
void tern_parent_domain_put(struct tern_pd *parent);

/* mr.c */
struct ibv_mr *tern_reg_mr(struct ibv_pd *ibpd, void *address, size_t length,
			   uint64_t iova, int access);
int tern_dereg_mr(struct verbs_mr *vmr);

/* ah.c */
struct ibv_ah *tern_create_ah(struct ibv_pd *ibpd, struct ibv_ah_attr *attr);
int tern_destroy_ah(struct ibv_ah *ibah);

/* cq.c */
struct ibv_cq *tern_create_cq(struct ibv_context *ibctx, int cqe,
			      struct ibv_comp_channel *channel,
			      int comp_vector);
struct ibv_cq_ex *tern_create_cq_ex(struct ibv_context *ibctx,
				    struct ibv_cq_init_attr_ex *attr);
int tern_destroy_cq(struct ibv_cq *ibcq);
int tern_req_notify_cq(struct ibv_cq *ibcq, int solicited_only);
/*
 * The QP @uidx is gone or starts anew: none of its completions will be seen.
 * The caller holds the lock.
 */
void tern_cq_clean(struct tern_cq *cq, uint32_t uidx);

/* cq_ex.c */
/* Fills in the polling functions that @wc_flags ask for. */
void tern_cq_ex_init(struct tern_cq *cq, uint64_t wc_flags);

/* poll.c */
int tern_poll_cq(struct ibv_cq *ibcq, int count, struct ibv_wc *wc);

/* qp.c */
struct ibv_qp *tern_create_qp(struct ibv_pd *ibpd,
			      struct ibv_qp_init_attr *attr);
struct ibv_qp *tern_create_qp_ex(struct ibv_context *ibctx,
				 struct ibv_qp_init_attr_ex *attr);
int tern_modify_qp(struct ibv_qp *ibqp, struct ibv_qp_attr *attr,
		   int attr_mask);
int tern_query_qp(struct ibv_qp *ibqp, struct ibv_qp_attr *attr, int attr_mask,
		  struct ibv_qp_init_attr *init_attr);
int tern_destroy_qp(struct ibv_qp *ibqp);

/* post_send.c */
int tern_post_send(struct ibv_qp *ibqp, struct ibv_send_wr *wr,
		   struct ibv_send_wr **bad_wr);
tern_post_send_fn tern_post_send_of(enum ibv_qp_type type);

/* post_recv.c */
int tern_post_recv(struct ibv_qp *ibqp, struct ibv_recv_wr *wr,
		   struct ibv_recv_wr **bad_wr);

/* wr.c */
/*
 * Fills in the builders of @send_ops_flags. Returns 0, or EOPNOTSUPP for one
 * that the QP's type does not have.
 */
int tern_wr_init(struct tern_qp *qp, enum ibv_qp_type type,
		 uint64_t send_ops_flags);

#endif
