// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
#include <algorithm>
#include <array>

#include "firmware-if/model/handlers.h"

namespace tern::firmware {

namespace {

MacAddress mac_of(const uint8_t* bytes) {
    MacAddress mac;
    std::copy_n(bytes, mac.size(), mac.begin());
    return mac;
}

uint8_t flags_of(const PortInformation& port) {
    return static_cast<uint8_t>((port.settings.admin_up ? TERN_PORT_ADMIN_UP : 0) |
                                (port.settings.roce ? TERN_PORT_ROCE : 0) | (port.link_up ? TERN_PORT_LINK_UP : 0));
}

GidEntry entry_of(const tern_cmd_set_gid& raw) {
    GidEntry entry;
    entry.type = raw.type;
    if (raw.type == TERN_GID_EMPTY) return entry;
    entry.vlan_id = little(raw.vlan_id);
    entry.mac = mac_of(raw.mac);
    std::ranges::copy(raw.gid, entry.gid.begin());
    return entry;
}

}  // namespace

CommandAnswer query_port(Control& control, Request in, Response out) {
    return with<tern_cmd_port>(control, in, [&](const tern_cmd_port& raw) -> CommandAnswer {
        const PortInformation port = control.port(raw.port);
        tern_cmd_port_info info{};
        info.port = raw.port;
        info.flags = flags_of(port);
        info.mtu = little(port.settings.mtu);
        info.speed_mbps = little(port.speed_mbps);
        info.lanes = port.lanes;
        std::ranges::copy(port.settings.mac, info.mac);
        std::ranges::copy(port.permanent_mac, info.permanent_mac);
        codec::encode(out, info);
        return {};
    });
}

CommandAnswer set_port(Control& control, Request in, Response) {
    return with<tern_cmd_set_port>(control, in, [&](const tern_cmd_set_port& raw) -> CommandAnswer {
        Port::Settings settings = control.port(raw.port).settings;
        if (raw.valid & TERN_SET_PORT_FLAGS) {
            settings.admin_up = raw.flags & TERN_PORT_ADMIN_UP;
            settings.roce = raw.flags & TERN_PORT_ROCE;
        }
        if (raw.valid & TERN_SET_PORT_MTU) settings.mtu = little(raw.mtu);
        if (raw.valid & TERN_SET_PORT_MAC) settings.mac = mac_of(raw.mac);
        control.set_port(raw.port, settings);
        return {};
    });
}

CommandAnswer set_rx_mode(Control& control, Request in, Response) {
    return with<tern_cmd_rx_mode>(control, in, [&](const tern_cmd_rx_mode& raw) -> CommandAnswer {
        Port::Settings settings = control.port(raw.port).settings;
        settings.promiscuous = raw.flags & TERN_RX_MODE_PROMISCUOUS;
        settings.all_multicast = raw.flags & TERN_RX_MODE_ALL_MULTICAST;
        settings.multicast_count = little(raw.address_count);
        for (size_t i = 0; i < settings.multicast_count; ++i) settings.multicast[i] = mac_of(raw.address[i]);
        control.set_port(raw.port, settings);
        return {};
    });
}

CommandAnswer query_port_counters(Control& control, Request in, Response out) {
    return with<tern_cmd_port>(control, in, [&](const tern_cmd_port& raw) -> CommandAnswer {
        std::array<uint64_t, TERN_PORT_COUNTER_SLOTS> counters{};
        control.port_counters(raw.port, counters);
        for (uint64_t& counter : counters) counter = little(counter);
        codec::encode(out, counters);
        return {};
    });
}

CommandAnswer set_gid(Control& control, Request in, Response) {
    return with<tern_cmd_set_gid>(control, in, [&](const tern_cmd_set_gid& raw) -> CommandAnswer {
        control.set_gid(raw.port, little(raw.index), entry_of(raw));
        return {};
    });
}

}  // namespace tern::firmware
