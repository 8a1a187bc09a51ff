// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copyright (c) 2026 The Tern authors
 *
 * BAR2: pairs of doorbell and push pages. The kernel has pair 0; each user
 * context has one of the others, or none if all are taken.
 */
#include <linux/export.h>
#include <linux/pci.h>

#include "core.h"

#define TERN_DOORBELL_PAIR_BYTES	(2ULL * TERN_PAGE_BYTES)
/* Pair 0 is the kernel's. */
#define TERN_FIRST_USER_PAIR		1
#define TERN_MAX_PAIRS_LOG2		20

/**
 * tern_doorbells_map() - map the kernel's doorbell page
 * @core: the card, identified
 *
 * Return: 0, -EIO if BAR2 has not the shape that the card says, or -ENOMEM.
 */
int tern_doorbells_map(struct tern_core *core)
{
	struct pci_dev *pdev = core->dev.pdev;
	u32 layout = tern_register_read(core, TERN_REG_DOORBELL_LAYOUT);
	u32 pairs_log2 =
		TERN_GET32(TERN_REG_DOORBELL_LAYOUT_PAIRS_LOG2, layout);
	u32 page_shift =
		TERN_GET32(TERN_REG_DOORBELL_LAYOUT_PAGE_SHIFT, layout);
	u64 bytes = pci_resource_len(pdev, TERN_BAR_DOORBELLS);

	if (page_shift != TERN_PAGE_SHIFT || pairs_log2 > TERN_MAX_PAIRS_LOG2 ||
	    bytes < TERN_DOORBELL_PAIR_BYTES << pairs_log2) {
		dev_err(&pdev->dev,
			"BAR %d of %#llx bytes cannot hold the doorbells (layout %#x)\n",
			TERN_BAR_DOORBELLS, bytes, layout);
		return -EIO;
	}
	core->dev.doorbells = pci_iomap(pdev, TERN_BAR_DOORBELLS,
					TERN_PAGE_BYTES);
	if (!core->dev.doorbells)
		return -ENOMEM;
	core->pair_count = 1U << pairs_log2;
	return 0;
}

void tern_doorbells_unmap(struct tern_core *core)
{
	pci_iounmap(core->dev.pdev, core->dev.doorbells);
	core->dev.doorbells = NULL;
}

/**
 * tern_doorbell_pair_alloc() - a pair of pages for a user context
 * @dev: the card
 * @pair: receives it; released by tern_doorbell_pair_free()
 *
 * Return: 0, -ENOSPC when all are taken, or -ENOMEM.
 */
int tern_doorbell_pair_alloc(struct tern_device *dev,
			     struct tern_doorbell_pair *pair)
{
	struct tern_core *core = tern_core_of(dev);
	int number;

	if (core->pair_count <= TERN_FIRST_USER_PAIR)
		return -ENOSPC;
	number = ida_alloc_range(&core->pairs, TERN_FIRST_USER_PAIR,
				 core->pair_count - 1, GFP_KERNEL);
	if (number < 0)
		return number;
	pair->number = number;
	pair->doorbell_address =
		pci_resource_start(dev->pdev, TERN_BAR_DOORBELLS) +
		number * TERN_DOORBELL_PAIR_BYTES;
	pair->push_address = pair->doorbell_address + TERN_PAGE_BYTES;
	return 0;
}
EXPORT_SYMBOL_GPL(tern_doorbell_pair_alloc);

void tern_doorbell_pair_free(struct tern_device *dev,
			     struct tern_doorbell_pair *pair)
{
	ida_free(&tern_core_of(dev)->pairs, pair->number);
}
EXPORT_SYMBOL_GPL(tern_doorbell_pair_free);
