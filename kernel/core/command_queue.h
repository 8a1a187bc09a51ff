/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Copyright (c) 2026 The Tern authors
 *
 * The command queue (fw/command.h): many commands outstanding, matched to
 * their completions by cookie.
 */
#ifndef TERN_COMMAND_QUEUE_H
#define TERN_COMMAND_QUEUE_H

#include <linux/completion.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>

#include <tern/fw/command.h>

struct dma_pool;
struct tern_core;
struct tern_device;

#define TERN_COMMAND_DEPTH_LOG2	5
#define TERN_COMMAND_DEPTH	(1U << TERN_COMMAND_DEPTH_LOG2)
/* At most depth - 1 are outstanding. */
#define TERN_COMMAND_SLOTS	(TERN_COMMAND_DEPTH - 1)

/**
 * struct tern_command_slot - one command that may be outstanding
 * @done: the command has completed or failed
 * @in: mailbox for long requests
 * @in_dma: its bus address
 * @out: mailbox for long responses
 * @out_dma: its bus address
 * @cookie: of the command that is outstanding or was last
 * @is_pending: the card owes a completion
 * @opcode: enum tern_command_opcode
 * @status: enum tern_command_status, or TERN_COMMAND_ABANDONED
 * @result: short response
 *
 * The mailboxes live as long as the queue, so that a completion that comes
 * after its time hurts nobody and destroying an object allocates nothing.
 */
struct tern_command_slot {
	struct completion done;
	void *in;
	dma_addr_t in_dma;
	void *out;
	dma_addr_t out_dma;
	u32 cookie;
	bool is_pending;
	u16 opcode;
	u32 status;
	u8 result[TERN_COMMAND_RESULT_BYTES];
};

/**
 * struct tern_command_queue - both rings and who waits for them
 * @lock: guards all that follows, from hard interrupts too
 * @slot_free: woken when a slot is free or the card is dead
 * @ring: commands
 * @ring_dma: its bus address
 * @completions: completions
 * @completions_dma: its bus address
 * @mailboxes: pool of the slots' mailboxes
 * @prod: free-running count of commands given to the card
 * @cons: free-running count of completions taken
 * @sequence: distinguishes the commands of one slot
 * @ignored: completions that no command waited for
 * @polls: completions raise no interrupt yet
 * @used: slots in use
 * @slots: the slots
 */
struct tern_command_queue {
	spinlock_t lock;
	wait_queue_head_t slot_free;
	struct tern_command *ring;
	dma_addr_t ring_dma;
	struct tern_command_completion *completions;
	dma_addr_t completions_dma;
	struct dma_pool *mailboxes;
	u32 prod;
	u32 cons;
	u32 sequence;
	u64 ignored;
	bool polls;
	DECLARE_BITMAP(used, TERN_COMMAND_SLOTS);
	struct tern_command_slot slots[TERN_COMMAND_SLOTS];
};

int tern_commands_create(struct tern_core *core);
void tern_commands_destroy(struct tern_core *core);
void tern_commands_use_interrupt(struct tern_core *core, bool use);
void tern_commands_poll(struct tern_core *core);
void tern_commands_fail(struct tern_core *core);

int tern_command_execute(struct tern_device *dev, u16 opcode,
			 const void *request, u32 in_length, void *response,
			 u32 out_length);

#endif /* TERN_COMMAND_QUEUE_H */
