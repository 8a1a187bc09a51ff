// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
#include "tests/guest/programs/crowd.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>

namespace tern::guest {

namespace {

// Each MR has a slot of its own, which the other side writes over and over.
constexpr size_t kSlotBytes = 8192;
constexpr uint32_t kWriteBytes = 4096;
constexpr uint32_t kOutstanding = 4;  // WRITEs of each QP
constexpr uint8_t kTimeout = 12, kRetries = 7;  // 16 ms

[[noreturn]] void fail(const char* what) { throw std::runtime_error(std::string(what) + ": " + std::strerror(errno)); }

template <typename T>
T* require(T* object, const char* what) {
    if (!object) fail(what);
    return object;
}

void send_all(int socket, const void* bytes, size_t count) {
    if (::write(socket, bytes, count) != static_cast<ssize_t>(count)) fail("tell the other side");
}

void receive_all(int socket, void* bytes, size_t count) {
    for (size_t done = 0; done < count;) {
        const ssize_t got = ::read(socket, static_cast<uint8_t*>(bytes) + done, count - done);
        if (got <= 0) fail("hear the other side");
        done += static_cast<size_t>(got);
    }
}

}  // namespace

Crowd::Crowd(uint8_t port, const CrowdSize& size) : port_(port), memory_(size.mrs * kSlotBytes) {
    if (ibv_query_gid(context_.get(), port, 0, &gid_)) fail("ibv_query_gid");
    pd_.reset(require(ibv_alloc_pd(context_.get()), "ibv_alloc_pd"));
    const int cqe = static_cast<int>((size.qps / size.cqs + 1) * kOutstanding);
    for (uint32_t i = 0; i < size.cqs; ++i)
        cqs_.emplace_back(require(ibv_create_cq(context_.get(), cqe, nullptr, nullptr, 0), "ibv_create_cq"));
    for (uint32_t i = 0; i < size.mrs; ++i)
        regions_.emplace_back(
            require(ibv_reg_mr(pd_.get(), &memory_[i * kSlotBytes], kSlotBytes, kAllAccess), "ibv_reg_mr"));
    flows_.resize(size.qps);
    for (uint32_t i = 0; i < size.qps; ++i) flows_[i].qp = create_qp(i);
}

QueuePair Crowd::create_qp(uint32_t index) {
    ibv_qp_init_attr init{};
    init.send_cq = init.recv_cq = cqs_[index % cqs_.size()].get();
    init.cap = {kOutstanding, 1, 1, 1, 0};
    init.qp_type = IBV_QPT_RC;
    init.sq_sig_all = 1;
    return QueuePair(require(ibv_create_qp(pd_.get(), &init), "ibv_create_qp"));
}

void Crowd::meet(int socket) {
    const Introduction ours{gid_, reinterpret_cast<uint64_t>(memory_.data())};
    std::vector<uint32_t> numbers, keys;
    for (uint32_t i = 0; i < flows_.size(); ++i) {
        numbers.push_back(flows_[i].qp->qp_num);
        keys.push_back(region_of(i)->rkey);
    }
    const size_t bytes = numbers.size() * sizeof(uint32_t);
    send_all(socket, &ours, sizeof(ours));
    send_all(socket, numbers.data(), bytes);
    send_all(socket, keys.data(), bytes);
    Introduction theirs;
    receive_all(socket, &theirs, sizeof(theirs));
    receive_all(socket, numbers.data(), bytes);
    receive_all(socket, keys.data(), bytes);

    remote_address_ = theirs.address;
    for (uint32_t i = 0; i < flows_.size(); ++i) {
        flows_[i].remote_key = keys[i];
        connect(i, numbers[i], theirs.gid);
    }
    uint8_t ready = 1;
    send_all(socket, &ready, 1);
    receive_all(socket, &ready, 1);
}

void Crowd::connect(uint32_t index, uint32_t peer_qpn, const ibv_gid& peer_gid) {
    ibv_qp* qp = flows_[index].qp.get();
    ibv_qp_attr attr{};
    attr.qp_state = IBV_QPS_INIT;
    attr.port_num = port_;
    attr.qp_access_flags = kAllAccess;
    if (ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS)) fail("to INIT");
    attr.qp_state = IBV_QPS_RTR;
    attr.path_mtu = IBV_MTU_1024;
    attr.dest_qp_num = peer_qpn;
    attr.max_dest_rd_atomic = 1;
    attr.min_rnr_timer = 1;
    attr.ah_attr.is_global = 1;
    attr.ah_attr.port_num = port_;
    attr.ah_attr.grh.dgid = peer_gid;
    attr.ah_attr.grh.hop_limit = 64;
    if (ibv_modify_qp(qp, &attr,
                      IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                          IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER))
        fail("to RTR");
    attr.qp_state = IBV_QPS_RTS;
    attr.timeout = kTimeout;
    attr.retry_cnt = attr.rnr_retry = kRetries;
    attr.max_rd_atomic = 1;
    if (ibv_modify_qp(qp, &attr,
                      IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
                          IBV_QP_MAX_QP_RD_ATOMIC))
        fail("to RTS");
}

void Crowd::post(uint32_t index) {
    Flow& flow = flows_[index];
    const size_t slot = index % regions_.size() * kSlotBytes;
    ibv_sge sge{reinterpret_cast<uint64_t>(&memory_[slot]), kWriteBytes, region_of(index)->lkey};
    ibv_send_wr work =
        make_remote(index, IBV_WR_RDMA_WRITE, {&sge, 1}, remote_address_ + slot + kWriteBytes, flow.remote_key);
    ibv_send_wr* bad = nullptr;
    if (ibv_post_send(flow.qp.get(), &work, &bad)) fail("ibv_post_send");
    ++flow.outstanding;
}

void Crowd::complete(const ibv_wc& completion) {
    Flow& flow = flows_[completion.wr_id];
    --flow.outstanding;
    if (completion.status == IBV_WC_SUCCESS)
        ++flow.written;
    else
        flow.has_failed = true;
}

void Crowd::work() {
    for (uint32_t i = 0; i < flows_.size(); ++i)
        while (!flows_[i].has_failed && flows_[i].outstanding < kOutstanding) post(i);
    for (const CompletionQueue& cq : cqs_) {
        ibv_wc completions[32];
        const int count = ibv_poll_cq(cq.get(), 32, completions);
        if (count < 0) fail("ibv_poll_cq");
        for (const ibv_wc& completion : std::span(completions, static_cast<size_t>(count))) complete(completion);
    }
}

bool Crowd::all_have_written() const {
    return std::ranges::all_of(flows_, [](const Flow& flow) { return flow.written > 0; });
}

bool Crowd::all_have_failed() const {
    return std::ranges::all_of(flows_, [](const Flow& flow) { return flow.has_failed; });
}

}  // namespace tern::guest
