/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Copyright (c) 2026 The Tern authors
 *
 * Between kernel.c, which takes the provider's uverbs commands apart, and
 * world.cc, which makes the objects on the engine. Functions return 0 or an
 * errno value.
 */
#ifndef TERN_TEST_KERNEL_H
#define TERN_TEST_KERNEL_H

#include <infiniband/verbs.h>
#include <rdma/tern-abi.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* world.cc: what the kernel would ask of the card */
void kernel_describe_context(struct tern_uresp_alloc_ucontext* response);
int kernel_alloc_pd(uint32_t* pdn);
int kernel_dealloc_pd(uint32_t pdn);
int kernel_create_mr(uint32_t pdn, uint64_t address, uint64_t length, uint64_t iova, uint32_t access, uint32_t* key);
int kernel_destroy_mr(uint32_t key);
int kernel_create_cq(const struct tern_ureq_create_cq* request, uint32_t* cqn);
int kernel_destroy_cq(uint32_t cqn);
struct kernel_qp_numbers {
    uint32_t pdn;
    uint32_t send_cqn;
    uint32_t recv_cqn;
    enum ibv_qp_type type;
    bool signal_all;
};
int kernel_create_qp(const struct tern_ureq_create_qp* request, const struct kernel_qp_numbers* numbers, uint32_t* qpn);
int kernel_modify_qp(uint32_t qpn, const struct ibv_qp_attr* attr, int mask);
int kernel_destroy_qp(uint32_t qpn);
void kernel_resolve(const struct ibv_ah_attr* attr, uint8_t dmac[6]);
void test_mmio_write64(void* address, uint64_t value);

/* kernel.c */
struct ibv_context* kernel_open(int cmd_fd);
/* Where the provider mapped the pages; @push is NULL if it did not. */
void kernel_pages(struct ibv_context* context, void** doorbells, void** push);

/* The provider's counts of a fresh QP start here instead of at 0. */
void provider_start_counts_at(struct ibv_qp* qp, uint32_t sq_prod, uint32_t wr_prod);
/* The card's view of what was posted. */
struct provider_queues {
    const void* sq;
    const void* rq;
    uint32_t sq_blocks;
    uint32_t sq_prod;
    uint32_t record_sq_prod;
    uint32_t record_rq_prod;
    uint32_t qpn;
    uint32_t uidx;
    bool need_lock;
    bool has_push;
};
struct provider_queues provider_queues_of(struct ibv_qp* qp);
struct provider_cq {
    void* ring;
    uint32_t depth_log2;
    uint32_t cqn;
    uint32_t record_cons;
    uint32_t record_arm;
    uint32_t record_arm_cons;
};
struct provider_cq provider_cq_of(struct ibv_cq* cq);

#ifdef __cplusplus
}
#endif

#endif
