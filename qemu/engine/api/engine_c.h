/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later */
/*
 * Copyright (c) 2026 The Tern authors
 *
 * The engine's C ABI, the only door between the card's hardware and whoever
 * carries it (QEMU, the simulator, a fuzzer).
 *
 * The engine has no thread, clock, socket or global: it acts when it is called
 * and reaches the world through tern_host_ops. Calls on one engine must not
 * overlap (the caller locks); host operations are called from within them, on
 * the same thread, and must not call back into the engine. The same calls with
 * the same answers give the same results, bit for bit.
 */
#ifndef TERN_ENGINE_C_H
#define TERN_ENGINE_C_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Grows with every incompatible change of this file. */
#define TERN_ENGINE_ABI_VERSION 1u

#define TERN_ENGINE_PORTS 2u
#define TERN_ENGINE_NAME_BYTES 32u

struct tern_engine;

/* One Ethernet frame, header first, without FCS. */
struct tern_frame {
    const uint8_t *data;
    uint32_t length_bytes;
};

enum tern_log_level {
    TERN_LOG_ERROR = 0,       /* the engine itself failed */
    TERN_LOG_GUEST_ERROR = 1, /* the driver broke the contract; rate is bounded by the host */
    TERN_LOG_INFO = 2,
};

enum tern_atomic_operation {
    TERN_ATOMIC_COMPARE_SWAP = 0,
    TERN_ATOMIC_FETCH_ADD = 1,
};

/*
 * What the engine may ask of the world. Addresses are bus addresses. A DMA
 * operation returns false when any byte could not be reached (a fault, which
 * the engine turns into a status); then memory may be partly written.
 */
struct tern_host_ops {
    bool (*dma_read)(void *host, uint64_t address, void *buffer, uint64_t length_bytes);
    bool (*dma_write)(void *host, uint64_t address, const void *buffer, uint64_t length_bytes);

    /*
     * Direct span of memory for the data path: *length_bytes in: wanted, out:
     * granted from @address on. NULL: not available, use dma_read/dma_write.
     * The span stays valid until dma_unmap or until the host calls
     * tern_engine_drop_mappings. accessed_bytes: how many were written.
     */
    void *(*dma_map)(void *host, uint64_t address, uint64_t *length_bytes, bool write);
    void (*dma_unmap)(void *host, void *span, uint64_t length_bytes, bool write, uint64_t accessed_bytes);

    /* Little-endian stores that become visible after all earlier writes; aligned. */
    bool (*store_release32)(void *host, uint64_t address, uint32_t value);
    bool (*store_release64)(void *host, uint64_t address, uint64_t value);

    /*
     * Atomic on an aligned little-endian 64-bit word, atomic also towards the
     * host's processors. FETCH_ADD ignores @compare.
     */
    bool (*atomic64)(void *host, uint64_t address, enum tern_atomic_operation operation,
                     uint64_t swap_or_add, uint64_t compare, uint64_t *original);

    void (*raise_vector)(void *host, uint32_t vector);

    /* Frames that the port can take now; the engine sends no more than that. */
    uint32_t (*send_room)(void *host, uint32_t port_index);
    void (*send_frames)(void *host, uint32_t port_index, const struct tern_frame *frames, uint32_t count);

    uint64_t (*now_ns)(void *host);
    /* Ask for tern_engine_timer_due at or after @deadline_ns; UINT64_MAX: never. */
    void (*arm_timer)(void *host, uint64_t deadline_ns);
    void (*log)(void *host, enum tern_log_level level, const char *message);
};

struct tern_engine_config {
    uint32_t abi_version;  /* TERN_ENGINE_ABI_VERSION */
    uint32_t config_bytes; /* sizeof(struct tern_engine_config) */
    uint32_t model;        /* TERN_MODEL_* of tern/hw/ids.h */
    uint32_t ports;        /* 1 or 2 */
    uint32_t port_speed_mbps;
    uint32_t port_lanes;
    uint32_t vectors; /* MSI-X vectors, 1 .. TERN_MAX_VECTORS */
    uint32_t push_worthwhile;
    uint8_t mac[TERN_ENGINE_PORTS][6];
    uint8_t reserved[4];
    uint64_t seed[2]; /* of object numbers and keys; random, except in tests */
    char serial_number[TERN_ENGINE_NAME_BYTES]; /* NUL-terminated */
};

/* Version with which the library was built; compare before all else. */
uint32_t tern_engine_abi_version(void);

/*
 * Makes a card in state BOOTING. @ops is copied, @host is passed to each
 * operation. Returns NULL and a message in @error (of @error_bytes) if the
 * configuration is impossible.
 */
struct tern_engine *tern_engine_create(const struct tern_engine_config *config,
                                       const struct tern_host_ops *ops, void *host, char *error,
                                       size_t error_bytes);
void tern_engine_destroy(struct tern_engine *engine);

/* Function-level reset: all objects vanish, no DMA follows, the firmware boots again. */
void tern_engine_reset(struct tern_engine *engine);

/* BAR0. Accesses of another size than the register's read zero and write nothing. */
uint64_t tern_engine_register_read(struct tern_engine *engine, uint64_t offset, uint32_t size_bytes);
void tern_engine_register_write(struct tern_engine *engine, uint64_t offset, uint64_t value,
                                uint32_t size_bytes);

/* BAR2. Sizes other than 8 are ignored. Cheap: it marks work, tern_engine_run does it. */
void tern_engine_doorbell_write(struct tern_engine *engine, uint64_t offset, uint64_t value,
                                uint32_t size_bytes);
/* The host had to drop doorbells: look at all records. */
void tern_engine_doorbells_lost(struct tern_engine *engine);

/* Frames arrived at a port. They are consumed before the call returns. */
void tern_engine_receive_frames(struct tern_engine *engine, uint32_t port_index,
                                const struct tern_frame *frames, uint32_t count);

/*
 * Do up to @budget units of pending work (about one packet each). Returns true
 * while more can be done now; false when there is nothing, or when all that is
 * left waits for send_room, a frame, a doorbell or the timer.
 */
bool tern_engine_run(struct tern_engine *engine, uint32_t budget);

void tern_engine_timer_due(struct tern_engine *engine);

/* The cable of a port: carrier present or not. */
void tern_engine_set_carrier(struct tern_engine *engine, uint32_t port_index, bool present);

/* Bus mastering: while off the engine starts no DMA and no interrupt. */
void tern_engine_set_bus_master(struct tern_engine *engine, bool enabled);

/* Forget every span got from dma_map, after unmapping it (memory map changes). */
void tern_engine_drop_mappings(struct tern_engine *engine);

/*
 * Faults for tests, by name: "firmware-hang" ("on": the firmware stops, beats
 * no more and answers nothing; "off"). Returns false and a message when the
 * name or value is unknown.
 */
bool tern_engine_set_fault(struct tern_engine *engine, const char *name, const char *value, char *error,
                           size_t error_bytes);

#ifdef __cplusplus
}
#endif

#endif /* TERN_ENGINE_C_H */
