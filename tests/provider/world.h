// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
//
// The provider on a card in the same process: bus addresses are the process's
// own, the doorbell pages are a file, and every store into them goes to the
// engine at once. One World at a time.
#pragma once

#include <infiniband/verbs.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "qemu/engine/card/card.h"
#include "tests/provider/kernel.h"
#include "tests/support/silent_firmware.h"

namespace tern::test {

struct MmioStore {
    bool is_push;
    uint32_t offset;  // in its page
    uint64_t value;
};

struct WorldOptions {
    bool push = false;
    bool forward = true;  // false: stores are seen but do not reach the card
};

// Memory that the card may use, page aligned.
class Region {
public:
    Region(ibv_pd* pd, size_t bytes);
    ~Region();
    Region(const Region&) = delete;
    Region& operator=(const Region&) = delete;

    [[nodiscard]] ibv_sge sge(size_t offset, uint32_t length) const {
        return {reinterpret_cast<uint64_t>(data.data() + offset), length, mr->lkey};
    }
    [[nodiscard]] uint64_t address(size_t offset) const { return reinterpret_cast<uint64_t>(data.data() + offset); }

    std::span<uint8_t> data;
    ibv_mr* mr;
};

struct QpOptions {
    ibv_qp_type type = IBV_QPT_RC;
    ibv_qp_cap cap = {16, 16, 4, 4, 64};
    bool signal_all = false;
    uint64_t send_ops = 0;  // not 0: with builders
    ibv_pd* pd = nullptr;   // null: the world's
    ibv_cq* send_cq = nullptr;
    ibv_cq* recv_cq = nullptr;
};

class World {
public:
    explicit World(const WorldOptions& options = {});
    ~World();
    World(const World&) = delete;
    World& operator=(const World&) = delete;

    ibv_qp* create_qp(const QpOptions& options = {}, ibv_qp_cap* granted = nullptr);
    void connect(ibv_qp* qp, ibv_qp* peer);
    void to_rts_ud(ibv_qp* qp);
    ibv_ah* create_ah();
    void destroy(ibv_qp* qp);
    // Runs the card until it has nothing to do.
    void run();
    // The next completion of the world's CQ, after the card has run.
    std::optional<ibv_wc> next(ibv_cq* from = nullptr);

    // Entries of the event queue so far; it is not taken from.
    [[nodiscard]] uint32_t events() const;

    std::vector<MmioStore> stores;
    WorldOptions options;
    uint64_t now = 1;
    uint64_t timer = UINT64_MAX;
    std::vector<uint32_t> vectors;
    SilentFirmware firmware;
    std::unique_ptr<Card> card;
    uint32_t eqn = 0;
    Gid gid{};
    MacAddress mac{};
    ibv_context* context = nullptr;
    ibv_pd* pd = nullptr;
    ibv_cq* cq = nullptr;

    static constexpr uint32_t kPair = 1;
    static constexpr uint64_t kDoorbellOffset = 4096, kPushOffset = 8192;
    void* doorbells = nullptr;
    void* push_page = nullptr;

private:
    alignas(4096) uint8_t eq_[4096] = {};
    std::vector<ibv_qp*> qps_;
};

// A work request and the SGEs that it needs.
struct Work {
    Work(uint64_t id, ibv_wr_opcode opcode, std::vector<ibv_sge> sges, unsigned flags = IBV_SEND_SIGNALED);
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;
    Work& to(uint64_t address, uint32_t rkey);
    Work& then(Work& next);
    int post(ibv_qp* qp);

    std::vector<ibv_sge> sges;
    ibv_send_wr wr{};
    ibv_send_wr* bad = nullptr;
};

int post_receive(ibv_qp* qp, uint64_t id, std::vector<ibv_sge> sges);

}  // namespace tern::test
