/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Copyright (c) 2026 The Tern authors
 *
 * The Tern card as a PCIe device: what the files of this folder share.
 *
 * Three kinds of threads meet here. vCPU threads come in through MMIO with the
 * big QEMU lock (BQL) held; the main loop moves frames and raises interrupts,
 * also with the BQL; the card's own thread runs the engine without it. The
 * engine itself is guarded by engine_lock, taken after the BQL and never the
 * other way round.
 */
#ifndef HW_NET_TERN_H
#define HW_NET_TERN_H

#include "hw/pci/pci_device.h"
#include "net/net.h"
#include "qemu/main-loop.h"
#include "qemu/thread.h"
#include "qemu/timer.h"
#include "qom/object.h"
#include "system/runstate.h"

#include "qemu/engine/api/engine_c.h"
#include "tern/hw/doorbell.h"
#include "tern/hw/ids.h"
#include "tern/hw/limits.h"

#define TYPE_TERN "tern"
OBJECT_DECLARE_SIMPLE_TYPE(TernState, TERN)

/* Room for the longest frame, and a little for what a port must refuse. */
#define TERN_FRAME_BYTES (TERN_ETH_FRAME_MAX_BYTES + 10)
#define TERN_RING_FRAMES 256
#define TERN_MMIO_QUEUE_ENTRIES 4096

/* Symbols of libtern-engine.so, as declared in engine_c.h. */
typedef struct TernEngineAbi {
    void *library;
    typeof(tern_engine_abi_version) *abi_version;
    typeof(tern_engine_create) *create;
    typeof(tern_engine_destroy) *destroy;
    typeof(tern_engine_reset) *reset;
    typeof(tern_engine_register_read) *register_read;
    typeof(tern_engine_register_write) *register_write;
    typeof(tern_engine_doorbell_write) *doorbell_write;
    typeof(tern_engine_doorbells_lost) *doorbells_lost;
    typeof(tern_engine_receive_frames) *receive_frames;
    typeof(tern_engine_run) *run;
    typeof(tern_engine_timer_due) *timer_due;
    typeof(tern_engine_set_carrier) *set_carrier;
    typeof(tern_engine_set_bus_master) *set_bus_master;
    typeof(tern_engine_set_fault) *set_fault;
} TernEngineAbi;

/* Frames from one thread to another; one producer, one consumer, no lock. */
typedef struct TernFrameRing {
    uint8_t *slots;
    uint32_t length[TERN_RING_FRAMES];
    uint32_t prod;
    uint32_t cons;
} TernFrameRing;

typedef struct TernCable TernCable;

typedef struct TernPort {
    TernState *card;
    uint32_t index;
    NICConf conf;
    NICState *nic;
    char *cable_text;       /* property */
    TernCable *cable;       /* instead of a back end; else NULL */
    bool has_carrier;       /* as the engine knows it; engine_lock */
    TernFrameRing transmit; /* engine to main loop */
    TernFrameRing receive;  /* main loop to engine */
    bool is_sending;        /* the back end has a frame; main loop only */
    int transmit_starved;   /* the engine found no room */
    int receive_blocked;    /* the back end found no room */
} TernPort;

/* A store to BAR0 or BAR2 on its way to the engine. */
typedef struct TernMmioStore {
    uint64_t value;
    uint32_t offset;
    uint8_t size;
    bool is_register;
} TernMmioStore;

/* Producers hold the BQL, the consumer holds engine_lock. */
typedef struct TernMmioQueue {
    TernMmioStore store[TERN_MMIO_QUEUE_ENTRIES];
    uint32_t prod;
    uint32_t cons;
    int has_lost_doorbells;
} TernMmioQueue;

struct TernState {
    PCIDevice parent_obj;

    /* Properties */
    char *model;
    char *ports_text;
    char *engine_path;
    uint32_t inline_budget;
    uint32_t vectors;
    bool push_worthwhile;

    MemoryRegion registers;
    MemoryRegion doorbells;
    MemoryRegion msix;

    uint32_t port_count;
    TernPort ports[TERN_MAX_PORTS];

    TernEngineAbi abi;
    struct tern_engine *engine;

    /* The card's thread and what it shares */
    QemuMutex engine_lock;
    int lock_waiters;
    bool is_running; /* the VM runs; engine_lock */
    TernMmioQueue mmio;
    uint64_t deadline_ns; /* the engine's; engine_lock */
    uint64_t armed_ns;    /* what the timer is set to; engine_lock */
    QEMUTimer *timer;
    bool has_iommu; /* no thread: the engine runs on the main loop */
    QemuThread thread;
    bool is_stopping;
    int kicks;       /* grows with each, a futex */
    int is_sleeping; /* on that futex */
    QEMUBH *run_bh;
    QEMUBH *main_bh;
    uint64_t pending_vectors; /* bit n: vector n */
    VMChangeStateEntry *vm_state;
};

QEMU_BUILD_BUG_ON(TERN_MAX_VECTORS > 64);

/* tern_engine.c */
bool tern_engine_load(TernState *s, Error **errp);
void tern_engine_unload(TernState *s);
bool tern_engine_start(TernState *s, uint32_t model, uint32_t speed_mbps,
                       Error **errp);

/* tern_card.c */
void tern_card_init(TernState *s);
void tern_card_start(TernState *s);
void tern_card_stop(TernState *s);
void tern_card_cleanup(TernState *s);
void tern_card_lock(TernState *s);
void tern_card_unlock(TernState *s);
void tern_card_kick(TernState *s);
void tern_card_reset(TernState *s);
void tern_card_set_bus_master(TernState *s, bool enabled);
bool tern_card_drain(TernState *s);

/* tern_wait.c */
void tern_wait_kick(TernState *s);
void tern_wait_for_work(TernState *s, int kicks_seen);

/* tern_cable.c */
TernCable *tern_cable_open(const char *text, Error **errp);
void tern_cable_close(TernCable *cable);
void tern_cable_set_link(TernCable *cable, bool up);
bool tern_cable_has_carrier(TernCable *cable);
uint32_t tern_cable_room(TernCable *cable);
void tern_cable_push(TernCable *cable, const struct tern_frame *frames,
                     uint32_t count);
uint32_t tern_cable_take(TernCable *cable, struct tern_frame *frames,
                         uint32_t count);
bool tern_cable_has_news(TernCable *cable);
int *tern_cable_futex(TernCable *cable);
void tern_cable_set_sleeping(TernCable *cable, bool sleeping);

/* tern_bar.c */
void tern_bars_init(TernState *s);

/* tern_dma.c */
bool tern_dma_read(void *host, uint64_t address, void *buffer, uint64_t bytes);
bool tern_dma_write(void *host, uint64_t address, const void *buffer,
                    uint64_t bytes);
void *tern_dma_map(void *host, uint64_t address, uint64_t *bytes, bool write);
void tern_dma_unmap(void *host, void *span, uint64_t bytes, bool write,
                    uint64_t accessed);
bool tern_dma_store_release32(void *host, uint64_t address, uint32_t value);
bool tern_dma_store_release64(void *host, uint64_t address, uint64_t value);
bool tern_dma_atomic64(void *host, uint64_t address,
                       enum tern_atomic_operation operation,
                       uint64_t swap_or_add, uint64_t compare,
                       uint64_t *original);

/* tern_net.c */
bool tern_net_init(TernState *s, Error **errp);
void tern_net_cleanup(TernState *s);
void tern_net_reset(TernState *s);
void tern_net_follow_carrier(TernState *s);
bool tern_net_deliver(TernState *s);
bool tern_net_has_news(TernState *s);
void tern_net_main(TernState *s);
uint32_t tern_net_send_room(void *host, uint32_t port_index);
void tern_net_send_frames(void *host, uint32_t port_index,
                          const struct tern_frame *frames, uint32_t count);

/* tern_irq.c */
bool tern_irq_init(TernState *s, Error **errp);
void tern_irq_cleanup(TernState *s);
void tern_irq_raise(void *host, uint32_t vector);
void tern_irq_main(TernState *s);

#endif /* HW_NET_TERN_H */
