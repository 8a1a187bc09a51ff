/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Copyright (c) 2026 The Tern authors
 *
 * Commands that only tern.ko gives. They behave as those of tern_core.h.
 */
#ifndef TERN_COMMANDS_H
#define TERN_COMMANDS_H

#include <tern/fw/command.h>
#include <tern/fw/eth.h>

#include "tern_core.h"

int tern_cmd_query_device(struct tern_device *dev,
			  struct tern_cmd_device_caps *caps);
int tern_cmd_query_firmware(struct tern_device *dev,
			    struct tern_cmd_firmware_info *info);
int tern_cmd_set_port(struct tern_device *dev,
		      const struct tern_cmd_set_port *request);
int tern_cmd_set_rx_mode(struct tern_device *dev,
			 const struct tern_cmd_rx_mode *request);
int tern_cmd_create_eq(struct tern_device *dev,
		       const struct tern_cmd_create_eq *request, u32 *eqn);
int tern_cmd_destroy_eq(struct tern_device *dev, u32 eqn);
int tern_cmd_create_txq(struct tern_device *dev,
			const struct tern_cmd_create_eth_queue *request,
			u32 *number);
int tern_cmd_destroy_txq(struct tern_device *dev, u32 number);
int tern_cmd_create_rxq(struct tern_device *dev,
			const struct tern_cmd_create_eth_queue *request,
			u32 *number);
int tern_cmd_destroy_rxq(struct tern_device *dev, u32 number);
int tern_cmd_set_rss(struct tern_device *dev,
		     const struct tern_cmd_set_rss *request);

#endif /* TERN_COMMANDS_H */
