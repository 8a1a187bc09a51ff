/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Copyright (c) 2026 The Tern authors
 *
 * A card on paper: it answers a provider's commands and completes what was
 * posted, and nothing moves. One for each provider that is measured.
 */
#ifndef TERN_BENCH_CARD_H
#define TERN_BENCH_CARD_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct verbs_context;

struct card {
    const char* name;
    enum ibv_qp_type qp_type;
    bool has_write;                /* else what is posted are SENDs */
    bool has_push;                 /* can be told not to push */
    bool has_lockless;             /* there is a way without locks: */
    bool takes_domains;            /* a parent domain with a thread domain, and single-threaded CQs */
    const char* lockless_variable; /* or this variable of the environment, set to 1 */
    uint32_t max_inline;           /* bytes to ask for */

    /* Commands and answers with their driver-private parts, zeroed; numbers are from 1 on. */
    void (*answer_context)(void* response, bool push);
    void (*answer_device)(void* response, size_t bytes);
    void (*answer_pd)(void* response);
    void (*answer_cq)(const void* command, void* response, unsigned int cqe);
    void (*answer_qp)(const void* command, void* response);
    void (*answer_ah)(void* response);

    /* The next @count signaled sends or receives are complete and in the CQ. */
    void (*complete_sends)(unsigned int count);
    void (*complete_receives)(unsigned int count);
};

extern const struct card tern_card;
extern const struct card mlx5_card;
extern const struct card efa_card;

/* paper_kernel.c */
#define PAPER_BYTES (64UL << 20)
#define PAPER_QPN 7

/* The card's memory: what a provider maps at an offset is there. */
extern unsigned char* paper_memory;

/* Loads @library and opens its device on @card. NULL after a line on standard error. */
struct ibv_context* paper_open(const struct card* card, const char* library, bool push);

#ifdef __cplusplus
}
#endif

#endif
