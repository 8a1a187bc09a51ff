// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
//
// The C ABI: a card with its firmware behind one opaque pointer. This is where
// hardware and firmware meet; neither room knows the other's classes.
#include "qemu/engine/api/engine_c.h"

#include <cstdio>
#include <cstring>
#include <new>
#include <span>
#include <string_view>

#include "firmware-if/model/firmware.h"
#include "qemu/engine/card/card.h"
#include "tern/hw/ids.h"

#define TERN_EXPORT extern "C" __attribute__((visibility("default")))

struct tern_engine {
    tern_engine(const tern_engine_config& config, const tern_host_ops& ops, void* host_pointer)
        : host(ops, host_pointer), card(config, ops, host_pointer), firmware(card) {
        card.connect(firmware);
    }

    tern::Host host;  // for the clock of faults
    tern::Card card;
    tern::firmware::Firmware firmware;
};

namespace {

bool refuse(char* error, size_t error_bytes, const char* message) {
    if (error_bytes) std::snprintf(error, error_bytes, "%s", message);
    return false;
}

bool is_station(const uint8_t (&mac)[6]) {
    constexpr uint8_t kZero[6] = {};
    return !(mac[0] & 1) && std::memcmp(mac, kZero, sizeof(mac)) != 0;
}

bool has_all(const tern_host_ops& ops) {
    return ops.dma_read && ops.dma_write && ops.dma_map && ops.dma_unmap && ops.store_release32 &&
           ops.store_release64 && ops.atomic64 && ops.raise_vector && ops.send_room && ops.send_frames && ops.now_ns &&
           ops.arm_timer && ops.log;
}

bool check_config(const tern_engine_config& config, char* error, size_t error_bytes) {
    const auto bad = [&](const char* message) { return refuse(error, error_bytes, message); };
    if (config.abi_version != TERN_ENGINE_ABI_VERSION || config.config_bytes != sizeof(config))
        return bad("the engine was built for another version of its interface");
    if (config.model != TERN_MODEL_TERN400 && config.model != TERN_MODEL_TERN100) return bad("no such model");
    if (config.ports < 1 || config.ports > TERN_MAX_PORTS) return bad("a card has one or two ports");
    if (config.vectors < 1 || config.vectors > TERN_MAX_VECTORS) return bad("a card has 1 to 64 vectors");
    if (config.port_speed_mbps == 0 || config.port_lanes == 0 || config.port_lanes > 8)
        return bad("a port needs a speed and 1 to 8 lanes");
    for (uint32_t i = 0; i < config.ports; ++i)
        if (!is_station(config.mac[i])) return bad("a port's MAC address must be a station's");
    return true;
}

}  // namespace

TERN_EXPORT uint32_t tern_engine_abi_version(void) { return TERN_ENGINE_ABI_VERSION; }

TERN_EXPORT tern_engine* tern_engine_create(const tern_engine_config* config, const tern_host_ops* ops, void* host,
                                            char* error, size_t error_bytes) {
    if (!has_all(*ops)) {
        (void)refuse(error, error_bytes, "a host operation is missing");
        return nullptr;
    }
    if (!check_config(*config, error, error_bytes)) return nullptr;
    auto* engine = new (std::nothrow) tern_engine(*config, *ops, host);
    if (!engine) (void)refuse(error, error_bytes, "out of memory");
    return engine;
}

TERN_EXPORT void tern_engine_destroy(tern_engine* engine) { delete engine; }

TERN_EXPORT void tern_engine_reset(tern_engine* engine) { engine->card.reset(); }

TERN_EXPORT uint64_t tern_engine_register_read(tern_engine* engine, uint64_t offset, uint32_t size_bytes) {
    return engine->card.register_read(offset, size_bytes);
}

TERN_EXPORT void tern_engine_register_write(tern_engine* engine, uint64_t offset, uint64_t value, uint32_t size_bytes) {
    engine->card.register_write(offset, value, size_bytes);
}

TERN_EXPORT void tern_engine_doorbell_write(tern_engine* engine, uint64_t offset, uint64_t value, uint32_t size_bytes) {
    engine->card.doorbell_write(offset, value, size_bytes);
}

TERN_EXPORT void tern_engine_doorbells_lost(tern_engine* engine) { engine->card.doorbells_lost(); }

TERN_EXPORT void tern_engine_receive_frames(tern_engine* engine, uint32_t port_index, const tern_frame* frames,
                                            uint32_t count) {
    engine->card.receive_frames(port_index, std::span(frames, count));
}

TERN_EXPORT bool tern_engine_run(tern_engine* engine, uint32_t budget) { return engine->card.run(budget); }

TERN_EXPORT void tern_engine_timer_due(tern_engine* engine) { engine->card.timer_due(); }

TERN_EXPORT void tern_engine_set_carrier(tern_engine* engine, uint32_t port_index, bool present) {
    engine->card.set_carrier(port_index, present);
}

TERN_EXPORT void tern_engine_set_bus_master(tern_engine* engine, bool enabled) { engine->card.set_bus_master(enabled); }

TERN_EXPORT void tern_engine_drop_mappings(tern_engine* engine) { engine->card.drop_mappings(); }

TERN_EXPORT bool tern_engine_set_fault(tern_engine* engine, const char* name, const char* value, char* error,
                                       size_t error_bytes) {
    if (std::string_view(name) != "firmware-hang")
        return refuse(error, error_bytes, "no such fault; there is: firmware-hang");
    const std::string_view state(value);
    if (state != "on" && state != "off") return refuse(error, error_bytes, "firmware-hang is on or off");
    engine->firmware.set_hang(state == "on", engine->host.now_ns());
    return true;
}
