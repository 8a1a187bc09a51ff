/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Copyright (c) 2026 The Tern authors
 *
 * Packed fields. A field NAME is a pair of constants NAME_HI and NAME_LO, the
 * highest and the lowest bit it occupies in its (host-order) word. Everything
 * else is derived here, once, in a form that kernel C, user C and C++ accept
 * and that is constant when its arguments are.
 */
#ifndef TERN_BITS_H
#define TERN_BITS_H

#include <linux/types.h>

/* Mask of @field within a 64-bit or a 32-bit word. */
#define TERN_MASK64(field) \
	((~0ULL >> (63 - (field##_HI))) & (~0ULL << (field##_LO)))
#define TERN_MASK32(field) \
	((__u32)((~0U >> (31 - (field##_HI))) & (~0U << (field##_LO))))

/* Value of @field in @word. */
#define TERN_GET64(field, word) \
	(((__u64)(word) & TERN_MASK64(field)) >> (field##_LO))
#define TERN_GET32(field, word) \
	((__u32)(((__u32)(word) & TERN_MASK32(field)) >> (field##_LO)))

/* @value placed in @field of an otherwise zero word; excess bits are cut. */
#define TERN_SET64(field, value) \
	(((__u64)(value) << (field##_LO)) & TERN_MASK64(field))
#define TERN_SET32(field, value) \
	((__u32)(((__u32)(value) << (field##_LO)) & TERN_MASK32(field)))

/* Largest value that @field can hold. */
#define TERN_FIELD_MAX(field) \
	(~0ULL >> (63 - ((field##_HI) - (field##_LO))))

#endif /* TERN_BITS_H */
