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
    gids_.fill(GidEntry{});
    gid_end_ = 0;
    gid_macs_.clear();
    counters.fill(0);
    batch_count_ = 0;
}

void Port::set_gid(uint32_t gid_index, const GidEntry& entry) {
    gids_[gid_index] = entry;
    gid_end_ = std::max(gid_end_, gid_index + 1);
    while (gid_end_ > 0 && gids_[gid_end_ - 1].type == TERN_GID_EMPTY) --gid_end_;
    collect_macs();
}

void Port::collect_macs() {
    gid_macs_.clear();
    for (uint32_t i = 0; i < gid_end_; ++i)
        if (gids_[i].type != TERN_GID_EMPTY && std::ranges::find(gid_macs_, gids_[i].mac) == gid_macs_.end())
            gid_macs_.push_back(gids_[i].mac);
}

const GidEntry* Port::find_gid(const Gid& gid, uint16_t vlan_id) const {
    for (uint32_t i = 0; i < gid_end_; ++i)
        if (gids_[i].type != TERN_GID_EMPTY && gids_[i].gid == gid && gids_[i].vlan_id == vlan_id) return &gids_[i];
    return nullptr;
}

const GidEntry* Port::gid_at(uint32_t gid_index) const {
    return gid_index < gid_end_ && gids_[gid_index].type != TERN_GID_EMPTY ? &gids_[gid_index] : nullptr;
}

uint32_t Port::gid_count() const {
    return static_cast<uint32_t>(std::count_if(gids_.begin(), gids_.begin() + gid_end_,
                                               [](const GidEntry& entry) { return entry.type != TERN_GID_EMPTY; }));
}

bool Port::owns_mac(const MacAddress& mac) const {
    return mac == settings.mac || std::ranges::find(gid_macs_, mac) != gid_macs_.end();
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

bool Port::commit_frame(uint32_t length_bytes) {
    if (!link_up()) return false;
    const auto* data = reinterpret_cast<const uint8_t*>((*buffers_)[batch_count_].data());
    batch_[batch_count_++] = {data, length_bytes};
    return true;
}

void Port::flush() {
    if (batch_count_ == 0) return;
    host_.send(index_, std::span(batch_).first(batch_count_));
    batch_count_ = 0;
}

}  // namespace tern
