// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
#include "tests/sim/world.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

namespace tern::test {

void connect_one(Endpoint& endpoint, const Endpoint& peer, const Connection& connection) {
    endpoint.to_init(connection.access);
    QueuePairAttributes to;
    to.path_mtu_log2 = connection.mtu_log2;
    to.dest_qpn = peer.qpn;
    to.rq_psn = to.sq_psn = connection.psn;
    to.max_rd_atomic = to.max_dest_rd_atomic = connection.max_rd_atomic;
    to.min_rnr_timer = connection.min_rnr_timer;
    to.sgid_index = connection.gid_index;
    to.dgid = peer.node.gid(peer.options.port, connection.gid_index);
    to.dmac = peer.node.mac(peer.options.port);
    to.hop_limit = 64;
    to.timeout = connection.timeout;
    to.retry_count = connection.retries;
    to.rnr_retry = connection.rnr_retry;
    uint32_t to_rtr = TERN_QP_ATTR_ADDRESS_VECTOR | TERN_QP_ATTR_PATH_MTU | TERN_QP_ATTR_DEST_QPN | TERN_QP_ATTR_RQ_PSN;
    uint32_t to_rts = TERN_QP_ATTR_SQ_PSN;
    if (endpoint.options.type == TERN_QP_RC) {
        to_rtr |= TERN_QP_ATTR_MAX_DEST_RD_ATOMIC | TERN_QP_ATTR_MIN_RNR_TIMER;
        to_rts |= TERN_QP_ATTR_TIMEOUT | TERN_QP_ATTR_RETRY_COUNT | TERN_QP_ATTR_RNR_RETRY | TERN_QP_ATTR_MAX_RD_ATOMIC;
    }
    EXPECT_EQ(endpoint.to_state(TERN_QP_STATE_RTR, to_rtr, to), TERN_STATUS_OK);
    EXPECT_EQ(endpoint.to_state(TERN_QP_STATE_RTS, to_rts, to), TERN_STATUS_OK);
}

void connect(Endpoint& x, Endpoint& y, const Connection& connection) {
    connect_one(x, y, connection);
    connect_one(y, x, connection);
}

void Cable::inject(Node& to, const Frame& frame, uint8_t port) {
    const tern_frame view = {frame.data(), static_cast<uint32_t>(frame.size())};
    to.card->receive_frames(port - 1u, {&view, 1});
    to.wake();
}

bool Cable::carry(Node& from, Node& to, uint32_t port_index) {
    auto& queue = from.host.sent[port_index];
    if (queue.empty()) return false;
    const auto chance = [this](double p) { return p > 0 && std::uniform_real_distribution<>(0, 1)(random_) < p; };
    if (queue.size() > 1 && chance(loss_.reorder)) std::swap(queue[0], queue[1]);
    Frame frame = std::move(queue.front());
    queue.pop_front();
    if ((watch && !watch(from, frame)) || chance(loss_.drop)) return true;
    if (chance(loss_.corrupt)) frame[50 + random_() % (frame.size() - 50)] ^= 0x20;
    const int copies = chance(loss_.duplicate) ? 2 : 1;
    for (int i = 0; i < copies; ++i) inject(to, frame, static_cast<uint8_t>(port_index + 1));
    return true;
}

void Cable::step() {
    bool is_busy = false;
    for (Node* node : {&a, &b}) {
        if (!node->is_awake) continue;
        node->is_awake = node->card->run(64);
        is_busy = true;
    }
    for (const uint32_t port : {0u, 1u}) {
        is_busy |= carry(a, b, port);
        is_busy |= carry(b, a, port);
    }
    uint64_t now = a.host.now + 100;
    if (!is_busy) now = std::max(now, std::min(a.host.timer, b.host.timer));
    if (now == UINT64_MAX) now = a.host.now + 1'000'000'000;
    for (Node* node : {&a, &b}) {
        node->host.now = now;
        if (now < node->host.timer) continue;
        node->host.timer = UINT64_MAX;  // one shot
        node->card->timer_due();
        node->wake();
    }
}

tern_cqe next(Cable& cable, Endpoint& endpoint) {
    tern_cqe cqe{};
    EXPECT_TRUE(cable.run_until([&] { return endpoint.poll(cqe); })) << "no completion";
    return cqe;
}

uint8_t next_status(Cable& cable, Endpoint& endpoint) {
    tern_cqe cqe{};
    EXPECT_TRUE(cable.run_until([&] { return endpoint.poll(cqe); })) << "no completion";
    return status_of(cqe);
}

void fill(Node& node, uint64_t address, size_t length, uint32_t seed) {
    std::mt19937 random(seed);
    for (size_t i = 0; i < length; ++i) node.host.memory[address + i] = static_cast<uint8_t>(random());
}

bool same(const Node& x, uint64_t at_x, const Node& y, uint64_t at_y, size_t length) {
    return std::memcmp(x.host.memory.data() + at_x, y.host.memory.data() + at_y, length) == 0;
}

}  // namespace tern::test
