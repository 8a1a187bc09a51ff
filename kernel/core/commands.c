// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copyright (c) 2026 The Tern authors
 *
 * One typed function per command. What comes back is a copy, and a handle in
 * it is within range.
 */
#include <linux/export.h>

#include <tern/hw/access.h>
#include <tern/hw/limits.h>

#include "command_queue.h"
#include "commands.h"

static int tern_cmd_set(struct tern_device *dev, u16 opcode,
			const void *request, u32 bytes)
{
	return tern_command_execute(dev, opcode, request, bytes, NULL, 0);
}

static int tern_cmd_query(struct tern_device *dev, u16 opcode, void *response,
			  u32 bytes)
{
	return tern_command_execute(dev, opcode, NULL, 0, response, bytes);
}

static int tern_cmd_query_of_port(struct tern_device *dev, u16 opcode, u8 port,
				  void *response, u32 bytes)
{
	struct tern_cmd_port request = { .port = port };

	return tern_command_execute(dev, opcode, &request, sizeof(request),
				    response, bytes);
}

static int tern_cmd_create_any(struct tern_device *dev, u16 opcode,
			       const void *request, u32 bytes, u32 *handle)
{
	struct tern_cmd_handle response;
	int err;

	err = tern_command_execute(dev, opcode, request, bytes, &response,
				   sizeof(response));
	if (!err)
		*handle = le32_to_cpu(response.handle);
	return err;
}

static int tern_cmd_destroy(struct tern_device *dev, u16 opcode, u32 handle)
{
	struct tern_cmd_handle request = { .handle = cpu_to_le32(handle) };

	return tern_cmd_set(dev, opcode, &request, sizeof(request));
}

/* A card that hands out numbers that do not exist can do no good. */
static int tern_cmd_create(struct tern_device *dev, u16 opcode,
			   const void *request, u32 bytes, u32 *number)
{
	u32 handle;
	int err;

	err = tern_cmd_create_any(dev, opcode, request, bytes, &handle);
	if (err)
		return err;
	if (handle & ~TERN_OBJECT_NUMBER_MASK) {
		tern_device_set_fatal(dev, "object number out of range");
		return -EIO;
	}
	*number = handle;
	return 0;
}

/**
 * tern_cmd_must_succeed() - after a command that a sane card cannot refuse
 * @dev: the card
 * @err: what the command returned
 *
 * For commands after which memory is freed that the card used: a card that
 * still uses it must not do DMA any more.
 */
void tern_cmd_must_succeed(struct tern_device *dev, int err)
{
	if (err)
		tern_device_set_fatal(dev, "cannot take objects back");
}
EXPORT_SYMBOL_GPL(tern_cmd_must_succeed);

int tern_cmd_query_device(struct tern_device *dev,
			  struct tern_cmd_device_caps *caps)
{
	return tern_cmd_query(dev, TERN_CMD_QUERY_DEVICE, caps, sizeof(*caps));
}

int tern_cmd_query_firmware(struct tern_device *dev,
			    struct tern_cmd_firmware_info *info)
{
	return tern_cmd_query(dev, TERN_CMD_QUERY_FIRMWARE, info,
			      sizeof(*info));
}

int tern_cmd_query_objects(struct tern_device *dev,
			   struct tern_cmd_object_counts *counts)
{
	return tern_cmd_query(dev, TERN_CMD_QUERY_OBJECTS, counts,
			      sizeof(*counts));
}
EXPORT_SYMBOL_GPL(tern_cmd_query_objects);

int tern_cmd_query_port(struct tern_device *dev, u8 port,
			struct tern_cmd_port_info *info)
{
	return tern_cmd_query_of_port(dev, TERN_CMD_QUERY_PORT, port, info,
				      sizeof(*info));
}
EXPORT_SYMBOL_GPL(tern_cmd_query_port);

int tern_cmd_query_port_counters(struct tern_device *dev, u8 port,
				 struct tern_cmd_port_counters *counters)
{
	return tern_cmd_query_of_port(dev, TERN_CMD_QUERY_PORT_COUNTERS, port,
				      counters, sizeof(*counters));
}
EXPORT_SYMBOL_GPL(tern_cmd_query_port_counters);

int tern_cmd_set_port(struct tern_device *dev,
		      const struct tern_cmd_set_port *request)
{
	return tern_cmd_set(dev, TERN_CMD_SET_PORT, request, sizeof(*request));
}

int tern_cmd_set_rx_mode(struct tern_device *dev,
			 const struct tern_cmd_rx_mode *request)
{
	return tern_cmd_set(dev, TERN_CMD_SET_RX_MODE, request,
			    sizeof(*request));
}

int tern_cmd_set_gid(struct tern_device *dev,
		     const struct tern_cmd_set_gid *request)
{
	return tern_cmd_set(dev, TERN_CMD_SET_GID, request, sizeof(*request));
}
EXPORT_SYMBOL_GPL(tern_cmd_set_gid);

int tern_cmd_create_eq(struct tern_device *dev,
		       const struct tern_cmd_create_eq *request, u32 *eqn)
{
	return tern_cmd_create(dev, TERN_CMD_CREATE_EQ, request,
			       sizeof(*request), eqn);
}

int tern_cmd_destroy_eq(struct tern_device *dev, u32 eqn)
{
	return tern_cmd_destroy(dev, TERN_CMD_DESTROY_EQ, eqn);
}

int tern_cmd_create_cq(struct tern_device *dev,
		       const struct tern_cmd_create_cq *request, u32 *cqn)
{
	return tern_cmd_create(dev, TERN_CMD_CREATE_CQ, request,
			       sizeof(*request), cqn);
}
EXPORT_SYMBOL_GPL(tern_cmd_create_cq);

int tern_cmd_destroy_cq(struct tern_device *dev, u32 cqn)
{
	return tern_cmd_destroy(dev, TERN_CMD_DESTROY_CQ, cqn);
}
EXPORT_SYMBOL_GPL(tern_cmd_destroy_cq);

int tern_cmd_modify_cq(struct tern_device *dev,
		       const struct tern_cmd_modify_cq *request)
{
	return tern_cmd_set(dev, TERN_CMD_MODIFY_CQ, request,
			    sizeof(*request));
}
EXPORT_SYMBOL_GPL(tern_cmd_modify_cq);

int tern_cmd_alloc_pd(struct tern_device *dev,
		      const struct tern_cmd_alloc_pd *request, u32 *pdn)
{
	return tern_cmd_create(dev, TERN_CMD_ALLOC_PD, request,
			       sizeof(*request), pdn);
}
EXPORT_SYMBOL_GPL(tern_cmd_alloc_pd);

int tern_cmd_dealloc_pd(struct tern_device *dev, u32 pdn)
{
	return tern_cmd_destroy(dev, TERN_CMD_DEALLOC_PD, pdn);
}
EXPORT_SYMBOL_GPL(tern_cmd_dealloc_pd);

/**
 * tern_cmd_create_mr() - command CREATE_MR
 * @dev: the card
 * @request: the region
 * @key: receives its key, variant 0; never one of the reserved keys
 *
 * Return: 0 or a negative errno.
 */
int tern_cmd_create_mr(struct tern_device *dev,
		       const struct tern_cmd_create_mr *request, u32 *key)
{
	u32 handle;
	int err;

	err = tern_cmd_create_any(dev, TERN_CMD_CREATE_MR, request,
				  sizeof(*request), &handle);
	if (err)
		return err;
	if (!TERN_GET32(TERN_KEY_NUMBER, handle) ||
	    TERN_GET32(TERN_KEY_VARIANT, handle)) {
		tern_device_set_fatal(dev, "key out of range");
		return -EIO;
	}
	*key = handle;
	return 0;
}
EXPORT_SYMBOL_GPL(tern_cmd_create_mr);

int tern_cmd_destroy_mr(struct tern_device *dev, u32 key)
{
	return tern_cmd_destroy(dev, TERN_CMD_DESTROY_MR, key);
}
EXPORT_SYMBOL_GPL(tern_cmd_destroy_mr);

int tern_cmd_create_qp(struct tern_device *dev,
		       const struct tern_cmd_create_qp *request, u32 *qpn)
{
	return tern_cmd_create(dev, TERN_CMD_CREATE_QP, request,
			       sizeof(*request), qpn);
}
EXPORT_SYMBOL_GPL(tern_cmd_create_qp);

int tern_cmd_destroy_qp(struct tern_device *dev, u32 qpn)
{
	return tern_cmd_destroy(dev, TERN_CMD_DESTROY_QP, qpn);
}
EXPORT_SYMBOL_GPL(tern_cmd_destroy_qp);

int tern_cmd_modify_qp(struct tern_device *dev,
		       const struct tern_cmd_modify_qp *request)
{
	return tern_cmd_set(dev, TERN_CMD_MODIFY_QP, request,
			    sizeof(*request));
}
EXPORT_SYMBOL_GPL(tern_cmd_modify_qp);

int tern_cmd_query_qp(struct tern_device *dev, u32 qpn,
		      struct tern_cmd_qp_attributes *attributes)
{
	struct tern_cmd_handle request = { .handle = cpu_to_le32(qpn) };

	return tern_command_execute(dev, TERN_CMD_QUERY_QP, &request,
				    sizeof(request), attributes,
				    sizeof(*attributes));
}
EXPORT_SYMBOL_GPL(tern_cmd_query_qp);

int tern_cmd_create_txq(struct tern_device *dev,
			const struct tern_cmd_create_eth_queue *request,
			u32 *number)
{
	return tern_cmd_create(dev, TERN_CMD_CREATE_TXQ, request,
			       sizeof(*request), number);
}

int tern_cmd_destroy_txq(struct tern_device *dev, u32 number)
{
	return tern_cmd_destroy(dev, TERN_CMD_DESTROY_TXQ, number);
}

int tern_cmd_create_rxq(struct tern_device *dev,
			const struct tern_cmd_create_eth_queue *request,
			u32 *number)
{
	return tern_cmd_create(dev, TERN_CMD_CREATE_RXQ, request,
			       sizeof(*request), number);
}

int tern_cmd_destroy_rxq(struct tern_device *dev, u32 number)
{
	return tern_cmd_destroy(dev, TERN_CMD_DESTROY_RXQ, number);
}

int tern_cmd_set_rss(struct tern_device *dev,
		     const struct tern_cmd_set_rss *request)
{
	return tern_cmd_set(dev, TERN_CMD_SET_RSS, request, sizeof(*request));
}
