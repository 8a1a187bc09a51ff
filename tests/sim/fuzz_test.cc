// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
//
// Hostile peers and hostile guests by the thousand, from a seed that is
// printed: the card neither faults nor hangs, touches nothing it was not
// given, and serves a well-behaved connection afterwards. TERN_FUZZ_SEED
// repeats a run, TERN_FUZZ_ROUNDS makes it longer.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include "tern/hw/ring.h"
#include "tests/sim/forge.h"

namespace tern::test {
namespace {

constexpr uint64_t kSource = Node::kData, kWindow = Node::kData + (1 << 20), kCanary = Node::kData + (4 << 20);
constexpr uint32_t kWindowBytes = 65536, kCanaryBytes = 2 << 20;
constexpr uint32_t kQkey = 0x77;

uint32_t number_from(const char* name, uint32_t otherwise) {
    const char* text = std::getenv(name);
    return text ? static_cast<uint32_t>(std::strtoul(text, nullptr, 0)) : otherwise;
}

uint32_t seed_of() {
    const uint32_t seed = number_from("TERN_FUZZ_SEED", std::random_device{}());
    std::printf("TERN_FUZZ_SEED=%u\n", seed);
    return seed;
}

// An RC and a UD connection; only a window of memory is registered for them.
struct Range : Cable {
    explicit Range(uint32_t seed)
        : x(a, {}), y(b, {}), ux(a, {.type = TERN_QP_UD}), uy(b, {.type = TERN_QP_UD}), random(seed) {
        for (Node* node : {&a, &b}) {
            (void)node->card->destroy_mr(node->key);
            node->key = node->create_region(kWindow, kWindow, kWindowBytes, TERN_ACCESS_MASK, node->pdn);
            fill(*node, kCanary, kCanaryBytes, node->number);
            canary[node->number - 1].assign(node->host.memory.begin() + kCanary,
                                            node->host.memory.begin() + kCanary + kCanaryBytes);
        }
        revive();
    }

    // All QPs to RTS again, whatever became of them.
    void revive() {
        for (Endpoint* end : {&x, &y, &ux, &uy}) {
            (void)end->to_state(TERN_QP_STATE_RESET);
            end->sq_prod = end->rq_prod = 0;
            end->node.host.at<tern_qp_record>(end->record) = {};
        }
        connect(x, y, {.timeout = 6, .retries = 2, .rnr_retry = 1, .mtu_log2 = 8, .psn = 0xfffff8});
        ux.to_rts_datagram(kQkey);
        uy.to_rts_datagram(kQkey);
        for (Endpoint* end : {&x, &y, &ux, &uy})
            for (int i = 0; i < 60; ++i) end->post_receive(kWindow + 8192, 4096);
    }

    void drain() {
        tern_cqe cqe{};
        for (Endpoint* end : {&x, &y, &ux, &uy})
            while (end->poll(cqe)) {
                EXPECT_LE(status_of(cqe), TERN_CQE_STATUS_GENERAL);
            }
        for (Node* node : {&a, &b}) (void)node->events(TERN_EVENT_QP_FATAL);
    }

    void expect_canaries_live() {
        for (Node* node : {&a, &b})
            ASSERT_EQ(std::memcmp(canary[node->number - 1].data(), node->host.memory.data() + kCanary, kCanaryBytes),
                      0);
    }

    // A fresh connection of a's and b's own works as ever.
    void expect_alive() {
        // What is on its way for QPs of the same numbers and PSNs must be gone
        // before they connect again, as it would be after a time wait.
        for (Endpoint* end : {&x, &y, &ux, &uy}) (void)end->to_state(TERN_QP_STATE_RESET);
        run_for(1'000'000);
        drain();
        revive();
        x.post({.opcode = TERN_WQE_OP_RDMA_WRITE,
                .local = kWindow,
                .length = 3000,
                .remote = kWindow + 4096,
                .rkey = b.key});
        EXPECT_EQ(next_status(*this, x), TERN_CQE_STATUS_SUCCESS);
        for (Node* node : {&a, &b}) EXPECT_EQ(node->firmware.syndrome(), TERN_SYNDROME_NONE);
    }

    Endpoint x, y, ux, uy;
    std::mt19937 random;
    std::vector<uint8_t> canary[2];
};

Work random_work(Range& range) {
    const uint8_t opcode = static_cast<uint8_t>(1 + range.random() % 8);
    const bool is_atomic = opcode >= TERN_WQE_OP_ATOMIC_CMP_AND_SWP;
    return {.opcode = opcode,
            .local = kWindow + 4096,
            .length = is_atomic ? 8 : static_cast<uint32_t>(range.random() % 900),
            .remote = kWindow + range.random() % 64 * 8,
            .rkey = range.b.key};
}

// Frames of each kind that the two exchange, both ways.
std::vector<std::pair<uint8_t, Frame>> collect(Range& range) {
    std::vector<std::pair<uint8_t, Frame>> corpus;
    range.watch = [&](const Node& from, Frame& frame) {
        corpus.emplace_back(from.number, frame);
        return true;
    };
    for (uint8_t opcode = 1; opcode <= 8; ++opcode) {
        const bool is_atomic = opcode >= TERN_WQE_OP_ATOMIC_CMP_AND_SWP;
        if (opcode == TERN_WQE_OP_SEND_WITH_INV) continue;
        range.x.post({.opcode = opcode,
                      .local = kWindow,
                      .length = is_atomic ? 8u : 700u,
                      .remote = kWindow + 1024,
                      .rkey = range.b.key});
        EXPECT_EQ(next_status(range, range.x), TERN_CQE_STATUS_SUCCESS);
    }
    range.ux.post({.opcode = TERN_WQE_OP_SEND_WITH_IMM,
                   .local = kWindow,
                   .length = 100,
                   .remote_qpn = range.uy.qpn,
                   .qkey = kQkey,
                   .dgid = range.b.gid(1, kIpv6),
                   .dmac = range.b.mac(1),
                   .sgid_index = kIpv6});
    range.run_for(1'000'000);
    range.watch = nullptr;
    return corpus;
}

// Changes a few bytes, cuts or grows the frame; mostly with the ICRC that fits,
// and often with a PSN around the one that is expected.
void mutate(Range& range, Frame& frame, uint32_t expected_psn) {
    auto& random = range.random;
    const size_t bth = bth_of(frame);
    if (random() % 2) {
        const uint32_t psn = expected_psn + random() % 5 - 2;
        for (size_t i = 0; i < 3; ++i) frame[bth + TERN_BTH_PSN + i] = static_cast<uint8_t>(psn >> (16 - 8 * i));
    }
    if (random() % 4 == 0) frame[bth] = static_cast<uint8_t>(random() % 0x20);
    const uint32_t changes = random() % 4;
    for (uint32_t i = 0; i < changes; ++i) {
        const size_t from = random() % 4 ? bth : 12;
        frame[from + random() % (frame.size() - from)] = static_cast<uint8_t>(random());
    }
    if (random() % 16 == 0) frame.resize(std::max<size_t>(60, random() % frame.size()));
    if (random() % 16 == 0) frame.resize(frame.size() + random() % 64);
    if (random() % 8) seal(frame);
}

TEST(Fuzz, MutatedPacketsDoNoHarm) {
    const uint32_t seed = seed_of();
    const uint32_t rounds = number_from("TERN_FUZZ_ROUNDS", 30000);
    Range range(seed);
    const auto corpus = collect(range);
    ASSERT_GE(corpus.size(), 20u);
    uint64_t accepted = 0;
    for (uint32_t round = 0; round < rounds; ++round) {
        auto [from, frame] = corpus[range.random() % corpus.size()];
        Node& to = from == 1 ? range.b : range.a;
        const Endpoint& end = from == 1 ? range.y : range.x;
        const auto attributes = *to.card->query_qp(end.qpn);
        mutate(range, frame, from == 1 ? attributes.rq_psn : attributes.sq_psn - 1);
        if (range.random() % 8 == 0) range.x.post(random_work(range));
        range.inject(to, frame);
        range.run_for(range.random() % 3000);
        if (round % 16 == 0) range.drain();
        const bool is_dead = range.x.state() != TERN_QP_STATE_RTS || range.y.state() != TERN_QP_STATE_RTS ||
                             range.ux.state() != TERN_QP_STATE_RTS || range.uy.state() != TERN_QP_STATE_RTS;
        if (is_dead || round % 50 == 0) {
            range.drain();
            range.revive();
        }
        if (round % 2000 == 0) {
            range.expect_canaries_live();
            ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed << " round " << round;
        }
    }
    range.expect_canaries_live();
    for (Node* node : {&range.a, &range.b}) accepted += node->counter(1, TERN_PORT_COUNTER_ROCE_RX_PACKETS);
    EXPECT_GT(accepted, rounds / 10) << "the mutations are too wild to reach anything";
    range.expect_alive();
}

// C41: also while the card works on them.
void scribble(Range& range, const Endpoint& end) {
    auto& random = range.random;
    const uint64_t rings[] = {end.sq, end.sq, end.rq, end.record};
    const size_t sizes[] = {64u << 8, 512, 1024, 8};
    const uint32_t which = random() % 4;
    const uint64_t at = rings[which] + random() % sizes[which];
    end.node.host.memory[at] = static_cast<uint8_t>(random() % 3 ? random() : 1u << random() % 8);
}

TEST(Fuzz, MutatedWorkRequestsDoNoHarm) {
    const uint32_t seed = seed_of();
    const uint32_t rounds = number_from("TERN_FUZZ_ROUNDS", 20000);
    Range range(seed);
    auto& random = range.random;
    uint32_t losses = 0;
    range.watch = [&](const Node&, Frame&) { return ++losses % 23 != 0; };
    for (uint32_t round = 0; round < rounds; ++round) {
        Endpoint& end = random() % 4 ? range.x : range.ux;
        Work work = random_work(range);
        if (&end == &range.ux) {
            work.opcode = static_cast<uint8_t>(1 + random() % 2);
            work.remote_qpn = range.uy.qpn;
            work.qkey = kQkey;
            work.dgid = range.b.gid(1, kIpv4);
            work.dmac = random() % 4 ? range.b.mac(1) : range.a.mac(1);
        }
        if (random() % 4 == 0) work.inline_data.resize(1 + random() % 224);
        auto blocks = end.encode(work);
        const uint32_t changes = random() % 3;
        for (uint32_t i = 0; i < changes; ++i) blocks[random() % blocks.size()] = static_cast<uint8_t>(random());
        switch (random() % 8) {
        case 0: end.write_blocks(blocks); break;
        case 1: end.push(blocks); break;
        default: end.post_blocks(blocks);
        }
        if (random() % 64 == 0)
            range.a.doorbell(
                1, TERN_DOORBELL_SQ,
                TERN_SET64(TERN_DB_QUEUE_NUMBER, end.qpn) | TERN_SET64(TERN_DB_QUEUE_PROD, uint64_t{random()}));
        if (random() % 64 == 0) range.a.card->doorbells_lost();
        for (uint32_t i = random() % 4; i > 0; --i) scribble(range, random() % 2 ? range.x : range.y);
        range.run_for(random() % 2000);
        if (round % 8 == 0) range.drain();
        if (range.x.state() != TERN_QP_STATE_RTS || range.ux.state() != TERN_QP_STATE_RTS || round % 30 == 0) {
            if (random() % 4 == 0) range.run_for(2'000'000);  // flush
            range.drain();
            range.revive();
        }
        if (round % 2000 == 0) {
            range.expect_canaries_live();
            ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed << " round " << round;
        }
    }
    range.expect_canaries_live();
    range.watch = nullptr;
    range.expect_alive();
}

// A few calls of the control path in any order, between traffic.
TEST(Fuzz, ObjectsComeAndGoUnderTraffic) {
    const uint32_t seed = seed_of();
    std::mt19937 random(seed);
    Cable cable(seed, {.drop = 0.01, .duplicate = 0.01, .reorder = 0.02});
    Endpoint home(cable.a, {}), keeper(cable.b, {});
    std::vector<std::pair<std::unique_ptr<Endpoint>, std::unique_ptr<Endpoint>>> pairs;
    for (uint32_t i = 0; i < 6; ++i) {
        const Endpoint::Options options = {.sq_log2 = 5, .rq_log2 = 5, .cq_log2 = 7};
        Node& other = i % 2 ? cable.a : cable.b;
        pairs.emplace_back(std::make_unique<Endpoint>(cable.a, options), std::make_unique<Endpoint>(other, options));
        connect(*pairs.back().first, *pairs.back().second, {.timeout = 6, .retries = 2});
    }
    tern_cqe cqe{};
    for (uint32_t round = 0; round < 4000; ++round) {
        auto& [x, y] = pairs[random() % pairs.size()];
        Endpoint& end = random() % 2 ? *x : *y;
        const Endpoint& peer = &end == x.get() ? *y : *x;
        switch (random() % 12) {
        case 0: (void)end.to_state(TERN_QP_STATE_ERR); break;
        case 1: (void)end.to_state(TERN_QP_STATE_SQD); break;
        case 2: (void)end.to_state(TERN_QP_STATE_RTS); break;
        case 3:
            for (Endpoint* one : {x.get(), y.get()}) {
                (void)one->to_state(TERN_QP_STATE_RESET);
                one->sq_prod = one->rq_prod = 0;
                one->node.host.at<tern_qp_record>(one->record) = {};
            }
            connect(*x, *y, {.timeout = 6, .retries = 2, .psn = static_cast<uint32_t>(random()) & TERN_PSN_MASK});
            break;
        case 4:
            if (random() % 8 == 0) cable.a.card->set_gid(1, kIpv6, {});
            break;
        default:
            end.post_receive(Node::kData, 4096);
            end.post({.opcode = static_cast<uint8_t>(random() % 2 ? TERN_WQE_OP_SEND : TERN_WQE_OP_RDMA_READ),
                      .local = Node::kData + (1 << 20),
                      .length = static_cast<uint32_t>(random() % 5000),
                      .remote = Node::kData + (2 << 20),
                      .rkey = peer.node.key});
        }
        cable.run_for(random() % 3000);
        for (auto& [one, two] : pairs)
            while (one->poll(cqe) || two->poll(cqe)) {
            }
        for (Node* node : {&cable.a, &cable.b}) (void)node->events(TERN_EVENT_QP_FATAL);
    }
    for (auto& [x, y] : pairs) {
        EXPECT_EQ(x->node.card->destroy_qp(x->qpn), TERN_STATUS_OK);
        EXPECT_EQ(y->node.card->destroy_qp(y->qpn), TERN_STATUS_OK);
        cable.run_for(10'000);
    }
    connect(home, keeper, {});
    home.post({.opcode = TERN_WQE_OP_RDMA_WRITE, .length = 8, .remote = Node::kData, .rkey = cable.b.key});
    EXPECT_EQ(next_status(cable, home), TERN_CQE_STATUS_SUCCESS);
}

}  // namespace
}  // namespace tern::test
