// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
//
// The card's Control side: handles, ownership and who uses whom.
#include <algorithm>

#include "qemu/engine/card/card.h"

namespace tern {

// Device and ports

void Card::object_counts(std::span<uint64_t, TERN_DEVICE_COUNTER_SLOTS> counts) {
    std::ranges::fill(counts, 0);
    counts[TERN_DEVICE_COUNTER_EQS] = events_.count();
    counts[TERN_DEVICE_COUNTER_CQS] = cqs_.count();
    counts[TERN_DEVICE_COUNTER_PDS] = pds_.count();
    counts[TERN_DEVICE_COUNTER_MRS] = memory_.count();
    counts[TERN_DEVICE_COUNTER_QPS] = transport_.count();
    counts[TERN_DEVICE_COUNTER_TXQS] = ethernet_.txq_count();
    counts[TERN_DEVICE_COUNTER_RXQS] = ethernet_.rxq_count();
    for (const Port* port : ports_) counts[TERN_DEVICE_COUNTER_GIDS] += port->gid_count();
    counts[TERN_DEVICE_COUNTER_DMA_FAULTS] = host_.dma_faults();
    counts[TERN_DEVICE_COUNTER_DOORBELL_REFUSED] = doorbells_refused_;
    counts[TERN_DEVICE_COUNTER_PUSHES] = pushes_;
}

PortInformation Card::port(uint8_t number) {
    const Port& port = port_at(number);
    return {port.settings, port.permanent_mac, port.link_up(), identity_.port_speed_mbps, identity_.port_lanes};
}

void Card::set_port(uint8_t number, const Port::Settings& settings) {
    Port& port = port_at(number);
    const bool was_up = port.link_up();
    port.settings = settings;
    transport_.addresses_changed();
    report_link(port, was_up);
}

void Card::port_counters(uint8_t number, std::span<uint64_t, TERN_PORT_COUNTER_SLOTS> counters) {
    std::ranges::copy(port_at(number).counters, counters.begin());
}

void Card::set_gid(uint8_t number, uint16_t index, const GidEntry& entry) {
    port_at(number).set_gid(index, entry);
    transport_.addresses_changed();
}

// Event and completion queues

Result<uint32_t, Status> Card::create_eq(const EventQueue::Config& config) { return events_.create(config); }

Status Card::destroy_eq(uint32_t eqn) { return events_.destroy(eqn); }

Result<uint32_t, Status> Card::create_cq(const CompletionQueue::Config& config) {
    EventQueue* eq = events_.find(config.eqn);
    if (!eq) return TERN_STATUS_BAD_HANDLE;
    auto number = cqs_.create(config);
    if (number) ++eq->users;
    return number;
}

Status Card::destroy_cq(uint32_t cqn) {
    const CompletionQueue* cq = cqs_.find(cqn);
    if (!cq) return TERN_STATUS_BAD_HANDLE;
    if (cq->users != 0) return TERN_STATUS_BUSY;
    if (EventQueue* eq = events_.find(cq->config().eqn)) --eq->users;
    return cqs_.destroy(cqn) ? TERN_STATUS_OK : TERN_STATUS_BAD_HANDLE;
}

Status Card::modify_cq(uint32_t cqn, uint16_t count, uint16_t usec) {
    CompletionQueue* cq = cqs_.find(cqn);
    if (!cq) return TERN_STATUS_BAD_HANDLE;
    cq->set_moderation(count, usec);
    return TERN_STATUS_OK;
}

bool Card::use_cq(uint32_t cqn, int32_t change) {
    CompletionQueue* cq = cqs_.find(cqn);
    if (cq) cq->users += static_cast<uint32_t>(change);
    return cq != nullptr;
}

// Protection domains and memory

Result<uint32_t, Status> Card::alloc_pd(bool is_kernel) { return pds_.create(ProtectionDomain{is_kernel, 0}); }

Status Card::dealloc_pd(uint32_t pdn) {
    const ProtectionDomain* pd = pds_.find(pdn);
    if (!pd) return TERN_STATUS_BAD_HANDLE;
    if (pd->users != 0) return TERN_STATUS_BUSY;
    return pds_.destroy(pdn) ? TERN_STATUS_OK : TERN_STATUS_BAD_HANDLE;
}

Result<uint32_t, Status> Card::create_mr(const MemoryRegion& region) {
    ProtectionDomain* pd = pds_.find(region.pdn);
    if (!pd) return TERN_STATUS_BAD_HANDLE;
    if ((region.is_fast_registration || region.is_all_memory) && !pd->is_kernel) return TERN_STATUS_NOT_PERMITTED;
    auto key = memory_.create(region);
    if (key) ++pd->users;
    return key;
}

Status Card::destroy_mr(uint32_t key) {
    const MemoryRegion* region = memory_.find(key);
    if (!region) return TERN_STATUS_BAD_HANDLE;
    if (ProtectionDomain* pd = pds_.find(region->pdn)) --pd->users;
    return memory_.destroy(key);
}

// Queue pairs

Status Card::check_qp(const QueuePairConfig& config) {
    const ProtectionDomain* pd = pds_.find(config.pdn);
    const CompletionQueue* send = cqs_.find(config.send_cqn);
    const CompletionQueue* recv = cqs_.find(config.recv_cqn);
    if (!pd || !send || !recv) return TERN_STATUS_BAD_HANDLE;
    if (pd->is_kernel != config.is_kernel) return TERN_STATUS_NOT_PERMITTED;
    // A user's QP completes to the same user's CQs: their pair says whose they are.
    const bool shares_pair =
        send->config().doorbell_pair == config.doorbell_pair && recv->config().doorbell_pair == config.doorbell_pair;
    if (!shares_pair) return TERN_STATUS_NOT_PERMITTED;
    return config.type == TERN_QP_GSI && !config.is_kernel ? TERN_STATUS_NOT_PERMITTED : TERN_STATUS_OK;
}

void Card::use_queues(const QueuePairConfig& config, int32_t change) {
    (void)use_cq(config.send_cqn, change);
    (void)use_cq(config.recv_cqn, change);
    if (ProtectionDomain* pd = pds_.find(config.pdn)) pd->users += static_cast<uint32_t>(change);
}

Result<uint32_t, Status> Card::create_qp(const QueuePairConfig& config) {
    if (const Status status = check_qp(config); status != TERN_STATUS_OK) return status;
    auto number = transport_.create_qp(config);
    if (number) use_queues(config, 1);
    return number;
}

Status Card::destroy_qp(uint32_t qpn) {
    const QueuePairConfig* config = transport_.config(qpn);
    if (!config) return TERN_STATUS_BAD_HANDLE;
    use_queues(*config, -1);
    return transport_.destroy_qp(qpn);
}

Status Card::modify_qp(uint32_t qpn, uint32_t valid, const QueuePairAttributes& attributes) {
    return transport_.modify_qp(qpn, valid, attributes);
}

Result<QueuePairAttributes, Status> Card::query_qp(uint32_t qpn) { return transport_.query_qp(qpn); }

// Ethernet queues

// The netdev's queues belong to the kernel's doorbell pair, and so do their CQs.
Status Card::check_kernel_cq(uint32_t cqn) const {
    const CompletionQueue* cq = cqs_.find(cqn);
    if (!cq) return TERN_STATUS_BAD_HANDLE;
    return cq->config().doorbell_pair == 0 ? TERN_STATUS_OK : TERN_STATUS_NOT_PERMITTED;
}

Result<uint32_t, Status> Card::create_txq(const EthernetQueueConfig& config) {
    if (const Status status = check_kernel_cq(config.cqn); status != TERN_STATUS_OK) return status;
    auto number = ethernet_.create_txq(config);
    if (number) (void)use_cq(config.cqn, 1);
    return number;
}

Status Card::destroy_txq(uint32_t number) {
    const EthernetQueueConfig* config = ethernet_.txq_config(number);
    if (!config) return TERN_STATUS_BAD_HANDLE;
    const uint32_t cqn = config->cqn;
    const Status status = ethernet_.destroy_txq(number);
    if (status == TERN_STATUS_OK) (void)use_cq(cqn, -1);
    return status;
}

Result<uint32_t, Status> Card::create_rxq(const EthernetQueueConfig& config) {
    if (const Status status = check_kernel_cq(config.cqn); status != TERN_STATUS_OK) return status;
    auto number = ethernet_.create_rxq(config);
    if (number) (void)use_cq(config.cqn, 1);
    return number;
}

Status Card::destroy_rxq(uint32_t number) {
    const EthernetQueueConfig* config = ethernet_.rxq_config(number);
    if (!config) return TERN_STATUS_BAD_HANDLE;
    const uint32_t cqn = config->cqn;
    const Status status = ethernet_.destroy_rxq(number);
    if (status == TERN_STATUS_OK) (void)use_cq(cqn, -1);
    return status;
}

Status Card::set_rss(uint8_t port, const ReceiveSpreading& spreading) { return ethernet_.set_rss(port, spreading); }

}  // namespace tern
