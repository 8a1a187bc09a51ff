// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
//
// The card: all rooms together. Its inputs are those of the C ABI, its Control
// side is what the firmware drives. Calls do not overlap (engine_c.h).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "qemu/engine/api/command_sink.h"
#include "qemu/engine/api/control.h"
#include "qemu/engine/api/engine_c.h"
#include "qemu/engine/card/push_page.h"
#include "qemu/engine/eth/ethernet.h"
#include "qemu/engine/queues/command_queue.h"
#include "qemu/engine/regs/register_file.h"
#include "qemu/engine/transport/transport.h"

namespace tern {

class Card final : public Control {
public:
    Card(const tern_engine_config& config, const tern_host_ops& ops, void* host);

    // The firmware takes commands from now on; it outlives the card's use.
    void connect(CommandSink& firmware);

    // Inputs, as in engine_c.h
    void reset();
    [[nodiscard]] uint64_t register_read(uint64_t offset, uint32_t size_bytes);
    void register_write(uint64_t offset, uint64_t value, uint32_t size_bytes);
    void doorbell_write(uint64_t offset, uint64_t value, uint32_t size_bytes);
    void doorbells_lost();
    void receive_frames(uint32_t port_index, std::span<const tern_frame> frames);
    [[nodiscard]] bool run(uint32_t budget);
    void timer_due();
    void set_carrier(uint32_t port_index, bool present);
    void set_bus_master(bool enabled) { host_.set_bus_master(enabled); }
    void drop_mappings() { memory_.drop_mappings(); }

    // Control
    [[nodiscard]] const CardIdentity& identity() const override { return identity_; }
    void object_counts(std::span<uint64_t, TERN_DEVICE_COUNTER_SLOTS> counts) override;
    [[nodiscard]] PortInformation port(uint8_t number) override;
    void set_port(uint8_t number, const Port::Settings& settings) override;
    void port_counters(uint8_t number, std::span<uint64_t, TERN_PORT_COUNTER_SLOTS> counters) override;
    void set_gid(uint8_t number, uint16_t index, const GidEntry& entry) override;
    [[nodiscard]] Result<uint32_t, Status> create_eq(const EventQueue::Config& config) override;
    [[nodiscard]] Status destroy_eq(uint32_t eqn) override;
    [[nodiscard]] Result<uint32_t, Status> create_cq(const CompletionQueue::Config& config) override;
    [[nodiscard]] Status destroy_cq(uint32_t cqn) override;
    [[nodiscard]] Status modify_cq(uint32_t cqn, uint16_t count, uint16_t usec) override;
    [[nodiscard]] bool has_cq(uint32_t cqn) const override { return cqs_.find(cqn) != nullptr; }
    [[nodiscard]] Result<uint32_t, Status> alloc_pd(bool is_kernel) override;
    [[nodiscard]] Status dealloc_pd(uint32_t pdn) override;
    [[nodiscard]] bool has_pd(uint32_t pdn) const override { return pds_.find(pdn) != nullptr; }
    [[nodiscard]] Result<uint32_t, Status> create_mr(const MemoryRegion& region) override;
    [[nodiscard]] Status destroy_mr(uint32_t key) override;
    [[nodiscard]] Result<uint32_t, Status> create_qp(const QueuePairConfig& config) override;
    [[nodiscard]] Status destroy_qp(uint32_t qpn) override;
    [[nodiscard]] Status modify_qp(uint32_t qpn, uint32_t valid, const QueuePairAttributes& attributes) override;
    [[nodiscard]] Result<QueuePairAttributes, Status> query_qp(uint32_t qpn) override;
    [[nodiscard]] Result<uint32_t, Status> create_txq(const EthernetQueueConfig& config) override;
    [[nodiscard]] Status destroy_txq(uint32_t number) override;
    [[nodiscard]] Result<uint32_t, Status> create_rxq(const EthernetQueueConfig& config) override;
    [[nodiscard]] Status destroy_rxq(uint32_t number) override;
    [[nodiscard]] Status set_rss(uint8_t port, const ReceiveSpreading& spreading) override;

private:
    struct ProtectionDomain {
        bool is_kernel = false;
        uint32_t users = 0;  // QPs and MRs
    };

    void write_command_enable(uint64_t value);
    void ring_doorbell(uint32_t pair, uint32_t offset, uint64_t value);
    void ring_kernel_doorbell(uint32_t offset, uint32_t number, uint64_t value);
    void arm_cq(uint32_t pair, uint64_t value);
    void receive_frame(Port& port, std::span<const std::byte> frame);
    [[nodiscard]] Port& port_at(uint8_t number) { return *ports_[number - 1u]; }
    void report_link(Port& port, bool was_up);
    void check_fatal();
    void flush_ports();
    void update_timer();
    [[nodiscard]] Status check_qp(const QueuePairConfig& config);
    void use_queues(const QueuePairConfig& config, int32_t change);
    [[nodiscard]] bool use_cq(uint32_t cqn, int32_t change);
    [[nodiscard]] Status check_kernel_cq(uint32_t cqn) const;

    const CardIdentity identity_;
    Host host_;
    CommandSink* firmware_ = nullptr;
    const uint64_t seed_[2];
    // Permutations before the tables that refer to them.
    const Permutation eq_numbers_, cq_numbers_, pd_numbers_, mr_keys_, qp_numbers_, txq_numbers_, rxq_numbers_;
    RegisterFile registers_;
    std::unique_ptr<CommandQueue> commands_;
    EventQueueTable events_;
    CompletionQueueTable cqs_;
    ObjectTable<ProtectionDomain> pds_;
    MemoryTable memory_;
    std::array<std::unique_ptr<Port>, TERN_MAX_PORTS> port_objects_;
    std::array<Port*, TERN_MAX_PORTS> ports_{};
    Transport transport_;
    Ethernet ethernet_;
    PushPages push_pages_;
    uint64_t doorbells_refused_ = 0;
    uint64_t pushes_ = 0;
    uint64_t armed_deadline_ns_ = UINT64_MAX;
    bool is_fatal_reported_ = false;
};

}  // namespace tern
