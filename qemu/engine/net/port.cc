// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
#include "qemu/engine/net/port.h"

#include <algorithm>

namespace tern {

Port::Port(Host& host, uint32_t index, const MacAddress& address)
    : permanent_mac(address), host_(host), index_(index), buffers_(std::make_unique<Buffers>()) {
    reset();
}

void Port::reset() {
    settings = Settings{};
    settings.mac = permanent_mac;
    gids.fill(GidEntry{});
    counters.fill(0);
    batch_count_ = 0;
}

const GidEntry* Port::find_gid(const Gid& gid, uint16_t vlan_id) const {
    const auto* entry = std::ranges::find_if(gids, [&](const GidEntry& candidate) {
        return candidate.type != TERN_GID_EMPTY && candidate.gid == gid && candidate.vlan_id == vlan_id;
    });
    return entry == gids.end() ? nullptr : &*entry;
}

const GidEntry* Port::gid_at(uint32_t gid_index) const {
    if (gid_index >= gids.size() || gids[gid_index].type == TERN_GID_EMPTY) return nullptr;
    return &gids[gid_index];
}

uint32_t Port::gid_count() const {
    return static_cast<uint32_t>(
        std::ranges::count_if(gids, [](const GidEntry& entry) { return entry.type != TERN_GID_EMPTY; }));
}

bool Port::owns_mac(const MacAddress& mac) const {
    return mac == settings.mac || std::ranges::any_of(gids, [&](const GidEntry& entry) {
               return entry.type != TERN_GID_EMPTY && entry.mac == mac;
           });
}

uint32_t Port::room() const {
    if (!link_up()) return kBatchFrames;  // frames go nowhere, at once
    const uint32_t room = host_.send_room(index_);
    return room > batch_count_ ? room - batch_count_ : 0;
}

std::span<std::byte, Port::kFrameBytes> Port::begin_frame() {
    if (batch_count_ == kBatchFrames) flush();
    return (*buffers_)[batch_count_];
}

void Port::commit_frame(uint32_t length_bytes) {
    if (!link_up()) {
        count(TERN_PORT_COUNTER_TX_LINK_DOWN);
        return;
    }
    const auto* data = reinterpret_cast<const uint8_t*>((*buffers_)[batch_count_].data());
    batch_[batch_count_++] = {data, length_bytes};
}

void Port::flush() {
    if (batch_count_ == 0) return;
    host_.send(index_, std::span(batch_).first(batch_count_));
    batch_count_ = 0;
}

}  // namespace tern
