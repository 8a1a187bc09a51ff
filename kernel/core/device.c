// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copyright (c) 2026 The Tern authors
 *
 * Life of a card: from reset to work and back, and its death on the way.
 */
#include <linux/export.h>
#include <linux/pci.h>

#include "core.h"

static void tern_device_fatal_work(struct work_struct *work)
{
	tern_async_tell_fatal(container_of(work, struct tern_core, fatal_work));
}

/**
 * tern_device_silence() - no DMA and no commands from now on
 * @core: the card
 *
 * Context: any.
 *
 * Return: false if that was so already.
 */
bool tern_device_silence(struct tern_core *core)
{
	if (tern_device_is_dead(&core->dev))
		return false;
	/* First: who sees the card dead may free memory that it knew of. */
	pci_clear_master(core->dev.pdev);
	if (xchg(&core->dev.is_dead, true))
		return false;
	tern_commands_fail(core);
	schedule_work(&core->fatal_work);
	return true;
}

/**
 * tern_device_set_fatal() - the card has failed or gone
 * @dev: the card
 * @reason: for the log
 *
 * The card does no DMA any more when this returns: whatever memory it knew of
 * may be freed. Commands fail, those that wait too. Netdevs and the auxiliary
 * driver are told from a work item. Only a reset of the function helps.
 *
 * Context: any.
 */
void tern_device_set_fatal(struct tern_device *dev, const char *reason)
{
	if (tern_device_silence(tern_core_of(dev)))
		dev_err(&dev->pdev->dev, "the card has failed: %s\n", reason);
}
EXPORT_SYMBOL_GPL(tern_device_set_fatal);

/**
 * tern_device_init() - set up what outlives resets
 * @core: zeroed but for its pdev
 */
void tern_device_init(struct tern_core *core)
{
	u32 i;

	spin_lock_init(&core->commands.lock);
	init_waitqueue_head(&core->commands.slot_free);
	mutex_init(&core->async.lock);
	for (i = 0; i < TERN_MAX_PORTS; i++)
		mutex_init(&core->ports[i].lock);
	xa_init(&core->cq_links);
	ida_init(&core->pairs);
	INIT_WORK(&core->fatal_work, tern_device_fatal_work);
	tern_health_init(core);
}

/* Commands, what the card says about itself, doorbells, events. */
static int tern_device_load_hardware(struct tern_core *core)
{
	int err;

	err = tern_registers_reset(core);
	if (err)
		return err;
	/* Not before it has forgotten what others told it. */
	pci_set_master(core->dev.pdev);
	err = tern_commands_create(core);
	if (err)
		return err;
	err = tern_caps_query(core);
	if (err)
		goto destroy_commands;
	err = tern_identity_query(core);
	if (err)
		goto destroy_commands;
	err = tern_ports_query(core);
	if (err)
		goto destroy_commands;
	err = tern_doorbells_map(core);
	if (err)
		goto destroy_commands;
	err = tern_irqs_create(core);
	if (err)
		goto unmap_doorbells;
	err = tern_async_eq_create(core);
	if (err)
		goto destroy_irqs;
	err = tern_completion_eqs_create(core);
	if (err)
		goto destroy_async_eq;
	return 0;

destroy_async_eq:
	tern_async_eq_destroy(core);
destroy_irqs:
	tern_irqs_destroy(core);
unmap_doorbells:
	tern_doorbells_unmap(core);
destroy_commands:
	tern_registers_forget(core);
	pci_clear_master(core->dev.pdev);
	tern_commands_destroy(core);
	return err;
}

/* The reset makes the card forget the rings before they are freed. */
static void tern_device_unload_hardware(struct tern_core *core)
{
	tern_completion_eqs_destroy(core);
	tern_async_eq_destroy(core);
	tern_irqs_destroy(core);
	tern_doorbells_unmap(core);
	tern_registers_forget(core);
	pci_clear_master(core->dev.pdev);
	tern_commands_destroy(core);
}

/**
 * tern_device_load() - reset the card and bring up everything on top of it
 * @core: the card, identified
 *
 * Return: 0 or a negative errno; then nothing is left behind.
 */
int tern_device_load(struct tern_core *core)
{
	int err;

	WRITE_ONCE(core->dev.is_dead, false);
	err = tern_device_load_hardware(core);
	if (err)
		goto clear_master;
	err = tern_ports_register(core);
	if (err)
		goto unload_hardware;
	err = tern_netdevs_create(core);
	if (err)
		goto unregister_ports;
	err = tern_auxiliary_create(core);
	if (err)
		goto destroy_netdevs;
	tern_debugfs_create(core);
	tern_health_start(core);
	core->is_loaded = true;
	return 0;

destroy_netdevs:
	tern_netdevs_destroy(core);
unregister_ports:
	tern_ports_unregister(core);
unload_hardware:
	tern_device_unload_hardware(core);
clear_master:
	pci_clear_master(core->dev.pdev);
	cancel_work_sync(&core->fatal_work);
	return err;
}

/**
 * tern_device_unload() - take everything down again
 * @core: the card, dead or alive, loaded or not
 */
void tern_device_unload(struct tern_core *core)
{
	if (core->is_loaded) {
		core->is_loaded = false;
		tern_health_stop(core);
		tern_debugfs_remove(core);
		tern_auxiliary_destroy(core);
		tern_netdevs_destroy(core);
		tern_ports_unregister(core);
		tern_device_unload_hardware(core);
	}
	cancel_work_sync(&core->fatal_work);
}
