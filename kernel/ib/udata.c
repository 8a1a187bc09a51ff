// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copyright (c) 2026 The Tern authors
 *
 * Driver-private data of uverbs commands: lengths that differ from ours are a
 * newer or an older provider's.
 */
#include "tern_ib.h"

/**
 * tern_ib_read_request() - take the provider's request
 * @udata: private data of the command
 * @request: receives @bytes bytes; may be NULL if @bytes is 0
 * @bytes: length of our request struct
 *
 * A request longer than ours must be zero beyond it: a provider that asks for
 * more than we know is refused.
 *
 * Return: 0, -EINVAL or -EFAULT.
 */
int tern_ib_read_request(struct ib_udata *udata, void *request, size_t bytes)
{
	if (udata->inlen < bytes)
		return -EINVAL;
	if (udata->inlen > bytes &&
	    !ib_is_udata_cleared(udata, bytes, udata->inlen - bytes))
		return -EINVAL;
	return bytes ? ib_copy_from_udata(request, udata, bytes) : 0;
}

/**
 * tern_ib_write_response() - give the provider its response
 * @udata: private data of the command
 * @response: every byte of it is set
 * @bytes: length of our response struct
 *
 * Return: 0 or -EFAULT.
 */
int tern_ib_write_response(struct ib_udata *udata, void *response, size_t bytes)
{
	return ib_copy_to_udata(udata, response,
				min_t(size_t, bytes, udata->outlen));
}
