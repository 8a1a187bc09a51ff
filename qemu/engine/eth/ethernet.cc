// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
#include "qemu/engine/eth/ethernet.h"

#include <algorithm>
#include <cstring>

#include "qemu/engine/base/endian.h"
#include "qemu/engine/eth/checksum.h"
#include "qemu/engine/eth/toeplitz.h"
#include "qemu/engine/transport/gather.h"
#include "tern/hw/cqe.h"
#include "tern/wire/roce.h"

namespace tern {

namespace {

// Frames of one queue before the next has its turn.
constexpr uint32_t kTurnFrames = 16;
constexpr size_t kHeaderAndTagBytes = 14 + 8;

// Ethernet queues are the kernel's: their SGEs may hold bus addresses.
constexpr MemoryUser kKernel = {.pdn = 0, .is_kernel = true};

bool is_group(std::span<const std::byte> frame) { return (frame[0] & std::byte{1}) != std::byte{0}; }

}  // namespace

bool accepts_address(const Port& port, std::span<const std::byte> frame) {
    const Port::Settings& settings = port.settings;
    if (settings.promiscuous) return true;
    MacAddress destination;
    std::memcpy(destination.data(), frame.data(), destination.size());
    if (!is_group(frame)) return destination == settings.mac;
    if (settings.all_multicast) return true;
    if (std::ranges::all_of(destination, [](uint8_t byte) { return byte == 0xff; })) return true;
    const auto filter = std::span(settings.multicast).first(settings.multicast_count);
    return std::ranges::find(filter, destination) != filter.end();
}

Ethernet::TransmitQueue::TransmitQueue(uint32_t number, const EthernetQueueConfig& queue_config)
    : config(queue_config),
      queue({.kind = SendQueueKind::kEthernet,
             .number = number,
             .depth_log2 = queue_config.depth_log2,
             .record = queue_config.record,
             .record_offset = offsetof(tern_queue_record, prod),
             .buffer = queue_config.buffer}) {}

Ethernet::ReceiveSide::ReceiveSide(const EthernetQueueConfig& queue_config)
    : config(queue_config),
      queue({.depth_log2 = queue_config.depth_log2,
             .stride_log2 = queue_config.stride_log2,
             .record = queue_config.record,
             .record_offset = offsetof(tern_queue_record, prod),
             .buffer = queue_config.buffer}) {}

Ethernet::Ethernet(const Rooms& rooms, const Permutation& txq_numbers, const Permutation& rxq_numbers)
    : rooms_(rooms),
      txqs_(CardCapacity::kEthernetQueues, txq_numbers),
      rxqs_(CardCapacity::kEthernetQueues, rxq_numbers) {}

// Control path

Result<uint32_t, Status> Ethernet::create_txq(const EthernetQueueConfig& config) { return txqs_.create(config); }

Status Ethernet::destroy_txq(uint32_t number) {
    return txqs_.destroy(number) ? TERN_STATUS_OK : TERN_STATUS_BAD_HANDLE;
}

const EthernetQueueConfig* Ethernet::txq_config(uint32_t number) const {
    const TransmitQueue* txq = txqs_.find(number);
    return txq ? &txq->config : nullptr;
}

Result<uint32_t, Status> Ethernet::create_rxq(const EthernetQueueConfig& config) { return rxqs_.create(config); }

Status Ethernet::destroy_rxq(uint32_t number) {
    const bool is_named = std::ranges::any_of(spreading_, [number](const ReceiveSpreading& spreading) {
        return spreading.enabled && std::ranges::find(spreading.table, number) != spreading.table.end();
    });
    if (is_named && rxqs_.find(number)) return TERN_STATUS_BUSY;
    return rxqs_.destroy(number) ? TERN_STATUS_OK : TERN_STATUS_BAD_HANDLE;
}

const EthernetQueueConfig* Ethernet::rxq_config(uint32_t number) const {
    const ReceiveSide* rxq = rxqs_.find(number);
    return rxq ? &rxq->config : nullptr;
}

Status Ethernet::set_rss(uint8_t port, const ReceiveSpreading& spreading) {
    const bool is_known = !spreading.enabled || std::ranges::all_of(spreading.table, [&](uint32_t number) {
        const EthernetQueueConfig* config = rxq_config(number);
        return config && config->port == port;
    });
    if (!is_known) return TERN_STATUS_BAD_HANDLE;
    spreading_[port - 1u] = spreading;
    return TERN_STATUS_OK;
}

void Ethernet::clear() {
    txqs_.clear();
    rxqs_.clear();
    spreading_.fill(ReceiveSpreading{});
}

void Ethernet::complete(const EthernetQueueConfig& config, Completion completion) {
    completion.uidx = config.uidx;
    // A broken CQ has told the host itself; the frames are lost to it either way.
    if (CompletionQueue* cq = rooms_.cqs.find(config.cqn)) (void)cq->post(rooms_.host, rooms_.events, completion);
}

// Transmit

bool Ethernet::tx_doorbell(uint32_t number, uint32_t prod) {
    TransmitQueue* txq = txqs_.find(number);
    return txq && txq->queue.set_prod(prod);
}

void Ethernet::doorbells_lost() {
    txqs_.for_each([this](TransmitQueue& txq) { (void)txq.queue.load_prod(rooms_.host); });
}

bool Ethernet::transmit(Port& port, const SendWqe& wqe) {
    const uint64_t length = wqe.length_bytes;
    if (length < TERN_ETH_HEADER_BYTES || length > port.settings.mtu + kHeaderAndTagBytes) return false;
    const auto frame = port.begin_frame().first(static_cast<size_t>(length));
    if (!gather_wqe(rooms_.memory, kKernel, wqe, 0, frame)) return false;
    if (wqe.has_csum && !insert_checksum(frame, wqe.csum_start, wqe.csum_offset)) return false;
    if (!port.commit_frame(static_cast<uint32_t>(length))) {
        port.count(TERN_PORT_COUNTER_TX_LINK_DOWN);
        return true;  // taken, as a cable takes what nobody receives
    }
    port.count(TERN_PORT_COUNTER_TX_FRAMES);
    port.count(TERN_PORT_COUNTER_TX_BYTES, length);
    return true;
}

bool Ethernet::run_queue(TransmitQueue& txq, uint32_t& budget) {
    Port& port = *rooms_.ports[txq.config.port - 1u];
    SendWqe wqe;
    for (uint32_t turn = kTurnFrames; turn > 0 && !txq.queue.is_empty(); --turn) {
        if (budget == 0 || port.room() == 0) return budget == 0;
        --budget;
        const auto seen = txq.queue.peek(rooms_.host, wqe);
        txq.queue.advance(wqe);
        const bool is_sent = seen && transmit(port, wqe);
        if (!is_sent) port.count(TERN_PORT_COUNTER_TX_ERRORS);
        if (is_sent && !wqe.is_signaled) continue;
        Completion completion;
        completion.opcode = TERN_CQE_OP_ETH_TX;
        completion.wqe_index = static_cast<uint16_t>(wqe.start);
        completion.status = is_sent ? TERN_CQE_STATUS_SUCCESS : TERN_CQE_STATUS_LOCAL_QP_OPERATION;
        complete(txq.config, completion);
    }
    return !txq.queue.is_empty() && port.room() > 0;
}

bool Ethernet::run(uint32_t& budget) {
    bool has_more = false;
    txqs_.for_each([&](TransmitQueue& txq) { has_more |= run_queue(txq, budget); });
    return has_more;
}

// Receive

Ethernet::ReceiveSide* Ethernet::choose_queue(const Port& port, std::span<const std::byte> frame, uint32_t& hash) {
    const ReceiveSpreading& spreading = spreading_[port.index()];
    hash = 0;
    if (!spreading.enabled) return nullptr;
    const auto hashed = hash_frame(spreading.key, spreading.hash_fields, frame);
    if (hashed) hash = *hashed;
    return rxqs_.find(spreading.table[hash % spreading.table.size()]);
}

tern_port_counter Ethernet::place(ReceiveSide& rxq, std::span<const std::byte> frame, uint32_t hash, Port& port) {
    ReceiveWqe wqe;
    if (const auto taken = rxq.queue.take(rooms_.host, wqe); !taken)
        return taken.error() == ReceiveError::kEmpty ? TERN_PORT_COUNTER_RX_NO_BUFFER : TERN_PORT_COUNTER_RX_DMA_FAULT;
    Completion completion;
    completion.opcode = TERN_CQE_OP_ETH_RX;
    completion.wqe_index = wqe.index;
    completion.byte_len = static_cast<uint32_t>(frame.size());
    completion.immediate = big(hash);
    tern_port_counter counter = TERN_PORT_COUNTER_RX_FRAMES;
    if (frame.size() > wqe.length_bytes) {
        counter = TERN_PORT_COUNTER_RX_TOO_LONG;
        completion.status = TERN_CQE_STATUS_LOCAL_LENGTH;
    } else if (!scatter(rooms_.memory, kKernel, std::span(wqe.sges).first(wqe.num_sge), 0, frame)) {
        counter = TERN_PORT_COUNTER_RX_DMA_FAULT;
        completion.status = TERN_CQE_STATUS_LOCAL_PROTECTION;
    } else if (verify_checksums(frame)) {
        completion.source = TERN_CQE_CSUM_OK;
        port.count(TERN_PORT_COUNTER_RX_CSUM_OK);
    }
    complete(rxq.config, completion);
    return counter;
}

void Ethernet::receive(Port& port, std::span<const std::byte> frame) {
    if (!accepts_address(port, frame)) return port.count(TERN_PORT_COUNTER_RX_FILTERED);
    if (frame.size() > port.settings.mtu + kHeaderAndTagBytes) return port.count(TERN_PORT_COUNTER_RX_TOO_LONG);
    uint32_t hash = 0;
    ReceiveSide* rxq = choose_queue(port, frame, hash);
    const tern_port_counter counter = rxq ? place(*rxq, frame, hash, port) : TERN_PORT_COUNTER_RX_NO_BUFFER;
    port.count(counter);
    if (counter != TERN_PORT_COUNTER_RX_FRAMES) return;
    port.count(TERN_PORT_COUNTER_RX_BYTES, frame.size());
    if (is_group(frame)) port.count(TERN_PORT_COUNTER_RX_MULTICAST);
}

}  // namespace tern
