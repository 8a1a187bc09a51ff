// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
//
// A card with its host: memory, an asynchronous event queue, a GID table on
// both ports and a region over all of the memory. QPs with their rings are
// Endpoints. The card runs only after an input, as its contract allows, so
// that work which nobody would ever look at again is noticed.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "qemu/engine/card/card.h"
#include "tern/hw/access.h"
#include "tests/support/fake_host.h"
#include "tests/support/silent_firmware.h"

namespace tern::test {

// Entries of each port's GID table.
enum GidIndex : uint8_t { kIpv4 = 0, kIpv6 = 1, kIpv4Vlan = 2, kIpv6Vlan = 3 };
constexpr uint16_t kVlan = 5;

class Node {
public:
    static constexpr uint64_t kMemory = 8 << 20;
    static constexpr uint64_t kEq = 0x1000;
    static constexpr uint8_t kEqLog2 = 6;
    static constexpr uint64_t kRings = 0x10000;  // of Endpoints, up to kData
    static constexpr uint64_t kData = 0x100000;

    // @change: what the host does otherwise than FakeHost.
    explicit Node(uint8_t number, tern_host_ops (*change)(tern_host_ops) = nullptr);

    // Page-aligned memory for rings.
    uint64_t allocate(uint64_t bytes);
    [[nodiscard]] uint32_t create_region(uint64_t iova, uint64_t address, uint64_t length, uint32_t access,
                                         uint32_t owner_pdn);
    void doorbell(uint32_t pair, uint32_t offset, uint64_t value);
    // The test did something to the card after which the host lets it run.
    void wake() { is_awake = true; }
    [[nodiscard]] Gid gid(uint8_t port, uint8_t index) const;
    [[nodiscard]] MacAddress mac(uint8_t port) const;
    [[nodiscard]] uint64_t counter(uint8_t port, tern_port_counter counter);

    // Takes events off the queue; how many of @type came so far (of @object, 0: any).
    uint32_t events(tern_event type, uint32_t object = 0);

    FakeHost host;
    SilentFirmware firmware;
    std::unique_ptr<Card> card;
    uint8_t number;
    uint32_t pdn = 0, kernel_pdn = 0, eqn = 0, key = 0;
    bool is_awake = true;

private:
    uint64_t next_ring_ = kRings;
    uint32_t eq_cons_ = 0;
    std::vector<tern_eqe> seen_;
};

// A send work request; what the opcode does not have is ignored.
struct Work {
    uint8_t opcode = TERN_WQE_OP_SEND;
    uint64_t local = Node::kData;
    uint32_t length = 0;
    uint64_t remote = Node::kData;
    uint32_t rkey = 0;
    uint64_t swap_or_add = 0;
    uint64_t compare = 0;
    uint32_t lkey = 0;  // 0: the region over all memory
    uint8_t flags = 0;
    uint32_t immediate = 0;  // as it stands on the wire
    std::vector<tern_sge> sges{};  // in place of local, length and lkey
    std::vector<uint8_t> inline_data{};
    // UD
    uint32_t remote_qpn = 0;
    uint32_t qkey = 0;
    Gid dgid{};
    MacAddress dmac{};
    uint8_t sgid_index = 0;
    uint8_t hop_limit = 64;
    uint32_t flow_class = 0;
    // REG_MR
    tern_wqe_registration registration{};
};

class Endpoint {
public:
    struct Options {
        tern_qp_type type = TERN_QP_RC;
        bool is_kernel = false;
        bool signal_all = true;
        bool has_rq = true;
        uint8_t sq_log2 = 8;
        uint8_t rq_log2 = 6;
        uint8_t rq_stride_log2 = 0;
        uint8_t cq_log2 = 9;
        uint8_t port = 1;
        uint32_t uidx = 3;
        Endpoint* cq_of = nullptr;  // shares the CQ of this one
    };

    Endpoint(Node& node, const Options& options);

    // Makes the blocks of a WQE for the next slot, without posting them.
    [[nodiscard]] std::vector<uint8_t> encode(const Work& work) const;
    // Writes a WQE into the ring and rings the doorbell.
    void post(const Work& work) { post_blocks(encode(work)); }
    void post_blocks(const std::vector<uint8_t>& blocks);
    // Writes it and announces it in the record alone: the doorbell is "lost".
    void write_blocks(const std::vector<uint8_t>& blocks);
    void ring() const;
    // Through the push page; @blocks is one block.
    void push(const std::vector<uint8_t>& blocks);
    void post_receive(uint64_t address, uint32_t length, uint32_t lkey = 0);
    void post_receive(const std::vector<tern_sge>& sges);
    // Next CQE; false: none yet.
    bool poll(tern_cqe& cqe);
    void arm(tern_cq_arm command);
    [[nodiscard]] uint32_t polled() const { return source().cq_cons_; }
    // Leaves the CQ's consumer count in the record as it is: the host is slow.
    void stop_publishing() { publishes_ = false; }

    // INIT (RC, UD, GSI), and all the way to RTS for UD and GSI.
    void to_init(uint32_t access = TERN_ACCESS_MASK);
    void to_rts_datagram(uint32_t qkey);
    [[nodiscard]] Status modify(uint32_t valid, const QueuePairAttributes& attributes);
    [[nodiscard]] Status to_state(tern_qp_state state, uint32_t valid = 0, const QueuePairAttributes& more = {});
    [[nodiscard]] uint8_t state() const { return node.card->query_qp(qpn)->state; }
    [[nodiscard]] uint32_t pair() const { return options.is_kernel ? 0 : 1; }
    [[nodiscard]] uint32_t pdn() const { return options.is_kernel ? node.kernel_pdn : node.pdn; }

    Node& node;
    const Options options;
    uint64_t sq = 0, rq = 0, cq = 0, record = 0;
    uint32_t cqn = 0, qpn = 0;
    uint32_t sq_prod = 0, rq_prod = 0;

private:
    void create_cq();
    // Whose CQ it is.
    [[nodiscard]] Endpoint& source() { return options.cq_of ? *options.cq_of : *this; }
    [[nodiscard]] const Endpoint& source() const { return options.cq_of ? *options.cq_of : *this; }

    uint32_t cq_cons_ = 0;
    uint32_t arm_seq_ = 0;
    bool publishes_ = true;
};

[[nodiscard]] uint8_t status_of(const tern_cqe& cqe);
[[nodiscard]] uint8_t opcode_of(const tern_cqe& cqe);

}  // namespace tern::test
