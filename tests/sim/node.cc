// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
#include "tests/sim/node.h"

#include <algorithm>
#include <cstring>

#include "tern/hw/eqe.h"
#include "tern/hw/ids.h"
#include "tern/hw/ring.h"

namespace tern::test {

namespace {

constexpr uint64_t kPage = 4096;

PageList flat(uint64_t address, uint64_t bytes) {
    return PageList(tern_page_list{address, static_cast<uint32_t>((bytes + kPage - 1) / kPage), 0, 12, 0});
}

tern_engine_config config_of(uint8_t number) {
    tern_engine_config config{};
    config.model = TERN_MODEL_TERN400;
    config.ports = 2;
    config.vectors = 4;
    config.port_speed_mbps = 200'000;
    config.port_lanes = 4;
    config.mac[0][5] = number;
    config.mac[1][5] = static_cast<uint8_t>(number + 16);
    config.seed[0] = number;
    return config;
}

template <typename T>
void append(std::vector<uint8_t>& bytes, const T& value) {
    const auto* first = reinterpret_cast<const uint8_t*>(&value);
    bytes.insert(bytes.end(), first, first + sizeof(value));
}

bool is_atomic(uint8_t opcode) {
    return opcode == TERN_WQE_OP_ATOMIC_CMP_AND_SWP || opcode == TERN_WQE_OP_ATOMIC_FETCH_AND_ADD;
}

tern_wqe_address_vector address_vector(const Work& work) {
    tern_wqe_address_vector vector{};
    std::ranges::copy(work.dgid, vector.dgid);
    std::ranges::copy(work.dmac, vector.dmac);
    vector.sgid_index = work.sgid_index;
    vector.hop_limit = work.hop_limit;
    vector.flow_class = work.flow_class;
    vector.remote_qpn = work.remote_qpn;
    return vector;
}

}  // namespace

uint8_t status_of(const tern_cqe& cqe) { return static_cast<uint8_t>(TERN_GET32(TERN_CQE_ERROR_STATUS, cqe.error)); }
uint8_t opcode_of(const tern_cqe& cqe) { return static_cast<uint8_t>(TERN_GET32(TERN_CQE_OPCODE, cqe.owner)); }

// Node

Node::Node(uint8_t node_number, tern_host_ops (*change)(tern_host_ops)) : host(kMemory), number(node_number) {
    card = std::make_unique<Card>(config_of(number), change ? change(host.ops()) : host.ops(), &host);
    card->connect(firmware);
    card->set_bus_master(true);
    for (const uint8_t port : {uint8_t{1}, uint8_t{2}}) {
        Port::Settings settings = card->port(port).settings;
        settings.admin_up = settings.roce = true;
        settings.mtu = 9000;
        card->set_port(port, settings);
        card->set_gid(port, kIpv4, {TERN_GID_ROCE_V2_IPV4, TERN_VLAN_NONE, mac(port), gid(port, kIpv4)});
        card->set_gid(port, kIpv6, {TERN_GID_ROCE_V2_IPV6, TERN_VLAN_NONE, mac(port), gid(port, kIpv6)});
        card->set_gid(port, kIpv4Vlan, {TERN_GID_ROCE_V2_IPV4, kVlan, mac(port), gid(port, kIpv4Vlan)});
        card->set_gid(port, kIpv6Vlan, {TERN_GID_ROCE_V2_IPV6, kVlan, mac(port), gid(port, kIpv6Vlan)});
    }
    pdn = *card->alloc_pd(false);
    kernel_pdn = *card->alloc_pd(true);
    eqn = *card->create_eq({true, kEqLog2, 0, flat(kEq, kPage)});
    key = create_region(0, 0, kMemory, TERN_ACCESS_MASK, pdn);
}

Gid Node::gid(uint8_t port, uint8_t index) const {
    if (index == kIpv4 || index == kIpv4Vlan)
        return {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, index, port, number};
    return {0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, index, port, number};
}

MacAddress Node::mac(uint8_t port) const {
    return {0, 0, 0, 0, 0, static_cast<uint8_t>(port == 1 ? number : number + 16)};
}

uint64_t Node::allocate(uint64_t bytes) {
    const uint64_t address = next_ring_;
    next_ring_ += (bytes + kPage - 1) / kPage * kPage;
    return next_ring_ <= kData ? address : 0;
}

uint32_t Node::create_region(uint64_t iova, uint64_t address, uint64_t length, uint32_t access, uint32_t owner_pdn) {
    MemoryRegion region;
    region.pdn = owner_pdn;
    region.access = access;
    region.is_valid = true;
    region.iova = iova;
    region.length_bytes = length;
    region.first_offset = address % kPage;
    region.pages = flat(address - region.first_offset, region.first_offset + length);
    return *card->create_mr(region);
}

void Node::doorbell(uint32_t pair, uint32_t offset, uint64_t value) {
    card->doorbell_write(uint64_t{2} * pair * TERN_PAGE_BYTES + offset, value, 8);
    is_awake = true;
}

uint64_t Node::counter(uint8_t port, tern_port_counter which) {
    std::array<uint64_t, TERN_PORT_COUNTER_SLOTS> counters{};
    card->port_counters(port, counters);
    return counters[which];
}

uint32_t Node::events(tern_event type, uint32_t object) {
    const uint32_t before = eq_cons_;
    for (;; ++eq_cons_) {
        const tern_eqe& eqe = host.at<tern_eqe>(kEq + tern_ring_slot(eq_cons_, kEqLog2) * sizeof(tern_eqe));
        if (TERN_GET32(TERN_EQE_PHASE, eqe.owner) != tern_ring_phase(eq_cons_, kEqLog2)) break;
        seen_.push_back(eqe);
    }
    if (before != eq_cons_)
        doorbell(0, TERN_DOORBELL_EQ,
                 TERN_SET64(TERN_DB_EQ_NUMBER, eqn) | TERN_SET64(TERN_DB_EQ_CONS, uint64_t{eq_cons_}));
    return static_cast<uint32_t>(std::ranges::count_if(
        seen_, [&](const tern_eqe& eqe) { return eqe.type == type && (object == 0 || eqe.object == object); }));
}

// Endpoint

Endpoint::Endpoint(Node& at, const Options& chosen) : node(at), options(chosen) {
    record = node.allocate(2 * TERN_RECORD_BYTES);
    create_cq();
    sq = node.allocate(uint64_t{64} << options.sq_log2);
    rq = node.allocate(uint64_t{16} << (options.rq_log2 + options.rq_stride_log2));
    QueuePairConfig config{};
    config.type = options.type;
    config.is_kernel = options.is_kernel;
    config.signal_all = options.signal_all;
    config.port = options.type == TERN_QP_GSI ? options.port : 0;
    config.sq_depth_log2 = options.sq_log2;
    config.has_rq = options.has_rq;
    config.rq_depth_log2 = options.rq_log2;
    config.rq_stride_log2 = options.rq_stride_log2;
    config.pdn = pdn();
    config.send_cqn = config.recv_cqn = cqn;
    config.doorbell_pair = pair();
    config.uidx = options.uidx;
    config.record = record;
    config.sq = flat(sq, uint64_t{64} << options.sq_log2);
    if (options.has_rq) config.rq = flat(rq, uint64_t{16} << (options.rq_log2 + options.rq_stride_log2));
    qpn = *node.card->create_qp(config);
}

void Endpoint::create_cq() {
    if (options.cq_of) {
        cqn = options.cq_of->cqn;
        cq = options.cq_of->cq;
        return;
    }
    const uint64_t bytes = uint64_t{32} << options.cq_log2;
    cq = node.allocate(bytes);
    cqn = *node.card->create_cq({node.eqn, options.cq_log2, pair(), record + TERN_RECORD_BYTES, flat(cq, bytes)});
}

std::vector<uint8_t> Endpoint::encode(const Work& work) const {
    std::vector<uint8_t> bytes;
    std::vector<tern_sge> sges = work.sges;
    if (sges.empty() && work.length) sges.push_back({work.local, work.length, work.lkey ? work.lkey : node.key});
    const bool is_inline = !work.inline_data.empty();
    tern_wqe_control control{};
    control.qpn_opcode = TERN_SET32(TERN_WQE_QPN, qpn) | TERN_SET32(TERN_WQE_OPCODE, work.opcode);
    control.index = static_cast<uint16_t>(sq_prod);
    control.flags = static_cast<uint8_t>(work.flags | (is_inline ? TERN_WQE_INLINE : 0));
    control.count = static_cast<uint8_t>(is_inline ? work.inline_data.size() : sges.size());
    control.immediate = work.immediate;
    const bool is_datagram = options.type == TERN_QP_UD || options.type == TERN_QP_GSI;
    control.qkey = is_datagram ? work.qkey : 0;
    append(bytes, control);
    if (is_datagram) append(bytes, address_vector(work));
    if (work.opcode >= TERN_WQE_OP_RDMA_WRITE && work.opcode <= TERN_WQE_OP_ATOMIC_FETCH_AND_ADD)
        append(bytes, tern_wqe_remote{work.remote, work.rkey, 0});
    if (is_atomic(work.opcode)) append(bytes, tern_wqe_atomic{work.swap_or_add, work.compare});
    if (work.opcode == TERN_WQE_OP_REG_MR) append(bytes, work.registration);
    if (is_inline)
        bytes.insert(bytes.end(), work.inline_data.begin(), work.inline_data.end());
    else
        for (const tern_sge& sge : sges) append(bytes, sge);
    bytes.resize((bytes.size() + 63) / 64 * 64);
    bytes[offsetof(tern_wqe_control, flags)] |= static_cast<uint8_t>(bytes.size() / 64 - 1);
    return bytes;
}

void Endpoint::write_blocks(const std::vector<uint8_t>& blocks) {
    for (size_t at = 0; at < blocks.size(); at += 64, ++sq_prod)
        std::memcpy(node.host.memory.data() + sq + tern_ring_slot(sq_prod, options.sq_log2) * 64, blocks.data() + at,
                    64);
    node.host.at<tern_qp_record>(record).sq_prod = sq_prod;
}

void Endpoint::ring() const {
    node.doorbell(pair(), TERN_DOORBELL_SQ,
                  TERN_SET64(TERN_DB_QUEUE_NUMBER, qpn) | TERN_SET64(TERN_DB_QUEUE_PROD, uint64_t{sq_prod}));
}

void Endpoint::post_blocks(const std::vector<uint8_t>& blocks) {
    write_blocks(blocks);
    ring();
}

void Endpoint::push(const std::vector<uint8_t>& blocks) {
    write_blocks(blocks);
    for (uint32_t at = 0; at < 64; at += 8) {
        uint64_t value;
        std::memcpy(&value, blocks.data() + at, 8);
        node.doorbell(pair(), TERN_PAGE_BYTES + at, value);
    }
}

void Endpoint::post_receive(uint64_t address, uint32_t length, uint32_t lkey) {
    post_receive({{address, length, lkey ? lkey : node.key}});
}

void Endpoint::post_receive(const std::vector<tern_sge>& sges) {
    const size_t stride = size_t{1} << options.rq_stride_log2;
    const uint64_t slot = rq + tern_ring_slot(rq_prod, options.rq_log2) * stride * sizeof(tern_sge);
    for (size_t i = 0; i < stride; ++i)
        node.host.at<tern_sge>(slot + i * sizeof(tern_sge)) =
            i < sges.size() ? sges[i] : tern_sge{0, 0, TERN_INVALID_LKEY};
    node.host.at<tern_qp_record>(record).rq_prod = ++rq_prod;
}

bool Endpoint::poll(tern_cqe& cqe) {
    Endpoint& owner = source();
    cqe = node.host.at<tern_cqe>(cq + tern_ring_slot(owner.cq_cons_, owner.options.cq_log2) * sizeof(tern_cqe));
    if (TERN_GET32(TERN_CQE_PHASE, cqe.owner) != tern_ring_phase(owner.cq_cons_, owner.options.cq_log2)) return false;
    ++owner.cq_cons_;
    if (owner.publishes_) node.host.at<tern_cq_record>(owner.record + TERN_RECORD_BYTES).cons = owner.cq_cons_;
    return true;
}

void Endpoint::arm(tern_cq_arm command) {
    Endpoint& owner = source();
    ++owner.arm_seq_;
    node.doorbell(pair(), TERN_DOORBELL_CQ,
                  TERN_SET64(TERN_DB_CQ_NUMBER, cqn) | TERN_SET64(TERN_DB_CQ_COMMAND, command) |
                      TERN_SET64(TERN_DB_CQ_SEQ, owner.arm_seq_ & 3) |
                      TERN_SET64(TERN_DB_CQ_CONS, uint64_t{owner.cq_cons_}));
}

Status Endpoint::modify(uint32_t valid, const QueuePairAttributes& attributes) {
    node.wake();
    return node.card->modify_qp(qpn, valid, attributes);
}

Status Endpoint::to_state(tern_qp_state state, uint32_t valid, const QueuePairAttributes& more) {
    QueuePairAttributes to = more;
    to.state = state;
    return modify(valid | TERN_QP_ATTR_STATE, to);
}

void Endpoint::to_init(uint32_t access) {
    QueuePairAttributes to;
    to.port = options.port;
    to.access = access;
    (void)to_state(TERN_QP_STATE_INIT, TERN_QP_ATTR_PORT | TERN_QP_ATTR_PKEY_INDEX | TERN_QP_ATTR_ACCESS, to);
}

void Endpoint::to_rts_datagram(uint32_t qkey) {
    QueuePairAttributes to;
    to.port = options.port;
    to.qkey = qkey;
    const uint32_t port = options.type == TERN_QP_GSI ? 0 : TERN_QP_ATTR_PORT;  // a GSI QP has its port
    (void)to_state(TERN_QP_STATE_INIT, port | TERN_QP_ATTR_PKEY_INDEX | TERN_QP_ATTR_QKEY, to);
    (void)to_state(TERN_QP_STATE_RTR);
    (void)to_state(TERN_QP_STATE_RTS, TERN_QP_ATTR_SQ_PSN);
}

}  // namespace tern::test
