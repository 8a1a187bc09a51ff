/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Copyright (c) 2026 The Tern authors
 *
 * Memory that the card reads and writes: rings and doorbell records.
 */
#ifndef __TERN_BUFFER_H__
#define __TERN_BUFFER_H__

#include <stddef.h>

struct tern_buffer {
	void *address;			/* page aligned */
	size_t length;			/* whole pages */
};

/*
 * Allocates zeroed pages for @bytes bytes that a child of fork() does not
 * share. Returns 0 or an errno value.
 */
int tern_buffer_alloc(struct tern_buffer *buffer, size_t bytes,
		      size_t page_size);
/* A buffer that was never allocated (address NULL) is left alone. */
void tern_buffer_free(struct tern_buffer *buffer);

#endif
