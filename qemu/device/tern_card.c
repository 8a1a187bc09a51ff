/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Copyright (c) 2026 The Tern authors
 *
 * The card's thread: it takes what the vCPUs stored and the wire brought,
 * runs the engine, and sleeps.
 *
 * Where a vIOMMU translates, DMA needs the BQL, which must be taken before
 * engine_lock; a thread of our own would spend its life waiting for it. There
 * the engine runs in a bottom half of the main loop instead.
 */
#include "qemu/osdep.h"

#include <sys/resource.h>

#include "qemu/lockable.h"

#include "tern.h"
#include "trace.h"

/* Units of work (engine_c.h) done before others may have the lock. */
#define TERN_RUN_BUDGET 64
/* Runs in one bottom half, before other work of the main loop. */
#define TERN_RUNS_PER_BH 8
#define TERN_NICENESS (-10)

/* Whoever waits says so, or the thread could take the lock again at once. */
void tern_card_lock(TernState *s)
{
    qatomic_inc(&s->lock_waiters);
    qemu_mutex_lock(&s->engine_lock);
    qatomic_dec(&s->lock_waiters);
}

void tern_card_unlock(TernState *s)
{
    qemu_mutex_unlock(&s->engine_lock);
}

void tern_card_kick(TernState *s)
{
    if (s->has_iommu) {
        qemu_bh_schedule(s->run_bh);
    } else {
        tern_wait_kick(s);
    }
}

/* Gives queued stores to the engine, in order. True: there were some. */
bool tern_card_drain(TernState *s)
{
    TernMmioQueue *queue = &s->mmio;
    uint32_t cons = queue->cons;
    uint32_t prod = qatomic_load_acquire(&queue->prod);
    bool has_work = cons != prod;

    for (; cons != prod; cons++) {
        TernMmioStore store = queue->store[cons % TERN_MMIO_QUEUE_ENTRIES];

        qatomic_store_release(&queue->cons, cons + 1);
        if (store.is_register) {
            s->abi.register_write(s->engine, store.offset, store.value,
                                  store.size);
        } else {
            s->abi.doorbell_write(s->engine, store.offset, store.value,
                                  store.size);
        }
    }
    if (qatomic_read(&queue->has_lost_doorbells) &&
        qatomic_xchg(&queue->has_lost_doorbells, 0)) {
        trace_tern_doorbells_lost();
        s->abi.doorbells_lost(s->engine);
        has_work = true;
    }
    return has_work;
}

static void tern_card_run_timer(TernState *s)
{
    if (s->deadline_ns == UINT64_MAX ||
        qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) < s->deadline_ns) {
        return;
    }
    s->deadline_ns = UINT64_MAX;
    s->abi.timer_due(s->engine);
}

static void tern_card_set_timer(TernState *s)
{
    if (s->deadline_ns == s->armed_ns) {
        return;
    }
    s->armed_ns = s->deadline_ns;
    if (s->deadline_ns == UINT64_MAX) {
        timer_del(s->timer);
    } else {
        timer_mod_ns(s->timer, MIN(s->deadline_ns, INT64_MAX));
    }
}

/* True: there is more to do now. */
static bool tern_card_step(TernState *s)
{
    bool has_more;

    QEMU_LOCK_GUARD(&s->engine_lock);
    if (!s->is_running) {
        return false;
    }
    has_more = tern_card_drain(s);
    tern_net_follow_carrier(s);
    has_more |= tern_net_deliver(s);
    tern_card_run_timer(s);
    has_more |= s->abi.run(s->engine, TERN_RUN_BUDGET);
    tern_card_set_timer(s);
    return has_more;
}

static void *tern_card_thread(void *opaque)
{
    TernState *s = opaque;

    rcu_register_thread();
    /* The card must not wait behind spinning vCPUs; fine if not allowed. */
    (void)setpriority(PRIO_PROCESS, 0, TERN_NICENESS);
    while (!qatomic_read(&s->is_stopping)) {
        int kicks = qatomic_load_acquire(&s->kicks);

        while (tern_card_step(s) && !qatomic_read(&s->is_stopping)) {
            /* They do not get the lock by asking: it must be left to them. */
            while (qatomic_read(&s->lock_waiters)) {
                sched_yield();
            }
        }
        tern_wait_for_work(s, kicks);
    }
    rcu_unregister_thread();
    return NULL;
}

static void tern_card_run_bh(void *opaque)
{
    TernState *s = opaque;

    for (int i = 0; i < TERN_RUNS_PER_BH; i++) {
        if (!tern_card_step(s)) {
            return;
        }
    }
    qemu_bh_schedule(s->run_bh);
}

static void tern_card_main_bh(void *opaque)
{
    TernState *s = opaque;

    tern_irq_main(s);
    tern_net_main(s);
}

static void tern_card_timer(void *opaque)
{
    TernState *s = opaque;

    WITH_QEMU_LOCK_GUARD(&s->engine_lock) {
        s->armed_ns = UINT64_MAX; /* whatever is due next sets it anew */
    }
    tern_card_kick(s);
}

/* A stopped VM's memory does not change: once we return no DMA follows. */
static void tern_card_vm_state(void *opaque, bool running, RunState state)
{
    TernState *s = opaque;

    tern_card_lock(s);
    s->is_running = running;
    tern_card_unlock(s);
    if (running) {
        tern_card_kick(s);
    }
}

void tern_card_init(TernState *s)
{
    qemu_mutex_init(&s->engine_lock);
    s->deadline_ns = s->armed_ns = UINT64_MAX;
    s->timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, tern_card_timer, s);
    /*
     * Not guarded against re-entry: no access of ours reaches a device
     * (tern_dma.c), and frames may go from one of our ports to the other.
     */
    s->run_bh = qemu_bh_new(tern_card_run_bh, s);
    s->main_bh = qemu_bh_new(tern_card_main_bh, s);
}

void tern_card_start(TernState *s)
{
    s->is_running = runstate_is_running();
    s->vm_state = qemu_add_vm_change_state_handler(tern_card_vm_state, s);
    if (!s->has_iommu) {
        qemu_thread_create(&s->thread, "tern", tern_card_thread, s,
                           QEMU_THREAD_JOINABLE);
    }
}

void tern_card_stop(TernState *s)
{
    if (s->vm_state) {
        qemu_del_vm_change_state_handler(s->vm_state);
        if (!s->has_iommu) {
            qatomic_set(&s->is_stopping, true);
            tern_wait_kick(s);
            qemu_thread_join(&s->thread);
        }
        s->vm_state = NULL;
    }
}

/* After all that may still schedule a bottom half. */
void tern_card_cleanup(TernState *s)
{
    qemu_bh_delete(s->main_bh);
    qemu_bh_delete(s->run_bh);
    timer_free(s->timer);
    qemu_mutex_destroy(&s->engine_lock);
}

void tern_card_reset(TernState *s)
{
    tern_card_lock(s);
    qatomic_store_release(&s->mmio.cons, s->mmio.prod);
    qatomic_set(&s->mmio.has_lost_doorbells, 0);
    qatomic_set(&s->pending_vectors, 0);
    tern_net_reset(s);
    s->abi.set_bus_master(s->engine, false);
    s->abi.reset(s->engine);
    tern_card_set_timer(s);
    tern_card_unlock(s);
}

void tern_card_set_bus_master(TernState *s, bool enabled)
{
    tern_card_lock(s);
    s->abi.set_bus_master(s->engine, enabled);
    tern_card_unlock(s);
    tern_card_kick(s);
}
