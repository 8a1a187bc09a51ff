// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copyright (c) 2026 The Tern authors
 *
 * Completion queues of Ethernet queues. One reader each, NAPI.
 */
#include <linux/netdevice.h>

#include <tern/hw/ring.h>

#include "../core/commands.h"
#include "eth.h"

static_assert(sizeof(struct tern_cqe) == 1 << TERN_CQE_BYTES_LOG2);

static void tern_eth_cq_event(struct tern_cq_link *link)
{
	napi_schedule(container_of(link, struct tern_eth_cq, link)->napi);
}

/**
 * tern_eth_cq_create() - make a completion queue, not armed
 * @channel: whose NAPI polls it
 * @cq: the queue
 * @record: which of the channel's records is its
 * @depth_log2: entries
 *
 * Return: 0 or a negative errno.
 */
int tern_eth_cq_create(struct tern_channel *channel, struct tern_eth_cq *cq,
		       enum tern_channel_record record, u8 depth_log2)
{
	struct tern_device *dev = channel->tern->dev;
	u32 offset = record * TERN_RECORD_BYTES;
	struct tern_cmd_create_cq request = {
		.eqn = cpu_to_le32(tern_eq_for_vector(dev, channel->index)),
		.depth_log2 = depth_log2,
		.record = cpu_to_le64(channel->records_dma + offset),
	};
	int err;

	cq->dev = dev;
	cq->napi = &channel->napi;
	cq->link.handler = tern_eth_cq_event;
	cq->depth_log2 = depth_log2;
	cq->record = channel->records + offset;
	err = tern_ring_create(dev, sizeof(struct tern_cqe) << depth_log2,
			       &cq->ring);
	if (err)
		return err;
	request.buffer = cq->ring.pages.list;
	err = tern_cmd_create_cq(dev, &request, &cq->cqn);
	if (err)
		goto destroy_ring;
	err = tern_cq_register(dev, cq->cqn, &cq->link);
	if (err)
		goto destroy_cq;
	return 0;

destroy_cq:
	tern_cmd_must_succeed(dev, tern_cmd_destroy_cq(dev, cq->cqn));
destroy_ring:
	tern_ring_destroy(dev, &cq->ring);
	return err;
}

void tern_eth_cq_destroy(struct tern_eth_cq *cq)
{
	tern_cq_unregister(cq->dev, cq->cqn, &cq->link);
	tern_cmd_must_succeed(cq->dev, tern_cmd_destroy_cq(cq->dev, cq->cqn));
	tern_ring_destroy(cq->dev, &cq->ring);
}

/**
 * tern_eth_cq_next() - take the next completion
 * @cq: the queue
 * @cqe: receives a copy
 *
 * Return: false if there is none.
 */
bool tern_eth_cq_next(struct tern_eth_cq *cq, struct tern_cqe *cqe)
{
	const struct tern_cqe *entries = cq->ring.cpu;
	const struct tern_cqe *entry =
		&entries[tern_ring_slot(cq->cons, cq->depth_log2)];
	__le32 owner = READ_ONCE(entry->owner);

	if (TERN_GET32(TERN_CQE_PHASE, le32_to_cpu(owner)) !=
	    tern_ring_phase(cq->cons, cq->depth_log2))
		return false;
	/* Pairs with the card's release store of owner. */
	dma_rmb();
	*cqe = *entry;
	cqe->owner = owner;
	cq->cons++;
	return true;
}

/* Tells the card of the entries taken, before it can complete more for them. */
void tern_eth_cq_release(struct tern_eth_cq *cq)
{
	WRITE_ONCE(cq->record->cons, cpu_to_le32(cq->cons));
}

/*
 * An event for what has not been taken yet, at once if that is there. Another
 * CPU may poll already, for the event of the channel's other CQ: the count of
 * entries taken is left to it.
 */
void tern_eth_cq_arm(struct tern_eth_cq *cq)
{
	u32 word = TERN_SET32(TERN_DB_CQ_NUMBER, cq->cqn) |
		   TERN_SET32(TERN_DB_CQ_COMMAND, TERN_CQ_ARM_NEXT) |
		   TERN_SET32(TERN_DB_CQ_SEQ, ++cq->arm_seq);
	u32 cons = READ_ONCE(cq->cons);

	WRITE_ONCE(cq->record->arm_cons, cpu_to_le32(cons));
	/* The card that reads the new arm must see its count. */
	dma_wmb();
	WRITE_ONCE(cq->record->arm, cpu_to_le32(word));
	tern_doorbell_ring(cq->dev, TERN_DOORBELL_CQ,
			   word | TERN_SET64(TERN_DB_CQ_CONS, cons));
}

/**
 * tern_eth_cqe_is_from() - is it the completion that must come next?
 * @cqe: a completion
 * @opcode: of its queue
 * @uidx: of its queue
 * @index: free-running count of the oldest WQE outstanding
 *
 * Ethernet queues complete in order.
 *
 * Return: false if the card made it up.
 */
bool tern_eth_cqe_is_from(const struct tern_cqe *cqe, u32 opcode, u32 uidx,
			  u32 index)
{
	u32 owner = le32_to_cpu(cqe->owner);

	return TERN_GET32(TERN_CQE_OPCODE, owner) == opcode &&
	       TERN_GET32(TERN_CQE_UIDX, owner) == uidx &&
	       le16_to_cpu(cqe->wqe_index) == (u16)index;
}
