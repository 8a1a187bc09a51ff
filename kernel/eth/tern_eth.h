/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Copyright (c) 2026 The Tern authors
 *
 * What core/ sees of the netdevs.
 */
#ifndef TERN_ETH_H
#define TERN_ETH_H

#include <linux/types.h>

/* The shortest rings: those of frames, and their completion queues. */
#define TERN_ETH_MIN_DEPTH_LOG2	6

struct net_device;
struct tern_device;
struct tern_netdev;

struct net_device *tern_eth_create(struct tern_device *dev, u8 port);
void tern_eth_destroy(struct net_device *netdev);
void tern_eth_link_changed(struct tern_netdev *tern);

#endif /* TERN_ETH_H */
