// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copyright (c) 2026 The Tern authors
 *
 * Ports: what the netdev and the RDMA device on top of one share, and their
 * coming and going.
 */
#include <linux/etherdevice.h>
#include <linux/export.h>
#include <linux/pci.h>

#include "../eth/tern_eth.h"
#include "commands.h"
#include "core.h"
#include "port.h"

static struct tern_port *tern_port_of(const struct tern_device *dev, u8 port)
{
	return &tern_core_of(dev)->ports[port - 1];
}

/* SET_PORT takes all flags at once, so they are kept here. */
static int tern_port_set_flag(struct tern_device *dev, u8 number, u8 flag,
			      bool on)
{
	struct tern_port *port = tern_port_of(dev, number);
	struct tern_cmd_set_port request = {
		.port = number,
		.valid = TERN_SET_PORT_FLAGS,
	};
	int err;

	mutex_lock(&port->lock);
	request.flags = on ? port->flags | flag : port->flags & ~flag;
	err = tern_cmd_set_port(dev, &request);
	if (!err)
		port->flags = request.flags;
	mutex_unlock(&port->lock);
	return err;
}

/**
 * tern_port_set_admin_up() - does the host want the link?
 * @dev: the card
 * @port: 1, 2
 * @up: whether it does
 *
 * Return: 0 or a negative errno.
 */
int tern_port_set_admin_up(struct tern_device *dev, u8 port, bool up)
{
	return tern_port_set_flag(dev, port, TERN_PORT_ADMIN_UP, up);
}

/**
 * tern_port_set_roce() - who gets RoCE v2 packets?
 * @dev: the card
 * @port: 1, 2
 * @enable: QPs do, else the netdev
 *
 * Return: 0 or a negative errno.
 */
int tern_port_set_roce(struct tern_device *dev, u8 port, bool enable)
{
	return tern_port_set_flag(dev, port, TERN_PORT_ROCE, enable);
}
EXPORT_SYMBOL_GPL(tern_port_set_roce);

/**
 * tern_port_speed_mbps() - speed of a port, also while it is down
 * @dev: the card
 * @port: 1, 2
 *
 * Return: Mb/s of all its lanes.
 */
u32 tern_port_speed_mbps(const struct tern_device *dev, u8 port)
{
	return tern_port_of(dev, port)->speed_mbps;
}
EXPORT_SYMBOL_GPL(tern_port_speed_mbps);

u8 tern_port_lanes(const struct tern_device *dev, u8 port)
{
	return tern_port_of(dev, port)->lanes;
}

const u8 *tern_port_permanent_mac(const struct tern_device *dev, u8 port)
{
	return tern_port_of(dev, port)->permanent_mac;
}

struct devlink_port *tern_port_devlink(struct tern_device *dev, u8 port)
{
	return &tern_port_of(dev, port)->devlink_port;
}

/**
 * tern_port_listen() - tell a netdev of changes of its link
 * @dev: the card
 * @port: 1, 2
 * @netdev: the netdev; NULL to stop, after which none is being told
 */
void tern_port_listen(struct tern_device *dev, u8 port,
		      struct tern_netdev *netdev)
{
	struct tern_core *core = tern_core_of(dev);

	mutex_lock(&core->async.lock);
	core->async.netdevs[port - 1] = netdev;
	mutex_unlock(&core->async.lock);
}

const char *tern_firmware_board_id(const struct tern_device *dev)
{
	return tern_core_of(dev)->identity.board_id;
}

static int tern_port_query(struct tern_core *core, u8 number)
{
	struct tern_port *port = &core->ports[number - 1];
	struct tern_cmd_port_info info;
	int err;

	err = tern_cmd_query_port(&core->dev, number, &info);
	if (err)
		return err;
	if (!is_valid_ether_addr(info.permanent_mac)) {
		dev_err(&core->dev.pdev->dev, "port %u has no MAC address\n",
			number);
		return -EIO;
	}
	ether_addr_copy(port->permanent_mac, info.permanent_mac);
	port->speed_mbps = le32_to_cpu(info.speed_mbps);
	port->lanes = info.lanes;
	port->flags = 0;
	return 0;
}

/**
 * tern_ports_query() - learn what does not change about the ports
 * @core: the card
 *
 * Return: 0 or a negative errno.
 */
int tern_ports_query(struct tern_core *core)
{
	u8 port;
	int err;

	for (port = 1; port <= core->dev.caps.ports; port++) {
		err = tern_port_query(core, port);
		if (err)
			return err;
	}
	return 0;
}

static int tern_port_register(struct tern_core *core, u8 number)
{
	struct devlink_port *port = &core->ports[number - 1].devlink_port;
	struct devlink_port_attrs attrs = {
		.flavour = DEVLINK_PORT_FLAVOUR_PHYSICAL,
		.phys.port_number = number - 1,
	};

	memset(port, 0, sizeof(*port));
	attrs.lanes = core->ports[number - 1].lanes;
	devlink_port_attrs_set(port, &attrs);
	return devlink_port_register(priv_to_devlink(core), port, number - 1);
}

static void tern_ports_unregister_first(struct tern_core *core, u8 count)
{
	while (count--)
		devlink_port_unregister(&core->ports[count].devlink_port);
}

int tern_ports_register(struct tern_core *core)
{
	u8 port;
	int err;

	for (port = 1; port <= core->dev.caps.ports; port++) {
		err = tern_port_register(core, port);
		if (err) {
			tern_ports_unregister_first(core, port - 1);
			return err;
		}
	}
	return 0;
}

void tern_ports_unregister(struct tern_core *core)
{
	tern_ports_unregister_first(core, core->dev.caps.ports);
}

static void tern_netdevs_destroy_first(struct tern_core *core, u8 count)
{
	while (count--) {
		tern_eth_destroy(core->dev.netdevs[count]);
		core->dev.netdevs[count] = NULL;
	}
}

int tern_netdevs_create(struct tern_core *core)
{
	struct net_device *netdev;
	u8 port;

	for (port = 1; port <= core->dev.caps.ports; port++) {
		netdev = tern_eth_create(&core->dev, port);
		if (IS_ERR(netdev)) {
			tern_netdevs_destroy_first(core, port - 1);
			return PTR_ERR(netdev);
		}
		core->dev.netdevs[port - 1] = netdev;
	}
	return 0;
}

void tern_netdevs_destroy(struct tern_core *core)
{
	tern_netdevs_destroy_first(core, core->dev.caps.ports);
}
