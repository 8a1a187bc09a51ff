/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR Linux-OpenIB */
/*
 * Copyright (c) 2026 The Tern authors
 *
 * Driver-private data of uverbs commands. Requests: reserved fields must be
 * zero. Responses: the kernel writes every byte.
 */
#ifndef TERN_ABI_USER_H
#define TERN_ABI_USER_H

#include <linux/types.h>

#define TERN_UVERBS_ABI_VERSION	1

/* tern_uresp_alloc_ucontext.capabilities */
enum {
	TERN_UCONTEXT_PUSH		= 1 << 0,
	TERN_UCONTEXT_PUSH_WORTHWHILE	= 1 << 1,
};

struct tern_uresp_alloc_ucontext {
	__aligned_u64 doorbell_offset;	/* mmap offset of one doorbell page */
	__aligned_u64 push_offset;	/* mmap offset of one push page, 0: none */
	__u32 capabilities;
	__u32 page_size;		/* of each of the two mappings */
	__u32 max_send_blocks_log2;	/* limits of create_qp and create_cq */
	__u32 max_recv_entries_log2;
	__u32 max_cqe_log2;
	__u32 max_inline;
	__u32 max_send_sge;
	__u32 max_recv_sge;
};

struct tern_uresp_alloc_pd {
	__u32 pdn;
	__u32 reserved;
};

struct tern_ureq_create_cq {
	__aligned_u64 buffer_address;	/* page aligned */
	__aligned_u64 buffer_length;	/* exactly 32 << depth_log2, page rounded */
	__aligned_u64 record_address;	/* 64-byte aligned */
	__u32 depth_log2;
	__u32 reserved;
};

struct tern_uresp_create_cq {
	__u32 cqn;
	__u32 reserved;
};

struct tern_ureq_create_qp {
	__aligned_u64 sq_address;	/* page aligned */
	__aligned_u64 sq_length;	/* exactly 64 << sq_depth_log2, page rounded */
	__aligned_u64 rq_address;	/* page aligned; 0 with no receive queue */
	__aligned_u64 rq_length;	/* exactly (16 << stride) << depth, page rounded */
	__aligned_u64 record_address;	/* 64-byte aligned */
	__u32 uidx;			/* 23:0, dense, chosen by the provider */
	__u8 sq_depth_log2;		/* 64-byte blocks */
	__u8 rq_depth_log2;		/* entries */
	__u8 rq_stride_log2;		/* entries of 16 << n bytes */
	__u8 reserved;
};

struct tern_uresp_create_qp {
	__u32 qpn;			/* number for WQEs and doorbells */
	__u32 reserved;
};

struct tern_uresp_create_ah {
	__u8 dmac[6];
	__u8 reserved[2];
};

#endif /* TERN_ABI_USER_H */
