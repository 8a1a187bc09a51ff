/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Copyright (c) 2026 The Tern authors
 *
 * Registers of BAR0 as constants: the offset of each register, and NAME_HI and
 * NAME_LO of each field for the macros of bits.h. The rows are in regs.def.
 */
#ifndef TERN_HW_REGS_H
#define TERN_HW_REGS_H

enum tern_register {
#define TERN_REGISTER(name, offset, bytes, access, reset, meaning) \
	name = (offset),
#include <tern/hw/regs.def>
};

enum tern_register_field {
#define TERN_REGISTER_FIELD(register, name, high, low, access, meaning) \
	name##_HI = (high), name##_LO = (low),
#include <tern/hw/regs.def>
};

/* TERN_REG_STATUS_STATE */
enum tern_device_state {
	TERN_DEVICE_STATE_RESET		= 0,	/* reset in progress */
	TERN_DEVICE_STATE_BOOTING	= 1,	/* firmware starts, no commands yet */
	TERN_DEVICE_STATE_READY		= 2,	/* commands are taken */
	TERN_DEVICE_STATE_FATAL		= 3,	/* only a reset helps */
};

/* TERN_REG_HEALTH_SYNDROME_CODE */
enum tern_syndrome {
	TERN_SYNDROME_NONE		= 0,
	TERN_SYNDROME_COMMAND_RING	= 1,	/* bad ring address, depth, vector or index */
	TERN_SYNDROME_EQ_OVERRUN	= 2,	/* the asynchronous event queue was full */
	TERN_SYNDROME_FIRMWARE_ASSERT	= 3,
};

#define TERN_HEARTBEAT_MS		100
/* From reset to READY at most; a driver waits no longer. */
#define TERN_BOOT_TIMEOUT_MS		10000

#endif /* TERN_HW_REGS_H */
