// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
//
// A port: configuration, link, GID table, counters, and the batch of frames
// that is being sent. Frames are built in place in the batch's buffers, so
// sending allocates and copies nothing more.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "qemu/engine/api/host.h"
#include "tern/fw/port.h"
#include "tern/hw/limits.h"

namespace tern {

using MacAddress = std::array<uint8_t, 6>;
using Gid = std::array<uint8_t, 16>;

struct GidEntry {
    uint8_t type = TERN_GID_EMPTY;  // enum tern_gid_type
    uint16_t vlan_id = TERN_VLAN_NONE;
    MacAddress mac{};
    Gid gid{};
};

class Port {
public:
    Port(Host& host, uint32_t index, const MacAddress& permanent_mac);

    [[nodiscard]] uint32_t index() const { return index_; }     // from 0
    [[nodiscard]] uint8_t number() const { return static_cast<uint8_t>(index_ + 1); }

    // Configuration (SET_PORT, SET_RX_MODE); back to defaults by reset().
    struct Settings {
        bool admin_up = false;
        bool roce = false;
        uint16_t mtu = 1500;
        MacAddress mac{};
        bool promiscuous = false;
        bool all_multicast = false;
        uint16_t multicast_count = 0;
        std::array<MacAddress, TERN_MULTICAST_FILTER_LENGTH> multicast{};
    };
    Settings settings;
    const MacAddress permanent_mac;
    bool has_carrier = true;
    [[nodiscard]] bool link_up() const { return settings.admin_up && has_carrier; }
    void reset();

    void set_gid(uint32_t gid_index, const GidEntry& entry);
    // First entry with this GID (and VLAN, TERN_VLAN_NONE: untagged), or nullptr.
    [[nodiscard]] const GidEntry* find_gid(const Gid& gid, uint16_t vlan_id) const;
    // nullptr if out of range or empty.
    [[nodiscard]] const GidEntry* gid_at(uint32_t gid_index) const;
    [[nodiscard]] uint32_t gid_count() const;
    // The port's own MAC, or that of one of its GIDs (VLANs may have their own).
    [[nodiscard]] bool owns_mac(const MacAddress& mac) const;

    std::array<uint64_t, TERN_PORT_COUNTER_SLOTS> counters{};
    void count(tern_port_counter counter, uint64_t amount = 1) { counters[counter] += amount; }

    // Sending. room(): frames that may be begun now (host's room less the batch).
    // begin_frame(): a buffer of kFrameBytes; commit_frame(length) queues it.
    // flush(): hands the batch to the host; the card calls it at the end of
    // every entry and when the batch is full. False: the link is down, and the
    // frame is dropped.
    static constexpr uint32_t kBatchFrames = 64;
    static constexpr uint32_t kFrameBytes = TERN_ETH_FRAME_MAX_BYTES + 10;
    [[nodiscard]] uint32_t room() const;
    [[nodiscard]] std::span<std::byte, kFrameBytes> begin_frame();
    [[nodiscard]] bool commit_frame(uint32_t length_bytes);
    void flush();

private:
    void collect_macs();
    using Buffers = std::array<std::array<std::byte, kFrameBytes>, kBatchFrames>;

    Host& host_;
    const uint32_t index_;
    std::array<GidEntry, TERN_GID_TABLE_LENGTH> gids_{};
    uint32_t gid_end_ = 0;  // entries from here on are empty
    std::vector<MacAddress> gid_macs_;  // of the entries, each once
    uint32_t batch_count_ = 0;
    std::array<tern_frame, kBatchFrames> batch_{};
    std::unique_ptr<Buffers> buffers_;
};

}  // namespace tern
