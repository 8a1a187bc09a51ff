/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Copyright (c) 2026 The Tern authors
 *
 * How the card's thread sleeps: on one futex per cable and one of its own, all
 * at once, so that neither a doorbell nor a frame costs a system call while
 * the thread is awake.
 */
#include "qemu/osdep.h"

#include <linux/futex.h>
#include <sys/syscall.h>

#include "tern.h"

#define TERN_WAIT_POLL_US 100

static void tern_wait_add(struct futex_waitv *waiter, int *word, int value,
                          uint32_t flags)
{
    *waiter = (struct futex_waitv) {
        .val = (uint32_t)value,
        .uaddr = (uintptr_t)word,
        .flags = FUTEX_32 | flags,
    };
}

void tern_wait_kick(TernState *s)
{
    qatomic_inc(&s->kicks);
    if (qatomic_read(&s->is_sleeping)) {
        syscall(SYS_futex, &s->kicks, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    }
}

static void tern_wait_set_sleeping(TernState *s, bool sleeping)
{
    qatomic_set(&s->is_sleeping, sleeping);
    for (uint32_t i = 0; i < s->port_count; i++) {
        if (s->ports[i].cable) {
            tern_cable_set_sleeping(s->ports[i].cable, sleeping);
        }
    }
    /* Whoever adds work from here on sees it; what was added, we look for. */
    smp_mb();
}

/* Before Linux 5.16 there is no sleep on several futexes. */
static void tern_wait_sleep(TernState *s, struct futex_waitv *waiters,
                            uint32_t count)
{
    if (count == 1) {
        syscall(SYS_futex, &s->kicks, FUTEX_WAIT_PRIVATE,
                (int)waiters[0].val, NULL, NULL, 0);
    } else if (syscall(SYS_futex_waitv, waiters, count, 0, NULL, 0) < 0 &&
               errno == ENOSYS) {
        g_usleep(TERN_WAIT_POLL_US);
    }
}

/*
 * Sleeps until there may be something to do that was not there when
 * @kicks_seen was read. A stopped VM leaves its frames where they are.
 */
void tern_wait_for_work(TernState *s, int kicks_seen)
{
    struct futex_waitv waiters[1 + TERN_MAX_PORTS];
    uint32_t count = 0;

    tern_wait_add(&waiters[count++], &s->kicks, kicks_seen,
                  FUTEX_PRIVATE_FLAG);
    for (uint32_t i = 0; i < s->port_count; i++) {
        if (s->ports[i].cable) {
            int *word = tern_cable_futex(s->ports[i].cable);

            tern_wait_add(&waiters[count++], word,
                          qatomic_load_acquire(word), 0);
        }
    }
    tern_wait_set_sleeping(s, true);
    if (qatomic_read(&s->kicks) == kicks_seen &&
        !(qatomic_read(&s->is_running) && tern_net_has_news(s))) {
        tern_wait_sleep(s, waiters, count);
    }
    tern_wait_set_sleeping(s, false);
}
