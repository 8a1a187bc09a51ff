// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copyright (c) 2026 The Tern authors
 *
 * Life of a command: a slot, an entry in the ring, a completion with the
 * slot's cookie. No command waits for ever: one that takes too long is the
 * card's death, and the card's death ends all waiting.
 */
#include <linux/bitmap.h>
#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/dmapool.h>
#include <linux/pci.h>

#include <tern/hw/ring.h>

#include "core.h"
#include "trace.h"

/* No status of the contract: the card died first. */
#define TERN_COMMAND_ABANDONED	U32_MAX

/* Slot and sequence number within a cookie. */
#define TERN_COOKIE_SLOT_HI	7
#define TERN_COOKIE_SLOT_LO	0
#define TERN_COOKIE_SEQUENCE_HI	31
#define TERN_COOKIE_SEQUENCE_LO	8

#define TERN_COMMAND_POLL_MIN_US	20
#define TERN_COMMAND_POLL_MAX_US	200

static_assert(TERN_COMMAND_SLOTS <= TERN_FIELD_MAX(TERN_COOKIE_SLOT) + 1);
static_assert(sizeof(struct tern_command) == 1 << TERN_COMMAND_BYTES_LOG2);
static_assert(sizeof(struct tern_command_completion) ==
	      1 << TERN_COMMAND_COMPLETION_BYTES_LOG2);

static const int tern_command_errnos[] = {
#define TERN_COMMAND_STATUS(name, value, errno_name, meaning) \
	[name] = errno_name,
#include <tern/fw/status.def>
};

static int tern_command_errno(u32 status)
{
	if (status >= ARRAY_SIZE(tern_command_errnos))
		return -EIO;
	return -tern_command_errnos[status];
}

static int tern_command_take_slot(struct tern_core *core)
{
	struct tern_command_queue *queue = &core->commands;
	unsigned long flags;
	u32 slot;

	spin_lock_irqsave(&queue->lock, flags);
	slot = find_first_zero_bit(queue->used, TERN_COMMAND_SLOTS);
	if (slot < TERN_COMMAND_SLOTS)
		__set_bit(slot, queue->used);
	spin_unlock_irqrestore(&queue->lock, flags);
	return slot < TERN_COMMAND_SLOTS ? slot : -EAGAIN;
}

/* Those that hold slots give them up in bounded time, so this ends, too. */
static struct tern_command_slot *tern_command_get_slot(struct tern_core *core)
{
	struct tern_command_queue *queue = &core->commands;
	int slot = -EAGAIN;

	wait_event(queue->slot_free,
		   tern_device_is_dead(&core->dev) ||
		   (slot = tern_command_take_slot(core)) >= 0);
	return slot < 0 ? NULL : &queue->slots[slot];
}

static void tern_command_put_slot(struct tern_core *core,
				  struct tern_command_slot *slot)
{
	struct tern_command_queue *queue = &core->commands;
	unsigned long flags;

	spin_lock_irqsave(&queue->lock, flags);
	__clear_bit(slot - queue->slots, queue->used);
	spin_unlock_irqrestore(&queue->lock, flags);
	wake_up(&queue->slot_free);
}

static void tern_command_encode(struct tern_command *command,
				struct tern_command_slot *slot,
				const void *request, u32 in_length,
				u32 out_length)
{
	memset(command, 0, sizeof(*command));
	command->opcode = cpu_to_le16(slot->opcode);
	command->in_length = cpu_to_le32(in_length);
	command->out_length = cpu_to_le32(out_length);
	if (in_length > TERN_COMMAND_INLINE_BYTES) {
		memcpy(slot->in, request, in_length);
		command->in_mailbox = cpu_to_le64(slot->in_dma);
	} else if (in_length) {
		memcpy(command->inline_data, request, in_length);
	}
	if (out_length > TERN_COMMAND_RESULT_BYTES)
		command->out_mailbox = cpu_to_le64(slot->out_dma);
}

/* The lock orders this with tern_commands_fail(): no slot is forgotten. */
static int tern_command_submit(struct tern_core *core,
			       struct tern_command_slot *slot,
			       struct tern_command *command)
{
	struct tern_command_queue *queue = &core->commands;
	unsigned long flags;
	int err = 0;

	spin_lock_irqsave(&queue->lock, flags);
	if (tern_device_is_dead(&core->dev)) {
		err = -EIO;
		goto unlock;
	}
	slot->cookie = TERN_SET32(TERN_COOKIE_SLOT, slot - queue->slots) |
		       TERN_SET32(TERN_COOKIE_SEQUENCE, queue->sequence++);
	slot->is_pending = true;
	reinit_completion(&slot->done);
	command->cookie = cpu_to_le32(slot->cookie);
	queue->ring[tern_ring_slot(queue->prod, TERN_COMMAND_DEPTH_LOG2)] =
		*command;
	queue->prod++;
	trace_tern_command_submit(&core->dev, slot->opcode, slot->cookie);
	tern_register_write(core, TERN_REG_COMMAND_DOORBELL, queue->prod);
unlock:
	spin_unlock_irqrestore(&queue->lock, flags);
	return err;
}

static void tern_command_finish(struct tern_core *core,
				struct tern_command_slot *slot, u32 status,
				u32 syndrome)
{
	slot->is_pending = false;
	slot->status = status;
	trace_tern_command_complete(&core->dev, slot->opcode, slot->cookie,
				    status, syndrome);
	complete(&slot->done);
}

/* A cookie that nobody waits for is late, or nonsense; both mean nothing. */
static void tern_command_take(struct tern_core *core,
			      const struct tern_command_completion *completion)
{
	struct tern_command_queue *queue = &core->commands;
	u32 cookie = le32_to_cpu(completion->cookie);
	u32 index = TERN_GET32(TERN_COOKIE_SLOT, cookie);
	struct tern_command_slot *slot;

	if (index >= TERN_COMMAND_SLOTS ||
	    !queue->slots[index].is_pending ||
	    queue->slots[index].cookie != cookie) {
		queue->ignored++;
		return;
	}
	slot = &queue->slots[index];
	memcpy(slot->result, completion->result, sizeof(slot->result));
	tern_command_finish(core, slot, le16_to_cpu(completion->status),
			    le32_to_cpu(completion->syndrome));
}

static bool tern_command_next(struct tern_command_queue *queue,
			      struct tern_command_completion *copy)
{
	const struct tern_command_completion *entry =
		&queue->completions[tern_ring_slot(queue->cons,
						   TERN_COMMAND_DEPTH_LOG2)];
	u32 owner = le32_to_cpu(READ_ONCE(entry->owner));

	if (TERN_GET32(TERN_COMMAND_COMPLETION_PHASE, owner) !=
	    tern_ring_phase(queue->cons, TERN_COMMAND_DEPTH_LOG2))
		return false;
	/* Pairs with the card's release store of owner. */
	dma_rmb();
	*copy = *entry;
	queue->cons++;
	return true;
}

/**
 * tern_commands_poll() - take the completions that are there
 * @core: the card
 *
 * Context: any.
 */
void tern_commands_poll(struct tern_core *core)
{
	struct tern_command_queue *queue = &core->commands;
	struct tern_command_completion completion;
	unsigned long flags;
	u32 budget;

	spin_lock_irqsave(&queue->lock, flags);
	for (budget = TERN_COMMAND_DEPTH; budget; budget--) {
		if (!tern_command_next(queue, &completion))
			break;
		tern_command_take(core, &completion);
	}
	spin_unlock_irqrestore(&queue->lock, flags);
}

/**
 * tern_commands_fail() - the card is dead: nobody waits any longer
 * @core: the card, marked dead
 *
 * Context: any.
 */
void tern_commands_fail(struct tern_core *core)
{
	struct tern_command_queue *queue = &core->commands;
	unsigned long flags;
	u32 slot;

	spin_lock_irqsave(&queue->lock, flags);
	for (slot = 0; slot < TERN_COMMAND_SLOTS; slot++)
		if (queue->slots[slot].is_pending)
			tern_command_finish(core, &queue->slots[slot],
					    TERN_COMMAND_ABANDONED, 0);
	spin_unlock_irqrestore(&queue->lock, flags);
	wake_up_all(&queue->slot_free);
}

static bool tern_command_wait_polling(struct tern_core *core,
				      struct tern_command_slot *slot)
{
	unsigned long deadline =
		jiffies + msecs_to_jiffies(TERN_COMMAND_TIMEOUT_MS);
	bool is_late;

	do {
		is_late = time_after(jiffies, deadline);
		tern_commands_poll(core);
		if (try_wait_for_completion(&slot->done))
			return true;
		if (tern_registers_gone(core))
			return false;
		usleep_range(TERN_COMMAND_POLL_MIN_US,
			     TERN_COMMAND_POLL_MAX_US);
	} while (!is_late);
	return false;
}

/* The last look is for an interrupt that got lost. */
static bool tern_command_wait_interrupt(struct tern_core *core,
					struct tern_command_slot *slot)
{
	unsigned long timeout = msecs_to_jiffies(TERN_COMMAND_TIMEOUT_MS);

	if (wait_for_completion_timeout(&slot->done, timeout))
		return true;
	tern_commands_poll(core);
	return try_wait_for_completion(&slot->done);
}

static void tern_command_wait(struct tern_core *core,
			      struct tern_command_slot *slot)
{
	bool is_done = READ_ONCE(core->commands.polls) ?
		tern_command_wait_polling(core, slot) :
		tern_command_wait_interrupt(core, slot);

	if (is_done)
		return;
	/* Completes the slot, unless the card has done so by now. */
	tern_device_set_fatal(&core->dev, "command timed out");
	wait_for_completion(&slot->done);
}

/**
 * tern_command_execute() - give a command and wait for its end
 * @dev: the card
 * @opcode: enum tern_command_opcode
 * @request: @in_length bytes
 * @in_length: bytes of the request, at most a mailbox
 * @response: receives @out_length bytes, if the command succeeds
 * @out_length: bytes of the response, at most a mailbox
 *
 * Context: sleeps, at most for TERN_COMMAND_TIMEOUT_MS once the command has
 * been given.
 *
 * Return: 0, or what fw/status.def makes of the card's answer, or -EIO if the
 * card is dead.
 */
int tern_command_execute(struct tern_device *dev, u16 opcode,
			 const void *request, u32 in_length, void *response,
			 u32 out_length)
{
	struct tern_core *core = tern_core_of(dev);
	struct tern_command_slot *slot;
	struct tern_command command;
	int err;

	slot = tern_command_get_slot(core);
	if (!slot)
		return -EIO;
	slot->opcode = opcode;
	tern_command_encode(&command, slot, request, in_length, out_length);
	err = tern_command_submit(core, slot, &command);
	if (err)
		goto put_slot;

	tern_command_wait(core, slot);
	err = tern_command_errno(slot->status);
	if (err || !out_length)
		goto put_slot;
	memcpy(response, out_length > TERN_COMMAND_RESULT_BYTES ?
	       slot->out : slot->result, out_length);
put_slot:
	tern_command_put_slot(core, slot);
	return err;
}

static void tern_commands_free_mailboxes(struct tern_command_queue *queue)
{
	u32 i;

	for (i = 0; i < TERN_COMMAND_SLOTS; i++) {
		struct tern_command_slot *slot = &queue->slots[i];

		if (slot->in)
			dma_pool_free(queue->mailboxes, slot->in, slot->in_dma);
		if (slot->out)
			dma_pool_free(queue->mailboxes, slot->out,
				      slot->out_dma);
		slot->in = NULL;
		slot->out = NULL;
	}
	dma_pool_destroy(queue->mailboxes);
}

static int tern_commands_alloc_mailboxes(struct tern_core *core)
{
	struct tern_command_queue *queue = &core->commands;
	u32 i;

	queue->mailboxes = dma_pool_create("tern mailboxes",
					   &core->dev.pdev->dev,
					   TERN_COMMAND_MAILBOX_BYTES,
					   TERN_COMMAND_MAILBOX_BYTES, 0);
	if (!queue->mailboxes)
		return -ENOMEM;
	for (i = 0; i < TERN_COMMAND_SLOTS; i++) {
		struct tern_command_slot *slot = &queue->slots[i];

		init_completion(&slot->done);
		slot->is_pending = false;
		slot->in = dma_pool_zalloc(queue->mailboxes, GFP_KERNEL,
					   &slot->in_dma);
		slot->out = dma_pool_zalloc(queue->mailboxes, GFP_KERNEL,
					    &slot->out_dma);
		if (!slot->in || !slot->out) {
			tern_commands_free_mailboxes(queue);
			return -ENOMEM;
		}
	}
	return 0;
}

static void tern_commands_enable(struct tern_core *core)
{
	struct tern_command_queue *queue = &core->commands;

	tern_register_write64(core, TERN_REG_COMMAND_RING, queue->ring_dma);
	tern_register_write64(core, TERN_REG_COMMAND_COMPLETIONS,
			      queue->completions_dma);
	tern_register_write(core, TERN_REG_COMMAND_CONFIG,
			    TERN_SET32(TERN_REG_COMMAND_CONFIG_DEPTH_LOG2,
				       TERN_COMMAND_DEPTH_LOG2) |
			    TERN_SET32(TERN_REG_COMMAND_CONFIG_VECTOR,
				       TERN_CONTROL_VECTOR));
	tern_commands_use_interrupt(core, false);
}

/**
 * tern_commands_use_interrupt() - how commands learn of their completions
 * @core: the card
 * @use: by the control vector, else by polling
 */
void tern_commands_use_interrupt(struct tern_core *core, bool use)
{
	u32 enable = TERN_SET32(TERN_REG_COMMAND_ENABLE_ENABLED, 1) |
		     TERN_SET32(TERN_REG_COMMAND_ENABLE_INTERRUPT, use);

	tern_register_write(core, TERN_REG_COMMAND_ENABLE, enable);
	WRITE_ONCE(core->commands.polls, !use);
}

/**
 * tern_commands_create() - start the command queue, polling
 * @core: the card, READY
 *
 * Return: 0 or -ENOMEM.
 */
int tern_commands_create(struct tern_core *core)
{
	struct tern_command_queue *queue = &core->commands;
	struct device *device = &core->dev.pdev->dev;
	int err;

	queue->prod = 0;
	queue->cons = 0;
	bitmap_zero(queue->used, TERN_COMMAND_SLOTS);
	err = tern_commands_alloc_mailboxes(core);
	if (err)
		return err;
	/* Whole pages, as the registers want. */
	queue->ring = dma_alloc_coherent(device, TERN_PAGE_BYTES,
					 &queue->ring_dma, GFP_KERNEL);
	if (!queue->ring) {
		err = -ENOMEM;
		goto free_mailboxes;
	}
	queue->completions = dma_alloc_coherent(device, TERN_PAGE_BYTES,
						&queue->completions_dma,
						GFP_KERNEL);
	if (!queue->completions) {
		err = -ENOMEM;
		goto free_ring;
	}
	tern_commands_enable(core);
	return 0;

free_ring:
	dma_free_coherent(device, TERN_PAGE_BYTES, queue->ring,
			  queue->ring_dma);
free_mailboxes:
	tern_commands_free_mailboxes(queue);
	return err;
}

/* The card does no DMA any more when this is called. */
void tern_commands_destroy(struct tern_core *core)
{
	struct tern_command_queue *queue = &core->commands;
	struct device *device = &core->dev.pdev->dev;

	dma_free_coherent(device, TERN_PAGE_BYTES, queue->completions,
			  queue->completions_dma);
	dma_free_coherent(device, TERN_PAGE_BYTES, queue->ring,
			  queue->ring_dma);
	tern_commands_free_mailboxes(queue);
}
