// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copyright (c) 2026 The Tern authors
 */
#include <errno.h>
#include <sys/mman.h>

#include <infiniband/driver.h>
#include <util/util.h>

#include "buffer.h"

int tern_buffer_alloc(struct tern_buffer *buffer, size_t bytes,
		      size_t page_size)
{
	size_t length = align(bytes, page_size);
	void *address;
	int err;

	address = mmap(NULL, length, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (address == MAP_FAILED)
		return errno;
	err = ibv_dontfork_range(address, length);
	if (err) {
		munmap(address, length);
		return err;
	}
	buffer->address = address;
	buffer->length = length;
	return 0;
}

void tern_buffer_free(struct tern_buffer *buffer)
{
	if (!buffer->address)
		return;
	ibv_dofork_range(buffer->address, buffer->length);
	munmap(buffer->address, buffer->length);
	buffer->address = NULL;
}
