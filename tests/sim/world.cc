// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
#include "tests/sim/world.h"

#include <algorithm>
#include <cstring>

#include "tern/hw/access.h"
#include "tern/hw/ids.h"
#include "tern/hw/ring.h"

namespace tern::test {

namespace {

constexpr uint8_t kSqLog2 = 8, kRqLog2 = 6, kCqLog2 = 9;

PageList flat(uint64_t address, uint32_t pages) { return PageList(tern_page_list{address, pages, 0, 12, 0}); }

tern_engine_config config_of(uint8_t number) {
    tern_engine_config config{};
    config.model = TERN_MODEL_TERN400;
    config.ports = 2;
    config.vectors = 4;
    config.mac[0][5] = number;
    config.mac[1][5] = static_cast<uint8_t>(number + 16);
    config.seed[0] = number;
    return config;
}

}  // namespace

Node::Node(uint8_t number) : host(kMemory) {
    const tern_engine_config config = config_of(number);
    card = std::make_unique<Card>(config, host.ops(), &host);
    card->connect(firmware);
    card->set_bus_master(true);
    mac = {0, 0, 0, 0, 0, number};
    gid = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, number};
    Port::Settings settings = card->port(1).settings;
    settings.admin_up = settings.roce = true;
    settings.mtu = 9000;
    card->set_port(1, settings);
    card->set_gid(1, 0, {TERN_GID_ROCE_V2_IPV4, TERN_VLAN_NONE, mac, gid});
    pdn = *card->alloc_pd(false);
    eqn = *card->create_eq({true, 6, 0, flat(kEq, 1)});
    cqn = *card->create_cq({eqn, kCqLog2, 1, kRecord + 64, flat(kCq, 4)});
    MemoryRegion region;
    region.pdn = pdn;
    region.access = TERN_ACCESS_MASK;
    region.is_valid = true;
    region.length_bytes = kMemory;
    region.pages = flat(0, kMemory / 4096);
    key = *card->create_mr(region);
}

void Node::create_qp(bool signal_all) {
    QueuePairConfig qp{};
    qp.type = TERN_QP_RC;
    qp.signal_all = signal_all;
    qp.sq_depth_log2 = kSqLog2;
    qp.has_rq = true;
    qp.rq_depth_log2 = kRqLog2;
    qp.pdn = pdn;
    qp.send_cqn = qp.recv_cqn = cqn;
    qp.doorbell_pair = 1;
    qp.uidx = 3;
    qp.record = kRecord;
    qp.sq = flat(kSq, 4);
    qp.rq = flat(kRq, 1);
    qpn = *card->create_qp(qp);
}

void Node::connect(const Node& peer, uint8_t timeout, uint8_t retries, uint8_t rnr_retry) {
    QueuePairAttributes to;
    to.state = TERN_QP_STATE_INIT;
    to.port = 1;
    to.access = TERN_ACCESS_MASK;
    (void)card->modify_qp(qpn, TERN_QP_ATTR_STATE | TERN_QP_ATTR_PORT | TERN_QP_ATTR_PKEY_INDEX | TERN_QP_ATTR_ACCESS,
                          to);
    to.state = TERN_QP_STATE_RTR;
    to.path_mtu_log2 = 10;
    to.dest_qpn = peer.qpn;
    to.rq_psn = to.sq_psn = 0xfffff0;
    to.max_rd_atomic = to.max_dest_rd_atomic = 4;
    to.min_rnr_timer = 1;
    to.dgid = peer.gid;
    to.dmac = peer.mac;
    to.hop_limit = 64;
    (void)card->modify_qp(qpn,
                          TERN_QP_ATTR_STATE | TERN_QP_ATTR_ADDRESS_VECTOR | TERN_QP_ATTR_PATH_MTU |
                              TERN_QP_ATTR_DEST_QPN | TERN_QP_ATTR_RQ_PSN | TERN_QP_ATTR_MAX_DEST_RD_ATOMIC |
                              TERN_QP_ATTR_MIN_RNR_TIMER,
                          to);
    to.state = TERN_QP_STATE_RTS;
    to.timeout = timeout;
    to.retry_count = retries;
    to.rnr_retry = rnr_retry;
    (void)card->modify_qp(qpn,
                          TERN_QP_ATTR_STATE | TERN_QP_ATTR_TIMEOUT | TERN_QP_ATTR_RETRY_COUNT |
                              TERN_QP_ATTR_RNR_RETRY | TERN_QP_ATTR_SQ_PSN | TERN_QP_ATTR_MAX_RD_ATOMIC,
                          to);
}

void Node::post(const Work& work) {
    std::array<uint8_t, 64> block{};
    tern_wqe_control control{};
    control.qpn_opcode = TERN_SET32(TERN_WQE_QPN, qpn) | TERN_SET32(TERN_WQE_OPCODE, work.opcode);
    control.index = static_cast<uint16_t>(sq_prod_);
    control.flags = work.flags;
    control.count = work.length ? 1 : 0;
    size_t at = sizeof(control);
    std::memcpy(block.data(), &control, sizeof(control));
    if (work.opcode >= TERN_WQE_OP_RDMA_WRITE && work.opcode <= TERN_WQE_OP_ATOMIC_FETCH_AND_ADD) {
        const tern_wqe_remote remote = {work.remote, work.rkey, 0};
        std::memcpy(block.data() + at, &remote, sizeof(remote));
        at += sizeof(remote);
    }
    if (work.opcode >= TERN_WQE_OP_ATOMIC_CMP_AND_SWP && work.opcode <= TERN_WQE_OP_ATOMIC_FETCH_AND_ADD) {
        const tern_wqe_atomic atomic = {work.swap_or_add, work.compare};
        std::memcpy(block.data() + at, &atomic, sizeof(atomic));
        at += sizeof(atomic);
    }
    const tern_sge sge = {work.local, work.length, work.lkey ? work.lkey : key};
    if (work.length) std::memcpy(block.data() + at, &sge, sizeof(sge));
    std::memcpy(host.memory.data() + kSq + tern_ring_slot(sq_prod_, kSqLog2) * 64, block.data(), block.size());
    host.at<tern_qp_record>(kRecord).sq_prod = ++sq_prod_;
    card->doorbell_write(uint64_t{2} * TERN_PAGE_BYTES + TERN_DOORBELL_SQ,
                         TERN_SET64(TERN_DB_QUEUE_NUMBER, qpn) | TERN_SET64(TERN_DB_QUEUE_PROD, sq_prod_), 8);
}

void Node::post_receive(uint64_t address, uint32_t length) {
    host.at<tern_sge>(kRq + tern_ring_slot(rq_prod_, kRqLog2) * sizeof(tern_sge)) = {address, length, key};
    host.at<tern_qp_record>(kRecord).rq_prod = ++rq_prod_;
}

bool Node::poll(tern_cqe& cqe) {
    cqe = host.at<tern_cqe>(kCq + tern_ring_slot(cq_cons_, kCqLog2) * sizeof(tern_cqe));
    if (TERN_GET32(TERN_CQE_PHASE, cqe.owner) != tern_ring_phase(cq_cons_, kCqLog2)) return false;
    host.at<tern_cq_record>(kRecord + 64).cons = ++cq_cons_;
    return true;
}

World::World(uint32_t seed, const Loss& loss, uint8_t timeout, uint8_t retries, uint8_t rnr_retry)
    : random_(seed), loss_(loss) {
    for (Node* node : {&a, &b}) node->create_qp();
    a.connect(b, timeout, retries, rnr_retry);
    b.connect(a, timeout, retries, rnr_retry);
}

bool World::carry(Node& from, Node& to) {
    auto& queue = from.host.sent[0];
    if (queue.empty()) return false;
    const auto chance = [this](double p) { return std::uniform_real_distribution<>(0, 1)(random_) < p; };
    if (queue.size() > 1 && chance(loss_.reorder)) std::swap(queue[0], queue[1]);
    std::vector<uint8_t> frame = std::move(queue.front());
    queue.pop_front();
    if (chance(loss_.drop)) return true;
    if (chance(loss_.corrupt)) frame[50 + random_() % (frame.size() - 50)] ^= 0x20;
    const tern_frame view = {frame.data(), static_cast<uint32_t>(frame.size())};
    const int copies = chance(loss_.duplicate) ? 2 : 1;
    for (int i = 0; i < copies; ++i) to.card->receive_frames(0, {&view, 1});
    return true;
}

void World::step() {
    bool is_busy = false;
    for (Node* node : {&a, &b}) is_busy |= node->card->run(64);
    is_busy |= carry(a, b);
    is_busy |= carry(b, a);
    uint64_t now = a.host.now + 100;
    if (!is_busy) now = std::max(now, std::min(a.host.timer, b.host.timer));
    if (now == UINT64_MAX) now = a.host.now + 1'000'000'000;
    for (Node* node : {&a, &b}) {
        node->host.now = now;
        if (now < node->host.timer) continue;
        node->host.timer = UINT64_MAX;  // one shot
        node->card->timer_due();
    }
}

}  // namespace tern::test
