// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
//
// A QP and a CQ of a provider, on a card on paper, with work requests ready.
#pragma once

#include <array>
#include <cstdint>

#include "tests/bench/provider/card.h"

constexpr unsigned kMaxList = 32;
// Of all memory, and the Q_Key.
constexpr uint32_t kKey = 0x1234;
// Work requests outstanding at most.
constexpr unsigned kQueueWrs = 256;

struct Variant {
    bool lockless = false;
    bool push = false;
};

struct Rig {
    // Exits with a line on standard error if the provider refuses.
    Rig(const card& of, const char* library, Variant variant);

    // What has been posted is completed and polled.
    void finish_sends(unsigned count);
    void finish_receives(unsigned count);

    const card& paper;
    ibv_context* context = nullptr;
    ibv_pd* pd = nullptr;
    ibv_ah* ah = nullptr;
    ibv_cq* cq = nullptr;
    ibv_qp* qp = nullptr;
    ibv_qp_ex* qpx = nullptr;

    // Alone, in a list of 16, and in lists of 32.
    ibv_send_wr inline8{};
    ibv_send_wr inline64{};
    ibv_send_wr gather{};
    ibv_recv_wr scatter{};
    std::array<ibv_send_wr, kMaxList> inline8_list{};
    std::array<ibv_send_wr, kMaxList> gather_list{};
    std::array<ibv_recv_wr, kMaxList> scatter_list{};
    std::array<ibv_wc, kMaxList> completions{};
    ibv_sge sge8{};
    ibv_sge sge64{};
    alignas(64) std::array<uint8_t, 4096> memory{};

private:
    void make_domain(Variant variant);
    void make_cq(Variant variant);
    void make_qp();
    void make_address();
    void connect();
    void make_work_requests();
    ibv_send_wr send(const ibv_sge& sge, unsigned flags);
    void poll(unsigned count);

    ibv_pd* plain_pd = nullptr;
};
