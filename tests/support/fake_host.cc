// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
#include "tests/support/fake_host.h"

namespace tern::test {

namespace {

FakeHost& self(void* host) { return *static_cast<FakeHost*>(host); }

bool dma_read(void* host, uint64_t address, void* buffer, uint64_t length) {
    if (!self(host).reaches(address, length)) return false;
    if (length) std::memcpy(buffer, self(host).memory.data() + address, length);
    return true;
}

bool dma_write(void* host, uint64_t address, const void* buffer, uint64_t length) {
    if (!self(host).reaches(address, length)) return false;
    if (length) std::memcpy(self(host).memory.data() + address, buffer, length);
    return true;
}

bool store_release32(void* host, uint64_t address, uint32_t value) { return dma_write(host, address, &value, 4); }
bool store_release64(void* host, uint64_t address, uint64_t value) { return dma_write(host, address, &value, 8); }

bool atomic64(void* host, uint64_t address, tern_atomic_operation operation, uint64_t swap_or_add, uint64_t compare,
              uint64_t* original) {
    if (!dma_read(host, address, original, 8)) return false;
    uint64_t value = *original;
    if (operation == TERN_ATOMIC_FETCH_ADD)
        value += swap_or_add;
    else if (value == compare)
        value = swap_or_add;
    return dma_write(host, address, &value, 8);
}

void send_frames(void* host, uint32_t port, const tern_frame* frames, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i)
        self(host).sent[port].emplace_back(frames[i].data, frames[i].data + frames[i].length_bytes);
}

}  // namespace

tern_host_ops FakeHost::ops() const {
    return {
        .dma_read = dma_read,
        .dma_write = dma_write,
        .dma_map = [](void*, uint64_t, uint64_t*, bool) -> void* { return nullptr; },
        .dma_unmap = [](void*, void*, uint64_t, bool, uint64_t) {},
        .store_release32 = store_release32,
        .store_release64 = store_release64,
        .atomic64 = atomic64,
        .raise_vector = [](void* host, uint32_t vector) { self(host).vectors.push_back(vector); },
        .send_room = [](void* host, uint32_t) { return self(host).room; },
        .send_frames = send_frames,
        .now_ns = [](void* host) { return self(host).now; },
        .arm_timer = [](void* host, uint64_t deadline) { self(host).timer = deadline; },
        .log = [](void*, tern_log_level, const char*) {},
    };
}

}  // namespace tern::test
