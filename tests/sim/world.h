// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
//
// Two cards on a lossy cable under one virtual clock, and the ways to connect
// QPs over it. A test may watch each frame, and drop or change it.
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <span>
#include <vector>

#include "tests/sim/node.h"

namespace tern::test {

struct Loss {
    double drop = 0;
    double duplicate = 0;
    double reorder = 0;
    double corrupt = 0;
};

// Attributes of a connection (RC; UC has those it has), the same at both ends.
struct Connection {
    uint8_t timeout = 14;
    uint8_t retries = 7;
    uint8_t rnr_retry = 7;
    uint8_t mtu_log2 = 10;
    uint8_t max_rd_atomic = 4;
    uint8_t min_rnr_timer = 1;
    uint8_t gid_index = kIpv4;
    uint32_t psn = 0xfffff0;
    uint32_t access = TERN_ACCESS_MASK;
};

// Both to RTS.
void connect(Endpoint& x, Endpoint& y, const Connection& connection);
// One of them, to RTR and to RTS.
void connect_one(Endpoint& endpoint, const Endpoint& peer, const Connection& connection);

using Frame = std::vector<uint8_t>;

class Cable {
public:
    explicit Cable(uint32_t seed = 1, const Loss& loss = {}) : random_(seed), loss_(loss) {}

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
    void run_for(uint64_t duration_ns) {
        (void)run_until([] { return false; }, duration_ns);
    }
    // Puts a frame into a port of @to as if it came from the cable.
    void inject(Node& to, const Frame& frame, uint8_t port = 1);

    Node a{1};
    Node b{2};
    // Sees each frame that leaves; false: it is lost.
    std::function<bool(const Node& from, Frame& frame)> watch;

private:
    void step();
    bool carry(Node& from, Node& to, uint32_t port_index);

    std::mt19937 random_;
    Loss loss_;
};

// A cable with one RC connection over it.
class World : public Cable {
public:
    World(uint32_t seed, const Loss& loss, uint8_t timeout = 14, uint8_t retries = 7, uint8_t rnr_retry = 7)
        : World(Connection{.timeout = timeout, .retries = retries, .rnr_retry = rnr_retry}, seed, loss) {}
    explicit World(const Connection& connection, uint32_t seed = 1, const Loss& loss = {},
                   const Endpoint::Options& options = {})
        : Cable(seed, loss), x(a, options), y(b, options) {
        connect(x, y, connection);
    }

    Endpoint x;  // of a
    Endpoint y;  // of b
};

// The next completion of @endpoint, or a failure of the test.
tern_cqe next(Cable& cable, Endpoint& endpoint);
uint8_t next_status(Cable& cable, Endpoint& endpoint);

void fill(Node& node, uint64_t address, size_t length, uint32_t seed);
[[nodiscard]] bool same(const Node& x, uint64_t at_x, const Node& y, uint64_t at_y, size_t length);

}  // namespace tern::test
