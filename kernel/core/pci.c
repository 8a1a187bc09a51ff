// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copyright (c) 2026 The Tern authors
 *
 * tern.ko: the PCI driver. A function reset takes everything down before and
 * brings it up again afterwards; it is the way out for a card that has failed.
 */
#include <linux/dma-mapping.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/sizes.h>

#include "core.h"

#define TERN_DMA_BITS	64

/* Memory, DMA and BARs: what a reset does not take away. */
static int tern_pci_enable(struct pci_dev *pdev)
{
	int err;

	err = pci_enable_device_mem(pdev);
	if (err)
		return err;
	err = dma_set_mask_and_coherent(&pdev->dev,
					DMA_BIT_MASK(TERN_DMA_BITS));
	if (err)
		goto disable;
	/* The card has no limit of its own on what is contiguous. */
	dma_set_max_seg_size(&pdev->dev, SZ_2G);
	err = pci_request_mem_regions(pdev, TERN_DRIVER_NAME);
	if (err)
		goto disable;
	return 0;

disable:
	pci_disable_device(pdev);
	return err;
}

static void tern_pci_disable(struct pci_dev *pdev)
{
	pci_release_mem_regions(pdev);
	pci_disable_device(pdev);
}

static int tern_pci_start(struct tern_core *core)
{
	int err;

	err = tern_registers_identify(core);
	return err ?: tern_device_load(core);
}

static int tern_pci_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct tern_core *core;
	struct devlink *devlink;
	int err;

	devlink = devlink_alloc(&tern_devlink_ops, sizeof(*core), &pdev->dev);
	if (!devlink)
		return -ENOMEM;
	core = devlink_priv(devlink);
	core->dev.pdev = pdev;
	tern_device_init(core);
	pci_set_drvdata(pdev, core);
	err = tern_pci_enable(pdev);
	if (err)
		goto free_devlink;
	err = tern_registers_map(core);
	if (err)
		goto disable;
	err = tern_pci_start(core);
	if (err)
		goto unmap;
	devlink_register(devlink);
	return 0;

unmap:
	tern_registers_unmap(core);
disable:
	tern_pci_disable(pdev);
free_devlink:
	pci_set_drvdata(pdev, NULL);
	devlink_free(devlink);
	return err;
}

static void tern_pci_remove(struct pci_dev *pdev)
{
	struct tern_core *core = pci_get_drvdata(pdev);

	/* Without this each command on a card that was pulled would time out. */
	if (!pci_device_is_present(pdev))
		tern_device_set_fatal(&core->dev, "it was removed");
	devlink_unregister(priv_to_devlink(core));
	tern_device_unload(core);
	tern_registers_unmap(core);
	tern_pci_disable(pdev);
	pci_set_drvdata(pdev, NULL);
	devlink_free(priv_to_devlink(core));
}

/* A kernel that comes next must not find a card that does DMA. */
static void tern_pci_shutdown(struct pci_dev *pdev)
{
	struct tern_core *core = pci_get_drvdata(pdev);

	tern_health_stop(core);
	tern_device_silence(core);
	tern_registers_forget(core);
}

static pci_ers_result_t tern_pci_error_detected(struct pci_dev *pdev,
						pci_channel_state_t state)
{
	struct tern_core *core = pci_get_drvdata(pdev);

	tern_device_set_fatal(&core->dev, "PCI error");
	return state == pci_channel_io_perm_failure ?
	       PCI_ERS_RESULT_DISCONNECT : PCI_ERS_RESULT_NONE;
}

static void tern_pci_reset_prepare(struct pci_dev *pdev)
{
	tern_device_unload(pci_get_drvdata(pdev));
}

static void tern_pci_reset_done(struct pci_dev *pdev)
{
	struct tern_core *core = pci_get_drvdata(pdev);
	int err;

	err = tern_pci_start(core);
	if (err)
		pci_err(pdev, "cannot use the card after its reset: %d\n", err);
}

static const struct pci_error_handlers tern_pci_error_handlers = {
	.error_detected = tern_pci_error_detected,
	.reset_prepare = tern_pci_reset_prepare,
	.reset_done = tern_pci_reset_done,
};

static const struct pci_device_id tern_pci_ids[] = {
	{ PCI_DEVICE(TERN_PCI_VENDOR_ID, TERN_PCI_DEVICE_ID) },
	{ }
};
MODULE_DEVICE_TABLE(pci, tern_pci_ids);

static struct pci_driver tern_pci_driver = {
	.name = TERN_DRIVER_NAME,
	.id_table = tern_pci_ids,
	.probe = tern_pci_probe,
	.remove = tern_pci_remove,
	.shutdown = tern_pci_shutdown,
	.err_handler = &tern_pci_error_handlers,
};

static int __init tern_init(void)
{
	int err;

	tern_debugfs_create_root();
	err = pci_register_driver(&tern_pci_driver);
	if (err)
		tern_debugfs_remove_root();
	return err;
}
module_init(tern_init);

static void __exit tern_exit(void)
{
	pci_unregister_driver(&tern_pci_driver);
	tern_debugfs_remove_root();
}
module_exit(tern_exit);

MODULE_AUTHOR("The Tern authors");
MODULE_DESCRIPTION("Tern RoCE v2 network card");
MODULE_LICENSE("Dual BSD/GPL");
