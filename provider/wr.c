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
#define TERN_UD_SEND_OPS						\
	(IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM)

static void tern_wr_start(struct ibv_qp_ex *ibqp)
{
	struct tern_sq *sq = &to_tern_qp_ex(ibqp)->sq;

	tern_lock(&sq->lock, sq->need_lock);
	sq->build = NULL;
	sq->build_err = 0;
	sq->build_prod = sq->prod;
	sq->build_wr_prod = atomic_load_explicit(&sq->wr_prod,
						 memory_order_relaxed);
}

/* The first blocks of the batch stay as they are until it is announced. */
static int tern_wr_complete(struct ibv_qp_ex *ibqp)
{
	struct tern_sq *sq = &to_tern_qp_ex(ibqp)->sq;
	uint32_t first = sq->prod;
	int err = sq->build_err;

	if (likely(!err && sq->build_prod != first)) {
		sq->prod = sq->build_prod;
		atomic_store_explicit(&sq->wr_prod, sq->build_wr_prod,
				      memory_order_relaxed);
		tern_sq_publish(sq, sq->prod - first == 1 ?
				tern_wqe_at(sq, first) : NULL);
	}
	tern_unlock(&sq->lock, sq->need_lock);
	return err;
}

static void tern_wr_abort(struct ibv_qp_ex *ibqp)
{
	struct tern_sq *sq = &to_tern_qp_ex(ibqp)->sq;

	tern_unlock(&sq->lock, sq->need_lock);
}

static bool tern_wr_has_room(struct tern_sq *sq)
{
	uint32_t cons = atomic_load_explicit(&sq->wr_cons,
					     memory_order_acquire);

	if (likely(sq->build_wr_prod - cons < sq->max_wr))
		return true;
	sq->build_err = ENOMEM;
	return false;
}

/*
 * Begins a WQE without data. Returns where what follows the control segment
 * goes, or NULL after an error.
 */
static inline void *tern_wr_begin(struct ibv_qp_ex *ibqp, uint8_t opcode,
				  uint32_t header_bytes, bool may_inline,
				  __be32 immediate)
{
	struct tern_sq *sq = &to_tern_qp_ex(ibqp)->sq;
	struct tern_wqe_control *control;
	struct tern_sq_shadow *shadow;

	if (unlikely(sq->build_err || !tern_wr_has_room(sq)))
		return NULL;
	if (unlikely(ibqp->wr_flags & ~TERN_SEND_FLAGS)) {
		sq->build_err = EINVAL;
		return NULL;
	}
	control = tern_wqe_at(sq, sq->build_prod);
	control->qpn_opcode =
		htole32(sq->qpn | TERN_SET32(TERN_WQE_OPCODE, opcode));
	control->index = htole16(sq->build_prod);
	/* Whether data is inline is said by how it is set. */
	control->flags = tern_wqe_flags(ibqp->wr_flags & ~IBV_SEND_INLINE);
	control->count = 0;
	control->immediate = immediate;
	control->qkey = 0;

	shadow = &sq->shadow[sq->build_prod & sq->mask];
	shadow->wr_id = ibqp->wr_id;
	shadow->next_wr = ++sq->build_wr_prod;
	sq->build = control;
	sq->build_header = header_bytes;
	sq->build_may_inline = may_inline;
	sq->build_prod++;
	return control + 1;
}

static void tern_wr_send(struct ibv_qp_ex *ibqp)
{
	tern_wr_begin(ibqp, TERN_WQE_OP_SEND, TERN_SEND_HEADER_BYTES, true, 0);
}

static void tern_wr_send_imm(struct ibv_qp_ex *ibqp, __be32 imm_data)
{
	tern_wr_begin(ibqp, TERN_WQE_OP_SEND_WITH_IMM, TERN_SEND_HEADER_BYTES,
		      true, imm_data);
}

static void tern_wr_send_inv(struct ibv_qp_ex *ibqp, uint32_t invalidate_rkey)
{
	tern_wr_begin(ibqp, TERN_WQE_OP_SEND_WITH_INV, TERN_SEND_HEADER_BYTES,
		      true, htobe32(invalidate_rkey));
}

static void tern_wr_local_inv(struct ibv_qp_ex *ibqp, uint32_t invalidate_rkey)
{
	tern_wr_begin(ibqp, TERN_WQE_OP_LOCAL_INV, TERN_SEND_HEADER_BYTES,
		      false, htobe32(invalidate_rkey));
}

static void tern_wr_ud_send(struct ibv_qp_ex *ibqp)
{
	tern_wr_begin(ibqp, TERN_WQE_OP_SEND, TERN_UD_HEADER_BYTES, true, 0);
}

static void tern_wr_ud_send_imm(struct ibv_qp_ex *ibqp, __be32 imm_data)
{
	tern_wr_begin(ibqp, TERN_WQE_OP_SEND_WITH_IMM, TERN_UD_HEADER_BYTES,
		      true, imm_data);
}

static inline void tern_wr_rdma(struct ibv_qp_ex *ibqp, uint8_t opcode,
				bool may_inline, uint32_t rkey,
				uint64_t remote_addr, __be32 immediate)
{
	void *segment = tern_wr_begin(ibqp, opcode, TERN_RDMA_HEADER_BYTES,
				      may_inline, immediate);

	if (likely(segment))
		tern_put_remote(segment, remote_addr, rkey);
}

static void tern_wr_rdma_write(struct ibv_qp_ex *ibqp, uint32_t rkey,
			       uint64_t remote_addr)
{
	tern_wr_rdma(ibqp, TERN_WQE_OP_RDMA_WRITE, true, rkey, remote_addr, 0);
}

static void tern_wr_rdma_write_imm(struct ibv_qp_ex *ibqp, uint32_t rkey,
				   uint64_t remote_addr, __be32 imm_data)
{
	tern_wr_rdma(ibqp, TERN_WQE_OP_RDMA_WRITE_WITH_IMM, true, rkey,
		     remote_addr, imm_data);
}

static void tern_wr_rdma_read(struct ibv_qp_ex *ibqp, uint32_t rkey,
			      uint64_t remote_addr)
{
	tern_wr_rdma(ibqp, TERN_WQE_OP_RDMA_READ, false, rkey, remote_addr, 0);
}

static void tern_wr_atomic(struct ibv_qp_ex *ibqp, uint8_t opcode,
			   uint32_t rkey, uint64_t remote_addr,
			   uint64_t swap_or_add, uint64_t compare)
{
	void *segment = tern_wr_begin(ibqp, opcode, TERN_ATOMIC_HEADER_BYTES,
				      false, 0);

	if (unlikely(!segment))
		return;
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

	if (unlikely(sq->build_err))
		return;
	sq->build->qkey = htole32(remote_qkey);
	tern_put_address(sq->build + 1, ah, remote_qpn);
}

static void *tern_wr_data(const struct tern_sq *sq)
{
	return (void *)sq->build + sq->build_header;
}

/* @bytes follow the header: SGEs, or inline bytes with @flag. */
static void tern_wr_grow(struct tern_sq *sq, uint32_t bytes, uint8_t count,
			 uint8_t flag)
{
	uint32_t more = tern_more_blocks(sq->build_header + bytes);

	sq->build->count = count;
	sq->build->flags |= flag | more;
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
		sq->build_err = EINVAL;
		return;
	}
	count = tern_put_sges(sq, tern_wr_data(sq), sg_list, num_sge);
	tern_wr_grow(sq, count * sizeof(struct tern_sge), count, 0);
}

static void tern_wr_set_sge(struct ibv_qp_ex *ibqp, uint32_t lkey,
			    uint64_t addr, uint32_t length)
{
	struct tern_sq *sq = &to_tern_qp_ex(ibqp)->sq;

	if (unlikely(sq->build_err))
		return;
	if (unlikely(!sq->max_sge)) {
		sq->build_err = EINVAL;
		return;
	}
	/* The first SGE of every WQE is in its first block. */
	if (likely(length)) {
		tern_put_sge(tern_wr_data(sq), addr, length, lkey);
		sq->build->count = 1;
	}
}

static void tern_wr_set_inline_data_list(struct ibv_qp_ex *ibqp, size_t num_buf,
					 const struct ibv_data_buf *buf_list)
{
	struct tern_sq *sq = &to_tern_qp_ex(ibqp)->sq;
	size_t bytes = 0;
	void *to;
	size_t i;

	if (unlikely(sq->build_err))
		return;
	/* Checked one by one, so that no sum can wrap. */
	for (i = 0; i < num_buf; i++) {
		if (buf_list[i].length > sq->max_inline - bytes)
			sq->build_err = EINVAL;
		else
			bytes += buf_list[i].length;
	}
	if (unlikely(!sq->build_may_inline))
		sq->build_err = EINVAL;
	if (unlikely(sq->build_err))
		return;
	to = tern_wr_data(sq);
	for (i = 0; i < num_buf; i++)
		to = tern_put_inline(sq, to, buf_list[i].addr,
				     buf_list[i].length);
	tern_wr_grow(sq, bytes, bytes, TERN_WQE_INLINE);
}

static void tern_wr_set_inline_data(struct ibv_qp_ex *ibqp, void *addr,
				    size_t length)
{
	struct tern_sq *sq = &to_tern_qp_ex(ibqp)->sq;

	if (unlikely(sq->build_err))
		return;
	if (unlikely(length > sq->max_inline || !sq->build_may_inline)) {
		sq->build_err = EINVAL;
		return;
	}
	tern_put_inline(sq, tern_wr_data(sq), addr, length);
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

int tern_wr_init(struct tern_qp *qp, enum ibv_qp_type type,
		 uint64_t send_ops_flags)
{
	struct ibv_qp_ex *ex = &qp->verbs_qp.qp_ex;
	bool is_ud = type == IBV_QPT_UD;

	if (!check_comp_mask(send_ops_flags,
			     is_ud ? TERN_UD_SEND_OPS : TERN_RC_SEND_OPS))
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
