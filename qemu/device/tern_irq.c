/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Copyright (c) 2026 The Tern authors
 *
 * Interrupts. The engine raises vectors from any thread; msix_notify wants the
 * BQL, so they are noted here and raised by the main loop.
 */
#include "qemu/osdep.h"

#include "hw/pci/msix.h"
#include "qapi/error.h"

#include "tern.h"
#include "trace.h"

bool tern_irq_init(TernState *s, Error **errp)
{
    PCIDevice *pdev = PCI_DEVICE(s);

    memory_region_init(&s->msix, OBJECT(s), "tern-msix", TERN_BAR_MSIX_BYTES);
    pci_register_bar(pdev, TERN_BAR_MSIX, PCI_BASE_ADDRESS_MEM_TYPE_64,
                     &s->msix);
    if (msix_init(pdev, s->vectors, &s->msix, TERN_BAR_MSIX, 0, &s->msix,
                  TERN_BAR_MSIX, TERN_BAR_MSIX_PBA_OFFSET, 0, errp) < 0) {
        return false;
    }
    for (uint32_t i = 0; i < s->vectors; i++) {
        msix_vector_use(pdev, i);
    }
    return true;
}

void tern_irq_cleanup(TernState *s)
{
    msix_uninit(PCI_DEVICE(s), &s->msix, &s->msix);
}

void tern_irq_raise(void *host, uint32_t vector)
{
    TernState *s = host;
    uint64_t bit;

    /* msix_notify would abort. */
    if (vector >= s->vectors) {
        trace_tern_err_vector(vector);
        return;
    }
    bit = BIT_ULL(vector);
    if (!(qatomic_fetch_or(&s->pending_vectors, bit) & bit)) {
        qemu_bh_schedule(s->main_bh);
    }
}

void tern_irq_main(TernState *s)
{
    uint64_t pending = qatomic_xchg(&s->pending_vectors, 0);

    for (; pending; pending &= pending - 1) {
        trace_tern_interrupt(ctz64(pending));
        msix_notify(PCI_DEVICE(s), ctz64(pending));
    }
}
