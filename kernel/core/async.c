// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copyright (c) 2026 The Tern authors
 *
 * Asynchronous events: from the card's queue to the netdevs and the auxiliary
 * driver. All of them are told from a context that may sleep, one event at a
 * time, netdevs first.
 */
#include <linux/export.h>
#include <linux/interrupt.h>
#include <linux/pci.h>

#include "../eth/tern_eth.h"
#include "core.h"

/* A full queue is fatal (TERN_SYNDROME_EQ_OVERRUN): have room. */
#define TERN_ASYNC_EQ_DEPTH_LOG2	12

static void tern_async_tell(struct tern_core *core,
			    const struct tern_async_event *event)
{
	struct tern_async *async = &core->async;

	if (async->handler)
		async->handler(async->context, event);
}

static void tern_async_tell_port(struct tern_core *core, u32 port)
{
	if (port < 1 || port > core->dev.caps.ports)
		return;
	if (core->async.netdevs[port - 1])
		tern_eth_link_changed(core->async.netdevs[port - 1]);
}

static void tern_async_dispatch(struct tern_core *core,
				const struct tern_async_event *event)
{
	switch (event->type) {
	case TERN_EVENT_DEVICE_FATAL:
		/* Comes back to everybody through tern_async_tell_fatal(). */
		tern_device_set_fatal(&core->dev,
				      tern_syndrome_text(event->subtype));
		return;
	case TERN_EVENT_PORT_UP:
	case TERN_EVENT_PORT_DOWN:
		tern_async_tell_port(core, event->port);
		break;
	}
	tern_async_tell(core, event);
}

/**
 * tern_async_eq_drain() - deal with the events that are there
 * @core: the card
 *
 * Context: thread of the control vector.
 */
void tern_async_eq_drain(struct tern_core *core)
{
	struct tern_eq *eq = &core->async_eq;
	struct tern_async_event event;
	u32 budget;

	if (!tern_eq_has_entry(eq))
		return;
	for (budget = 1U << eq->depth_log2; budget; budget--) {
		if (!tern_eq_take(eq, &event))
			break;
		mutex_lock(&core->async.lock);
		tern_async_dispatch(core, &event);
		mutex_unlock(&core->async.lock);
	}
	tern_eq_arm(eq);
}

static void tern_async_tell_fatal_once(struct tern_core *core)
{
	const struct tern_async_event event = {
		.type = TERN_EVENT_DEVICE_FATAL,
	};

	if (core->async.is_fatal_told)
		return;
	core->async.is_fatal_told = true;
	tern_async_tell(core, &event);
}

/* The card is dead, whoever found it out. */
void tern_async_tell_fatal(struct tern_core *core)
{
	u32 i;

	mutex_lock(&core->async.lock);
	for (i = 0; i < TERN_MAX_PORTS; i++)
		if (core->async.netdevs[i])
			tern_eth_link_changed(core->async.netdevs[i]);
	tern_async_tell_fatal_once(core);
	mutex_unlock(&core->async.lock);
}

/**
 * tern_async_register() - be told of asynchronous events
 * @dev: the card
 * @handler: called with each event that is not a completion; may sleep and
 *           give commands, must not register or unregister
 * @context: for @handler
 *
 * One handler at a time. On a dead card it is called with DEVICE_FATAL at once.
 */
void tern_async_register(struct tern_device *dev, tern_async_handler handler,
			 void *context)
{
	struct tern_core *core = tern_core_of(dev);

	mutex_lock(&core->async.lock);
	core->async.handler = handler;
	core->async.context = context;
	core->async.is_fatal_told = false;
	if (tern_device_is_dead(dev))
		tern_async_tell_fatal_once(core);
	mutex_unlock(&core->async.lock);
}
EXPORT_SYMBOL_GPL(tern_async_register);

/**
 * tern_async_unregister() - end of tern_async_register()
 * @dev: the card
 *
 * Context: sleeps. When it returns the handler does not run and will not.
 */
void tern_async_unregister(struct tern_device *dev)
{
	struct tern_core *core = tern_core_of(dev);

	mutex_lock(&core->async.lock);
	core->async.handler = NULL;
	core->async.context = NULL;
	mutex_unlock(&core->async.lock);
}
EXPORT_SYMBOL_GPL(tern_async_unregister);

int tern_async_eq_create(struct tern_core *core)
{
	struct tern_eq *eq = &core->async_eq;
	int err;

	eq->core = core;
	eq->vector = TERN_CONTROL_VECTOR;
	err = tern_eq_create(eq, TERN_EQ_ASYNCHRONOUS,
			     TERN_ASYNC_EQ_DEPTH_LOG2);
	if (err)
		return err;
	tern_eq_arm(eq);
	return 0;
}

void tern_async_eq_destroy(struct tern_core *core)
{
	struct tern_eq *eq = &core->async_eq;

	WRITE_ONCE(eq->is_live, false);
	synchronize_irq(pci_irq_vector(core->dev.pdev, TERN_CONTROL_VECTOR));
	tern_eq_destroy(eq);
}
