// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copyright (c) 2026 The Tern authors
 *
 * User contexts: a pair of BAR2 pages of their own, mapped on request, so that
 * the data path needs no system call.
 */
#include <linux/mm.h>

#include "tern_ib.h"

/**
 * struct tern_ib_mmap_entry - one page that a user context may map
 * @entry: what the RDMA core sees
 * @address: physical address of the page
 * @is_push: map it write combining, else uncached
 */
struct tern_ib_mmap_entry {
	struct rdma_user_mmap_entry entry;
	phys_addr_t address;
	bool is_push;
};

static struct tern_ib_mmap_entry *
to_tern_ib_mmap_entry(struct rdma_user_mmap_entry *entry)
{
	return container_of(entry, struct tern_ib_mmap_entry, entry);
}

/* Offset 0 is left out: responses use it for "none". */
static struct rdma_user_mmap_entry *
tern_ib_insert_page(struct tern_ib_ucontext *context, phys_addr_t address,
		    bool is_push)
{
	struct tern_ib_mmap_entry *page;
	int err;

	page = kzalloc(sizeof(*page), GFP_KERNEL);
	if (!page)
		return ERR_PTR(-ENOMEM);
	page->address = address;
	page->is_push = is_push;
	err = rdma_user_mmap_entry_insert_range(&context->ibucontext,
						&page->entry, TERN_PAGE_BYTES,
						1, U32_MAX);
	if (err) {
		kfree(page);
		return ERR_PTR(err);
	}
	return &page->entry;
}

static int tern_ib_insert_pages(struct tern_ib_device *dev,
				struct tern_ib_ucontext *context)
{
	const struct tern_doorbell_pair *pair = &context->doorbell_pair;
	struct rdma_user_mmap_entry *entry;

	entry = tern_ib_insert_page(context, pair->doorbell_address, false);
	if (IS_ERR(entry))
		return PTR_ERR(entry);
	context->doorbell_entry = entry;
	if (!(dev->core->caps.capabilities & TERN_CAP_PUSH))
		return 0;

	entry = tern_ib_insert_page(context, pair->push_address, true);
	if (IS_ERR(entry)) {
		rdma_user_mmap_entry_remove(context->doorbell_entry);
		return PTR_ERR(entry);
	}
	context->push_entry = entry;
	return 0;
}

static void tern_ib_remove_pages(struct tern_ib_ucontext *context)
{
	rdma_user_mmap_entry_remove(context->push_entry);
	rdma_user_mmap_entry_remove(context->doorbell_entry);
}

static u32 tern_ib_ucontext_capabilities(const struct tern_ib_device *dev)
{
	u64 caps = dev->core->caps.capabilities;
	u32 capabilities = 0;

	if (caps & TERN_CAP_PUSH)
		capabilities |= TERN_UCONTEXT_PUSH;
	if (caps & TERN_CAP_PUSH_WORTHWHILE)
		capabilities |= TERN_UCONTEXT_PUSH_WORTHWHILE;
	return capabilities;
}

static int tern_ib_describe_ucontext(struct tern_ib_device *dev,
				     struct tern_ib_ucontext *context,
				     struct ib_udata *udata)
{
	const struct tern_caps *caps = &dev->core->caps;
	struct tern_uresp_alloc_ucontext response = {
		.doorbell_offset =
			rdma_user_mmap_get_offset(context->doorbell_entry),
		.capabilities = tern_ib_ucontext_capabilities(dev),
		.page_size = TERN_PAGE_BYTES,
		.max_send_blocks_log2 = caps->max_sq_depth_log2,
		.max_recv_entries_log2 = caps->max_rq_depth_log2,
		.max_cqe_log2 = caps->max_cq_depth_log2,
		.max_inline = caps->max_inline_bytes,
		.max_send_sge = caps->max_send_sge,
		.max_recv_sge = caps->max_recv_sge,
	};

	if (context->push_entry)
		response.push_offset =
			rdma_user_mmap_get_offset(context->push_entry);
	return tern_ib_write_response(udata, &response, sizeof(response));
}

/**
 * tern_ib_alloc_ucontext() - verb of the RDMA core
 * @ibucontext: the context
 * @udata: response: struct tern_uresp_alloc_ucontext
 *
 * Return: 0, -EINVAL, -EFAULT, -ENOMEM, or -ENOSPC when all pairs are taken.
 */
int tern_ib_alloc_ucontext(struct ib_ucontext *ibucontext,
			   struct ib_udata *udata)
{
	struct tern_ib_ucontext *context = to_tern_ib_ucontext(ibucontext);
	struct tern_ib_device *dev = to_tern_ib_device(ibucontext->device);
	int err;

	/* The contract's pages are 4 KiB; larger ones would show neighbours. */
	if (PAGE_SIZE != TERN_PAGE_BYTES)
		return -EOPNOTSUPP;
	err = tern_ib_read_request(udata, NULL, 0);
	if (err)
		return err;

	mutex_init(&context->record_lock);
	INIT_LIST_HEAD(&context->record_pages);
	err = tern_doorbell_pair_alloc(dev->core, &context->doorbell_pair);
	if (err)
		return err;
	err = tern_ib_insert_pages(dev, context);
	if (err)
		goto free_pair;
	err = tern_ib_describe_ucontext(dev, context, udata);
	if (err)
		goto remove_pages;
	return 0;

remove_pages:
	tern_ib_remove_pages(context);
free_pair:
	tern_doorbell_pair_free(dev->core, &context->doorbell_pair);
	return err;
}

/* All mappings are gone or zapped by now, and all queues destroyed. */
void tern_ib_dealloc_ucontext(struct ib_ucontext *ibucontext)
{
	struct tern_ib_ucontext *context = to_tern_ib_ucontext(ibucontext);
	struct tern_ib_device *dev = to_tern_ib_device(ibucontext->device);

	tern_ib_remove_pages(context);
	tern_doorbell_pair_free(dev->core, &context->doorbell_pair);
	mutex_destroy(&context->record_lock);
}

/* Present, so that the RDMA core may zap mappings and let the device go. */
void tern_ib_disassociate_ucontext(struct ib_ucontext *ibucontext)
{
}

/**
 * tern_ib_mmap() - verb of the RDMA core
 * @ibucontext: the context
 * @vma: exactly one page that was handed out to this context
 *
 * A child of fork() does not inherit the page: it could ring for its parent.
 *
 * Return: 0 or -EINVAL.
 */
int tern_ib_mmap(struct ib_ucontext *ibucontext, struct vm_area_struct *vma)
{
	struct rdma_user_mmap_entry *entry;
	struct tern_ib_mmap_entry *page;
	pgprot_t prot;
	int err;

	entry = rdma_user_mmap_entry_get(ibucontext, vma);
	if (!entry)
		return -EINVAL;
	page = to_tern_ib_mmap_entry(entry);
	prot = page->is_push ? pgprot_writecombine(vma->vm_page_prot) :
			       pgprot_noncached(vma->vm_page_prot);
	vm_flags_set(vma, VM_DONTCOPY);
	err = rdma_user_mmap_io(ibucontext, vma, PHYS_PFN(page->address),
				TERN_PAGE_BYTES, prot, entry);
	rdma_user_mmap_entry_put(entry);
	return err;
}

/* The last mapping of a removed page is gone. */
void tern_ib_mmap_free(struct rdma_user_mmap_entry *entry)
{
	kfree(to_tern_ib_mmap_entry(entry));
}
