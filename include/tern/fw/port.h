/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Copyright (c) 2026 The Tern authors
 *
 * Ports, counted from 1 as in verbs, and their GID tables.
 */
#ifndef TERN_FW_PORT_H
#define TERN_FW_PORT_H

#include <linux/types.h>

struct tern_cmd_port {
	__u8 port;
	__u8 reserved_01[7];
};

/* tern_cmd_port_info.flags and tern_cmd_set_port.flags */
#define TERN_PORT_ADMIN_UP		0x1	/* the host wants the link */
#define TERN_PORT_ROCE			0x2	/* UDP port 4791 goes to QPs */
#define TERN_PORT_LINK_UP		0x4	/* query only: link is up */

struct tern_cmd_port_info {
	__u8 port;
	__u8 flags;			/* TERN_PORT_* */
	__le16 mtu;			/* Ethernet payload, bytes */
	__le32 speed_mbps;		/* of the whole port, also when down */
	__u8 lanes;
	__u8 reserved_09[3];
	__u8 mac[6];			/* in use */
	__u8 permanent_mac[6];
	__u8 reserved_18[8];
};

/* valid */
#define TERN_SET_PORT_FLAGS		0x1
#define TERN_SET_PORT_MTU		0x2
#define TERN_SET_PORT_MAC		0x4

struct tern_cmd_set_port {
	__u8 port;
	__u8 valid;			/* TERN_SET_PORT_*: what to take */
	__u8 flags;			/* TERN_PORT_ADMIN_UP, _ROCE */
	__u8 reserved_03;
	__le16 mtu;
	__u8 mac[6];
	__u8 reserved_0c[4];
};

/* flags */
#define TERN_RX_MODE_PROMISCUOUS	0x1
#define TERN_RX_MODE_ALL_MULTICAST	0x2

struct tern_cmd_rx_mode {
	__u8 port;
	__u8 flags;			/* TERN_RX_MODE_* */
	__le16 address_count;		/* 0 .. TERN_MULTICAST_FILTER_LENGTH */
	__u8 reserved_04[4];
	__u8 address[128][8];		/* group MAC in the first 6 bytes, rest zero */
};

enum tern_port_counter {
#define TERN_PORT_COUNTER(name, index, label, room, meaning) name = (index),
#include <tern/fw/port_counter.def>
	TERN_PORT_COUNTER_COUNT
};

#define TERN_PORT_COUNTER_SLOTS		64

struct tern_cmd_port_counters {
	__le64 value[TERN_PORT_COUNTER_SLOTS];
};

enum tern_gid_type {
	TERN_GID_EMPTY			= 0,
	TERN_GID_ROCE_V2_IPV4		= 1,	/* ::ffff:a.b.c.d */
	TERN_GID_ROCE_V2_IPV6		= 2,
};

#define TERN_VLAN_NONE			0xffff

struct tern_cmd_set_gid {
	__u8 port;
	__u8 type;			/* enum tern_gid_type */
	__le16 index;
	__le16 vlan_id;			/* 0 .. 4094, or TERN_VLAN_NONE */
	__u8 mac[6];			/* source MAC of packets from this GID */
	__u8 reserved_0c[4];
	__u8 gid[16];
};

#endif /* TERN_FW_PORT_H */
