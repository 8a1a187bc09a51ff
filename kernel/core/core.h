/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Copyright (c) 2026 The Tern authors
 *
 * The card as tern.ko has it: what the files of core/ share.
 */
#ifndef TERN_CORE_PRIVATE_H
#define TERN_CORE_PRIVATE_H

#include <linux/idr.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <net/devlink.h>

#include <tern/bits.h>
#include <tern/hw/regs.h>

#include "../compat/compat.h"
#include "command_queue.h"
#include "tern_core.h"

#define TERN_DRIVER_NAME	"tern"

/* Vector of command completions and asynchronous events. */
#define TERN_CONTROL_VECTOR	0
/* From here on vectors are those of completion event queues. */
#define TERN_FIRST_COMPLETION_VECTOR	1

struct dentry;
struct tern_auxiliary;
struct tern_netdev;

/**
 * struct tern_eq - event queue
 * @core: the card
 * @eqn: its number
 * @cons: free-running count of entries taken
 * @vector: MSI-X vector
 * @depth_log2: entries
 * @is_live: the card may write entries
 * @ring: the entries
 * @irq_name: as /proc/interrupts has it
 */
struct tern_eq {
	struct tern_core *core;
	u32 eqn;
	u32 cons;
	u16 vector;
	u8 depth_log2;
	bool is_live;
	struct tern_ring ring;
	char irq_name[48];
};

/**
 * struct tern_async - who is told of asynchronous events
 * @lock: held while a handler runs; guards all that follows
 * @handler: of the auxiliary driver, or NULL
 * @context: for @handler
 * @is_fatal_told: @handler knows that the card is dead
 * @netdevs: by port less one; NULL where none listens
 */
struct tern_async {
	struct mutex lock;
	tern_async_handler handler;
	void *context;
	bool is_fatal_told;
	struct tern_netdev *netdevs[TERN_MAX_PORTS];
};

/**
 * struct tern_port - what the card was told about a port
 * @lock: one SET_PORT of flags at a time
 * @flags: TERN_PORT_ADMIN_UP, TERN_PORT_ROCE
 * @speed_mbps: of the port, also when down
 * @lanes: electrical lanes
 * @permanent_mac: as the card came with it
 * @devlink_port: as devlink has it
 */
struct tern_port {
	struct mutex lock;
	u8 flags;
	u32 speed_mbps;
	u8 lanes;
	u8 permanent_mac[6];
	struct devlink_port devlink_port;
};

/* What QUERY_FIRMWARE says, terminated and printable. */
struct tern_identity {
	char build[TERN_FIRMWARE_STRING_BYTES];
	char board_id[TERN_FIRMWARE_STRING_BYTES];
	char board_revision[TERN_FIRMWARE_STRING_BYTES];
	char serial_number[TERN_FIRMWARE_STRING_BYTES];
};

/**
 * struct tern_health - is the firmware alive?
 * @work: looks from time to time
 * @heartbeat: as it was at the last look
 * @silent_looks: looks in a row that saw no beat
 */
struct tern_health {
	struct delayed_work work;
	u32 heartbeat;
	u32 silent_looks;
};

/**
 * struct tern_core - one card
 * @dev: what others see of it
 * @registers: BAR0
 * @commands: command queue
 * @identity: firmware and board
 * @pairs: doorbell page pairs in use; 0 is the kernel's
 * @pair_count: doorbell page pairs of BAR2
 * @async_eq: asynchronous events
 * @completion_eqs: completion events, one queue per vector
 * @completion_eq_count: how many
 * @cq_links: owners of CQs by CQN; looked up under RCU
 * @async: who is told of asynchronous events
 * @ports: by port less one
 * @health: watches the firmware
 * @fatal_work: tells everybody that the card is dead
 * @auxiliary: the device that tern_ib.ko binds to
 * @debugfs: directory of the card
 * @is_loaded: tern_device_load() has succeeded
 */
struct tern_core {
	struct tern_device dev;
	void __iomem *registers;
	struct tern_command_queue commands;
	struct tern_identity identity;
	struct ida pairs;
	u32 pair_count;
	struct tern_eq async_eq;
	struct tern_eq *completion_eqs;
	u32 completion_eq_count;
	struct xarray cq_links;
	struct tern_async async;
	struct tern_port ports[TERN_MAX_PORTS];
	struct tern_health health;
	struct work_struct fatal_work;
	struct tern_auxiliary *auxiliary;
	struct dentry *debugfs;
	bool is_loaded;
};

static inline struct tern_core *tern_core_of(const struct tern_device *dev)
{
	return container_of(dev, struct tern_core, dev);
}

/* registers.c */
int tern_registers_map(struct tern_core *core);
void tern_registers_unmap(struct tern_core *core);
int tern_registers_identify(struct tern_core *core);
void tern_registers_forget(struct tern_core *core);
int tern_registers_reset(struct tern_core *core);
bool tern_registers_gone(struct tern_core *core);
u32 tern_register_read(const struct tern_core *core, enum tern_register reg);
void tern_register_write(struct tern_core *core, enum tern_register reg,
			 u32 value);
void tern_register_write64(struct tern_core *core, enum tern_register reg,
			   u64 value);

/* device.c */
void tern_device_init(struct tern_core *core);
bool tern_device_silence(struct tern_core *core);
int tern_device_load(struct tern_core *core);
void tern_device_unload(struct tern_core *core);

/* caps.c */
int tern_caps_query(struct tern_core *core);
int tern_identity_query(struct tern_core *core);

/* pages.c */
void tern_pages_describe(struct tern_pages *pages, u64 address, size_t bytes);

/* doorbell.c */
int tern_doorbells_map(struct tern_core *core);
void tern_doorbells_unmap(struct tern_core *core);

/* irq.c */
int tern_irqs_create(struct tern_core *core);
void tern_irqs_destroy(struct tern_core *core);

/* eq.c */
int tern_eq_create(struct tern_eq *eq, u8 flags, u8 depth_log2);
void tern_eq_destroy(struct tern_eq *eq);
bool tern_eq_has_entry(const struct tern_eq *eq);
bool tern_eq_take(struct tern_eq *eq, struct tern_async_event *event);
void tern_eq_arm(struct tern_eq *eq);

/* completion.c */
int tern_completion_eqs_create(struct tern_core *core);
void tern_completion_eqs_destroy(struct tern_core *core);

/* async.c */
int tern_async_eq_create(struct tern_core *core);
void tern_async_eq_destroy(struct tern_core *core);
void tern_async_eq_drain(struct tern_core *core);
void tern_async_tell_fatal(struct tern_core *core);

/* port.c */
int tern_ports_query(struct tern_core *core);
int tern_ports_register(struct tern_core *core);
void tern_ports_unregister(struct tern_core *core);
int tern_netdevs_create(struct tern_core *core);
void tern_netdevs_destroy(struct tern_core *core);

/* health.c */
const char *tern_syndrome_text(u32 syndrome);
void tern_health_init(struct tern_core *core);
void tern_health_start(struct tern_core *core);
void tern_health_stop(struct tern_core *core);

/* devlink.c */
extern const struct devlink_ops tern_devlink_ops;

/* auxdev.c */
int tern_auxiliary_create(struct tern_core *core);
void tern_auxiliary_destroy(struct tern_core *core);

/* debugfs.c */
void tern_debugfs_create_root(void);
void tern_debugfs_remove_root(void);
void tern_debugfs_create(struct tern_core *core);
void tern_debugfs_remove(struct tern_core *core);

#endif /* TERN_CORE_PRIVATE_H */
