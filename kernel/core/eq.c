// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copyright (c) 2026 The Tern authors
 *
 * Event queues: rings that the card fills (hw/eqe.h). One reader each.
 */
#include <linux/pci.h>

#include <tern/hw/ring.h>

#include "commands.h"
#include "core.h"
#include "trace.h"

static_assert(sizeof(struct tern_eqe) == 1 << TERN_EQE_BYTES_LOG2);

static const struct tern_eqe *tern_eq_next(const struct tern_eq *eq)
{
	const struct tern_eqe *entries = eq->ring.cpu;

	return &entries[tern_ring_slot(eq->cons, eq->depth_log2)];
}

static bool tern_eq_is_valid(const struct tern_eq *eq,
			     const struct tern_eqe *eqe)
{
	u32 owner = le32_to_cpu(READ_ONCE(eqe->owner));

	return TERN_GET32(TERN_EQE_PHASE, owner) ==
	       tern_ring_phase(eq->cons, eq->depth_log2);
}

/* A hint when it is not the reader who asks. */
bool tern_eq_has_entry(const struct tern_eq *eq)
{
	/* Pairs with the release in tern_eq_create(). */
	return smp_load_acquire(&eq->is_live) &&
	       tern_eq_is_valid(eq, tern_eq_next(eq));
}

static void tern_eq_ring(const struct tern_eq *eq, bool arm)
{
	tern_doorbell_ring(&eq->core->dev, TERN_DOORBELL_EQ,
			   TERN_SET64(TERN_DB_EQ_NUMBER, eq->eqn) |
			   TERN_SET64(TERN_DB_EQ_ARM, arm) |
			   TERN_SET64(TERN_DB_EQ_CONS, eq->cons));
}

/**
 * tern_eq_take() - take the next event
 * @eq: the queue
 * @event: receives a copy
 *
 * The card learns of free entries from time to time, without being asked for
 * an interrupt.
 *
 * Return: false if there is none.
 */
bool tern_eq_take(struct tern_eq *eq, struct tern_async_event *event)
{
	const struct tern_eqe *eqe = tern_eq_next(eq);
	u32 quarter = 1U << (eq->depth_log2 - 1) >> 1;

	if (!tern_eq_is_valid(eq, eqe))
		return false;
	/* Pairs with the card's release store of owner. */
	dma_rmb();
	event->type = READ_ONCE(eqe->type);
	event->subtype = READ_ONCE(eqe->subtype);
	event->port = le16_to_cpu(READ_ONCE(eqe->port));
	event->object = le32_to_cpu(READ_ONCE(eqe->object));
	event->data0 = le64_to_cpu(READ_ONCE(eqe->data0));
	event->token = le32_to_cpu(READ_ONCE(eqe->token));
	eq->cons++;
	trace_tern_event(&eq->core->dev, eq->vector, event);
	if (quarter && !(eq->cons & (quarter - 1)))
		tern_eq_ring(eq, false);
	return true;
}

/* Everything up to here has been taken; interrupt when there is more. */
void tern_eq_arm(struct tern_eq *eq)
{
	tern_eq_ring(eq, true);
}

/**
 * tern_eq_create() - create an event queue, not armed
 * @eq: the queue; core and vector are set
 * @flags: TERN_EQ_*
 * @depth_log2: entries; less if the card has no such queues
 *
 * Return: 0 or a negative errno.
 */
int tern_eq_create(struct tern_eq *eq, u8 flags, u8 depth_log2)
{
	struct tern_device *dev = &eq->core->dev;
	struct tern_cmd_create_eq request = {
		.flags = flags,
		.vector = cpu_to_le16(eq->vector),
	};
	int err;

	eq->cons = 0;
	eq->depth_log2 = min(depth_log2, dev->caps.max_eq_depth_log2);
	err = tern_ring_create(dev, sizeof(struct tern_eqe) << eq->depth_log2,
			       &eq->ring);
	if (err)
		return err;
	request.depth_log2 = eq->depth_log2;
	request.buffer = eq->ring.pages.list;
	err = tern_cmd_create_eq(dev, &request, &eq->eqn);
	if (err) {
		tern_ring_destroy(dev, &eq->ring);
		return err;
	}
	/* Interrupt handlers may look at it from now on. */
	smp_store_release(&eq->is_live, true);
	return 0;
}

/* No interrupt handler looks at the queue any more. */
void tern_eq_destroy(struct tern_eq *eq)
{
	struct tern_device *dev = &eq->core->dev;

	tern_cmd_must_succeed(dev, tern_cmd_destroy_eq(dev, eq->eqn));
	tern_ring_destroy(dev, &eq->ring);
}
