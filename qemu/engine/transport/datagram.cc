// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
#include "qemu/engine/transport/datagram.h"

#include <array>
#include <cstring>

#include "qemu/engine/transport/gather.h"
#include "tern/hw/cqe.h"

namespace tern::datagram {

namespace {

// A datagram's payload ends with the largest path MTU that the port's MTU holds.
uint32_t max_payload_bytes(const Port& port) {
    constexpr uint32_t kOverhead = TERN_IPV6_HEADER_BYTES + TERN_UDP_HEADER_BYTES + TERN_BTH_BYTES + TERN_DETH_BYTES +
                                   TERN_IMMDT_BYTES + TERN_ICRC_BYTES;
    uint32_t mtu = 4096;
    while (mtu > 256 && mtu + kOverhead > port.settings.mtu) mtu /= 2;
    return mtu;
}

PendingSend pending_of(const Qp& qp, const SendWqe& wqe) {
    PendingSend send{};
    send.start = wqe.start;
    send.opcode = wqe.opcode;
    send.is_signaled = wqe.is_signaled || qp.config.signal_all;
    send.length_bytes = static_cast<uint32_t>(wqe.length_bytes);
    return send;
}

Path path_of(const Qp& qp, const SendWqe& wqe, const GidEntry& source) {
    Path path;
    path.source = source;
    path.destination = wqe.dgid;
    path.destination_mac = wqe.dmac;
    path.hop_limit = wqe.hop_limit;
    path.traffic_class = static_cast<uint8_t>(TERN_GET32(TERN_AV_TRAFFIC_CLASS, wqe.flow_class));
    path.service_level = static_cast<uint8_t>(TERN_GET32(TERN_AV_SL, wqe.flow_class));
    path.flow_label = TERN_GET32(TERN_AV_FLOW_LABEL, wqe.flow_class);
    path.udp_source_port = roce_source_port(path.flow_label, qp.wire_qpn, wqe.remote_qpn);
    return path;
}

// A Q_Key with the high bit set stands for the QP's own, which only the kernel
// may have set to a privileged one (IBTA 10.2.5).
uint32_t qkey_of(const Qp& qp, const SendWqe& wqe) {
    return (wqe.qkey & TERN_QKEY_PRIVILEGED) ? qp.attributes.qkey : wqe.qkey;
}

uint8_t send_datagram(Transport& transport, Qp& qp, const SendWqe& wqe) {
    Port& port = transport.port_of(qp);
    if (wqe.length_bytes > max_payload_bytes(port)) return TERN_CQE_STATUS_LOCAL_LENGTH;
    const GidEntry* source = port.gid_at(wqe.sgid_index);
    if (!source) return TERN_CQE_STATUS_LOCAL_QP_OPERATION;
    ExtendedHeaders headers;
    headers.qkey = qkey_of(qp, wqe);
    headers.source_qpn = qp.wire_qpn;
    headers.immediate = wqe.immediate;
    const uint8_t opcode = wqe.opcode == TERN_WQE_OP_SEND ? TERN_BTH_UD_SEND_ONLY : TERN_BTH_UD_SEND_ONLY_WITH_IMM;
    const PathHeader path(path_of(qp, wqe, *source));
    const BthFields bth = {opcode, wqe.remote_qpn, qp.requester.next_psn.value(), wqe.is_solicited};
    PacketBuilder builder(transport.begin_frame(qp, wqe.dmac), path, bth, headers);
    const auto payload = builder.payload(static_cast<size_t>(wqe.length_bytes));
    if (!gather_wqe(transport.rooms.memory, qp.user(), wqe, 0, payload)) return TERN_CQE_STATUS_LOCAL_PROTECTION;
    ++qp.requester.next_psn;
    transport.send_frame(qp, wqe.dmac, builder.finish());
    return TERN_CQE_STATUS_SUCCESS;
}

void complete(Transport& transport, Qp& qp, const SendWqe& wqe, uint8_t status) {
    const PendingSend send = pending_of(qp, wqe);
    if (send.is_signaled || status != TERN_CQE_STATUS_SUCCESS) transport.complete_send(qp, send, status, 0);
    // An error of a datagram stops its send side only (IBTA 10.3.1.5).
    if (status != TERN_CQE_STATUS_SUCCESS && qp.state() == TERN_QP_STATE_RTS)
        transport.set_state(qp, TERN_QP_STATE_SQE);
}

// GRH as verbs shows it: IPv6 as it came; an IPv4 header in the last 20 of the
// 40 bytes (annex A17.4.5.1).
std::array<std::byte, TERN_GRH_BYTES> grh_of(const Packet& packet) {
    std::array<std::byte, TERN_GRH_BYTES> grh{};
    std::memcpy(grh.data() + grh.size() - packet.ip_header.size(), packet.ip_header.data(), packet.ip_header.size());
    return grh;
}

bool place(Transport& transport, Qp& qp, const ReceiveWqe& wqe, const Packet& packet) {
    const auto sges = std::span(wqe.sges).first(wqe.num_sge);
    const auto grh = grh_of(packet);
    return scatter(transport.rooms.memory, qp.user(), sges, 0, grh) &&
           scatter(transport.rooms.memory, qp.user(), sges, grh.size(), packet.payload);
}

Completion completion_of(const Packet& packet, const ReceiveWqe& wqe) {
    Completion completion;
    completion.opcode = packet.row->headers & bth::IMMDT ? TERN_CQE_OP_RECV_WITH_IMM : TERN_CQE_OP_RECV;
    completion.wqe_index = wqe.index;
    completion.byte_len = static_cast<uint32_t>(TERN_GRH_BYTES + packet.payload.size());
    completion.immediate = packet.immediate;
    completion.source =
        TERN_SET32(TERN_CQE_SRC_QPN, packet.source_qpn) | TERN_CQE_GRH | (packet.is_ipv6 ? TERN_CQE_IPV6 : 0);
    if (packet.has_vlan) completion.source |= TERN_SET32(TERN_CQE_PCP, packet.vlan_tci >> 13);
    if (packet.vlan_id() != TERN_VLAN_NONE) {
        completion.source |= TERN_CQE_VLAN;
        completion.vlan_tci = packet.vlan_tci;
    }
    completion.is_solicited = packet.is_solicited;
    return completion;
}

}  // namespace

bool run(Transport& transport, Qp& qp, uint32_t& budget) {
    SendWqe& wqe = qp.requester.wqe;
    while (qp.state() == TERN_QP_STATE_RTS && !qp.sq.is_empty()) {
        if (budget == 0) return true;
        const auto seen = qp.sq.peek(transport.rooms.host, wqe);
        if (seen && !transport.has_room(qp, wqe.dmac)) return false;
        --budget;
        qp.sq.advance(wqe);
        uint8_t status = TERN_CQE_STATUS_LOCAL_QP_OPERATION;
        if (seen)
            status = send_datagram(transport, qp, wqe);
        else
            wqe.length_bytes = 0;
        complete(transport, qp, wqe, status);
    }
    return false;
}

void receive(Transport& transport, Qp& qp, Port& port, const Packet& packet) {
    if (packet.qkey != qp.attributes.qkey) return port.count(TERN_PORT_COUNTER_RX_BAD_QKEY);
    ReceiveWqe wqe;
    if (!qp.rq.take(transport.rooms.host, wqe)) return port.count(TERN_PORT_COUNTER_RX_UD_DROPPED);
    Completion completion = completion_of(packet, wqe);
    if (completion.byte_len > wqe.length_bytes)
        completion.status = TERN_CQE_STATUS_LOCAL_LENGTH;
    else if (!place(transport, qp, wqe, packet))
        completion.status = TERN_CQE_STATUS_LOCAL_PROTECTION;
    transport.complete_receive(qp, completion);
    if (completion.status != TERN_CQE_STATUS_SUCCESS && qp.state() != TERN_QP_STATE_ERR)
        transport.fail_qp(qp, TERN_EVENT_QP_FATAL);
}

}  // namespace tern::datagram
