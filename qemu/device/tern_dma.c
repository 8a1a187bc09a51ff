/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Copyright (c) 2026 The Tern authors
 *
 * DMA: guest memory and nothing else. An address in a BAR (ours or another's),
 * in ROM or in a hole is an error of the access, so no DMA re-enters a device
 * and none needs the BQL.
 *
 * Each access looks its span up anew and holds it by reference, which works
 * from any thread and follows changes of the memory map. Behind a vIOMMU the
 * caller has the BQL (tern_card.c), as translation needs it.
 */
#include "qemu/osdep.h"

#include "exec/memory.h"
#include "exec/cpu-common.h"

#include "tern.h"
#include "trace.h"

static const MemTxAttrs tern_dma_attributes = { .memory = 1 };

static AddressSpace *tern_dma_space(TernState *s)
{
    return pci_get_address_space(PCI_DEVICE(s));
}

/*
 * A span of RAM at @address: pointer in cache->ptr, at most *bytes long.
 * False: no RAM there, or not for writing.
 */
static bool tern_dma_hold(TernState *s, uint64_t address, uint64_t *bytes,
                          bool write, MemoryRegionCache *cache)
{
    int64_t length = address_space_cache_init(cache, tern_dma_space(s),
                                              address, *bytes, write);

    if (length > 0 && cache->ptr) {
        *bytes = length;
        return true;
    }
    address_space_cache_destroy(cache);
    return false;
}

static bool tern_dma_transfer(TernState *s, uint64_t address, uint8_t *buffer,
                              uint64_t bytes, bool write)
{
    while (bytes) {
        MemoryRegionCache cache;
        uint64_t length = bytes;

        if (!tern_dma_hold(s, address, &length, write, &cache)) {
            return false;
        }
        if (write) {
            memcpy(cache.ptr, buffer, length);
            address_space_cache_invalidate(&cache, 0, length);
        } else {
            memcpy(buffer, cache.ptr, length);
        }
        address_space_cache_destroy(&cache);
        address += length;
        buffer += length;
        bytes -= length;
    }
    return true;
}

static bool tern_dma_translated(TernState *s, uint64_t address, void *buffer,
                                uint64_t bytes, bool write)
{
    return address_space_rw(tern_dma_space(s), address, tern_dma_attributes,
                            buffer, bytes, write) == MEMTX_OK;
}

static bool tern_dma_access(TernState *s, uint64_t address, void *buffer,
                            uint64_t bytes, bool write)
{
    bool is_ok = address + bytes >= address &&
                 (s->has_iommu ?
                  tern_dma_translated(s, address, buffer, bytes, write) :
                  tern_dma_transfer(s, address, buffer, bytes, write));

    if (!is_ok) {
        trace_tern_err_dma(address, bytes, write);
    }
    return is_ok;
}

bool tern_dma_read(void *host, uint64_t address, void *buffer, uint64_t bytes)
{
    bool is_ok = tern_dma_access(host, address, buffer, bytes, false);

    /* What is read next was written before what was just read. */
    smp_rmb();
    return is_ok;
}

bool tern_dma_write(void *host, uint64_t address, const void *buffer,
                    uint64_t bytes)
{
    return tern_dma_access(host, address, (void *)buffer, bytes, true);
}

/* The engine copies: no spans are handed out. */
void *tern_dma_map(void *host, uint64_t address, uint64_t *bytes, bool write)
{
    return NULL;
}

void tern_dma_unmap(void *host, void *span, uint64_t bytes, bool write,
                    uint64_t accessed)
{
    g_assert_not_reached();
}

/* An aligned word of guest memory, for single-copy atomic access. */
typedef struct TernDmaWord {
    void *pointer;
    uint64_t bytes;
    MemoryRegionCache cache;
} TernDmaWord;

static bool tern_dma_hold_translated(TernState *s, uint64_t address,
                                     TernDmaWord *word)
{
    AddressSpace *space = tern_dma_space(s);
    hwaddr length = word->bytes, offset;
    MemoryRegion *mr;

    /* With the BQL held, what is RAM now is RAM until we let go. */
    RCU_READ_LOCK_GUARD();
    mr = address_space_translate(space, address, &offset, &length, true,
                                 tern_dma_attributes);
    if (length < word->bytes ||
        !memory_access_is_direct(mr, true, tern_dma_attributes)) {
        return false;
    }
    word->pointer = address_space_map(space, address, &length, true,
                                      tern_dma_attributes);
    return word->pointer && length == word->bytes;
}

static bool tern_dma_hold_word(TernState *s, uint64_t address,
                               TernDmaWord *word)
{
    uint64_t length = word->bytes;
    bool is_held;

    if (!QEMU_IS_ALIGNED(address, word->bytes)) {
        return false;
    }
    if (s->has_iommu) {
        is_held = tern_dma_hold_translated(s, address, word);
    } else {
        is_held = tern_dma_hold(s, address, &length, true, &word->cache);
        if (is_held && length < word->bytes) {
            address_space_cache_destroy(&word->cache);
            is_held = false;
        }
        word->pointer = is_held ? word->cache.ptr : NULL;
    }
    if (!is_held) {
        trace_tern_err_dma(address, word->bytes, true);
    }
    return is_held;
}

static void tern_dma_release_word(TernState *s, TernDmaWord *word)
{
    if (s->has_iommu) {
        address_space_unmap(tern_dma_space(s), word->pointer, word->bytes,
                            true, word->bytes);
        return;
    }
    address_space_cache_invalidate(&word->cache, 0, word->bytes);
    address_space_cache_destroy(&word->cache);
}

bool tern_dma_store_release32(void *host, uint64_t address, uint32_t value)
{
    TernDmaWord word = { .bytes = sizeof(value) };

    if (!tern_dma_hold_word(host, address, &word)) {
        return false;
    }
    qatomic_store_release((uint32_t *)word.pointer, cpu_to_le32(value));
    tern_dma_release_word(host, &word);
    return true;
}

bool tern_dma_store_release64(void *host, uint64_t address, uint64_t value)
{
    TernDmaWord word = { .bytes = sizeof(value) };

    if (!tern_dma_hold_word(host, address, &word)) {
        return false;
    }
    qatomic_store_release((uint64_t *)word.pointer, cpu_to_le64(value));
    tern_dma_release_word(host, &word);
    return true;
}

static uint64_t tern_dma_fetch_add(uint64_t *word, uint64_t add)
{
    uint64_t old = qatomic_read(word), seen;

    /* Not qatomic_fetch_add: the word is little endian on any host. */
    for (;;) {
        seen = qatomic_cmpxchg(word, old,
                               cpu_to_le64(le64_to_cpu(old) + add));
        if (seen == old) {
            return le64_to_cpu(old);
        }
        old = seen;
    }
}

bool tern_dma_atomic64(void *host, uint64_t address,
                       enum tern_atomic_operation operation,
                       uint64_t swap_or_add, uint64_t compare,
                       uint64_t *original)
{
    TernDmaWord word = { .bytes = sizeof(*original) };

    if (!tern_dma_hold_word(host, address, &word)) {
        return false;
    }
    if (operation == TERN_ATOMIC_FETCH_ADD) {
        *original = tern_dma_fetch_add(word.pointer, swap_or_add);
    } else {
        *original = le64_to_cpu(qatomic_cmpxchg((uint64_t *)word.pointer,
                                                cpu_to_le64(compare),
                                                cpu_to_le64(swap_or_add)));
    }
    tern_dma_release_word(host, &word);
    return true;
}
