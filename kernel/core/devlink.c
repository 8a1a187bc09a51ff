// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copyright (c) 2026 The Tern authors
 *
 * "devlink dev info": which firmware and board this is.
 */
#include "core.h"

/* "4294967295.4294967295.4294967295" and more. */
#define TERN_VERSION_TEXT_BYTES	40

static int tern_devlink_put_firmware(struct tern_core *core,
				     struct devlink_info_req *req)
{
	const struct tern_firmware_version *version =
		&core->dev.firmware_version;
	char text[TERN_VERSION_TEXT_BYTES];
	int err;

	snprintf(text, sizeof(text), "%u.%u.%u", version->major, version->minor,
		 version->patch);
	err = devlink_info_version_running_put(req,
				DEVLINK_INFO_VERSION_GENERIC_FW, text);
	if (err || !core->identity.build[0])
		return err;
	return devlink_info_version_running_put(req, "fw.build",
						core->identity.build);
}

static int tern_devlink_put_board(struct tern_core *core,
				  struct devlink_info_req *req)
{
	const struct tern_identity *identity = &core->identity;
	int err;

	err = devlink_info_version_fixed_put(req,
				DEVLINK_INFO_VERSION_GENERIC_BOARD_ID,
				identity->board_id);
	if (err)
		return err;
	err = devlink_info_version_fixed_put(req,
				DEVLINK_INFO_VERSION_GENERIC_BOARD_REV,
				identity->board_revision);
	if (err || !identity->serial_number[0])
		return err;
	return devlink_info_serial_number_put(req, identity->serial_number);
}

static int tern_devlink_info_get(struct devlink *devlink,
				 struct devlink_info_req *req,
				 struct netlink_ext_ack *extack)
{
	struct tern_core *core = devlink_priv(devlink);
	int err;

	err = tern_devlink_put_board(core, req);
	return err ?: tern_devlink_put_firmware(core, req);
}

const struct devlink_ops tern_devlink_ops = {
	.info_get = tern_devlink_info_get,
};
