/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Copyright (c) 2026 The Tern authors
 *
 * What a netdev asks of the port that it is.
 */
#ifndef TERN_PORT_H
#define TERN_PORT_H

#include <linux/types.h>

struct devlink_port;
struct tern_device;
struct tern_netdev;

int tern_port_set_admin_up(struct tern_device *dev, u8 port, bool up);
u8 tern_port_lanes(const struct tern_device *dev, u8 port);
const u8 *tern_port_permanent_mac(const struct tern_device *dev, u8 port);
struct devlink_port *tern_port_devlink(struct tern_device *dev, u8 port);
void tern_port_listen(struct tern_device *dev, u8 port,
		      struct tern_netdev *netdev);
const char *tern_firmware_board_id(const struct tern_device *dev);

#endif /* TERN_PORT_H */
