// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copyright (c) 2026 The Tern authors
 *
 * GID table. The RDMA core derives the entries from the netdevs' addresses and
 * keeps the indices; the card has a copy, with the source MAC and the VLAN of
 * each entry.
 */
#include <net/ipv6.h>
#include <rdma/ib_cache.h>

#include "tern_ib.h"

static u8 tern_ib_gid_type(const union ib_gid *gid)
{
	return ipv6_addr_v4mapped((const struct in6_addr *)gid) ?
	       TERN_GID_ROCE_V2_IPV4 : TERN_GID_ROCE_V2_IPV6;
}

/**
 * tern_ib_add_gid() - verb of the RDMA core
 * @attr: the entry: port, index, GID and its netdev
 * @context: not used
 *
 * Return: 0 or a negative errno.
 */
int tern_ib_add_gid(const struct ib_gid_attr *attr, void **context)
{
	struct tern_ib_device *dev = to_tern_ib_device(attr->device);
	struct tern_cmd_set_gid command = {
		.port = attr->port_num,
		.type = tern_ib_gid_type(&attr->gid),
		.index = cpu_to_le16(attr->index),
	};
	u16 vlan_id = TERN_VLAN_NONE;
	int err;

	if (attr->gid_type != IB_GID_TYPE_ROCE_UDP_ENCAP)
		return -EOPNOTSUPP;
	err = rdma_read_gid_l2_fields(attr, &vlan_id, command.mac);
	if (err)
		return err;
	/* The kernel says 0xffff for "no VLAN", too. */
	command.vlan_id = cpu_to_le16(vlan_id);
	memcpy(command.gid, attr->gid.raw, sizeof(command.gid));
	return tern_cmd_set_gid(dev->core, &command);
}

int tern_ib_del_gid(const struct ib_gid_attr *attr, void **context)
{
	struct tern_ib_device *dev = to_tern_ib_device(attr->device);
	struct tern_cmd_set_gid command = {
		.port = attr->port_num,
		.type = TERN_GID_EMPTY,
		.index = cpu_to_le16(attr->index),
		.vlan_id = cpu_to_le16(TERN_VLAN_NONE),
	};

	return tern_ib_destroyed(dev, tern_cmd_set_gid(dev->core, &command));
}
