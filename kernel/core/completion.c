// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copyright (c) 2026 The Tern authors
 *
 * Completion events: from the vector's event queue to the owner of the CQ.
 */
#include <linux/cpumask.h>
#include <linux/export.h>
#include <linux/interrupt.h>
#include <linux/pci.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include <tern/hw/limits.h>

#include "core.h"

/* CQs beyond so many wait: the card tries again when there is room. */
#define TERN_COMPLETION_EQ_DEPTH_LOG2	11

/* An event of a CQ that is no more is late, or nonsense; both mean nothing. */
static void tern_completion_event(struct tern_core *core,
				  const struct tern_async_event *event)
{
	struct tern_cq_link *link;

	if (event->type != TERN_EVENT_COMPLETION)
		return;
	rcu_read_lock();
	link = xa_load(&core->cq_links, event->object);
	if (link)
		link->handler(link);
	rcu_read_unlock();
}

static irqreturn_t tern_completion_interrupt(int irq, void *data)
{
	struct tern_async_event event;
	struct tern_eq *eq = data;
	u32 budget;

	for (budget = 1U << eq->depth_log2; budget; budget--) {
		if (!tern_eq_take(eq, &event))
			break;
		tern_completion_event(eq->core, &event);
	}
	tern_eq_arm(eq);
	return IRQ_HANDLED;
}

static int tern_completion_irq(const struct tern_eq *eq)
{
	return pci_irq_vector(eq->core->dev.pdev, eq->vector);
}

static int tern_completion_eq_create(struct tern_core *core, u32 index)
{
	struct tern_eq *eq = &core->completion_eqs[index];
	struct pci_dev *pdev = core->dev.pdev;
	unsigned int cpu;
	int err;

	eq->core = core;
	eq->vector = TERN_FIRST_COMPLETION_VECTOR + index;
	err = tern_eq_create(eq, 0, TERN_COMPLETION_EQ_DEPTH_LOG2);
	if (err)
		return err;
	snprintf(eq->irq_name, sizeof(eq->irq_name), "tern-completion%u@%s",
		 index, pci_name(pdev));
	err = request_irq(tern_completion_irq(eq), tern_completion_interrupt, 0,
			  eq->irq_name, eq);
	if (err) {
		tern_eq_destroy(eq);
		return err;
	}
	cpu = cpumask_local_spread(index, dev_to_node(&pdev->dev));
	irq_update_affinity_hint(tern_completion_irq(eq), cpumask_of(cpu));
	irq_set_affinity(tern_completion_irq(eq), cpumask_of(cpu));
	tern_eq_arm(eq);
	return 0;
}

static void tern_completion_eq_destroy(struct tern_eq *eq)
{
	irq_update_affinity_hint(tern_completion_irq(eq), NULL);
	free_irq(tern_completion_irq(eq), eq);
	tern_eq_destroy(eq);
}

static void tern_completion_eqs_drop(struct tern_core *core, u32 count)
{
	while (count--)
		tern_completion_eq_destroy(&core->completion_eqs[count]);
	kfree(core->completion_eqs);
	core->completion_eqs = NULL;
}

/**
 * tern_completion_eqs_create() - an event queue for each completion vector
 * @core: the card with its vectors
 *
 * Return: 0 or a negative errno.
 */
int tern_completion_eqs_create(struct tern_core *core)
{
	u32 i;
	int err;

	core->completion_eqs = kcalloc(core->completion_eq_count,
				       sizeof(*core->completion_eqs),
				       GFP_KERNEL);
	if (!core->completion_eqs)
		return -ENOMEM;
	for (i = 0; i < core->completion_eq_count; i++) {
		err = tern_completion_eq_create(core, i);
		if (err) {
			tern_completion_eqs_drop(core, i);
			return err;
		}
	}
	return 0;
}

void tern_completion_eqs_destroy(struct tern_core *core)
{
	tern_completion_eqs_drop(core, core->completion_eq_count);
}

/**
 * tern_vector_count() - completion vectors
 * @dev: the card
 *
 * Return: how many, at least 1.
 */
u32 tern_vector_count(const struct tern_device *dev)
{
	return tern_core_of(dev)->completion_eq_count;
}
EXPORT_SYMBOL_GPL(tern_vector_count);

/**
 * tern_eq_for_vector() - the event queue that CREATE_CQ names
 * @dev: the card
 * @comp_vector: completion vector; those beyond the last start again at 0
 *
 * Return: its number.
 */
u32 tern_eq_for_vector(const struct tern_device *dev, u32 comp_vector)
{
	struct tern_core *core = tern_core_of(dev);

	return core->completion_eqs[comp_vector % core->completion_eq_count]
		.eqn;
}
EXPORT_SYMBOL_GPL(tern_eq_for_vector);

/**
 * tern_cq_register() - be told of a CQ's completion events
 * @dev: the card
 * @cqn: the CQ, as CREATE_CQ numbered it; not armed yet
 * @link: its handler is set
 *
 * The card may give a number to a new CQ as soon as it has destroyed the old
 * one, whose owner has not unregistered by then: the new owner takes its place.
 *
 * Return: 0 or -ENOMEM.
 */
int tern_cq_register(struct tern_device *dev, u32 cqn,
		     struct tern_cq_link *link)
{
	return xa_err(xa_store(&tern_core_of(dev)->cq_links, cqn, link,
			       GFP_KERNEL));
}
EXPORT_SYMBOL_GPL(tern_cq_register);

/**
 * tern_cq_unregister() - end of tern_cq_register()
 * @dev: the card
 * @cqn: the CQ
 * @link: as it was registered
 *
 * Context: sleeps. When it returns the handler does not run and will not.
 */
void tern_cq_unregister(struct tern_device *dev, u32 cqn,
			struct tern_cq_link *link)
{
	struct tern_core *core = tern_core_of(dev);
	u32 i;

	xa_cmpxchg(&core->cq_links, cqn, link, NULL, GFP_KERNEL);
	for (i = 0; i < core->completion_eq_count; i++)
		synchronize_irq(tern_completion_irq(&core->completion_eqs[i]));
}
EXPORT_SYMBOL_GPL(tern_cq_unregister);
