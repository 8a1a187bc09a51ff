// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copyright (c) 2026 The Tern authors
 *
 * Names for traces, and the tracepoints themselves.
 */
#define CREATE_TRACE_POINTS
#include "trace.h"

const char *tern_command_name(u16 opcode)
{
	switch (opcode) {
#define TERN_COMMAND(name, opcode, request, response, meaning) \
	case opcode: return #name;
#include <tern/fw/command.def>
	}
	return "unknown";
}

const char *tern_event_name(u8 type)
{
	switch (type) {
#define TERN_EVENT(name, value, object, meaning) \
	case value: return #name;
#include <tern/hw/event.def>
	}
	return "unknown";
}
