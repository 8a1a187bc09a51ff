/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Copyright (c) 2026 The Tern authors
 *
 * The engine as a library: found, checked and started with our host operations.
 */
#include "qemu/osdep.h"

#include <dlfcn.h>

#include "qapi/error.h"
#include "qemu/guest-random.h"
#include "qemu/log.h"

#include "tern.h"
#include "trace.h"

static bool tern_engine_symbol(void *library, const char *name, void **symbol,
                               Error **errp)
{
    *symbol = dlsym(library, name);
    if (!*symbol) {
        error_setg(errp, "tern: the engine library has no %s", name);
    }
    return *symbol;
}

#define TERN_SYMBOL(name) \
    tern_engine_symbol(abi->library, "tern_engine_" #name, \
                       (void **)&abi->name, errp)

bool tern_engine_load(TernState *s, Error **errp)
{
    TernEngineAbi *abi = &s->abi;

    abi->library = dlopen(s->engine_path, RTLD_NOW | RTLD_LOCAL);
    if (!abi->library) {
        error_setg(errp, "tern: cannot load the engine: %s", dlerror());
        return false;
    }
    if (TERN_SYMBOL(abi_version) && TERN_SYMBOL(create) &&
        TERN_SYMBOL(destroy) && TERN_SYMBOL(reset) &&
        TERN_SYMBOL(register_read) && TERN_SYMBOL(register_write) &&
        TERN_SYMBOL(doorbell_write) && TERN_SYMBOL(doorbells_lost) &&
        TERN_SYMBOL(receive_frames) && TERN_SYMBOL(run) &&
        TERN_SYMBOL(timer_due) && TERN_SYMBOL(set_carrier) &&
        TERN_SYMBOL(set_bus_master) && TERN_SYMBOL(set_fault)) {
        uint32_t version = abi->abi_version();

        if (version == TERN_ENGINE_ABI_VERSION) {
            return true;
        }
        error_setg(errp, "tern: the engine has interface version %u, "
                   "this QEMU was built for %u", version,
                   TERN_ENGINE_ABI_VERSION);
    }
    tern_engine_unload(s);
    return false;
}

void tern_engine_unload(TernState *s)
{
    if (s->engine) {
        s->abi.destroy(s->engine);
        s->engine = NULL;
    }
    if (s->abi.library) {
        dlclose(s->abi.library);
        s->abi.library = NULL;
    }
}

static uint64_t tern_host_now_ns(void *host)
{
    return qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
}

/* The timer itself is set after the run, once, whatever happens in it. */
static void tern_host_arm_timer(void *host, uint64_t deadline_ns)
{
    TernState *s = host;

    s->deadline_ns = deadline_ns;
}

static void tern_host_log(void *host, enum tern_log_level level,
                          const char *message)
{
    switch (level) {
    case TERN_LOG_ERROR:
        trace_tern_err_engine(message);
        break;
    case TERN_LOG_GUEST_ERROR:
        trace_tern_guest_error(message);
        qemu_log_mask(LOG_GUEST_ERROR, "tern: %s\n", message);
        break;
    case TERN_LOG_INFO:
        trace_tern_engine(message);
        break;
    }
}

bool tern_engine_start(TernState *s, uint32_t model, uint32_t speed_mbps,
                       Error **errp)
{
    static const struct tern_host_ops operations = {
        .dma_read = tern_dma_read,
        .dma_write = tern_dma_write,
        .dma_map = tern_dma_map,
        .dma_unmap = tern_dma_unmap,
        .store_release32 = tern_dma_store_release32,
        .store_release64 = tern_dma_store_release64,
        .atomic64 = tern_dma_atomic64,
        .raise_vector = tern_irq_raise,
        .send_room = tern_net_send_room,
        .send_frames = tern_net_send_frames,
        .now_ns = tern_host_now_ns,
        .arm_timer = tern_host_arm_timer,
        .log = tern_host_log,
    };
    struct tern_engine_config config = {
        .abi_version = TERN_ENGINE_ABI_VERSION,
        .config_bytes = sizeof(config),
        .model = model,
        .ports = s->port_count,
        .port_speed_mbps = speed_mbps,
        .port_lanes = 4,
        .vectors = s->vectors,
        .push_worthwhile = s->push_worthwhile,
    };
    const uint8_t *mac = s->ports[0].conf.macaddr.a;
    char message[128] = "";

    for (uint32_t i = 0; i < s->port_count; i++) {
        memcpy(config.mac[i], s->ports[i].conf.macaddr.a,
               sizeof(config.mac[i]));
    }
    qemu_guest_getrandom_nofail(config.seed, sizeof(config.seed));
    snprintf(config.serial_number, sizeof(config.serial_number),
             "TN%02X%02X%02X%02X%02X%02X", mac[0], mac[1], mac[2], mac[3],
             mac[4], mac[5]);
    s->engine = s->abi.create(&config, &operations, s, message,
                              sizeof(message));
    if (!s->engine) {
        error_setg(errp, "tern: %s", message);
    }
    return s->engine;
}
