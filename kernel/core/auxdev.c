// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copyright (c) 2026 The Tern authors
 *
 * The auxiliary device "tern.rdma", to which tern_ib.ko binds.
 */
#include <linux/auxiliary_bus.h>
#include <linux/export.h>
#include <linux/pci.h>
#include <linux/slab.h>

#include "core.h"

/* Module name and this make TERN_AUXILIARY_RDMA. */
#define TERN_AUXILIARY_NAME	"rdma"

struct tern_auxiliary {
	struct auxiliary_device adev;
	struct tern_device *dev;
};

static DEFINE_IDA(tern_auxiliary_ids);

static struct tern_auxiliary *to_tern_auxiliary(struct auxiliary_device *adev)
{
	return container_of(adev, struct tern_auxiliary, adev);
}

/**
 * tern_device_of_auxiliary() - the card behind an auxiliary device
 * @adev: a device of the name TERN_AUXILIARY_RDMA
 *
 * Return: the card, which lives until the driver of @adev is unbound.
 */
struct tern_device *tern_device_of_auxiliary(struct auxiliary_device *adev)
{
	return to_tern_auxiliary(adev)->dev;
}
EXPORT_SYMBOL_GPL(tern_device_of_auxiliary);

static void tern_auxiliary_release(struct device *device)
{
	struct auxiliary_device *adev = to_auxiliary_dev(device);

	ida_free(&tern_auxiliary_ids, adev->id);
	kfree(to_tern_auxiliary(adev));
}

static struct tern_auxiliary *tern_auxiliary_alloc(struct tern_core *core)
{
	struct tern_auxiliary *auxiliary;
	int id;

	auxiliary = kzalloc(sizeof(*auxiliary), GFP_KERNEL);
	if (!auxiliary)
		return ERR_PTR(-ENOMEM);
	id = ida_alloc(&tern_auxiliary_ids, GFP_KERNEL);
	if (id < 0) {
		kfree(auxiliary);
		return ERR_PTR(id);
	}
	auxiliary->dev = &core->dev;
	auxiliary->adev.id = id;
	auxiliary->adev.name = TERN_AUXILIARY_NAME;
	auxiliary->adev.dev.parent = &core->dev.pdev->dev;
	auxiliary->adev.dev.release = tern_auxiliary_release;
	return auxiliary;
}

/**
 * tern_auxiliary_create() - let tern_ib.ko bind
 * @core: the card, its netdevs there
 *
 * Return: 0 or a negative errno.
 */
int tern_auxiliary_create(struct tern_core *core)
{
	struct tern_auxiliary *auxiliary = tern_auxiliary_alloc(core);
	int err;

	if (IS_ERR(auxiliary))
		return PTR_ERR(auxiliary);
	err = auxiliary_device_init(&auxiliary->adev);
	if (err) {
		tern_auxiliary_release(&auxiliary->adev.dev);
		return err;
	}
	err = auxiliary_device_add(&auxiliary->adev);
	if (err) {
		auxiliary_device_uninit(&auxiliary->adev);
		return err;
	}
	core->auxiliary = auxiliary;
	return 0;
}

/* When it returns no auxiliary driver is bound. */
void tern_auxiliary_destroy(struct tern_core *core)
{
	auxiliary_device_delete(&core->auxiliary->adev);
	auxiliary_device_uninit(&core->auxiliary->adev);
	core->auxiliary = NULL;
}
