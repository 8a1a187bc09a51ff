// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
#include <algorithm>

#include "firmware-if/model/handlers.h"
#include "tern/fw/port.h"

namespace tern::firmware {

namespace {

template <typename T>
MacAddress mac_of(const T& bytes) {
    MacAddress mac;
    std::copy_n(bytes, mac.size(), mac.begin());
    return mac;
}

bool is_group(const MacAddress& mac) { return mac[0] & 1; }
bool is_station(const MacAddress& mac) { return !is_group(mac) && mac != MacAddress{}; }

// A request that is a port's number.
CommandAnswer check_port(Control& control, const tern_cmd_port& raw) {
    using T = tern_cmd_port;
    if (!is_zero(raw.reserved_01)) return refuse(TERN_STATUS_BAD_RESERVED, offsetof(T, reserved_01));
    if (!is_port(control, raw.port)) return refuse(TERN_STATUS_BAD_PARAMETER, offsetof(T, port));
    return {};
}

CommandAnswer check_set_port(Control& control, const tern_cmd_set_port& raw) {
    using T = tern_cmd_set_port;
    if (raw.reserved_03) return refuse(TERN_STATUS_BAD_RESERVED, offsetof(T, reserved_03));
    if (!is_zero(raw.reserved_0c)) return refuse(TERN_STATUS_BAD_RESERVED, offsetof(T, reserved_0c));
    if (!is_port(control, raw.port)) return refuse(TERN_STATUS_BAD_PARAMETER, offsetof(T, port));
    if (raw.valid & ~(TERN_SET_PORT_FLAGS | TERN_SET_PORT_MTU | TERN_SET_PORT_MAC))
        return refuse(TERN_STATUS_BAD_RESERVED, offsetof(T, valid));
    if (raw.flags & ~(TERN_PORT_ADMIN_UP | TERN_PORT_ROCE)) return refuse(TERN_STATUS_BAD_RESERVED, offsetof(T, flags));
    const uint16_t mtu = little(raw.mtu);
    if ((raw.valid & TERN_SET_PORT_MTU) && (mtu < TERN_ETH_MTU_MIN || mtu > TERN_ETH_MTU_MAX))
        return refuse(TERN_STATUS_BAD_PARAMETER, offsetof(T, mtu));
    if ((raw.valid & TERN_SET_PORT_MAC) && !is_station(mac_of(raw.mac)))
        return refuse(TERN_STATUS_BAD_PARAMETER, offsetof(T, mac));
    return {};
}

CommandAnswer check_rx_mode(Control& control, const tern_cmd_rx_mode& raw) {
    using T = tern_cmd_rx_mode;
    if (!is_zero(raw.reserved_04)) return refuse(TERN_STATUS_BAD_RESERVED, offsetof(T, reserved_04));
    if (!is_port(control, raw.port)) return refuse(TERN_STATUS_BAD_PARAMETER, offsetof(T, port));
    if (raw.flags & ~(TERN_RX_MODE_PROMISCUOUS | TERN_RX_MODE_ALL_MULTICAST))
        return refuse(TERN_STATUS_BAD_RESERVED, offsetof(T, flags));
    const uint16_t count = little(raw.address_count);
    if (count > TERN_MULTICAST_FILTER_LENGTH) return refuse(TERN_STATUS_BAD_PARAMETER, offsetof(T, address_count));
    for (size_t i = 0; i < TERN_MULTICAST_FILTER_LENGTH; ++i) {
        const auto& address = raw.address[i];
        if (i < count ? !is_group(mac_of(address)) || address[6] || address[7] : !is_zero(address))
            return refuse(TERN_STATUS_BAD_PARAMETER, offsetof(T, address) + i * sizeof(address));
    }
    return {};
}

bool is_ipv4_mapped(const uint8_t (&gid)[16]) {
    return std::all_of(gid, gid + 10, [](uint8_t byte) { return byte == 0; }) && gid[10] == 0xff && gid[11] == 0xff;
}

CommandAnswer check_set_gid(Control& control, const tern_cmd_set_gid& raw) {
    using T = tern_cmd_set_gid;
    if (!is_zero(raw.reserved_0c)) return refuse(TERN_STATUS_BAD_RESERVED, offsetof(T, reserved_0c));
    if (!is_port(control, raw.port)) return refuse(TERN_STATUS_BAD_PARAMETER, offsetof(T, port));
    if (raw.type > TERN_GID_ROCE_V2_IPV6) return refuse(TERN_STATUS_BAD_PARAMETER, offsetof(T, type));
    if (little(raw.index) >= TERN_GID_TABLE_LENGTH) return refuse(TERN_STATUS_BAD_PARAMETER, offsetof(T, index));
    if (raw.type == TERN_GID_EMPTY) return {};  // the rest says nothing
    const uint16_t vlan_id = little(raw.vlan_id);
    if (vlan_id > 4094 && vlan_id != TERN_VLAN_NONE) return refuse(TERN_STATUS_BAD_PARAMETER, offsetof(T, vlan_id));
    if (!is_station(mac_of(raw.mac))) return refuse(TERN_STATUS_BAD_PARAMETER, offsetof(T, mac));
    // A multicast address is nobody's own.
    if (is_ipv4_mapped(raw.gid) != (raw.type == TERN_GID_ROCE_V2_IPV4) || raw.gid[0] == 0xff)
        return refuse(TERN_STATUS_BAD_PARAMETER, offsetof(T, gid));
    return {};
}

}  // namespace

CommandAnswer query_port(Control& control, Request in, Response out) {
    const auto raw = decode<tern_cmd_port>(in);
    if (const CommandAnswer answer = check_port(control, raw); answer.status != TERN_STATUS_OK) return answer;
    const PortInformation port = control.port(raw.port);
    tern_cmd_port_info info{};
    info.port = raw.port;
    info.flags =
        static_cast<uint8_t>((port.settings.admin_up ? TERN_PORT_ADMIN_UP : 0) |
                             (port.settings.roce ? TERN_PORT_ROCE : 0) | (port.link_up ? TERN_PORT_LINK_UP : 0));
    info.mtu = little(port.settings.mtu);
    info.speed_mbps = little(port.speed_mbps);
    info.lanes = port.lanes;
    std::ranges::copy(port.settings.mac, info.mac);
    std::ranges::copy(port.permanent_mac, info.permanent_mac);
    encode(out, info);
    return {};
}

CommandAnswer set_port(Control& control, Request in, Response) {
    const auto raw = decode<tern_cmd_set_port>(in);
    if (const CommandAnswer answer = check_set_port(control, raw); answer.status != TERN_STATUS_OK) return answer;
    Port::Settings settings = control.port(raw.port).settings;
    if (raw.valid & TERN_SET_PORT_FLAGS) {
        settings.admin_up = raw.flags & TERN_PORT_ADMIN_UP;
        settings.roce = raw.flags & TERN_PORT_ROCE;
    }
    if (raw.valid & TERN_SET_PORT_MTU) settings.mtu = little(raw.mtu);
    if (raw.valid & TERN_SET_PORT_MAC) settings.mac = mac_of(raw.mac);
    control.set_port(raw.port, settings);
    return {};
}

CommandAnswer set_rx_mode(Control& control, Request in, Response) {
    const auto raw = decode<tern_cmd_rx_mode>(in);
    if (const CommandAnswer answer = check_rx_mode(control, raw); answer.status != TERN_STATUS_OK) return answer;
    Port::Settings settings = control.port(raw.port).settings;
    settings.promiscuous = raw.flags & TERN_RX_MODE_PROMISCUOUS;
    settings.all_multicast = raw.flags & TERN_RX_MODE_ALL_MULTICAST;
    settings.multicast_count = little(raw.address_count);
    for (size_t i = 0; i < settings.multicast_count; ++i) settings.multicast[i] = mac_of(raw.address[i]);
    control.set_port(raw.port, settings);
    return {};
}

CommandAnswer query_port_counters(Control& control, Request in, Response out) {
    const auto raw = decode<tern_cmd_port>(in);
    if (const CommandAnswer answer = check_port(control, raw); answer.status != TERN_STATUS_OK) return answer;
    std::array<uint64_t, TERN_PORT_COUNTER_SLOTS> counters{};
    control.port_counters(raw.port, counters);
    for (uint64_t& counter : counters) counter = little(counter);
    encode(out, counters);
    return {};
}

CommandAnswer set_gid(Control& control, Request in, Response) {
    const auto raw = decode<tern_cmd_set_gid>(in);
    if (const CommandAnswer answer = check_set_gid(control, raw); answer.status != TERN_STATUS_OK) return answer;
    GidEntry entry;
    entry.type = raw.type;
    if (raw.type != TERN_GID_EMPTY) {
        entry.vlan_id = little(raw.vlan_id);
        entry.mac = mac_of(raw.mac);
        std::ranges::copy(raw.gid, entry.gid.begin());
    }
    control.set_gid(raw.port, little(raw.index), entry);
    return {};
}

}  // namespace tern::firmware
