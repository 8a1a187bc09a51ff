/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Copyright (c) 2026 The Tern authors
 *
 * rdma-core's accessors of device memory, as far as the provider uses them:
 * each store goes to the test, in order and at once.
 */
#ifndef TERN_TEST_MMIO_H
#define TERN_TEST_MMIO_H

#include <linux/types.h>
#include <stdint.h>

void test_mmio_write64(void* address, uint64_t value);

static inline void mmio_write64_le(void* address, __le64 value) { test_mmio_write64(address, value); }

#endif
