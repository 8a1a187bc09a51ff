/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Copyright (c) 2026 The Tern authors
 *
 * The command queue: two rings of equal depth in host memory, one of commands
 * and one of completions. The driver writes commands, then their producer
 * count to TERN_REG_COMMAND_DOORBELL; at most depth - 1 are outstanding.
 * Commands may complete in any order and are matched by their cookie.
 * Completions follow the phase rule of hw/ring.h.
 */
#ifndef TERN_FW_COMMAND_H
#define TERN_FW_COMMAND_H

#include <tern/bits.h>

enum tern_command_opcode {
#define TERN_COMMAND(name, opcode, request, response, meaning) name = (opcode),
#include <tern/fw/command.def>
};

enum tern_command_status {
#define TERN_COMMAND_STATUS(name, value, errno_name, meaning) name = (value),
#include <tern/fw/status.def>
};

#define TERN_COMMAND_INLINE_BYTES	32
#define TERN_COMMAND_RESULT_BYTES	16
/* A mailbox is one 4 KiB aligned page. */
#define TERN_COMMAND_MAILBOX_BYTES	4096

/* No command takes longer; a driver that waits longer declares the card dead. */
#define TERN_COMMAND_TIMEOUT_MS		10000

struct tern_command {
	__le16 opcode;			/* enum tern_command_opcode */
	__u8 version;			/* 0 */
	__u8 flags;			/* reserved */
	__le32 cookie;			/* comes back in the completion */
	__le32 in_length;		/* bytes of the request struct */
	__le32 out_length;		/* bytes of the response struct */
	__le64 in_mailbox;		/* used if in_length > 32, else zero */
	__le64 out_mailbox;		/* used if out_length > 16, else zero */
	__u8 inline_data[TERN_COMMAND_INLINE_BYTES]; /* zero-padded */
};

#define TERN_COMMAND_BYTES_LOG2		6

struct tern_command_completion {
	__le32 cookie;
	__le16 status;			/* enum tern_command_status */
	__le16 reserved_06;
	__le32 syndrome;		/* see status.def, else zero */
	__u8 result[TERN_COMMAND_RESULT_BYTES];	/* zero-padded */
	__le32 owner;			/* phase; else reserved */
};

#define TERN_COMMAND_COMPLETION_BYTES_LOG2	5
#define TERN_COMMAND_COMPLETION_RESERVED_HI	30
#define TERN_COMMAND_COMPLETION_RESERVED_LO	0
#define TERN_COMMAND_COMPLETION_PHASE_HI	31
#define TERN_COMMAND_COMPLETION_PHASE_LO	31

/* No request or no response; travels as zero bytes. */
struct tern_cmd_empty {
	__u8 reserved_00[4];
};

/* A number of an object, or a key; 23:0 for all but keys. */
struct tern_cmd_handle {
	__le32 handle;
	__le32 reserved_04;
};

#endif /* TERN_FW_COMMAND_H */
