/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Copyright (c) 2026 The Tern authors
 *
 * What identifies a Tern on its bus, and where its windows are.
 */
#ifndef TERN_HW_IDS_H
#define TERN_HW_IDS_H

/* 0x1234 is the vendor that QEMU's own teaching devices use. */
#define TERN_PCI_VENDOR_ID		0x1234
#define TERN_PCI_DEVICE_ID		0x7e40
#define TERN_PCI_CLASS			0x020000	/* Ethernet controller */

/* Base address registers, each a 64-bit memory window. */
#define TERN_BAR_REGISTERS		0
#define TERN_BAR_DOORBELLS		2
#define TERN_BAR_MSIX			4

#define TERN_BAR_REGISTERS_BYTES	0x10000
#define TERN_BAR_DOORBELLS_BYTES \
	(TERN_DOORBELL_PAGE_PAIRS * 2 * TERN_PAGE_BYTES)
#define TERN_BAR_MSIX_BYTES		0x4000
#define TERN_BAR_MSIX_PBA_OFFSET	0x2000

#define TERN_PAGE_SHIFT			12
#define TERN_PAGE_BYTES			(1 << TERN_PAGE_SHIFT)

/* A pair is one page of doorbells and one of push slots (doorbell.h). */
#define TERN_DOORBELL_PAGE_PAIRS	1024

#define TERN_MAX_PORTS			2
#define TERN_MAX_VECTORS		64

/* Contract version, TERN_REG_VERSION. A driver refuses another major. */
#define TERN_VERSION_MAJOR		1
#define TERN_VERSION_MINOR		0

/* TERN_REG_MAGIC: "TERN" as it stands in memory. */
#define TERN_MAGIC			0x4e524554U

/* TERN_REG_MODEL. */
#define TERN_MODEL_TERN400		1
#define TERN_MODEL_TERN100		2

#endif /* TERN_HW_IDS_H */
