// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
#include "qemu/engine/card/card.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "qemu/engine/eth/frame_view.h"
#include "tern/hw/doorbell.h"
#include "tern/hw/eqe.h"
#include "tern/hw/ids.h"
#include "tern/wire/roce.h"

namespace tern {

namespace {

// Purposes of the permutations: tables never share numbers.
enum Purpose : uint32_t { kEq = 1, kCq, kPd, kMr, kQp, kTxq, kRxq };

// Work per run that is kept for the receiving of commands.
constexpr uint32_t kCommandsPerRun = 16;
constexpr uint32_t kPairBytes = 2 * TERN_PAGE_BYTES;

CardIdentity identity_of(const tern_engine_config& config) {
    CardIdentity identity{};
    identity.model = config.model;
    identity.ports = static_cast<uint8_t>(config.ports);
    identity.port_speed_mbps = config.port_speed_mbps;
    identity.port_lanes = static_cast<uint8_t>(config.port_lanes);
    identity.vectors = config.vectors;
    identity.push_worthwhile = config.push_worthwhile != 0;
    static_assert(sizeof(identity.serial_number) == sizeof(config.serial_number));
    std::memcpy(identity.serial_number.data(), config.serial_number, sizeof(config.serial_number) - 1);
    return identity;
}

MacAddress mac_of(const tern_engine_config& config, uint32_t index) {
    MacAddress mac;
    std::memcpy(mac.data(), config.mac[index], mac.size());
    return mac;
}

}  // namespace

Card::Card(const tern_engine_config& config, const tern_host_ops& ops, void* host)
    : identity_(identity_of(config)),
      host_(ops, host),
      seed_{config.seed[0], config.seed[1]},
      eq_numbers_(seed_, kEq),
      cq_numbers_(seed_, kCq),
      pd_numbers_(seed_, kPd),
      mr_keys_(seed_, kMr),
      qp_numbers_(seed_, kQp),
      txq_numbers_(seed_, kTxq),
      rxq_numbers_(seed_, kRxq),
      events_(host_, CardCapacity::kEventQueues, eq_numbers_),
      cqs_(CardCapacity::kCompletionQueues, cq_numbers_),
      pds_(CardCapacity::kProtectionDomains, pd_numbers_),
      memory_(host_, CardCapacity::kMemoryRegions, mr_keys_),
      port_objects_{std::make_unique<Port>(host_, 0, mac_of(config, 0)),
                    std::make_unique<Port>(host_, 1, mac_of(config, 1))},
      ports_{port_objects_[0].get(), port_objects_[1].get()},
      transport_({host_, memory_, cqs_, events_, std::span(ports_).first(identity_.ports)}, CardCapacity::kQueuePairs,
                 qp_numbers_),
      ethernet_({host_, memory_, cqs_, events_, std::span(ports_).first(identity_.ports)}, txq_numbers_, rxq_numbers_),
      push_pages_(TERN_DOORBELL_PAGE_PAIRS) {
    registers_.set(TERN_REG_MODEL, TERN_SET32(TERN_REG_MODEL_NUMBER, identity_.model) |
                                       TERN_SET32(TERN_REG_MODEL_PORTS, identity_.ports));
}

void Card::connect(CommandSink& firmware) {
    firmware_ = &firmware;
    commands_ = std::make_unique<CommandQueue>(host_, firmware);
    firmware_->reset(host_.now_ns());
    update_timer();
}

void Card::reset() {
    commands_->stop();
    transport_.clear();
    ethernet_.clear();
    memory_.clear();
    pds_.clear();
    cqs_.clear();
    events_.clear();
    push_pages_.clear();
    for (Port* port : ports_) port->reset();
    registers_.reset();
    registers_.set(TERN_REG_MODEL, TERN_SET32(TERN_REG_MODEL_NUMBER, identity_.model) |
                                       TERN_SET32(TERN_REG_MODEL_PORTS, identity_.ports));
    host_.clear_counters();
    doorbells_refused_ = pushes_ = 0;
    is_fatal_reported_ = false;
    firmware_->reset(host_.now_ns());
    update_timer();
}

// Registers

uint64_t Card::register_read(uint64_t offset, uint32_t size_bytes) {
    const RegisterRow* row = RegisterFile::find(offset, size_bytes);
    if (!row || row->access == RegisterAccess::WO) return 0;
    const uint64_t now = host_.now_ns();
    switch (row->offset) {
    case TERN_REG_STATUS: return TERN_SET32(TERN_REG_STATUS_STATE, firmware_->state(now));
    case TERN_REG_HEALTH_HEARTBEAT: return firmware_->heartbeat(now);
    case TERN_REG_HEALTH_SYNDROME: return firmware_->syndrome();
    case TERN_REG_CLOCK_TIME: return now;
    default: return registers_.get(static_cast<tern_register>(row->offset));
    }
}

void Card::register_write(uint64_t offset, uint64_t value, uint32_t size_bytes) {
    const RegisterRow* row = RegisterFile::find(offset, size_bytes);
    if (!row) return;
    switch (row->offset) {
    case TERN_REG_CONTROL:
        if (value & TERN_MASK64(TERN_REG_CONTROL_RESET)) reset();
        return;
    case TERN_REG_COMMAND_DOORBELL: commands_->set_prod(static_cast<uint32_t>(value)); return check_fatal();
    case TERN_REG_COMMAND_ENABLE: return write_command_enable(value);
    default: registers_.write(offset, value, size_bytes);
    }
}

void Card::write_command_enable(uint64_t value) {
    const bool was_enabled = registers_.get(TERN_REG_COMMAND_ENABLE) & TERN_MASK64(TERN_REG_COMMAND_ENABLE_ENABLED);
    registers_.write(TERN_REG_COMMAND_ENABLE, value, 4);
    const bool is_enabled = value & TERN_MASK64(TERN_REG_COMMAND_ENABLE_ENABLED);
    const bool raise_vector = value & TERN_MASK64(TERN_REG_COMMAND_ENABLE_INTERRUPT);
    if (!is_enabled) return commands_->stop();
    if (was_enabled) return commands_->set_interrupt(raise_vector);
    // Commands before the firmware is up are the driver's mistake, and are not run.
    if (firmware_->state(host_.now_ns()) != TERN_DEVICE_STATE_READY) return;
    const uint64_t config = registers_.get(TERN_REG_COMMAND_CONFIG);
    commands_->start({
        .ring = registers_.get(TERN_REG_COMMAND_RING),
        .completions = registers_.get(TERN_REG_COMMAND_COMPLETIONS),
        .depth_log2 = static_cast<uint8_t>(TERN_GET64(TERN_REG_COMMAND_CONFIG_DEPTH_LOG2, config)),
        .vector = static_cast<uint16_t>(TERN_GET64(TERN_REG_COMMAND_CONFIG_VECTOR, config)),
        .vectors = identity_.vectors,
        .raise_vector = raise_vector,
    });
    check_fatal();
}

// Doorbells

void Card::doorbell_write(uint64_t offset, uint64_t value, uint32_t size_bytes) {
    if (size_bytes != 8 || offset % 8 != 0 || offset >= uint64_t{TERN_DOORBELL_PAGE_PAIRS} * kPairBytes) return;
    const auto pair = static_cast<uint32_t>(offset / kPairBytes);
    const auto in_pair = static_cast<uint32_t>(offset % kPairBytes);
    if (in_pair < TERN_PAGE_BYTES) return ring_doorbell(pair, in_pair, value);
    const auto block = push_pages_.store(pair, in_pair - TERN_PAGE_BYTES, value);
    if (!block) return;
    ++pushes_;
    if (!transport_.push(pair, *block)) ++doorbells_refused_;
}

void Card::ring_doorbell(uint32_t pair, uint32_t offset, uint64_t value) {
    const auto number = static_cast<uint32_t>(TERN_GET64(TERN_DB_QUEUE_NUMBER, value));
    const auto prod = static_cast<uint32_t>(TERN_GET64(TERN_DB_QUEUE_PROD, value));
    switch (offset) {
    case TERN_DOORBELL_SQ:
        if (!transport_.sq_doorbell(number, prod, pair)) ++doorbells_refused_;
        return;
    case TERN_DOORBELL_RQ:
        if (!transport_.rq_doorbell(number, pair)) ++doorbells_refused_;
        return;
    case TERN_DOORBELL_CQ: return arm_cq(pair, value);
    default:
        if (pair == 0) return ring_kernel_doorbell(offset, number, value);
        ++doorbells_refused_;
    }
}

void Card::ring_kernel_doorbell(uint32_t offset, uint32_t number, uint64_t value) {
    bool is_known = true;
    if (offset == TERN_DOORBELL_EQ) {
        EventQueue* eq = events_.find(number);
        is_known = eq != nullptr;
        if (eq)
            eq->doorbell(host_, static_cast<uint32_t>(TERN_GET64(TERN_DB_EQ_CONS, value)),
                         TERN_GET64(TERN_DB_EQ_ARM, value) != 0);
    } else if (offset == TERN_DOORBELL_ETH_TX) {
        is_known = ethernet_.tx_doorbell(number, static_cast<uint32_t>(TERN_GET64(TERN_DB_QUEUE_PROD, value)));
    } else if (offset != TERN_DOORBELL_ETH_RX) {
        is_known = false;
    }
    if (!is_known) ++doorbells_refused_;
}

void Card::arm_cq(uint32_t pair, uint64_t value) {
    CompletionQueue* cq = cqs_.find(static_cast<uint32_t>(TERN_GET64(TERN_DB_CQ_NUMBER, value)));
    if (!cq || cq->config().doorbell_pair != pair) {
        ++doorbells_refused_;
        return;
    }
    cq->arm(host_, events_, static_cast<uint32_t>(value), static_cast<uint32_t>(TERN_GET64(TERN_DB_CQ_CONS, value)));
}

void Card::doorbells_lost() {
    transport_.doorbells_lost();
    ethernet_.doorbells_lost();
    cqs_.for_each([this](CompletionQueue& cq) { cq.load_arm(host_, events_); });
}

// Frames

void Card::receive_frame(Port& port, std::span<const std::byte> frame) {
    if (frame.size() < TERN_ETH_HEADER_BYTES) return port.count(TERN_PORT_COUNTER_RX_TOO_SHORT);
    if (port.settings.roce && is_roce(frame)) {
        MacAddress destination;
        std::memcpy(destination.data(), frame.data(), destination.size());
        if (port.owns_mac(destination)) return transport_.receive(port, frame);
    }
    ethernet_.receive(port, frame);
}

void Card::receive_frames(uint32_t port_index, std::span<const tern_frame> frames) {
    if (port_index >= identity_.ports) return;
    Port& port = *ports_[port_index];
    if (!port.link_up()) return;
    for (const tern_frame& frame : frames)
        receive_frame(port, std::as_bytes(std::span(frame.data, frame.length_bytes)));
    flush_ports();
    check_fatal();
    update_timer();
}

void Card::flush_ports() {
    for (Port* port : ports_) port->flush();
}

// Running

bool Card::run(uint32_t budget) {
    for (uint32_t i = 0; i < kCommandsPerRun && commands_->has_work(); ++i) commands_->run_one();
    // Each half gets a share, so that neither starves the other.
    uint32_t share = std::max(1u, budget / 2);
    const bool has_frames = ethernet_.run(share);
    const bool has_packets = transport_.run(budget);
    flush_ports();
    check_fatal();
    update_timer();
    return has_packets || has_frames || commands_->has_work();
}

void Card::timer_due() {
    const uint64_t now = host_.now_ns();
    armed_deadline_ns_ = UINT64_MAX;
    transport_.timer_due(now);
    if (now >= events_.wake_ns()) {
        events_.clear_wake();
        cqs_.for_each([&](CompletionQueue& cq) { cq.expire(host_, events_, now); });
    }
    flush_ports();
    update_timer();
}

void Card::update_timer() {
    const uint64_t deadline = std::min({transport_.deadline_ns(), events_.wake_ns(), firmware_->deadline_ns()});
    if (deadline == armed_deadline_ns_) return;
    armed_deadline_ns_ = deadline;
    host_.arm_timer(deadline);
}

// The host learns of a fatal state once, by event where it can still be told.
void Card::check_fatal() {
    if (events_.has_overrun()) firmware_->set_fatal(TERN_SYNDROME_EQ_OVERRUN);
    if (is_fatal_reported_ || firmware_->syndrome() == TERN_SYNDROME_NONE) return;
    is_fatal_reported_ = true;
    commands_->stop();
    events_.raise({.type = TERN_EVENT_DEVICE_FATAL, .subtype = static_cast<uint8_t>(firmware_->syndrome())});
}

void Card::report_link(Port& port, bool was_up) {
    if (port.link_up() == was_up) return;
    events_.raise({.type = static_cast<uint8_t>(port.link_up() ? TERN_EVENT_PORT_UP : TERN_EVENT_PORT_DOWN),
                   .port = port.number(),
                   .object = port.number(),
                   .data0 = port.link_up() ? identity_.port_speed_mbps : 0});
}

void Card::set_carrier(uint32_t port_index, bool present) {
    if (port_index >= identity_.ports) return;
    Port& port = *ports_[port_index];
    const bool was_up = port.link_up();
    port.has_carrier = present;
    report_link(port, was_up);
}

}  // namespace tern
