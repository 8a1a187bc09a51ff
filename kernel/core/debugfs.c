// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copyright (c) 2026 The Tern authors
 *
 * debugfs: tern/<PCI address>/registers, each register with its fields, and
 * tern/<PCI address>/commands, the state of the command queue.
 */
#include <linux/debugfs.h>
#include <linux/pci.h>
#include <linux/seq_file.h>
#include <linux/string.h>

#include "core.h"

struct tern_register_row {
	u32 offset;
	u32 bytes;
	const char *name;
	const char *access;
	const char *meaning;
};

struct tern_register_field_row {
	u32 offset;
	u32 high;
	u32 low;
	const char *name;
	const char *meaning;
};

static const struct tern_register_row tern_register_rows[] = {
#define TERN_REGISTER(name, offset, bytes, access, reset, meaning) \
	{ offset, bytes, #name, #access, meaning },
#include <tern/hw/regs.def>
};

static const struct tern_register_field_row tern_register_field_rows[] = {
#define TERN_REGISTER_FIELD(register, name, high, low, access, meaning) \
	{ register, high, low, #name, meaning },
#include <tern/hw/regs.def>
};

static struct dentry *tern_debugfs_root;

static u64 tern_debugfs_read(const struct tern_core *core,
			     const struct tern_register_row *row)
{
	return row->bytes == sizeof(u64) ? readq(core->registers + row->offset) :
					   readl(core->registers + row->offset);
}

static void tern_debugfs_show_fields(struct seq_file *file, u32 offset,
				     u64 value)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(tern_register_field_rows); i++) {
		const struct tern_register_field_row *row =
			&tern_register_field_rows[i];

		if (row->offset != offset)
			continue;
		seq_printf(file, "      %2u:%-2u %-44s %#llx\n", row->high,
			   row->low, row->name,
			   (value & GENMASK_ULL(row->high, row->low)) >>
				   row->low);
	}
}

static int registers_show(struct seq_file *file, void *unused)
{
	const struct tern_core *core = file->private;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(tern_register_rows); i++) {
		const struct tern_register_row *row = &tern_register_rows[i];
		u64 value;

		/* Reads as zero and means nothing. */
		if (!strcmp(row->access, "WO"))
			continue;
		value = tern_debugfs_read(core, row);
		seq_printf(file, "%#05x %-32s %#0*llx  %s\n", row->offset,
			   row->name, (int)(2 + 2 * row->bytes), value,
			   row->meaning);
		tern_debugfs_show_fields(file, row->offset, value);
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(registers);

static int commands_show(struct seq_file *file, void *unused)
{
	struct tern_core *core = file->private;
	struct tern_command_queue *queue = &core->commands;
	u32 prod, cons;
	u64 ignored;

	spin_lock_irq(&queue->lock);
	prod = queue->prod;
	cons = queue->cons;
	ignored = queue->ignored;
	spin_unlock_irq(&queue->lock);
	seq_printf(file, "given %u\ncompleted %u\nignored_completions %llu\n",
		   prod, cons, ignored);
	seq_printf(file, "dead %d\n", tern_device_is_dead(&core->dev));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(commands);

void tern_debugfs_create_root(void)
{
	tern_debugfs_root = debugfs_create_dir(TERN_DRIVER_NAME, NULL);
}

void tern_debugfs_remove_root(void)
{
	debugfs_remove(tern_debugfs_root);
}

void tern_debugfs_create(struct tern_core *core)
{
	core->debugfs = debugfs_create_dir(pci_name(core->dev.pdev),
					   tern_debugfs_root);
	debugfs_create_file("registers", 0400, core->debugfs, core,
			    &registers_fops);
	debugfs_create_file("commands", 0400, core->debugfs, core,
			    &commands_fops);
}

/* Waits for readers. */
void tern_debugfs_remove(struct tern_core *core)
{
	debugfs_remove(core->debugfs);
	core->debugfs = NULL;
}
