// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
//
// The hardware as the firmware drives it: operations on objects, in host-order
// values that the firmware has decoded and checked against limits. The
// hardware checks handles, ownership, states and addresses, and answers with
// the status that the command then carries. Control path only.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "qemu/engine/base/object_table.h"
#include "qemu/engine/base/result.h"
#include "qemu/engine/memory/memory_table.h"
#include "qemu/engine/net/port.h"
#include "qemu/engine/queues/completion_queue.h"
#include "qemu/engine/queues/event_queue.h"
#include "tern/fw/device.h"
#include "tern/fw/eth.h"
#include "tern/fw/qp.h"
#include "tern/hw/ids.h"

namespace tern {

struct QueuePairConfig {
    tern_qp_type type;
    bool is_kernel;
    bool signal_all;
    uint8_t port;  // GSI only
    uint8_t sq_depth_log2;
    bool has_rq;
    uint8_t rq_depth_log2;
    uint8_t rq_stride_log2;
    uint32_t pdn;
    uint32_t send_cqn;
    uint32_t recv_cqn;
    uint32_t doorbell_pair;
    uint32_t uidx;
    uint64_t record;
    PageList sq;
    PageList rq;
};

// struct tern_cmd_qp_attributes in host order.
struct QueuePairAttributes {
    uint8_t state = TERN_QP_STATE_RESET;
    uint8_t current_state = TERN_QP_STATE_RESET;
    uint8_t port = 0;
    uint8_t path_mtu_log2 = 0;
    uint8_t pkey_index = 0;
    uint8_t timeout = 0;
    uint8_t retry_count = 0;
    uint8_t rnr_retry = 0;
    uint8_t min_rnr_timer = 0;
    uint8_t max_rd_atomic = 0;
    uint8_t max_dest_rd_atomic = 0;
    uint8_t sqd_async = 0;
    uint32_t access = 0;
    uint32_t qkey = 0;
    uint32_t dest_qpn = 0;
    uint32_t rq_psn = 0;
    uint32_t sq_psn = 0;
    Gid dgid{};
    MacAddress dmac{};
    uint8_t sgid_index = 0;
    uint8_t hop_limit = 0;
    uint32_t flow_class = 0;
};

struct EthernetQueueConfig {
    uint8_t port;
    uint8_t depth_log2;
    uint8_t stride_log2;
    uint32_t cqn;
    uint32_t uidx;
    uint64_t record;
    PageList buffer;
};

struct ReceiveSpreading {
    bool enabled = false;
    uint8_t hash_fields = 0;
    std::array<uint8_t, TERN_RSS_KEY_BYTES> key{};
    std::array<uint32_t, TERN_RSS_TABLE_LENGTH> table{};
};

struct PortInformation {
    Port::Settings settings;
    MacAddress permanent_mac;
    bool link_up;
    uint32_t speed_mbps;
    uint8_t lanes;
};

// What is fixed about this card.
struct CardIdentity {
    uint32_t model;
    uint8_t ports;
    uint32_t port_speed_mbps;
    uint8_t port_lanes;
    uint32_t vectors;
    bool push_worthwhile;
    std::array<char, 32> serial_number;
};

// Capacity of the tables; the firmware reports the same numbers.
struct CardCapacity {
    static constexpr uint32_t kQueuePairs = 1u << 16;
    static constexpr uint32_t kCompletionQueues = 1u << 16;
    static constexpr uint32_t kMemoryRegions = 1u << 20;
    static constexpr uint32_t kProtectionDomains = 1u << 16;
    static constexpr uint32_t kEventQueues = 256;
    static constexpr uint32_t kEthernetQueues = TERN_ETH_MAX_QUEUES * TERN_MAX_PORTS;  // each direction
};

class Control {
public:
    virtual ~Control() = default;

    [[nodiscard]] virtual const CardIdentity& identity() const = 0;
    virtual void object_counts(std::span<uint64_t, TERN_DEVICE_COUNTER_SLOTS> counts) = 0;

    // Ports are numbered from 1; the firmware has checked the number.
    [[nodiscard]] virtual PortInformation port(uint8_t number) = 0;
    virtual void set_port(uint8_t number, const Port::Settings& settings) = 0;
    virtual void port_counters(uint8_t number, std::span<uint64_t, TERN_PORT_COUNTER_SLOTS> counters) = 0;
    virtual void set_gid(uint8_t number, uint16_t index, const GidEntry& entry) = 0;

    [[nodiscard]] virtual Result<uint32_t, Status> create_eq(const EventQueue::Config& config) = 0;
    [[nodiscard]] virtual Status destroy_eq(uint32_t eqn) = 0;
    [[nodiscard]] virtual Result<uint32_t, Status> create_cq(const CompletionQueue::Config& config) = 0;
    [[nodiscard]] virtual Status destroy_cq(uint32_t cqn) = 0;
    [[nodiscard]] virtual Status modify_cq(uint32_t cqn, uint16_t count, uint16_t usec) = 0;
    [[nodiscard]] virtual bool has_cq(uint32_t cqn) const = 0;
    [[nodiscard]] virtual Result<uint32_t, Status> alloc_pd(bool is_kernel) = 0;
    [[nodiscard]] virtual Status dealloc_pd(uint32_t pdn) = 0;
    [[nodiscard]] virtual bool has_pd(uint32_t pdn) const = 0;
    // NOT_PERMITTED: fast registration or all-memory on a PD that is not the kernel's.
    [[nodiscard]] virtual Result<uint32_t, Status> create_mr(const MemoryRegion& region) = 0;
    [[nodiscard]] virtual Status destroy_mr(uint32_t key) = 0;
    // NOT_PERMITTED: a kernel QP on a user PD or the other way round, GSI that is not the kernel's.
    [[nodiscard]] virtual Result<uint32_t, Status> create_qp(const QueuePairConfig& config) = 0;
    [[nodiscard]] virtual Status destroy_qp(uint32_t qpn) = 0;
    // @valid: TERN_QP_ATTR_*. BAD_STATE: no such transition, or attributes it requires are missing or it forbids.
    // BAD_PARAMETER: no GID at sgid_index.
    [[nodiscard]] virtual Status modify_qp(uint32_t qpn, uint32_t valid, const QueuePairAttributes& attributes) = 0;
    [[nodiscard]] virtual Result<QueuePairAttributes, Status> query_qp(uint32_t qpn) = 0;
    // NOT_PERMITTED: the CQ is a user's.
    [[nodiscard]] virtual Result<uint32_t, Status> create_txq(const EthernetQueueConfig& config) = 0;
    [[nodiscard]] virtual Status destroy_txq(uint32_t number) = 0;
    [[nodiscard]] virtual Result<uint32_t, Status> create_rxq(const EthernetQueueConfig& config) = 0;
    [[nodiscard]] virtual Status destroy_rxq(uint32_t number) = 0;
    [[nodiscard]] virtual Status set_rss(uint8_t port, const ReceiveSpreading& spreading) = 0;
};

}  // namespace tern
