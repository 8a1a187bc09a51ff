// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copyright (c) 2026 The Tern authors
 *
 * The ibv_wr_*() builders. A WQE is whole as soon as its opcode is named, and
 * grows when its data is set; nothing is announced before ibv_wr_complete().
 * The first error makes the rest of the batch do nothing.
 */
#include <errno.h>

#include "ring.h"
#include "tern.h"
#include "wqe.h"

#define TERN_RC_SEND_OPS						\
	(IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM |	\
	 IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM |		\
	 IBV_QP_EX_WITH_RDMA_READ | IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP |	\
	 IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD | IBV_QP_EX_WITH_LOCAL_INV |	\
	 IBV_QP_EX_WITH_SEND_WITH_INV)
#define TERN_UC_SEND_OPS						\
	(IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM |	\
	 IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM)
#define TERN_UD_SEND_OPS						\
	(IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM)

/* Bit n: the WQE of opcode n takes inline data. */
#define TERN_INLINE_OPCODES						\
	(1U << TERN_WQE_OP_SEND | 1U << TERN_WQE_OP_SEND_WITH_IMM |	\
	 1U << TERN_WQE_OP_SEND_WITH_INV | 1U << TERN_WQE_OP_RDMA_WRITE | \
	 1U << TERN_WQE_OP_RDMA_WRITE_WITH_IMM)

/* Data start in the first block of a WQE. */
static inline struct tern_wqe_control *tern_wr_control(const struct tern_sq *sq)
{
	return (void *)((uintptr_t)sq->build &
			~(uintptr_t)(TERN_SQ_BLOCK_BYTES - 1));
}

/* What follows is written where it harms nothing, and the batch is refused. */
static __attribute__((noinline)) void tern_wr_refuse(struct tern_sq *sq, int err)
{
	if (!sq->build_err)
		sq->build_err = err;
	sq->build_full = sq->build_wr_prod;
	sq->build = sq->build_refused + TERN_SEND_HEADER_BYTES;
}

static void tern_wr_start(struct ibv_qp_ex *ibqp)
{
	struct tern_sq *sq = &to_tern_qp_ex(ibqp)->sq;

	tern_lock(&sq->lock, sq->need_lock);
	sq->build_err = 0;
	sq->build_prod = sq->prod;
	sq->build_wr_prod = atomic_load_explicit(&sq->wr_prod,
						 memory_order_relaxed);
	sq->build_full = atomic_load_explicit(&sq->wr_cons,
					      memory_order_acquire) + sq->max_wr;
}

/* The first blocks of the batch stay as they are until it is announced. */
static int tern_wr_complete(struct ibv_qp_ex *ibqp)
{
	struct tern_sq *sq = &to_tern_qp_ex(ibqp)->sq;
	uint32_t first = sq->prod;
	int err = sq->build_err;

	if (likely(!err && sq->build_prod != first)) {
		atomic_store_explicit(&sq->wr_prod, sq->build_wr_prod,
				      memory_order_relaxed);
		tern_sq_publish(sq, first, sq->build_prod);
	}
	tern_unlock(&sq->lock, sq->need_lock);
	return err;
}

static void tern_wr_abort(struct ibv_qp_ex *ibqp)
{
	struct tern_sq *sq = &to_tern_qp_ex(ibqp)->sq;

	tern_unlock(&sq->lock, sq->need_lock);
}

/*
 * Begins a WQE without data. Returns where what follows the control segment
 * goes; after an error that is nowhere.
 */
static inline ALWAYS_INLINE void *
tern_wr_begin(struct ibv_qp_ex *ibqp, uint8_t opcode, uint32_t header_bytes,
	      __be32 immediate)
{
	struct tern_sq *sq = &to_tern_qp_ex(ibqp)->sq;
	struct tern_wqe_control *control;
	struct tern_sq_shadow *shadow;
	uint32_t prod;

	/* A refused batch is full. */
	if (unlikely(sq->build_wr_prod == sq->build_full)) {
		tern_wr_refuse(sq, sq->max_wr ? ENOMEM : EINVAL);
		return sq->build;
	}
	if (unlikely(ibqp->wr_flags & ~TERN_SEND_FLAGS)) {
		tern_wr_refuse(sq, EINVAL);
		return sq->build;
	}
	prod = sq->build_prod++;
	control = tern_wqe_at(sq, prod);
	control->qpn_opcode =
		htole32(sq->qpn | TERN_SET32(TERN_WQE_OPCODE, opcode));
	control->index = htole16(prod);
	control->flags = tern_build_flags(ibqp->wr_flags);
	control->count = 0;
	control->immediate = immediate;
	control->qkey = 0;

	shadow = &sq->shadow[prod & sq->mask];
	shadow->wr_id = ibqp->wr_id;
	shadow->next_wr = ++sq->build_wr_prod;
	sq->build = (void *)control + header_bytes;
	return control + 1;
}

static void tern_wr_send(struct ibv_qp_ex *ibqp)
{
	tern_wr_begin(ibqp, TERN_WQE_OP_SEND, TERN_SEND_HEADER_BYTES, 0);
}

static void tern_wr_send_imm(struct ibv_qp_ex *ibqp, __be32 imm_data)
{
	tern_wr_begin(ibqp, TERN_WQE_OP_SEND_WITH_IMM, TERN_SEND_HEADER_BYTES,
		      imm_data);
}

static void tern_wr_send_inv(struct ibv_qp_ex *ibqp, uint32_t invalidate_rkey)
{
	tern_wr_begin(ibqp, TERN_WQE_OP_SEND_WITH_INV, TERN_SEND_HEADER_BYTES,
		      htobe32(invalidate_rkey));
}

static void tern_wr_local_inv(struct ibv_qp_ex *ibqp, uint32_t invalidate_rkey)
{
	tern_wr_begin(ibqp, TERN_WQE_OP_LOCAL_INV, TERN_SEND_HEADER_BYTES,
		      htobe32(invalidate_rkey));
}

static void tern_wr_ud_send(struct ibv_qp_ex *ibqp)
{
	tern_wr_begin(ibqp, TERN_WQE_OP_SEND, TERN_UD_HEADER_BYTES, 0);
}

static void tern_wr_ud_send_imm(struct ibv_qp_ex *ibqp, __be32 imm_data)
{
	tern_wr_begin(ibqp, TERN_WQE_OP_SEND_WITH_IMM, TERN_UD_HEADER_BYTES,
		      imm_data);
}

static inline ALWAYS_INLINE void tern_wr_rdma(struct ibv_qp_ex *ibqp,
				       uint8_t opcode, uint32_t rkey,
				       uint64_t remote_addr, __be32 immediate)
{
	tern_put_remote(tern_wr_begin(ibqp, opcode, TERN_RDMA_HEADER_BYTES,
				      immediate), remote_addr, rkey);
}

static void tern_wr_rdma_write(struct ibv_qp_ex *ibqp, uint32_t rkey,
			       uint64_t remote_addr)
{
	tern_wr_rdma(ibqp, TERN_WQE_OP_RDMA_WRITE, rkey, remote_addr, 0);
}

static void tern_wr_rdma_write_imm(struct ibv_qp_ex *ibqp, uint32_t rkey,
				   uint64_t remote_addr, __be32 imm_data)
{
	tern_wr_rdma(ibqp, TERN_WQE_OP_RDMA_WRITE_WITH_IMM, rkey, remote_addr,
		     imm_data);
}

static void tern_wr_rdma_read(struct ibv_qp_ex *ibqp, uint32_t rkey,
			      uint64_t remote_addr)
{
	tern_wr_rdma(ibqp, TERN_WQE_OP_RDMA_READ, rkey, remote_addr, 0);
}

static void tern_wr_atomic(struct ibv_qp_ex *ibqp, uint8_t opcode,
			   uint32_t rkey, uint64_t remote_addr,
			   uint64_t swap_or_add, uint64_t compare)
{
	void *segment = tern_wr_begin(ibqp, opcode, TERN_ATOMIC_HEADER_BYTES,
				      0);

	tern_put_remote(segment, remote_addr, rkey);
	tern_put_atomic(segment + sizeof(struct tern_wqe_remote), swap_or_add,
			compare);
}

static void tern_wr_atomic_cmp_swp(struct ibv_qp_ex *ibqp, uint32_t rkey,
				   uint64_t remote_addr, uint64_t compare,
				   uint64_t swap)
{
	tern_wr_atomic(ibqp, TERN_WQE_OP_ATOMIC_CMP_AND_SWP, rkey, remote_addr,
		       swap, compare);
}

static void tern_wr_atomic_fetch_add(struct ibv_qp_ex *ibqp, uint32_t rkey,
				     uint64_t remote_addr, uint64_t add)
{
	tern_wr_atomic(ibqp, TERN_WQE_OP_ATOMIC_FETCH_AND_ADD, rkey,
		       remote_addr, add, 0);
}

static void tern_wr_set_ud_addr(struct ibv_qp_ex *ibqp, struct ibv_ah *ah,
				uint32_t remote_qpn, uint32_t remote_qkey)
{
	struct tern_sq *sq = &to_tern_qp_ex(ibqp)->sq;
	struct tern_wqe_control *control = tern_wr_control(sq);

	control->qkey = htole32(remote_qkey);
	tern_put_address(control + 1, ah, remote_qpn);
}

/* The WQE's data are @bytes: @count SGEs, or as many bytes inline with @flag. */
static inline void tern_wr_grow(struct tern_sq *sq, uint32_t bytes,
				uint8_t count, uint8_t flag)
{
	struct tern_wqe_control *control = tern_wr_control(sq);
	uint32_t header = sq->build - (void *)control;
	uint32_t more = tern_more_blocks(header + bytes);

	control->count = count;
	control->flags |= flag | more;
	sq->build_prod += more;
}

static void tern_wr_set_sge_list(struct ibv_qp_ex *ibqp, size_t num_sge,
				 const struct ibv_sge *sg_list)
{
	struct tern_sq *sq = &to_tern_qp_ex(ibqp)->sq;
	uint32_t count;

	if (unlikely(sq->build_err))
		return;
	if (unlikely(num_sge > sq->max_sge)) {
		tern_wr_refuse(sq, EINVAL);
		return;
	}
	count = tern_put_sges(sq, sq->build, sg_list, num_sge);
	tern_wr_grow(sq, count * sizeof(struct tern_sge), count, 0);
}

static void tern_wr_set_sge(struct ibv_qp_ex *ibqp, uint32_t lkey,
			    uint64_t addr, uint32_t length)
{
	struct tern_sq *sq = &to_tern_qp_ex(ibqp)->sq;

	/* The first SGE of every WQE is in its first block. */
	if (likely(length)) {
		tern_put_sge(sq->build, addr, length, lkey);
		tern_wr_control(sq)->count = 1;
	}
}

/* Does the WQE take @bytes inline? If not, the batch is refused. */
static inline bool tern_wr_may_inline(struct tern_sq *sq, size_t bytes)
{
	uint32_t opcode = TERN_GET32(TERN_WQE_OPCODE,
				     le32toh(tern_wr_control(sq)->qpn_opcode));

	if (unlikely(sq->build_err))
		return false;
	if (likely(bytes <= sq->max_inline &&
		   TERN_INLINE_OPCODES & 1U << opcode))
		return true;
	tern_wr_refuse(sq, EINVAL);
	return false;
}

static void tern_wr_set_inline_data_list(struct ibv_qp_ex *ibqp, size_t num_buf,
					 const struct ibv_data_buf *buf_list)
{
	struct tern_sq *sq = &to_tern_qp_ex(ibqp)->sq;
	size_t bytes = 0;
	void *to;
	size_t i;

	/* One by one, so that the sum cannot wrap. */
	for (i = 0; i < num_buf; i++) {
		if (!tern_wr_may_inline(sq, buf_list[i].length))
			return;
		bytes += buf_list[i].length;
	}
	if (!tern_wr_may_inline(sq, bytes))
		return;
	to = sq->build;
	for (i = 0; i < num_buf; i++)
		to = tern_put_inline(sq, to, buf_list[i].addr,
				     buf_list[i].length);
	tern_wr_grow(sq, bytes, bytes, TERN_WQE_INLINE);
}

static void tern_wr_set_inline_data(struct ibv_qp_ex *ibqp, void *addr,
				    size_t length)
{
	struct tern_sq *sq = &to_tern_qp_ex(ibqp)->sq;

	if (!tern_wr_may_inline(sq, length))
		return;
	tern_put_inline(sq, sq->build, addr, length);
	tern_wr_grow(sq, length, length, TERN_WQE_INLINE);
}

static void tern_wr_init_rc(struct ibv_qp_ex *ex, uint64_t ops)
{
	if (ops & IBV_QP_EX_WITH_SEND)
		ex->wr_send = tern_wr_send;
	if (ops & IBV_QP_EX_WITH_SEND_WITH_IMM)
		ex->wr_send_imm = tern_wr_send_imm;
	if (ops & IBV_QP_EX_WITH_SEND_WITH_INV)
		ex->wr_send_inv = tern_wr_send_inv;
	if (ops & IBV_QP_EX_WITH_LOCAL_INV)
		ex->wr_local_inv = tern_wr_local_inv;
	if (ops & IBV_QP_EX_WITH_RDMA_WRITE)
		ex->wr_rdma_write = tern_wr_rdma_write;
	if (ops & IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM)
		ex->wr_rdma_write_imm = tern_wr_rdma_write_imm;
	if (ops & IBV_QP_EX_WITH_RDMA_READ)
		ex->wr_rdma_read = tern_wr_rdma_read;
	if (ops & IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP)
		ex->wr_atomic_cmp_swp = tern_wr_atomic_cmp_swp;
	if (ops & IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD)
		ex->wr_atomic_fetch_add = tern_wr_atomic_fetch_add;
}

static void tern_wr_init_ud(struct ibv_qp_ex *ex, uint64_t ops)
{
	if (ops & IBV_QP_EX_WITH_SEND)
		ex->wr_send = tern_wr_ud_send;
	if (ops & IBV_QP_EX_WITH_SEND_WITH_IMM)
		ex->wr_send_imm = tern_wr_ud_send_imm;
	ex->wr_set_ud_addr = tern_wr_set_ud_addr;
}

static uint64_t tern_wr_ops(enum ibv_qp_type type)
{
	switch (type) {
	case IBV_QPT_UC:
		return TERN_UC_SEND_OPS;
	case IBV_QPT_UD:
		return TERN_UD_SEND_OPS;
	default:
		return TERN_RC_SEND_OPS;
	}
}

int tern_wr_init(struct tern_qp *qp, enum ibv_qp_type type,
		 uint64_t send_ops_flags)
{
	struct ibv_qp_ex *ex = &qp->verbs_qp.qp_ex;
	bool is_ud = type == IBV_QPT_UD;

	if (!check_comp_mask(send_ops_flags, tern_wr_ops(type)))
		return EOPNOTSUPP;
	ex->wr_start = tern_wr_start;
	ex->wr_complete = tern_wr_complete;
	ex->wr_abort = tern_wr_abort;
	ex->wr_set_sge = tern_wr_set_sge;
	ex->wr_set_sge_list = tern_wr_set_sge_list;
	ex->wr_set_inline_data = tern_wr_set_inline_data;
	ex->wr_set_inline_data_list = tern_wr_set_inline_data_list;
	if (is_ud)
		tern_wr_init_ud(ex, send_ops_flags);
	else
		tern_wr_init_rc(ex, send_ops_flags);
	return 0;
}
