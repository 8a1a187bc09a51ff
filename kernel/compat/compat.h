/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Copyright (c) 2026 The Tern authors
 *
 * The only place that knows which kernel this is built for.
 */
#ifndef TERN_COMPAT_H
#define TERN_COMPAT_H

#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0)
#error "Tern needs Linux 6.12 or later"
#endif

/* A doorbell is one 8-byte store (hw/doorbell.h). */
#ifndef CONFIG_64BIT
#error "Tern needs a 64-bit kernel"
#endif

#endif /* TERN_COMPAT_H */
