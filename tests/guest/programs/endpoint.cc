// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
#include "tests/guest/programs/endpoint.h"

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tern::guest {

namespace {

template <typename T>
T* require(T* object, const char* what) {
    if (!object) throw std::runtime_error(std::string(what) + ": " + std::strerror(errno));
    return object;
}

bool is_wanted(std::string_view name) {
    const char* wanted = std::getenv("TERN_TEST_DEVICE");
    return wanted ? name == wanted : name.starts_with("tern") || name.starts_with("roce") || name.starts_with("rocep");
}

}  // namespace

Context open_card() {
    int count = 0;
    ibv_device** list = require(ibv_get_device_list(&count), "ibv_get_device_list");
    Context context;
    for (int i = 0; i < count && !context; ++i)
        if (is_wanted(ibv_get_device_name(list[i]))) context.reset(ibv_open_device(list[i]));
    ibv_free_device_list(list);
    require(context.get(), "no Tern card");
    return context;
}

Endpoint::Endpoint(ibv_context* context, const EndpointOptions& options)
    : context_(context), options_(options), buffer_(options.buffer_bytes) {
    pd.reset(require(ibv_alloc_pd(context), "ibv_alloc_pd"));
    cq.reset(require(ibv_create_cq(context, options.cqe, nullptr, nullptr, 0), "ibv_create_cq"));
    mr.reset(require(ibv_reg_mr(pd.get(), buffer_.data(), buffer_.size(), options.access), "ibv_reg_mr"));
    ibv_qp_init_attr init{};
    init.send_cq = init.recv_cq = cq.get();
    init.cap = {options.depth, options.depth, options.max_sge, options.max_sge, options.max_inline};
    init.qp_type = options.type;
    init.sq_sig_all = options.signal_all;
    qp.reset(require(ibv_create_qp(pd.get(), &init), "ibv_create_qp"));
    if (ibv_query_gid(context, options.port, 0, &gid_)) throw std::runtime_error("ibv_query_gid");
}

int Endpoint::to_init(int access) {
    ibv_qp_attr attr{};
    attr.qp_state = IBV_QPS_INIT;
    attr.port_num = options_.port;
    attr.qp_access_flags = static_cast<unsigned>(access);
    attr.qkey = kUdQkey;
    int mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT;
    mask |= options_.type == IBV_QPT_UD ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS;
    return ibv_modify_qp(qp.get(), &attr, mask);
}

int Endpoint::connect(const Endpoint& peer, const ConnectOptions& options) {
    if (const int error = state() == IBV_QPS_RESET ? to_init(options.access) : 0) return error;
    ibv_qp_attr attr{};
    attr.qp_state = IBV_QPS_RTR;
    attr.path_mtu = options.mtu;
    attr.dest_qp_num = peer.qp->qp_num;
    attr.rq_psn = options.psn;
    attr.max_dest_rd_atomic = options.rd_atomic;
    attr.min_rnr_timer = options.min_rnr_timer;
    attr.ah_attr.is_global = 1;
    attr.ah_attr.port_num = options_.port;
    attr.ah_attr.grh.dgid = peer.gid();
    attr.ah_attr.grh.sgid_index = 0;
    attr.ah_attr.grh.hop_limit = 64;
    const bool is_reliable = options_.type != IBV_QPT_UC;
    int mask = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
    if (is_reliable) mask |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
    if (const int error = ibv_modify_qp(qp.get(), &attr, mask)) return error;
    attr.qp_state = IBV_QPS_RTS;
    attr.sq_psn = options.psn;
    attr.timeout = options.timeout;
    attr.retry_cnt = options.retry_count;
    attr.rnr_retry = options.rnr_retry;
    attr.max_rd_atomic = options.rd_atomic;
    mask = IBV_QP_STATE | IBV_QP_SQ_PSN;
    if (is_reliable) mask |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC;
    return ibv_modify_qp(qp.get(), &attr, mask);
}

int Endpoint::to_rts_ud() {
    if (const int error = to_init()) return error;
    ibv_qp_attr attr{};
    attr.qp_state = IBV_QPS_RTR;
    if (const int error = ibv_modify_qp(qp.get(), &attr, IBV_QP_STATE)) return error;
    attr.qp_state = IBV_QPS_RTS;
    attr.sq_psn = 0xfffffe;
    return ibv_modify_qp(qp.get(), &attr, IBV_QP_STATE | IBV_QP_SQ_PSN);
}

AddressHandle Endpoint::address_handle(const Endpoint& peer) {
    ibv_ah_attr attr{};
    attr.is_global = 1;
    attr.port_num = options_.port;
    attr.grh.dgid = peer.gid();
    attr.grh.hop_limit = 64;
    return AddressHandle(require(ibv_create_ah(pd.get(), &attr), "ibv_create_ah"));
}

ibv_qp_state Endpoint::state() {
    ibv_qp_attr attr{};
    ibv_qp_init_attr init{};
    if (ibv_query_qp(qp.get(), &attr, IBV_QP_STATE, &init)) throw std::runtime_error("ibv_query_qp");
    return attr.qp_state;
}

int Endpoint::post_receive(uint64_t id, std::vector<ibv_sge> sges) {
    ibv_recv_wr work{};
    ibv_recv_wr* bad = nullptr;
    work.wr_id = id;
    work.sg_list = sges.data();
    work.num_sge = static_cast<int>(sges.size());
    return ibv_post_recv(qp.get(), &work, &bad);
}

int Endpoint::post(ibv_send_wr& work) {
    ibv_send_wr* bad = nullptr;
    return ibv_post_send(qp.get(), &work, &bad);
}

std::optional<ibv_wc> Endpoint::wait(int timeout_ms) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms);
    ibv_wc completion{};
    do {
        if (ibv_poll_cq(cq.get(), 1, &completion) == 1) return completion;
    } while (std::chrono::steady_clock::now() < deadline);
    return std::nullopt;
}

ibv_send_wr make_work(uint64_t id, ibv_wr_opcode opcode, std::span<ibv_sge> sges) {
    ibv_send_wr work{};
    work.wr_id = id;
    work.opcode = opcode;
    work.sg_list = sges.data();
    work.num_sge = static_cast<int>(sges.size());
    work.send_flags = IBV_SEND_SIGNALED;
    return work;
}

ibv_send_wr make_remote(uint64_t id, ibv_wr_opcode opcode, std::span<ibv_sge> sges, uint64_t address, uint32_t rkey) {
    ibv_send_wr work = make_work(id, opcode, sges);
    work.wr.rdma.remote_addr = address;
    work.wr.rdma.rkey = rkey;
    return work;
}

void fill(std::span<uint8_t> bytes, uint32_t seed) {
    uint32_t state = seed * 2654435761u + 1;
    for (uint8_t& byte : bytes) {
        state = state * 1664525u + 1013904223u;
        byte = static_cast<uint8_t>(state >> 24);
    }
}

}  // namespace tern::guest
