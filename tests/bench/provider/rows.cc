// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
#include "tests/bench/provider/rows.h"

namespace {

constexpr unsigned kBatch = 16;

// The calls. What they return is not looked at: the rig sees to it that all succeed, and finds out if not.

void call_nothing(Rig&) { asm volatile("" ::: "memory"); }

void post(Rig& rig, ibv_send_wr& list) {
    ibv_send_wr* bad;
    ibv_post_send(rig.qp, &list, &bad);
}

void post_inline8(Rig& rig) { post(rig, rig.inline8); }

void post_inline64(Rig& rig) { post(rig, rig.inline64); }

void post_sge(Rig& rig) { post(rig, rig.gather); }

void post_inline8_list(Rig& rig) { post(rig, rig.inline8_list.front()); }

void post_sge_list(Rig& rig) { post(rig, rig.gather_list.front()); }

void post_receive(Rig& rig) {
    ibv_recv_wr* bad;
    ibv_post_recv(rig.qp, &rig.scatter, &bad);
}

void post_receive_list(Rig& rig) {
    ibv_recv_wr* bad;
    ibv_post_recv(rig.qp, rig.scatter_list.data(), &bad);
}

// Not a call of its own in what is measured.
[[gnu::always_inline]] inline void name_operation(ibv_qp_ex* qpx, ibv_ah* ah, uint64_t address) {
    qpx->wr_id = 1;
    qpx->wr_flags = IBV_SEND_SIGNALED;
    if (!ah) {
        ibv_wr_rdma_write(qpx, kKey, address);
    } else {
        ibv_wr_send(qpx);
        ibv_wr_set_ud_addr(qpx, ah, PAPER_QPN, kKey);
    }
}

void build_inline8(Rig& rig) {
    ibv_wr_start(rig.qpx);
    name_operation(rig.qpx, rig.ah, rig.sge8.addr);
    ibv_wr_set_inline_data(rig.qpx, rig.memory.data(), 8);
    ibv_wr_complete(rig.qpx);
}

template <unsigned kCount>
void build_sge(Rig& rig) {
    ibv_qp_ex* const qpx = rig.qpx;
    ibv_ah* const ah = rig.ah;
    const uint64_t address = rig.sge64.addr;
    ibv_wr_start(qpx);
    for (unsigned i = 0; i < kCount; i++) {
        name_operation(qpx, ah, address);
        ibv_wr_set_sge(qpx, kKey, address, 64);
    }
    ibv_wr_complete(qpx);
}

template <int kCount>
void poll(Rig& rig) {
    ibv_poll_cq(rig.cq, kCount, rig.completions.data());
}

template <void (*kCall)(Rig&)>
void times(Rig& rig, unsigned calls) {
    for (unsigned i = 0; i < calls; i++) kCall(rig);
}

void nothing(Rig&, unsigned) {}

void finish_sends(Rig& rig, unsigned wrs) { rig.finish_sends(wrs); }

void finish_receives(Rig& rig, unsigned wrs) { rig.finish_receives(wrs); }

// As many sends are complete, and nobody has polled.
void complete_sends(Rig& rig, unsigned wrs) {
    for (unsigned i = 0; i < wrs; i++) post_sge(rig);
    rig.paper.complete_sends(wrs);
}

// Empty: whatever a row has polled was all there was.
void expect_empty(Rig& rig, unsigned) { rig.finish_sends(0); }

bool always(const Rig&) { return true; }

bool takes_64_inline(const Rig& rig) { return rig.paper.max_inline >= 64; }

constexpr Row kRows[] = {
    {"loop", 1, always, nothing, times<call_nothing>, nothing},
    {"post_send_inline8", 1, always, nothing, times<post_inline8>, finish_sends},
    {"post_send_inline64", 1, takes_64_inline, nothing, times<post_inline64>, finish_sends},
    {"post_send_sge", 1, always, nothing, times<post_sge>, finish_sends},
    {"post_send_inline8_list16", kBatch, always, nothing, times<post_inline8_list>, finish_sends},
    {"post_send_sge_list32", kMaxList, always, nothing, times<post_sge_list>, finish_sends},
    {"wr_inline8", 1, always, nothing, times<build_inline8>, finish_sends},
    {"wr_sge", 1, always, nothing, times<build_sge<1>>, finish_sends},
    {"wr_sge_batch16", kBatch, always, nothing, times<build_sge<kBatch>>, finish_sends},
    {"post_recv", 1, always, nothing, times<post_receive>, finish_receives},
    {"post_recv_list32", kMaxList, always, nothing, times<post_receive_list>, finish_receives},
    {"poll_1", 1, always, complete_sends, times<poll<1>>, expect_empty},
    {"poll_16", kBatch, always, complete_sends, times<poll<kBatch>>, expect_empty},
    {"poll_empty", 1, always, nothing, times<poll<kBatch>>, nothing},
};

}  // namespace

std::span<const Row> rows() { return kRows; }
