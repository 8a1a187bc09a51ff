// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
#include "tests/provider/world.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "tern/hw/access.h"
#include "tern/hw/eqe.h"
#include "tern/hw/ids.h"

namespace tern::test {

namespace {

World* the_world = nullptr;

World& world_of(void* host) { return *static_cast<World*>(host); }

template <typename T>
T* at(uint64_t address) {
    return reinterpret_cast<T*>(address);
}

bool dma_read(void*, uint64_t address, void* buffer, uint64_t length) {
    if (length) std::memcpy(buffer, at<void>(address), length);
    return true;
}

bool dma_write(void*, uint64_t address, const void* buffer, uint64_t length) {
    if (length) std::memcpy(at<void>(address), buffer, length);
    return true;
}

bool atomic64(void*, uint64_t address, tern_atomic_operation operation, uint64_t swap_or_add, uint64_t compare,
              uint64_t* original) {
    uint64_t& word = *at<uint64_t>(address);
    *original = word;
    if (operation == TERN_ATOMIC_FETCH_ADD)
        word += swap_or_add;
    else if (word == compare)
        word = swap_or_add;
    return true;
}

tern_host_ops host_ops() {
    return {
        .dma_read = dma_read,
        .dma_write = dma_write,
        .dma_map = [](void*, uint64_t, uint64_t*, bool) -> void* { return nullptr; },
        .dma_unmap = [](void*, void*, uint64_t, bool, uint64_t) {},
        .store_release32 = [](void* host, uint64_t address,
                              uint32_t value) { return dma_write(host, address, &value, 4); },
        .store_release64 = [](void* host, uint64_t address,
                              uint64_t value) { return dma_write(host, address, &value, 8); },
        .atomic64 = atomic64,
        .raise_vector = [](void* host, uint32_t vector) { world_of(host).vectors.push_back(vector); },
        .send_room = [](void*, uint32_t) { return 1000u; },
        .send_frames = [](void*, uint32_t, const tern_frame*, uint32_t) {},
        .now_ns = [](void* host) { return world_of(host).now; },
        .arm_timer = [](void* host, uint64_t deadline) { world_of(host).timer = deadline; },
        .log = [](void*, tern_log_level, const char*) {},
    };
}

PageList flat(uint64_t address, uint64_t bytes) {
    return PageList(tern_page_list{address, static_cast<uint32_t>((bytes + 4095) / 4096), 0, 12, 0});
}

void set_up_port(World& world) {
    world.mac = {2, 0, 0, 0, 0, 1};
    world.gid = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, 1};
    Port::Settings settings = world.card->port(1).settings;
    settings.admin_up = settings.roce = true;
    settings.mtu = 9000;
    settings.mac = world.mac;
    world.card->set_port(1, settings);
    world.card->set_carrier(0, true);
    world.card->set_gid(1, 0, {TERN_GID_ROCE_V2_IPV4, TERN_VLAN_NONE, world.mac, world.gid});
}

}  // namespace

World::World(const WorldOptions& world_options) : options(world_options) {
    EXPECT_EQ(the_world, nullptr);
    the_world = this;
    tern_engine_config config{};
    config.model = TERN_MODEL_TERN400;
    config.ports = 1;
    config.port_speed_mbps = 400000;
    config.port_lanes = 4;
    config.vectors = 4;
    config.seed[0] = 1;
    card = std::make_unique<Card>(config, host_ops(), this);
    card->connect(firmware);
    card->set_bus_master(true);
    set_up_port(*this);
    eqn = *card->create_eq({false, 6, 0, flat(reinterpret_cast<uint64_t>(eq_), sizeof(eq_))});

    const int pages = memfd_create("doorbells", 0);
    EXPECT_EQ(ftruncate(pages, kPushOffset + 4096), 0);
    context = kernel_open(pages);
    kernel_pages(context, &doorbells, &push_page);
    pd = ibv_alloc_pd(context);
    cq = ibv_create_cq(context, 64, nullptr, nullptr, 0);
}

World::~World() {
    for (ibv_qp* qp : qps_) EXPECT_EQ(ibv_destroy_qp(qp), 0);
    EXPECT_EQ(ibv_destroy_cq(cq), 0);
    EXPECT_EQ(ibv_dealloc_pd(pd), 0);
    EXPECT_EQ(ibv_close_device(context), 0);
    the_world = nullptr;
}

ibv_qp* World::create_qp(const QpOptions& wanted, ibv_qp_cap* granted) {
    ibv_qp_init_attr_ex attr{};
    attr.send_cq = wanted.send_cq ? wanted.send_cq : cq;
    attr.recv_cq = wanted.recv_cq ? wanted.recv_cq : cq;
    attr.cap = wanted.cap;
    attr.qp_type = wanted.type;
    attr.sq_sig_all = wanted.signal_all;
    attr.pd = wanted.pd ? wanted.pd : pd;
    attr.comp_mask = IBV_QP_INIT_ATTR_PD | (wanted.send_ops ? IBV_QP_INIT_ATTR_SEND_OPS_FLAGS : 0);
    attr.send_ops_flags = wanted.send_ops;
    ibv_qp* qp = ibv_create_qp_ex(context, &attr);
    if (!qp) return nullptr;
    if (granted) *granted = attr.cap;
    qps_.push_back(qp);
    return qp;
}

void World::destroy(ibv_qp* qp) {
    std::erase(qps_, qp);
    EXPECT_EQ(ibv_destroy_qp(qp), 0);
}

void World::connect(ibv_qp* qp, ibv_qp* peer) {
    ibv_qp_attr attr{};
    attr.qp_state = IBV_QPS_INIT;
    attr.port_num = 1;
    attr.qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;
    EXPECT_EQ(ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS), 0);
    attr.qp_state = IBV_QPS_RTR;
    attr.path_mtu = IBV_MTU_1024;
    attr.dest_qp_num = peer->qp_num;
    attr.max_dest_rd_atomic = 4;
    attr.min_rnr_timer = 1;
    std::ranges::copy(gid, attr.ah_attr.grh.dgid.raw);
    attr.ah_attr.is_global = 1;
    attr.ah_attr.port_num = 1;
    attr.ah_attr.grh.hop_limit = 64;
    const bool is_reliable = qp->qp_type == IBV_QPT_RC;
    int mask = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
    if (is_reliable) mask |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
    EXPECT_EQ(ibv_modify_qp(qp, &attr, mask), 0);
    attr.qp_state = IBV_QPS_RTS;
    attr.timeout = 14;
    attr.retry_cnt = 7;
    attr.rnr_retry = 0;
    attr.max_rd_atomic = 4;
    mask = IBV_QP_STATE | IBV_QP_SQ_PSN;
    if (is_reliable) mask |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC;
    EXPECT_EQ(ibv_modify_qp(qp, &attr, mask), 0);
}

void World::to_rts_ud(ibv_qp* qp) {
    ibv_qp_attr attr{};
    attr.qp_state = IBV_QPS_INIT;
    attr.port_num = 1;
    attr.qkey = 0x11111111;
    EXPECT_EQ(ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY), 0);
    attr.qp_state = IBV_QPS_RTR;
    EXPECT_EQ(ibv_modify_qp(qp, &attr, IBV_QP_STATE), 0);
    attr.qp_state = IBV_QPS_RTS;
    EXPECT_EQ(ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN), 0);
}

ibv_ah* World::create_ah() {
    ibv_ah_attr attr{};
    attr.is_global = 1;
    attr.port_num = 1;
    std::ranges::copy(gid, attr.grh.dgid.raw);
    return ibv_create_ah(pd, &attr);
}

void World::run() {
    for (int idle = 0; idle < 2;) {
        idle = card->run(64) ? 0 : idle + 1;
        now += 100;
        if (idle && timer <= now + 1'000'000) {
            now = std::max(now, timer);
            card->timer_due();
        }
    }
}

std::optional<ibv_wc> World::next(ibv_cq* from) {
    run();
    ibv_wc wc{};
    if (ibv_poll_cq(from ? from : cq, 1, &wc) != 1) return std::nullopt;
    return wc;
}

uint32_t World::events() const {
    uint32_t count = 0;
    for (size_t at = 0; at < sizeof(eq_); at += sizeof(tern_eqe)) {
        const auto* eqe = reinterpret_cast<const tern_eqe*>(eq_ + at);
        count += TERN_GET32(TERN_EQE_PHASE, eqe->owner);
    }
    return count;
}

Region::Region(ibv_pd* pd, size_t bytes)
    : data(static_cast<uint8_t*>(std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096)), bytes) {
    std::ranges::fill(data, 0);
    mr = ibv_reg_mr(
        pd, data.data(), bytes,
        IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC);
}

Region::~Region() {
    EXPECT_EQ(ibv_dereg_mr(mr), 0);
    std::free(data.data());
}

Work::Work(uint64_t id, ibv_wr_opcode opcode, std::vector<ibv_sge> pieces, unsigned flags) : sges(std::move(pieces)) {
    wr.wr_id = id;
    wr.opcode = opcode;
    wr.send_flags = flags;
    wr.sg_list = sges.data();
    wr.num_sge = static_cast<int>(sges.size());
}

Work& Work::to(uint64_t address, uint32_t rkey) {
    wr.wr.rdma.remote_addr = address;
    wr.wr.rdma.rkey = rkey;
    return *this;
}

Work& Work::then(Work& next) {
    wr.next = &next.wr;
    return next;
}

int Work::post(ibv_qp* qp) {
    bad = nullptr;
    return ibv_post_send(qp, &wr, &bad);
}

int post_receive(ibv_qp* qp, uint64_t id, std::vector<ibv_sge> sges) {
    ibv_recv_wr wr{};
    ibv_recv_wr* bad = nullptr;
    wr.wr_id = id;
    wr.sg_list = sges.data();
    wr.num_sge = static_cast<int>(sges.size());
    return ibv_post_recv(qp, &wr, &bad);
}

}  // namespace tern::test

using tern::test::the_world;
using tern::test::World;

void kernel_describe_context(tern_uresp_alloc_ucontext* response) {
    *response = {};
    response->doorbell_offset = World::kDoorbellOffset;
    response->push_offset = World::kPushOffset;
    response->capabilities = TERN_UCONTEXT_PUSH;
    if (the_world->options.push) response->capabilities |= TERN_UCONTEXT_PUSH_WORTHWHILE;
    response->page_size = 4096;
    response->max_send_blocks_log2 = TERN_SQ_MAX_DEPTH_LOG2;
    response->max_recv_entries_log2 = TERN_RQ_MAX_DEPTH_LOG2;
    response->max_cqe_log2 = TERN_CQ_MAX_DEPTH_LOG2;
    response->max_inline = TERN_WQE_MAX_INLINE_BYTES;
    response->max_send_sge = TERN_MAX_SEND_SGE;
    response->max_recv_sge = TERN_MAX_RECV_SGE;
}

int kernel_alloc_pd(uint32_t* pdn) {
    *pdn = *the_world->card->alloc_pd(false);
    return 0;
}

int kernel_dealloc_pd(uint32_t pdn) { return the_world->card->dealloc_pd(pdn) == TERN_STATUS_OK ? 0 : EBUSY; }

int kernel_create_mr(uint32_t pdn, uint64_t address, uint64_t length, uint64_t iova, uint32_t access, uint32_t* key) {
    tern::MemoryRegion region;
    region.pdn = pdn;
    region.access = access;
    region.is_valid = true;
    region.iova = iova;
    region.length_bytes = length;
    region.first_offset = address % 4096;
    region.pages = tern::test::flat(address & ~uint64_t{4095}, length + address % 4096);
    *key = *the_world->card->create_mr(region);
    return 0;
}

int kernel_destroy_mr(uint32_t key) { return the_world->card->destroy_mr(key) == TERN_STATUS_OK ? 0 : EINVAL; }

// Lengths and alignment as tern-abi.h demands them.
int kernel_create_cq(const tern_ureq_create_cq* request, uint32_t* cqn) {
    const uint64_t bytes = uint64_t{32} << request->depth_log2;
    if (request->reserved || request->buffer_address % 4096 || request->record_address % 64 ||
        request->buffer_length != (bytes + 4095) / 4096 * 4096)
        return EINVAL;
    const auto number =
        the_world->card->create_cq({the_world->eqn, static_cast<uint8_t>(request->depth_log2), World::kPair,
                                    request->record_address, tern::test::flat(request->buffer_address, bytes)});
    if (!number) return ENOMEM;
    *cqn = *number;
    return 0;
}

int kernel_destroy_cq(uint32_t cqn) { return the_world->card->destroy_cq(cqn) == TERN_STATUS_OK ? 0 : EBUSY; }

int kernel_create_qp(const tern_ureq_create_qp* request, const kernel_qp_numbers* numbers, uint32_t* qpn) {
    const uint64_t sq_bytes = uint64_t{64} << request->sq_depth_log2;
    const uint64_t rq_bytes = uint64_t{16} << (request->rq_stride_log2 + request->rq_depth_log2);
    if (request->reserved || request->sq_address % 4096 || request->rq_address % 4096 || request->record_address % 64 ||
        request->sq_length != (sq_bytes + 4095) / 4096 * 4096)
        return EINVAL;
    if (request->rq_address && request->rq_length != (rq_bytes + 4095) / 4096 * 4096) return EINVAL;
    tern::QueuePairConfig config{};
    config.type = numbers->type == IBV_QPT_UD ? TERN_QP_UD : numbers->type == IBV_QPT_UC ? TERN_QP_UC : TERN_QP_RC;
    config.signal_all = numbers->signal_all;
    config.sq_depth_log2 = request->sq_depth_log2;
    config.has_rq = request->rq_address != 0;
    config.rq_depth_log2 = request->rq_depth_log2;
    config.rq_stride_log2 = request->rq_stride_log2;
    config.pdn = numbers->pdn;
    config.send_cqn = numbers->send_cqn;
    config.recv_cqn = numbers->recv_cqn;
    config.doorbell_pair = World::kPair;
    config.uidx = request->uidx;
    config.record = request->record_address;
    config.sq = tern::test::flat(request->sq_address, sq_bytes);
    if (config.has_rq) config.rq = tern::test::flat(request->rq_address, rq_bytes);
    const auto number = the_world->card->create_qp(config);
    if (!number) return EINVAL;
    *qpn = *number;
    return 0;
}

int kernel_modify_qp(uint32_t qpn, const ibv_qp_attr* attr, int mask) {
    tern::QueuePairAttributes to;
    to.state = static_cast<uint8_t>(attr->qp_state);
    to.port = attr->port_num;
    to.path_mtu_log2 = static_cast<uint8_t>(attr->path_mtu + 7);
    to.timeout = attr->timeout;
    to.retry_count = attr->retry_cnt;
    to.rnr_retry = attr->rnr_retry;
    to.min_rnr_timer = attr->min_rnr_timer;
    to.max_rd_atomic = attr->max_rd_atomic;
    to.max_dest_rd_atomic = attr->max_dest_rd_atomic;
    to.access = attr->qp_access_flags;
    to.qkey = attr->qkey;
    to.dest_qpn = attr->dest_qp_num;
    std::ranges::copy(attr->ah_attr.grh.dgid.raw, to.dgid.begin());
    to.dmac = the_world->mac;
    to.hop_limit = attr->ah_attr.grh.hop_limit;
    return the_world->card->modify_qp(qpn, static_cast<uint32_t>(mask), to) == TERN_STATUS_OK ? 0 : EINVAL;
}

int kernel_destroy_qp(uint32_t qpn) { return the_world->card->destroy_qp(qpn) == TERN_STATUS_OK ? 0 : EINVAL; }

void kernel_resolve(const ibv_ah_attr*, uint8_t dmac[6]) { std::ranges::copy(the_world->mac, dmac); }

void test_mmio_write64(void* address, uint64_t value) {
    World& world = *the_world;
    const auto in_page = [address](const void* page) {
        return static_cast<const uint8_t*>(address) - static_cast<const uint8_t*>(page);
    };
    const bool is_push = world.push_page && in_page(world.push_page) >= 0 && in_page(world.push_page) < 4096;
    const auto offset = static_cast<uint32_t>(in_page(is_push ? world.push_page : world.doorbells));
    ASSERT_LT(offset, 4096u);
    world.stores.push_back({is_push, offset, value});
    if (world.options.forward)
        world.card->doorbell_write((2 * World::kPair + (is_push ? 1 : 0)) * uint64_t{TERN_PAGE_BYTES} + offset, value,
                                   8);
}
