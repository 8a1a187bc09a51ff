/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Copyright (c) 2026 The Tern authors
 *
 * Ports as QEMU network clients. Back ends live on the main loop, the engine
 * does not: a ring of whole frames leads each way.
 */
#include "qemu/osdep.h"

#include "qapi/error.h"

#include "tern.h"
#include "trace.h"

/* Frames given to the engine at once. */
#define TERN_DELIVERY_FRAMES 64

/* Rings */

static void tern_ring_init(TernFrameRing *ring)
{
    ring->slots = g_malloc(TERN_RING_FRAMES * TERN_FRAME_BYTES);
}

static uint8_t *tern_ring_slot(TernFrameRing *ring, uint32_t index)
{
    return ring->slots + (index % TERN_RING_FRAMES) * TERN_FRAME_BYTES;
}

static uint32_t tern_ring_room(TernFrameRing *ring)
{
    return TERN_RING_FRAMES -
           (ring->prod - qatomic_load_acquire(&ring->cons));
}

/* The producer has seen that there is room and that the frame fits. */
static void tern_ring_push(TernFrameRing *ring, const void *data,
                           uint32_t length)
{
    uint32_t prod = ring->prod;

    memcpy(tern_ring_slot(ring, prod), data, length);
    ring->length[prod % TERN_RING_FRAMES] = length;
    qatomic_store_release(&ring->prod, prod + 1);
}

static uint32_t tern_ring_used(TernFrameRing *ring)
{
    return qatomic_load_acquire(&ring->prod) - ring->cons;
}

static void tern_ring_pop(TernFrameRing *ring, uint32_t count)
{
    qatomic_store_release(&ring->cons, ring->cons + count);
}

/* Engine to wire */

/*
 * True if the producer must stop. Whoever makes room afterwards sees the flag;
 * whoever made it before is seen by the second look.
 */
static bool tern_ring_is_full(TernFrameRing *ring, int *flag)
{
    if (tern_ring_room(ring)) {
        return false;
    }
    qatomic_set(flag, 1);
    smp_mb();
    return tern_ring_room(ring) == 0;
}

uint32_t tern_net_send_room(void *host, uint32_t port_index)
{
    TernState *s = host;
    TernPort *port = &s->ports[port_index];

    if (port->cable) {
        return tern_cable_room(port->cable);
    }
    if (tern_ring_is_full(&port->transmit, &port->transmit_starved)) {
        return 0;
    }
    return tern_ring_room(&port->transmit);
}

void tern_net_send_frames(void *host, uint32_t port_index,
                          const struct tern_frame *frames, uint32_t count)
{
    TernState *s = host;
    TernPort *port = &s->ports[port_index];

    if (port->cable) {
        tern_cable_push(port->cable, frames, count);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (frames[i].length_bytes > TERN_FRAME_BYTES ||
            !tern_ring_room(&port->transmit)) {
            trace_tern_err_frame(port_index, frames[i].length_bytes);
            continue;
        }
        tern_ring_push(&port->transmit, frames[i].data,
                       frames[i].length_bytes);
    }
    /* A batch that filled the ring makes the engine wait, unasked. */
    if (tern_ring_is_full(&port->transmit, &port->transmit_starved)) {
        trace_tern_transmit_full(port_index);
    }
    qemu_bh_schedule(s->main_bh);
}

static void tern_net_sent(NetClientState *nc, ssize_t bytes)
{
    TernPort *port = qemu_get_nic_opaque(nc);

    port->is_sending = false;
    qemu_bh_schedule(port->card->main_bh);
}

static void tern_net_transmit(TernPort *port)
{
    TernFrameRing *ring = &port->transmit;
    NetClientState *nc = qemu_get_queue(port->nic);
    uint32_t left = tern_ring_used(ring);

    /* The engine may be as fast: what it adds from here on is for next time. */
    for (; left && !port->is_sending; left--) {
        uint32_t slot = ring->cons % TERN_RING_FRAMES;

        port->is_sending = true;
        if (qemu_send_packet_async(nc, tern_ring_slot(ring, slot),
                                   ring->length[slot], tern_net_sent)) {
            port->is_sending = false;
        }
        /* Sent, or copied into the back end's queue. */
        tern_ring_pop(ring, 1);
    }
    smp_mb();
    if (qatomic_read(&port->transmit_starved) && tern_ring_room(ring) &&
        qatomic_xchg(&port->transmit_starved, 0)) {
        tern_card_kick(port->card);
    }
}

void tern_net_main(TernState *s)
{
    for (uint32_t i = 0; i < s->port_count; i++) {
        TernPort *port = &s->ports[i];

        if (port->cable) {
            continue;
        }
        tern_net_transmit(port);
        if (qatomic_read(&port->receive_blocked) &&
            tern_ring_room(&port->receive)) {
            qatomic_set(&port->receive_blocked, 0);
            qemu_flush_queued_packets(qemu_get_queue(port->nic));
        }
    }
}

/* Wire to engine */

static bool tern_net_can_receive(NetClientState *nc)
{
    TernPort *port = qemu_get_nic_opaque(nc);

    return !tern_ring_is_full(&port->receive, &port->receive_blocked);
}

static ssize_t tern_net_receive(NetClientState *nc, const uint8_t *data,
                                size_t length)
{
    TernPort *port = qemu_get_nic_opaque(nc);

    if (length > TERN_FRAME_BYTES) {
        trace_tern_err_frame(port->index, length);
        return length;
    }
    if (tern_ring_is_full(&port->receive, &port->receive_blocked)) {
        return 0;
    }
    tern_ring_push(&port->receive, data, length);
    tern_card_kick(port->card);
    return length;
}

static bool tern_port_deliver_cable(TernPort *port)
{
    struct tern_frame frames[TERN_DELIVERY_FRAMES];
    uint32_t count = tern_cable_take(port->cable, frames,
                                     TERN_DELIVERY_FRAMES);

    if (count) {
        port->card->abi.receive_frames(port->card->engine, port->index,
                                       frames, count);
    }
    return count;
}

static bool tern_port_deliver(TernPort *port)
{
    TernState *s = port->card;
    TernFrameRing *ring = &port->receive;
    uint32_t count = MIN(tern_ring_used(ring), TERN_DELIVERY_FRAMES);
    struct tern_frame frames[TERN_DELIVERY_FRAMES];

    if (!count) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = ring->cons + i;

        frames[i].data = tern_ring_slot(ring, index);
        frames[i].length_bytes = ring->length[index % TERN_RING_FRAMES];
    }
    s->abi.receive_frames(s->engine, port->index, frames, count);
    tern_ring_pop(ring, count);
    smp_mb();
    if (qatomic_read(&port->receive_blocked)) {
        qemu_bh_schedule(s->main_bh);
    }
    return true;
}

/* Called with engine_lock held. True: there were frames. */
bool tern_net_deliver(TernState *s)
{
    bool has_work = false;

    for (uint32_t i = 0; i < s->port_count; i++) {
        TernPort *port = &s->ports[i];

        has_work |= port->cable ? tern_port_deliver_cable(port) :
                                  tern_port_deliver(port);
    }
    return has_work;
}

/* What the card's thread must not sleep on. */
bool tern_net_has_news(TernState *s)
{
    for (uint32_t i = 0; i < s->port_count; i++) {
        if (s->ports[i].cable &&
            (tern_cable_has_news(s->ports[i].cable) ||
             tern_cable_has_carrier(s->ports[i].cable) !=
             qatomic_read(&s->ports[i].has_carrier))) {
            return true;
        }
    }
    return false;
}

/* Link */

static bool tern_port_sees_carrier(TernPort *port)
{
    NetClientState *nc = qemu_get_queue(port->nic);

    if (nc->link_down) {
        return false;
    }
    return port->cable ? tern_cable_has_carrier(port->cable) :
                         nc->peer != NULL;
}

/* Called with engine_lock held: tells the engine what has changed. */
void tern_net_follow_carrier(TernState *s)
{
    for (uint32_t i = 0; i < s->port_count; i++) {
        TernPort *port = &s->ports[i];
        bool present = tern_port_sees_carrier(port);

        if (present != port->has_carrier) {
            trace_tern_carrier(i, present);
            qatomic_set(&port->has_carrier, present);
            s->abi.set_carrier(s->engine, i, present);
        }
    }
}

static void tern_net_link_status_changed(NetClientState *nc)
{
    TernPort *port = qemu_get_nic_opaque(nc);

    if (port->cable) {
        tern_cable_set_link(port->cable, !nc->link_down);
    }
    tern_card_kick(port->card);
}

static NetClientInfo tern_net_info = {
    .type = NET_CLIENT_DRIVER_NIC,
    .size = sizeof(NICState),
    .can_receive = tern_net_can_receive,
    .receive = tern_net_receive,
    .link_status_changed = tern_net_link_status_changed,
};

/* Life */

static bool tern_port_plug_cable(TernPort *port, Error **errp)
{
    if (port->conf.peers.ncs[0]) {
        error_setg(errp, "tern: port %u has a netdev and a cable",
                   port->index + 1);
        return false;
    }
    if (port->card->has_iommu) {
        error_setg(errp, "tern: cable%u does not work behind a vIOMMU, "
                   "netdev%u does", port->index, port->index);
        return false;
    }
    port->cable = tern_cable_open(port->cable_text, errp);
    return port->cable;
}

static bool tern_port_init(TernPort *port, Error **errp)
{
    DeviceState *dev = DEVICE(port->card);
    g_autofree char *name = g_strdup_printf("%sp%u", dev->id ?: "tern",
                                            port->index + 1);

    if (port->cable_text && !tern_port_plug_cable(port, errp)) {
        return false;
    }
    tern_ring_init(&port->transmit);
    tern_ring_init(&port->receive);
    qemu_macaddr_default_if_unset(&port->conf.macaddr);
    port->nic = qemu_new_nic(&tern_net_info, &port->conf, TYPE_TERN, name,
                             &dev->mem_reentrancy_guard, port);
    qemu_format_nic_info_str(qemu_get_queue(port->nic), port->conf.macaddr.a);
    /* The engine believes in a carrier until told otherwise. */
    port->has_carrier = true;
    return true;
}

bool tern_net_init(TernState *s, Error **errp)
{
    for (uint32_t i = s->port_count; i < TERN_MAX_PORTS; i++) {
        if (s->ports[i].conf.peers.ncs[0] || s->ports[i].cable_text) {
            error_setg(errp, "tern: netdev%u or cable%u is of a port that "
                       "ports=%s does not have", i, i, s->ports_text);
            return false;
        }
    }
    for (uint32_t i = 0; i < s->port_count; i++) {
        s->ports[i].card = s;
        s->ports[i].index = i;
        if (!tern_port_init(&s->ports[i], errp)) {
            return false;
        }
    }
    return true;
}

void tern_net_cleanup(TernState *s)
{
    for (uint32_t i = 0; i < s->port_count; i++) {
        TernPort *port = &s->ports[i];

        if (port->nic) {
            /* Or the back end would tell a port that is gone. */
            qemu_purge_queued_packets(qemu_get_queue(port->nic));
            qemu_del_nic(port->nic);
            port->nic = NULL;
        }
        tern_cable_close(port->cable);
        port->cable = NULL;
        g_free(port->transmit.slots);
        g_free(port->receive.slots);
    }
}

/* Called with the BQL and engine_lock held: nobody else is at the rings. */
void tern_net_reset(TernState *s)
{
    for (uint32_t i = 0; i < s->port_count; i++) {
        TernPort *port = &s->ports[i];

        qemu_purge_queued_packets(qemu_get_queue(port->nic));
        port->is_sending = false;
        port->transmit.cons = port->transmit.prod;
        port->receive.cons = port->receive.prod;
        if (qatomic_read(&port->receive_blocked)) {
            qemu_bh_schedule(s->main_bh);
        }
    }
}
