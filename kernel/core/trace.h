/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Copyright (c) 2026 The Tern authors
 *
 * Tracepoints of tern.ko: commands and events.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM tern

#if !defined(TERN_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define TERN_TRACE_H

#include <linux/pci.h>
#include <linux/tracepoint.h>

#include <tern/fw/command.h>

#include "tern_core.h"

const char *tern_command_name(u16 opcode);
const char *tern_event_name(u8 type);

TRACE_EVENT(tern_command_submit,
	TP_PROTO(const struct tern_device *dev, u16 opcode, u32 cookie),
	TP_ARGS(dev, opcode, cookie),
	TP_STRUCT__entry(
		__string(device, pci_name(dev->pdev))
		__string(name, tern_command_name(opcode))
		__field(u32, cookie)
	),
	TP_fast_assign(
		__assign_str(device);
		__assign_str(name);
		__entry->cookie = cookie;
	),
	TP_printk("%s %s cookie=%#x", __get_str(device), __get_str(name),
		  __entry->cookie)
);

TRACE_EVENT(tern_command_complete,
	TP_PROTO(const struct tern_device *dev, u16 opcode, u32 cookie,
		 u32 status, u32 syndrome),
	TP_ARGS(dev, opcode, cookie, status, syndrome),
	TP_STRUCT__entry(
		__string(device, pci_name(dev->pdev))
		__string(name, tern_command_name(opcode))
		__field(u32, cookie)
		__field(u32, status)
		__field(u32, syndrome)
	),
	TP_fast_assign(
		__assign_str(device);
		__assign_str(name);
		__entry->cookie = cookie;
		__entry->status = status;
		__entry->syndrome = syndrome;
	),
	TP_printk("%s %s cookie=%#x status=%u syndrome=%#x",
		  __get_str(device), __get_str(name), __entry->cookie,
		  __entry->status, __entry->syndrome)
);

TRACE_EVENT(tern_event,
	TP_PROTO(const struct tern_device *dev, u16 vector,
		 const struct tern_async_event *event),
	TP_ARGS(dev, vector, event),
	TP_STRUCT__entry(
		__string(device, pci_name(dev->pdev))
		__string(name, tern_event_name(event->type))
		__field(u16, vector)
		__field(u8, subtype)
		__field(u16, port)
		__field(u32, object)
	),
	TP_fast_assign(
		__assign_str(device);
		__assign_str(name);
		__entry->vector = vector;
		__entry->subtype = event->subtype;
		__entry->port = event->port;
		__entry->object = event->object;
	),
	TP_printk("%s %s vector=%u subtype=%u port=%u object=%#x",
		  __get_str(device), __get_str(name), __entry->vector,
		  __entry->subtype, __entry->port, __entry->object)
);

#endif /* TERN_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
