// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
//
// One process's side of many connections: QPs that all keep writing to the
// other side's memory, spread over several CQs and a great many MRs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/guest/programs/endpoint.h"

namespace tern::guest {

struct CrowdSize {
    uint32_t qps = 512;
    uint32_t cqs = 64;
    uint32_t mrs = 2000;
};

class Crowd {
public:
    // Throws std::runtime_error with what failed.
    Crowd(uint8_t port, const CrowdSize& size);

    // Tells the other side, over @socket, who we are; learns who they are and
    // connects all QPs to theirs.
    void meet(int socket);
    // Posts what there is room for and takes what has completed.
    void work();
    [[nodiscard]] bool all_have_written() const;
    [[nodiscard]] bool all_have_failed() const;

private:
    struct Introduction {
        ibv_gid gid;
        uint64_t address;
    };
    struct Flow {
        QueuePair qp;
        uint32_t remote_key = 0;
        uint32_t outstanding = 0;
        uint64_t written = 0;
        bool has_failed = false;
    };
    [[nodiscard]] QueuePair create_qp(uint32_t index);
    void connect(uint32_t index, uint32_t peer_qpn, const ibv_gid& peer_gid);
    void post(uint32_t index);
    void complete(const ibv_wc& completion);
    [[nodiscard]] ibv_mr* region_of(uint32_t index) const { return regions_[index % regions_.size()].get(); }

    uint8_t port_;
    Context context_ = open_card();
    ibv_gid gid_{};
    std::vector<uint8_t> memory_;
    ProtectionDomain pd_;
    std::vector<CompletionQueue> cqs_;
    std::vector<MemoryRegion> regions_;
    std::vector<Flow> flows_;
    uint64_t remote_address_ = 0;
};

}  // namespace tern::guest
