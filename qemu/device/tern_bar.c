/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Copyright (c) 2026 The Tern authors
 *
 * BAR0 and BAR2. A store is queued for the card's thread and the vCPU goes on;
 * a load waits for all stores before it, as on a bus.
 */
#include "qemu/osdep.h"

#include "tern.h"
#include "trace.h"

/* False: the queue is full. */
static bool tern_mmio_push(TernState *s, const TernMmioStore *store)
{
    TernMmioQueue *queue = &s->mmio;
    uint32_t prod = queue->prod;

    if (prod - qatomic_load_acquire(&queue->cons) == TERN_MMIO_QUEUE_ENTRIES) {
        return false;
    }
    queue->store[prod % TERN_MMIO_QUEUE_ENTRIES] = *store;
    qatomic_store_release(&queue->prod, prod + 1);
    return true;
}

static uint64_t tern_registers_read(void *opaque, hwaddr offset, unsigned size)
{
    TernState *s = opaque;
    uint64_t value;

    tern_card_lock(s);
    if (s->is_running) {
        tern_card_drain(s);
    }
    value = s->abi.register_read(s->engine, offset, size);
    tern_card_unlock(s);
    trace_tern_register_read(offset, size, value);
    return value;
}

static void tern_registers_write(void *opaque, hwaddr offset, uint64_t value,
                                 unsigned size)
{
    TernState *s = opaque;
    TernMmioStore store = {
        .value = value, .offset = offset, .size = size, .is_register = true,
    };

    trace_tern_register_write(offset, size, value);
    /* A register write is never lost: make room and wait for it. */
    while (!tern_mmio_push(s, &store)) {
        tern_card_lock(s);
        tern_card_drain(s);
        tern_card_unlock(s);
    }
    tern_card_kick(s);
}

static uint64_t tern_doorbells_read(void *opaque, hwaddr offset, unsigned size)
{
    return 0;
}

/* Runs the engine in the vCPU's thread, if nobody else does just now. */
static void tern_doorbell_run_inline(TernState *s)
{
    if (qemu_mutex_trylock(&s->engine_lock)) {
        return;
    }
    if (s->is_running) {
        tern_card_drain(s);
        s->abi.run(s->engine, s->inline_budget);
    }
    qemu_mutex_unlock(&s->engine_lock);
}

static void tern_doorbells_write(void *opaque, hwaddr offset, uint64_t value,
                                 unsigned size)
{
    TernState *s = opaque;
    TernMmioStore store = { .value = value, .offset = offset, .size = size };

    trace_tern_doorbell(offset, size, value);
    if (!tern_mmio_push(s, &store)) {
        /* The records in memory say it again. */
        qatomic_set(&s->mmio.has_lost_doorbells, 1);
    } else if (s->inline_budget) {
        tern_doorbell_run_inline(s);
    }
    tern_card_kick(s);
}

/* Up to eight bytes, or QEMU would halve the doorbells. */
static const MemoryRegionOps tern_registers_ops = {
    .read = tern_registers_read,
    .write = tern_registers_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 1, .max_access_size = 8 },
    .impl = { .min_access_size = 1, .max_access_size = 8 },
};

static const MemoryRegionOps tern_doorbells_ops = {
    .read = tern_doorbells_read,
    .write = tern_doorbells_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 1, .max_access_size = 8 },
    .impl = { .min_access_size = 1, .max_access_size = 8 },
};

void tern_bars_init(TernState *s)
{
    PCIDevice *pdev = PCI_DEVICE(s);

    memory_region_init_io(&s->registers, OBJECT(s), &tern_registers_ops, s,
                          "tern-registers", TERN_BAR_REGISTERS_BYTES);
    pci_register_bar(pdev, TERN_BAR_REGISTERS, PCI_BASE_ADDRESS_MEM_TYPE_64,
                     &s->registers);
    memory_region_init_io(&s->doorbells, OBJECT(s), &tern_doorbells_ops, s,
                          "tern-doorbells", TERN_BAR_DOORBELLS_BYTES);
    pci_register_bar(pdev, TERN_BAR_DOORBELLS,
                     PCI_BASE_ADDRESS_MEM_TYPE_64 |
                     PCI_BASE_ADDRESS_MEM_PREFETCH, &s->doorbells);
}
