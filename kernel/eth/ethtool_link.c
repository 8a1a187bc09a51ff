// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copyright (c) 2026 The Tern authors
 *
 * ethtool: what the link is.
 */
#include <linux/ethtool.h>
#include <linux/netdevice.h>

#include "../core/port.h"
#include "eth.h"

/* Copper of four lanes, the medium that a cable between cards is. */
struct tern_link_mode {
	u32 speed_mbps;
	enum ethtool_link_mode_bit_indices mode;
};

static const struct tern_link_mode tern_link_modes[] = {
	{ SPEED_100000, ETHTOOL_LINK_MODE_100000baseCR4_Full_BIT },
	{ SPEED_200000, ETHTOOL_LINK_MODE_200000baseCR4_Full_BIT },
	{ SPEED_400000, ETHTOOL_LINK_MODE_400000baseCR4_Full_BIT },
};

static void tern_link_set_modes(struct ethtool_link_ksettings *settings,
				u32 speed_mbps)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(tern_link_modes); i++) {
		if (tern_link_modes[i].speed_mbps != speed_mbps)
			continue;
		__set_bit(tern_link_modes[i].mode,
			  settings->link_modes.supported);
		__set_bit(tern_link_modes[i].mode,
			  settings->link_modes.advertising);
	}
	ethtool_link_ksettings_add_link_mode(settings, supported, FIBRE);
	ethtool_link_ksettings_add_link_mode(settings, advertising, FIBRE);
}

int tern_ethtool_get_link_ksettings(struct net_device *netdev,
				    struct ethtool_link_ksettings *settings)
{
	const struct tern_netdev *tern = netdev_priv(netdev);
	u32 speed_mbps = tern_port_speed_mbps(tern->dev, tern->port);

	ethtool_link_ksettings_zero_link_mode(settings, supported);
	ethtool_link_ksettings_zero_link_mode(settings, advertising);
	tern_link_set_modes(settings, speed_mbps);
	settings->base.port = PORT_DA;
	settings->base.autoneg = AUTONEG_DISABLE;
	if (netif_carrier_ok(netdev)) {
		settings->base.speed = speed_mbps;
		settings->base.duplex = DUPLEX_FULL;
		settings->lanes = tern_port_lanes(tern->dev, tern->port);
	} else {
		settings->base.speed = SPEED_UNKNOWN;
		settings->base.duplex = DUPLEX_UNKNOWN;
	}
	return 0;
}
