// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copyright (c) 2026 The Tern authors
 *
 * Between the words of verbs and those of the card, from the contract's rows.
 */
#include "tern_ib.h"

static const enum ib_wc_opcode tern_ib_wc_opcodes[] = {
#define TERN_CQE_OPCODE(name, value, verbs, meaning) \
	[name] = IB_WC_##verbs,
#include <tern/hw/cqe_opcode.def>
};

static const enum ib_wc_status tern_ib_wc_statuses[] = {
#define TERN_CQE_STATUS(name, value, verbs, meaning) \
	[name] = IB_WC_##verbs,
#include <tern/hw/cqe_status.def>
};

/**
 * tern_ib_wc_opcode() - what completed
 * @opcode: of a CQE
 *
 * Return: its verbs opcode; any for opcodes that do not exist.
 */
enum ib_wc_opcode tern_ib_wc_opcode(u32 opcode)
{
	/* The row has the name that user space knows it by. */
	if (opcode == TERN_CQE_OP_REG_MR)
		return IB_WC_REG_MR;
	if (opcode >= ARRAY_SIZE(tern_ib_wc_opcodes))
		return IB_WC_SEND;
	return tern_ib_wc_opcodes[opcode];
}

/**
 * tern_ib_wc_status() - how a work request failed
 * @status: of a failed CQE
 *
 * Return: its verbs status, never success.
 */
enum ib_wc_status tern_ib_wc_status(u32 status)
{
	if (status == TERN_CQE_STATUS_SUCCESS ||
	    status >= ARRAY_SIZE(tern_ib_wc_statuses))
		return IB_WC_GENERAL_ERR;
	return tern_ib_wc_statuses[status];
}

static_assert(TERN_ACCESS_LOCAL_WRITE == IB_ACCESS_LOCAL_WRITE);
static_assert(TERN_ACCESS_REMOTE_WRITE == IB_ACCESS_REMOTE_WRITE);
static_assert(TERN_ACCESS_REMOTE_READ == IB_ACCESS_REMOTE_READ);
static_assert(TERN_ACCESS_REMOTE_ATOMIC == IB_ACCESS_REMOTE_ATOMIC);

/**
 * tern_ib_access() - rights of a region or a QP as the card has them
 * @access: IB_ACCESS_*
 * @card: receives TERN_ACCESS_*
 *
 * Rights that verbs calls optional, such as relaxed ordering, may be ignored.
 *
 * Return: 0, or -EOPNOTSUPP for rights that the card does not have.
 */
int tern_ib_access(int access, u32 *card)
{
	if (access & ~(TERN_ACCESS_MASK | IB_ACCESS_OPTIONAL))
		return -EOPNOTSUPP;
	*card = access & TERN_ACCESS_MASK;
	return 0;
}
