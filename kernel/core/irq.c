// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copyright (c) 2026 The Tern authors
 *
 * MSI-X: the control vector, and one vector per completion event queue. The
 * control vector's handler takes command completions at once and leaves
 * asynchronous events to its thread, where handlers may sleep and give
 * commands themselves.
 */
#include <linux/cpumask.h>
#include <linux/interrupt.h>
#include <linux/pci.h>

#include "core.h"

static irqreturn_t tern_control_interrupt(int irq, void *data)
{
	struct tern_core *core = data;

	tern_commands_poll(core);
	return tern_eq_has_entry(&core->async_eq) ? IRQ_WAKE_THREAD :
						    IRQ_HANDLED;
}

static irqreturn_t tern_control_thread(int irq, void *data)
{
	tern_async_eq_drain(data);
	return IRQ_HANDLED;
}

static u32 tern_irqs_wanted(const struct tern_core *core)
{
	const struct tern_caps *caps = &core->dev.caps;

	return min3(TERN_FIRST_COMPLETION_VECTOR + num_online_cpus(),
		    caps->vectors, caps->max_eqs);
}

/**
 * tern_irqs_create() - allocate vectors and take the control vector
 * @core: the card, its limits known
 *
 * Return: 0 or a negative errno.
 */
int tern_irqs_create(struct tern_core *core)
{
	struct pci_dev *pdev = core->dev.pdev;
	int vectors, err;

	vectors = pci_alloc_irq_vectors(pdev, TERN_FIRST_COMPLETION_VECTOR + 1,
					tern_irqs_wanted(core), PCI_IRQ_MSIX);
	if (vectors < 0)
		return vectors;
	core->completion_eq_count = vectors - TERN_FIRST_COMPLETION_VECTOR;
	snprintf(core->async_eq.irq_name, sizeof(core->async_eq.irq_name),
		 "tern-control@%s", pci_name(pdev));
	err = request_threaded_irq(pci_irq_vector(pdev, TERN_CONTROL_VECTOR),
				   tern_control_interrupt, tern_control_thread,
				   0, core->async_eq.irq_name, core);
	if (err)
		goto free_vectors;
	tern_commands_use_interrupt(core, true);
	return 0;

free_vectors:
	pci_free_irq_vectors(pdev);
	return err;
}

void tern_irqs_destroy(struct tern_core *core)
{
	struct pci_dev *pdev = core->dev.pdev;

	tern_commands_use_interrupt(core, false);
	free_irq(pci_irq_vector(pdev, TERN_CONTROL_VECTOR), core);
	pci_free_irq_vectors(pdev);
}
