// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
//
// Two cards on a lossy cable under one virtual clock. Each has a host with
// memory, a QP on port 1 with its rings, and a region over all of its memory.
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "qemu/engine/card/card.h"
#include "tests/support/fake_host.h"
#include "tests/support/silent_firmware.h"

namespace tern::test {

struct Loss {
    double drop = 0;
    double duplicate = 0;
    double reorder = 0;
    double corrupt = 0;
};

class Node {
public:
    static constexpr uint64_t kMemory = 8 << 20;
    static constexpr uint64_t kSq = 0x10000, kRq = 0x30000, kCq = 0x40000, kRecord = 0x60000, kEq = 0x70000;
    static constexpr uint64_t kData = 0x100000;

    explicit Node(uint8_t number);
    void create_qp(bool signal_all = true);
    void connect(const Node& peer, uint8_t timeout, uint8_t retries, uint8_t rnr_retry);

    // WQE of one block; segments as the opcode has them.
    struct Work {
        uint8_t opcode;
        uint64_t local;
        uint32_t length;
        uint64_t remote = 0;
        uint32_t rkey = 0;
        uint64_t swap_or_add = 0;
        uint64_t compare = 0;
        uint32_t lkey = 0;  // 0: the region's
        uint8_t flags = 0;
    };
    void post(const Work& work);
    void post_receive(uint64_t address, uint32_t length);
    // Next CQE; false: none yet.
    bool poll(tern_cqe& cqe);

    FakeHost host;
    SilentFirmware firmware;
    std::unique_ptr<Card> card;
    Gid gid{};
    MacAddress mac{};
    uint32_t pdn = 0, eqn = 0, cqn = 0, qpn = 0, key = 0;

private:
    uint32_t sq_prod_ = 0, rq_prod_ = 0, cq_cons_ = 0;
};

class World {
public:
    World(uint32_t seed, const Loss& loss, uint8_t timeout = 14, uint8_t retries = 7, uint8_t rnr_retry = 7);

    // Runs until done() or until @limit_ns of virtual time have passed.
    template <typename Done>
    bool run_until(Done done, uint64_t limit_ns = 60'000'000'000) {
        const uint64_t end = a.host.now + limit_ns;
        while (!done()) {
            if (a.host.now > end) return false;
            step();
        }
        return true;
    }

    Node a{1};
    Node b{2};

private:
    void step();
    bool carry(Node& from, Node& to);

    std::mt19937 random_;
    Loss loss_;
};

}  // namespace tern::test
