// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
//
// Two engines on one core, a cable of memory between them, ICRC on: messages
// and bytes per second. Prints `row,value,unit`: the best of several rounds. A
// plain ring that only copies twice and computes the ICRC is beside them.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

#include "qemu/engine/wire/icrc.h"
#include "tern/hw/ring.h"
#include "tern/wire/roce.h"
#include "tests/sim/world.h"

namespace tern::test {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kRounds = 5;
constexpr double kRoundSeconds = 0.4;
constexpr uint32_t kMtu = 4096;
// Before the payload of a packet, from the IP header on.
constexpr uint32_t kHeaderBytes = TERN_IPV4_HEADER_BYTES + TERN_UDP_HEADER_BYTES + TERN_BTH_BYTES;
constexpr uint32_t kWindow = 64;   // work requests outstanding
constexpr uint32_t kSignaled = 16; // one of so many
constexpr uint32_t kRunBudget = 64;
constexpr uint32_t kLargestFrame = kMtu + 256;
constexpr uint32_t kCableFrames = 1024;

// Frames on their way to one node, in memory that is there from the start.
struct Lane {
    std::vector<uint8_t> memory = std::vector<uint8_t>(size_t{kCableFrames} * kLargestFrame);
    std::vector<tern_frame> frames = std::vector<tern_frame>(kCableFrames);
    uint32_t count = 0;

    void put(const tern_frame& frame) {
        uint8_t* at = memory.data() + size_t{count} * kLargestFrame;
        std::memcpy(at, frame.data, frame.length_bytes);
        frames[count++] = {at, frame.length_bytes};
    }
};

// Which lane a host sends into; by node number.
Lane lanes[3];
FakeHost* hosts[3];

void send_frames(void* host, uint32_t, const tern_frame* frames, uint32_t count) {
    Lane& lane = lanes[host == hosts[1] ? 2 : 1];
    for (uint32_t i = 0; i < count; ++i) lane.put(frames[i]);
}

uint32_t send_room(void* host, uint32_t) { return kCableFrames - lanes[host == hosts[1] ? 2 : 1].count; }

uint64_t now_ns(void*) {
    return static_cast<uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch()).count());
}

tern_host_ops bench_ops(tern_host_ops ops) {
    ops.send_frames = send_frames;
    ops.send_room = send_room;
    ops.now_ns = now_ns;
    return ops;
}

struct Operation {
    const char* name;
    uint8_t opcode;
    uint32_t bytes;
};

class Bench {
public:
    Bench() {
        hosts[1] = &a.host;
        hosts[2] = &b.host;
        connect(x, y, {.mtu_log2 = 12, .max_rd_atomic = 16});
    }

    // Messages per second.
    double run(const Operation& operation) {
        double best = 0;
        for (int round = 0; round < kRounds; ++round) {
            const auto start = Clock::now();
            const uint64_t before = completed_;
            std::chrono::duration<double> took{};
            do {
                for (int i = 0; i < 32; ++i) step(operation);
                took = Clock::now() - start;
            } while (took.count() < kRoundSeconds);
            best = std::max(best, static_cast<double>(completed_ - before) / took.count());
        }
        while (completed_ != posted_) step({operation.name, 0, 0});
        return best;
    }

private:
    void step(const Operation& operation) {
        if (operation.opcode) post(operation);
        for (Node* node : {&a, &b}) {
            Lane& lane = lanes[node->number];
            if (lane.count) {
                node->card->receive_frames(0, {lane.frames.data(), lane.count});
                lane.count = 0;
                node->wake();
            }
            if (node->is_awake) node->is_awake = node->card->run(kRunBudget);
            if (now_ns(nullptr) >= node->host.timer) {
                node->host.timer = UINT64_MAX;
                node->card->timer_due();
                node->wake();
            }
        }
        collect(operation);
    }

    // Whole batches, so that the last of each is signaled.
    void post(const Operation& operation) {
        const uint32_t first = x.sq_prod;
        while (posted_ - completed_ + kSignaled <= kWindow)
            for (uint32_t i = 0; i < kSignaled; ++i) write_wqe(operation, i + 1 == kSignaled);
        if (x.sq_prod == first) return;
        a.host.at<tern_qp_record>(x.record).sq_prod = x.sq_prod;
        x.ring();
    }

    void write_wqe(const Operation& operation, bool is_signaled) {
        if (operation.opcode == TERN_WQE_OP_SEND) y.post_receive(Node::kData, operation.bytes);
        uint8_t* at = a.host.memory.data() + x.sq + tern_ring_slot(x.sq_prod, x.options.sq_log2) * 64;
        tern_wqe_control control{};
        control.qpn_opcode = TERN_SET32(TERN_WQE_QPN, x.qpn) | TERN_SET32(TERN_WQE_OPCODE, operation.opcode);
        control.index = static_cast<uint16_t>(x.sq_prod);
        control.flags = is_signaled ? TERN_WQE_SIGNALED : 0;
        control.count = 1;
        std::memcpy(at, &control, sizeof(control));
        at += sizeof(control);
        if (operation.opcode != TERN_WQE_OP_SEND) {
            const tern_wqe_remote remote{Node::kData, b.key, 0};
            std::memcpy(at, &remote, sizeof(remote));
            at += sizeof(remote);
        }
        const tern_sge sge{Node::kData, operation.bytes, a.key};
        std::memcpy(at, &sge, sizeof(sge));
        ++x.sq_prod;
        ++posted_;
    }

    void collect(const Operation& operation) {
        tern_cqe cqe{};
        while (x.poll(cqe)) {
            if (status_of(cqe) != TERN_CQE_STATUS_SUCCESS) {
                std::fprintf(stderr, "%s: a work request failed with status %u\n", operation.name, status_of(cqe));
                std::exit(1);
            }
            completed_ += kSignaled;
        }
        while (y.poll(cqe)) {
        }
    }

    Node a{1, bench_ops};
    Node b{2, bench_ops};
    Endpoint x{a, {.signal_all = false, .rq_log2 = 8}};
    Endpoint y{b, {.signal_all = false, .rq_log2 = 8}};
    uint64_t posted_ = 0;
    uint64_t completed_ = 0;
};

// Goodput of a ring that copies in and out and computes the ICRC on both sides, in Gb/s.
double plain_ring() {
    std::vector<uint8_t> source(65536), ring(size_t{16} * kLargestFrame), target(65536);
    const auto icrc_of = [](const uint8_t* packet) {
        return icrc(std::as_bytes(std::span(packet, kHeaderBytes + kMtu)), false);
    };
    double best = 0;
    for (int round = 0; round < kRounds; ++round) {
        const auto start = Clock::now();
        uint64_t bytes = 0;
        std::chrono::duration<double> took{};
        do {
            for (uint32_t at = 0; at < source.size(); at += kMtu) {
                uint8_t* slot = ring.data() + size_t{at / kMtu} * kLargestFrame;
                std::memcpy(slot + kHeaderBytes, source.data() + at, kMtu);
                const uint32_t sent = icrc_of(slot);
                if (icrc_of(slot) != sent) std::abort();
                std::memcpy(target.data() + at, slot + kHeaderBytes, kMtu);
            }
            bytes += source.size();
            took = Clock::now() - start;
        } while (took.count() < kRoundSeconds);
        best = std::max(best, static_cast<double>(bytes) * 8 / took.count() / 1e9);
    }
    return best;
}

}  // namespace
}  // namespace tern::test

int main() {
    using namespace tern::test;
    Bench bench;
    const Operation small{"write_8", TERN_WQE_OP_RDMA_WRITE, 8};
    std::printf("engine.write_8,%.3f,M messages/s\n", bench.run(small) / 1e6);
    const double ring = plain_ring();
    std::printf("engine.plain_ring,%.2f,Gb/s\n", ring);
    for (const Operation& operation :
         {Operation{"write_64k", TERN_WQE_OP_RDMA_WRITE, 65536}, Operation{"read_64k", TERN_WQE_OP_RDMA_READ, 65536},
          Operation{"send_64k", TERN_WQE_OP_SEND, 65536}})
        std::printf("engine.%s,%.2f,Gb/s\n", operation.name, bench.run(operation) * operation.bytes * 8 / 1e9);
    return 0;
}
