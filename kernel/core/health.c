// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copyright (c) 2026 The Tern authors
 *
 * Is the card there and its firmware alive? Found out within
 * TERN_HEALTH_INTERVAL_MS * (TERN_HEALTH_MAX_SILENT_LOOKS + 1), also while
 * nobody gives commands.
 */
#include <linux/jiffies.h>

#include "core.h"

#define TERN_HEALTH_INTERVAL_MS		1000
#define TERN_HEALTH_MAX_SILENT_LOOKS	3

static_assert(TERN_HEALTH_INTERVAL_MS >= 2 * TERN_HEARTBEAT_MS);

const char *tern_syndrome_text(u32 syndrome)
{
	switch (syndrome) {
	case TERN_SYNDROME_COMMAND_RING:
		return "firmware lost the command ring";
	case TERN_SYNDROME_EQ_OVERRUN:
		return "event queue overrun";
	case TERN_SYNDROME_FIRMWARE_ASSERT:
		return "firmware assertion";
	default:
		return "firmware failed";
	}
}

static bool tern_health_is_silent(struct tern_core *core)
{
	struct tern_health *health = &core->health;
	u32 heartbeat = tern_register_read(core, TERN_REG_HEALTH_HEARTBEAT);

	if (heartbeat == health->heartbeat)
		return ++health->silent_looks >= TERN_HEALTH_MAX_SILENT_LOOKS;
	health->heartbeat = heartbeat;
	health->silent_looks = 0;
	return false;
}

static const char *tern_health_complaint(struct tern_core *core)
{
	u32 status;

	if (tern_registers_gone(core))
		return "it does not answer";
	status = tern_register_read(core, TERN_REG_STATUS);
	if (TERN_GET32(TERN_REG_STATUS_STATE, status) !=
	    TERN_DEVICE_STATE_READY)
		return tern_syndrome_text(
			TERN_GET32(TERN_REG_HEALTH_SYNDROME_CODE,
				   tern_register_read(core,
						TERN_REG_HEALTH_SYNDROME)));
	return tern_health_is_silent(core) ? "firmware hangs" : NULL;
}

static void tern_health_work(struct work_struct *work)
{
	struct tern_core *core = container_of(to_delayed_work(work),
					      struct tern_core, health.work);
	const char *complaint;

	if (tern_device_is_dead(&core->dev))
		return;
	complaint = tern_health_complaint(core);
	if (complaint)
		tern_device_set_fatal(&core->dev, complaint);
	else
		schedule_delayed_work(&core->health.work,
				msecs_to_jiffies(TERN_HEALTH_INTERVAL_MS));
}

void tern_health_init(struct tern_core *core)
{
	INIT_DELAYED_WORK(&core->health.work, tern_health_work);
}

void tern_health_start(struct tern_core *core)
{
	core->health.silent_looks = 0;
	core->health.heartbeat =
		tern_register_read(core, TERN_REG_HEALTH_HEARTBEAT);
	schedule_delayed_work(&core->health.work,
			      msecs_to_jiffies(TERN_HEALTH_INTERVAL_MS));
}

void tern_health_stop(struct tern_core *core)
{
	cancel_delayed_work_sync(&core->health.work);
}
