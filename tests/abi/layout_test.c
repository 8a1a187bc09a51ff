/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The Tern authors */
/* The contract as a C program sees it: sizes and offsets, or no build. */
#include <tern/layout_check.h>
#include <tern/hw/access.h>
#include <tern/hw/ids.h>
#include <tern/hw/limits.h>
#include <tern/hw/regs.h>
#include <tern/hw/ring.h>
#include <tern/wire/roce.h>
#include <rdma/tern-abi.h>

_Static_assert(sizeof(struct tern_ureq_create_qp) == 48, "uverbs ABI");
_Static_assert(sizeof(struct tern_ureq_create_cq) == 32, "uverbs ABI");
_Static_assert(sizeof(struct tern_uresp_alloc_ucontext) == 48, "uverbs ABI");
