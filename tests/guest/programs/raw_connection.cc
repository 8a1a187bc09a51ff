// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
#include "tests/guest/programs/raw_connection.h"

#include <infiniband/verbs.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <system_error>
#include <utility>

#include "tern/bits.h"
#include "tern/hw/wqe.h"
#include "tests/guest/programs/endpoint.h"

namespace tern::guest {

namespace {

void check(int error, const char* what) {
    if (error) throw std::system_error(error, std::generic_category(), what);
}

template <typename T>
std::span<std::byte> bytes_of(T& object) {
    return std::as_writable_bytes(std::span(&object, 1));
}

// A core's request with the driver's part behind it.
template <typename Core, typename Driver>
struct Request {
    std::byte bytes[sizeof(Core) + sizeof(Driver)];

    Request(const Core& core, const Driver& driver) {
        std::memcpy(bytes, &core, sizeof(core));
        std::memcpy(bytes + sizeof(core), &driver, sizeof(driver));
    }
};

ibv_gid gid_of_port_one() {
    const Context context = open_card();
    ibv_gid gid{};
    check(ibv_query_gid(context.get(), 1, 0, &gid), "ibv_query_gid");
    return gid;
}

}  // namespace

Pages::Pages(size_t count, int more_flags) : bytes(count * kBytes) {
    data = static_cast<uint8_t*>(
        ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | more_flags, -1, 0));
}

Pages::~Pages() { ::munmap(data, bytes); }

RawConnection::RawConnection(RawUverbs& uverbs, const tern_uresp_alloc_ucontext& card, RawOptions options)
    : uverbs_(uverbs), options_(std::move(options)) {
    memory_ = options_.memory ? options_.memory : own_.emplace(kPages).data;
    fill_requests();
    void* page = uverbs.map(card.doorbell_offset, Pages::kBytes, PROT_WRITE, MAP_SHARED);
    if (page == MAP_FAILED) check(errno, "map the doorbell page");
    doorbells_ = static_cast<volatile uint8_t*>(page);
    try {
        allocate_pd();
        register_data();
        create_cq();
        create_qp();
        connect();
    } catch (...) {
        destroy();
        throw;
    }
}

RawConnection::~RawConnection() { destroy(); }

void RawConnection::fill_requests() {
    cq_request_.buffer_address = reinterpret_cast<uint64_t>(completion_queue().data());
    cq_request_.buffer_length = Pages::kBytes;
    cq_request_.record_address = reinterpret_cast<uint64_t>(&cq_record());
    cq_request_.depth_log2 = kCqDepthLog2;
    qp_request_.sq_address = reinterpret_cast<uint64_t>(send_queue().data());
    qp_request_.rq_address = reinterpret_cast<uint64_t>(receive_queue().data());
    qp_request_.sq_length = qp_request_.rq_length = Pages::kBytes;
    qp_request_.record_address = reinterpret_cast<uint64_t>(&qp_record());
    qp_request_.uidx = 1;
    qp_request_.sq_depth_log2 = qp_request_.rq_depth_log2 = kDepthLog2;
    options_.change(cq_request_, qp_request_);
}

void RawConnection::allocate_pd() {
    ib_uverbs_alloc_pd request{};
    Answer<ib_uverbs_alloc_pd_resp, tern_uresp_alloc_pd> answer;
    check(uverbs_.command(IB_USER_VERBS_CMD_ALLOC_PD, bytes_of(request), answer.bytes), "ALLOC_PD");
    pd_ = answer.core().pd_handle;
    has_pd_ = true;
}

void RawConnection::register_data() {
    ib_uverbs_reg_mr request{};
    request.start = request.hca_va = reinterpret_cast<uint64_t>(data().data());
    request.length = kDataBytes;
    request.pd_handle = pd_;
    request.access_flags = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE;
    ib_uverbs_reg_mr_resp answer;
    check(uverbs_.command(IB_USER_VERBS_CMD_REG_MR, bytes_of(request), bytes_of(answer)), "REG_MR");
    mr_ = answer.mr_handle;
    key_ = answer.lkey;
    has_mr_ = true;
}

void RawConnection::create_cq() {
    ib_uverbs_create_cq core{};
    core.cqe = 1 << kCqDepthLog2;
    core.comp_channel = -1;
    Request request(core, cq_request_);
    Answer<ib_uverbs_create_cq_resp, tern_uresp_create_cq> answer;
    check(uverbs_.command(IB_USER_VERBS_CMD_CREATE_CQ, request.bytes, answer.bytes), "CREATE_CQ");
    cq_ = answer.core().cq_handle;
    has_cq_ = true;
}

void RawConnection::create_qp() {
    ib_uverbs_create_qp core{};
    core.pd_handle = pd_;
    core.send_cq_handle = core.recv_cq_handle = cq_;
    core.max_send_wr = core.max_recv_wr = 1 << kDepthLog2;
    core.max_send_sge = core.max_recv_sge = 1;
    core.qp_type = IBV_QPT_RC;
    Request request(core, qp_request_);
    Answer<ib_uverbs_create_qp_resp, tern_uresp_create_qp> answer;
    check(uverbs_.command(IB_USER_VERBS_CMD_CREATE_QP, request.bytes, answer.bytes), "CREATE_QP");
    qp_ = answer.core().qp_handle;
    wire_qpn_ = answer.core().qpn;
    qpn_ = answer.driver().qpn;
    has_qp_ = true;
}

void RawConnection::modify(ib_uverbs_modify_qp& request, const char* to) {
    request.qp_handle = qp_;
    check(uverbs_.order(IB_USER_VERBS_CMD_MODIFY_QP, bytes_of(request)), to);
}

void RawConnection::connect() {
    static const ibv_gid gid = gid_of_port_one();
    ib_uverbs_modify_qp request{};
    request.qp_state = IBV_QPS_INIT;
    request.port_num = 1;
    request.qp_access_flags = IBV_ACCESS_REMOTE_WRITE;
    request.attr_mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS;
    modify(request, "to INIT");
    request.qp_state = IBV_QPS_RTR;
    request.path_mtu = IBV_MTU_1024;
    request.dest_qp_num = wire_qpn_;
    request.max_dest_rd_atomic = 1;
    request.min_rnr_timer = 1;
    std::memcpy(request.dest.dgid, gid.raw, sizeof(gid.raw));
    request.dest.is_global = 1;
    request.dest.hop_limit = 64;
    request.dest.port_num = 1;
    request.attr_mask = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                        IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
    modify(request, "to RTR");
    request.qp_state = IBV_QPS_RTS;
    request.timeout = 10;
    request.retry_cnt = request.rnr_retry = 2;
    request.max_rd_atomic = 1;
    request.attr_mask =
        IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC;
    modify(request, "to RTS");
}

void RawConnection::destroy() {
    ib_uverbs_destroy_qp qp{.response = 0, .qp_handle = qp_, .reserved = 0};
    ib_uverbs_destroy_qp_resp qp_answer;
    if (has_qp_) (void)uverbs_.command(IB_USER_VERBS_CMD_DESTROY_QP, bytes_of(qp), bytes_of(qp_answer));
    ib_uverbs_destroy_cq cq{.response = 0, .cq_handle = cq_, .reserved = 0};
    ib_uverbs_destroy_cq_resp cq_answer;
    if (has_cq_) (void)uverbs_.command(IB_USER_VERBS_CMD_DESTROY_CQ, bytes_of(cq), bytes_of(cq_answer));
    if (has_mr_) (void)uverbs_.order(IB_USER_VERBS_CMD_DEREG_MR, bytes_of(mr_));
    if (has_pd_) (void)uverbs_.order(IB_USER_VERBS_CMD_DEALLOC_PD, bytes_of(pd_));
    ::munmap(const_cast<uint8_t*>(doorbells_), Pages::kBytes);
}

void RawConnection::prepare_write(uint32_t bytes) {
    uint8_t* block = send_queue().data() + (posted_ % (1u << kDepthLog2)) * 64;
    tern_wqe_control control{};
    control.qpn_opcode = qpn_ | uint32_t{TERN_WQE_OP_RDMA_WRITE} << TERN_WQE_OPCODE_LO;
    control.index = static_cast<uint16_t>(posted_);
    control.flags = TERN_WQE_SIGNALED;
    control.count = 1;
    const uint64_t address = reinterpret_cast<uint64_t>(data().data());
    const tern_wqe_remote remote{address + kDataBytes / 2, key_, 0};
    const tern_sge sge{address, bytes, key_};
    std::memset(block, 0, 64);
    std::memcpy(block, &control, sizeof(control));
    std::memcpy(block + 0x10, &remote, sizeof(remote));
    std::memcpy(block + 0x20, &sge, sizeof(sge));
    ++posted_;
}

void RawConnection::ring(volatile uint8_t* page) {
    std::atomic_ref(qp_record().sq_prod).store(posted_, std::memory_order_release);
    volatile uint8_t* at = (page ? page : doorbells_) + TERN_DOORBELL_SQ;
    *reinterpret_cast<volatile uint64_t*>(at) = qpn_ | uint64_t{posted_} << TERN_DB_QUEUE_PROD_LO;
}

std::optional<tern_cqe> RawConnection::wait(int timeout_ms) {
    auto* entry = reinterpret_cast<tern_cqe*>(completion_queue().data()) + polled_ % (1u << kCqDepthLog2);
    const uint32_t phase = (polled_ >> kCqDepthLog2 & 1) ^ 1;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms);
    do {
        if (std::atomic_ref(entry->owner).load(std::memory_order_acquire) >> TERN_CQE_PHASE_LO == phase) {
            const tern_cqe cqe = *entry;
            std::atomic_ref(cq_record().cons).store(++polled_, std::memory_order_release);
            return cqe;
        }
    } while (std::chrono::steady_clock::now() < deadline);
    return std::nullopt;
}

}  // namespace tern::guest
