// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
#include "firmware-if/codec/rules.h"

namespace tern::codec {

namespace {

using MacBytes = uint8_t[6];

bool is_group(const uint8_t* mac) { return mac[0] & 1; }
bool is_station(const MacBytes& mac) { return !is_group(mac) && !is_zero(mac); }

bool is_ipv4_mapped(const uint8_t (&gid)[16]) {
    return std::all_of(gid, gid + 10, [](uint8_t byte) { return byte == 0; }) && gid[10] == 0xff && gid[11] == 0xff;
}

// What an entry that is not empty says.
Refusal check_gid_entry(const tern_cmd_set_gid& request) {
    using T = tern_cmd_set_gid;
    const uint16_t vlan_id = little(request.vlan_id);
    if (vlan_id > 4094 && vlan_id != TERN_VLAN_NONE) return bad_parameter(offsetof(T, vlan_id));
    if (!is_station(request.mac)) return bad_parameter(offsetof(T, mac));
    // A multicast address is nobody's own.
    if (is_ipv4_mapped(request.gid) != (request.type == TERN_GID_ROCE_V2_IPV4) || request.gid[0] == 0xff)
        return bad_parameter(offsetof(T, gid));
    return {};
}

}  // namespace

Refusal check(const tern_cmd_port& request, const Limits& limits) {
    using T = tern_cmd_port;
    if (!is_zero(request.reserved_01)) return bad_reserved(offsetof(T, reserved_01));
    if (!is_port(request.port, limits)) return bad_parameter(offsetof(T, port));
    return {};
}

Refusal check(const tern_cmd_set_port& request, const Limits& limits) {
    using T = tern_cmd_set_port;
    if (request.reserved_03) return bad_reserved(offsetof(T, reserved_03));
    if (!is_zero(request.reserved_0c)) return bad_reserved(offsetof(T, reserved_0c));
    if (!is_port(request.port, limits)) return bad_parameter(offsetof(T, port));
    if (request.valid & ~(TERN_SET_PORT_FLAGS | TERN_SET_PORT_MTU | TERN_SET_PORT_MAC))
        return bad_reserved(offsetof(T, valid));
    if (request.flags & ~(TERN_PORT_ADMIN_UP | TERN_PORT_ROCE)) return bad_reserved(offsetof(T, flags));
    const uint16_t mtu = little(request.mtu);
    if ((request.valid & TERN_SET_PORT_MTU) && (mtu < TERN_ETH_MTU_MIN || mtu > TERN_ETH_MTU_MAX))
        return bad_parameter(offsetof(T, mtu));
    if ((request.valid & TERN_SET_PORT_MAC) && !is_station(request.mac)) return bad_parameter(offsetof(T, mac));
    return {};
}

Refusal check(const tern_cmd_rx_mode& request, const Limits& limits) {
    using T = tern_cmd_rx_mode;
    if (!is_zero(request.reserved_04)) return bad_reserved(offsetof(T, reserved_04));
    if (!is_port(request.port, limits)) return bad_parameter(offsetof(T, port));
    if (request.flags & ~(TERN_RX_MODE_PROMISCUOUS | TERN_RX_MODE_ALL_MULTICAST))
        return bad_reserved(offsetof(T, flags));
    const uint16_t count = little(request.address_count);
    if (count > TERN_MULTICAST_FILTER_LENGTH) return bad_parameter(offsetof(T, address_count));
    for (size_t i = 0; i < TERN_MULTICAST_FILTER_LENGTH; ++i) {
        const auto& address = request.address[i];
        if (i < count ? !is_group(address) || address[6] || address[7] : !is_zero(address))
            return bad_parameter(offsetof(T, address) + i * sizeof(address));
    }
    return {};
}

Refusal check(const tern_cmd_set_gid& request, const Limits& limits) {
    using T = tern_cmd_set_gid;
    if (!is_zero(request.reserved_0c)) return bad_reserved(offsetof(T, reserved_0c));
    if (!is_port(request.port, limits)) return bad_parameter(offsetof(T, port));
    if (request.type > TERN_GID_ROCE_V2_IPV6) return bad_parameter(offsetof(T, type));
    if (little(request.index) >= TERN_GID_TABLE_LENGTH) return bad_parameter(offsetof(T, index));
    return request.type == TERN_GID_EMPTY ? Refusal{}
                                          : check_gid_entry(request);  // the rest of an empty one says nothing
}

}  // namespace tern::codec
