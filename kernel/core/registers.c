// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copyright (c) 2026 The Tern authors
 *
 * BAR0: whose card it is, whether it is there, and its reset. Any value of a
 * register may be that of a card that is gone; TERN_REG_MAGIC tells for sure.
 */
#include <linux/delay.h>
#include <linux/pci.h>

#include "core.h"

#define TERN_ALL_ONES		0xffffffffU
#define TERN_BOOT_POLL_MS	2

u32 tern_register_read(const struct tern_core *core, enum tern_register reg)
{
	return readl(core->registers + reg);
}

void tern_register_write(struct tern_core *core, enum tern_register reg,
			 u32 value)
{
	writel(value, core->registers + reg);
}

void tern_register_write64(struct tern_core *core, enum tern_register reg,
			   u64 value)
{
	writeq(value, core->registers + reg);
}

/**
 * tern_registers_gone() - does the card answer no more?
 * @core: the card
 *
 * Return: true if it does not say who it is: it was removed, or its link is
 * down. Buses differ in what they answer then, all-ones or zero.
 */
bool tern_registers_gone(struct tern_core *core)
{
	return tern_register_read(core, TERN_REG_MAGIC) != TERN_MAGIC;
}

int tern_registers_map(struct tern_core *core)
{
	struct pci_dev *pdev = core->dev.pdev;

	if (!(pci_resource_flags(pdev, TERN_BAR_REGISTERS) & IORESOURCE_MEM) ||
	    pci_resource_len(pdev, TERN_BAR_REGISTERS) <
	    TERN_BAR_REGISTERS_BYTES) {
		dev_err(&pdev->dev, "BAR %d is too small\n",
			TERN_BAR_REGISTERS);
		return -ENODEV;
	}
	core->registers = pci_iomap(pdev, TERN_BAR_REGISTERS,
				    TERN_BAR_REGISTERS_BYTES);
	return core->registers ? 0 : -ENOMEM;
}

void tern_registers_unmap(struct tern_core *core)
{
	pci_iounmap(core->dev.pdev, core->registers);
}

/**
 * tern_registers_identify() - is this a card that we can drive?
 * @core: the card
 *
 * Return: 0, -ENODEV if it is no Tern or does not answer, or -EOPNOTSUPP if it
 * speaks another major version of the contract.
 */
int tern_registers_identify(struct tern_core *core)
{
	struct device *device = &core->dev.pdev->dev;
	u32 magic = tern_register_read(core, TERN_REG_MAGIC);
	u32 version, major;

	if (magic != TERN_MAGIC) {
		dev_err(device, magic == TERN_ALL_ONES ?
			"the card does not answer\n" :
			"this is no Tern card\n");
		return -ENODEV;
	}
	version = tern_register_read(core, TERN_REG_VERSION);
	major = TERN_GET32(TERN_REG_VERSION_MAJOR, version);
	if (major != TERN_VERSION_MAJOR) {
		dev_err(device,
			"card has interface version %u.%u, driver has %u.%u: update the older one\n",
			major, TERN_GET32(TERN_REG_VERSION_MINOR, version),
			TERN_VERSION_MAJOR, TERN_VERSION_MINOR);
		return -EOPNOTSUPP;
	}
	return 0;
}

static int tern_registers_wait_ready(struct tern_core *core)
{
	unsigned long deadline =
		jiffies + msecs_to_jiffies(TERN_BOOT_TIMEOUT_MS);
	struct device *device = &core->dev.pdev->dev;
	u32 status;
	bool is_late;

	do {
		is_late = time_after(jiffies, deadline);
		status = tern_register_read(core, TERN_REG_STATUS);
		if (tern_registers_gone(core)) {
			dev_err(device, "the card went away while it booted\n");
			return -ENODEV;
		}
		if (TERN_GET32(TERN_REG_STATUS_STATE, status) ==
		    TERN_DEVICE_STATE_READY)
			return 0;
		msleep(TERN_BOOT_POLL_MS);
	} while (!is_late);
	dev_err(device, "firmware is not ready after %u ms (status %#x)\n",
		TERN_BOOT_TIMEOUT_MS, status);
	return -ETIMEDOUT;
}

/* The card forgets everything that it was told; it does not wait for that. */
void tern_registers_forget(struct tern_core *core)
{
	tern_register_write(core, TERN_REG_CONTROL,
			    TERN_SET32(TERN_REG_CONTROL_RESET, 1));
}

/**
 * tern_registers_reset() - the card forgets everything and boots its firmware
 * @core: the card, identified
 *
 * Return: 0, -ENODEV or -ETIMEDOUT.
 */
int tern_registers_reset(struct tern_core *core)
{
	tern_registers_forget(core);
	return tern_registers_wait_ready(core);
}
