// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
#include "tests/bench/provider/rig.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr int kCqes = 1024;

template <typename T>
T* made(T* object, const char* what) {
    if (!object) {
        std::perror(what);
        std::exit(1);
    }
    return object;
}

}  // namespace

Rig::Rig(const card& of, const char* library, Variant variant) : paper(of) {
    if (variant.lockless && of.lockless_variable) setenv(of.lockless_variable, "1", 1);
    context = paper_open(&of, library, variant.push);
    if (!context) std::exit(1);
    make_domain(variant);
    make_cq(variant);
    make_qp();
    make_address();
    connect();
    make_work_requests();
}

void Rig::make_domain(Variant variant) {
    plain_pd = made(ibv_alloc_pd(context), "ibv_alloc_pd");
    pd = plain_pd;
    if (!variant.lockless || !paper.takes_domains) return;
    ibv_td_init_attr thread{};
    ibv_parent_domain_init_attr parent{};
    parent.pd = plain_pd;
    parent.td = made(ibv_alloc_td(context, &thread), "ibv_alloc_td");
    pd = made(ibv_alloc_parent_domain(context, &parent), "ibv_alloc_parent_domain");
}

void Rig::make_cq(Variant variant) {
    ibv_cq_init_attr_ex attr{};
    attr.cqe = kCqes;
    attr.wc_flags = IBV_WC_STANDARD_FLAGS;
    if (!variant.lockless || !paper.takes_domains) {
        cq = made(ibv_create_cq(context, kCqes, nullptr, nullptr, 0), "ibv_create_cq");
        return;
    }
    attr.comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS;
    attr.flags = IBV_CREATE_CQ_ATTR_SINGLE_THREADED;
    cq = ibv_cq_ex_to_cq(made(ibv_create_cq_ex(context, &attr), "ibv_create_cq_ex"));
}

void Rig::make_qp() {
    ibv_qp_init_attr_ex attr{};
    attr.qp_type = paper.qp_type;
    attr.send_cq = cq;
    attr.recv_cq = cq;
    attr.cap.max_send_wr = kQueueWrs;
    attr.cap.max_recv_wr = kQueueWrs;
    attr.cap.max_send_sge = 1;
    attr.cap.max_recv_sge = 1;
    attr.cap.max_inline_data = paper.max_inline;
    attr.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
    attr.pd = pd;
    attr.send_ops_flags = paper.has_write ? IBV_QP_EX_WITH_RDMA_WRITE : IBV_QP_EX_WITH_SEND;
    qp = made(ibv_create_qp_ex(context, &attr), "ibv_create_qp_ex");
    qpx = ibv_qp_to_qp_ex(qp);
}

void Rig::make_address() {
    if (paper.qp_type != IBV_QPT_UD) return;
    ibv_ah_attr attr{};
    attr.is_global = 1;
    attr.port_num = 1;
    ah = made(ibv_create_ah(plain_pd, &attr), "ibv_create_ah");
}

// Providers ask for no more than the state; there is no peer to name.
void Rig::connect() {
    ibv_qp_attr attr{};
    for (ibv_qp_state state : {IBV_QPS_INIT, IBV_QPS_RTR, IBV_QPS_RTS}) {
        attr.qp_state = state;
        if (ibv_modify_qp(qp, &attr, IBV_QP_STATE)) {
            std::perror("ibv_modify_qp");
            std::exit(1);
        }
    }
}

ibv_send_wr Rig::send(const ibv_sge& sge, unsigned flags) {
    ibv_send_wr wr{};
    wr.wr_id = 1;
    wr.sg_list = const_cast<ibv_sge*>(&sge);
    wr.num_sge = 1;
    wr.send_flags = IBV_SEND_SIGNALED | flags;
    if (paper.has_write) {
        wr.opcode = IBV_WR_RDMA_WRITE;
        wr.wr.rdma.remote_addr = reinterpret_cast<uintptr_t>(memory.data());
        wr.wr.rdma.rkey = kKey;
    } else {
        wr.opcode = IBV_WR_SEND;
        wr.wr.ud.ah = ah;
        wr.wr.ud.remote_qpn = PAPER_QPN;
        wr.wr.ud.remote_qkey = kKey;
    }
    return wr;
}

void Rig::make_work_requests() {
    sge8 = {reinterpret_cast<uintptr_t>(memory.data()), 8, kKey};
    sge64 = {reinterpret_cast<uintptr_t>(memory.data()), 64, kKey};
    inline8 = send(sge8, IBV_SEND_INLINE);
    inline64 = send(sge64, IBV_SEND_INLINE);
    gather = send(sge64, 0);
    scatter.wr_id = 1;
    scatter.sg_list = &sge64;
    scatter.num_sge = 1;
    for (unsigned i = 0; i < kMaxList; i++) {
        inline8_list[i] = inline8;
        gather_list[i] = gather;
        scatter_list[i] = scatter;
        if (i + 1 < kMaxList) {
            inline8_list[i].next = &inline8_list[i + 1];
            gather_list[i].next = &gather_list[i + 1];
            scatter_list[i].next = &scatter_list[i + 1];
        }
    }
    // inline8_list is a list of 16: half of it.
    inline8_list[kMaxList / 2 - 1].next = nullptr;
}

void Rig::poll(unsigned count) {
    for (unsigned done = 0; done < count;) {
        const int polled = ibv_poll_cq(cq, kMaxList, completions.data());
        if (polled <= 0) {
            std::fprintf(stderr, "%u of %u work requests completed\n", done, count);
            std::exit(1);
        }
        for (int i = 0; i < polled; i++) {
            if (completions[i].status != IBV_WC_SUCCESS || completions[i].wr_id != 1) {
                std::fprintf(stderr, "a work request failed: status %d\n", completions[i].status);
                std::exit(1);
            }
        }
        done += static_cast<unsigned>(polled);
    }
}

void Rig::finish_sends(unsigned count) {
    paper.complete_sends(count);
    poll(count);
}

void Rig::finish_receives(unsigned count) {
    paper.complete_receives(count);
    poll(count);
}
