// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
//
// The netdev half of the card: transmit and receive queues of both ports.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "qemu/engine/api/control.h"
#include "qemu/engine/net/port.h"
#include "qemu/engine/queues/receive_queue.h"
#include "qemu/engine/queues/send_queue.h"

namespace tern {

class Ethernet {
public:
    struct Rooms {
        Host& host;
        MemoryTable& memory;
        CompletionQueueTable& cqs;
        EventQueueTable& events;
        std::span<Port* const> ports;
    };

    Ethernet(const Rooms& rooms, const Permutation& txq_numbers, const Permutation& rxq_numbers);

    // Control path; the card has checked the CQ and counts its users.
    [[nodiscard]] Result<uint32_t, Status> create_txq(const EthernetQueueConfig& config);
    [[nodiscard]] Status destroy_txq(uint32_t number);
    [[nodiscard]] const EthernetQueueConfig* txq_config(uint32_t number) const;
    [[nodiscard]] Result<uint32_t, Status> create_rxq(const EthernetQueueConfig& config);
    // BUSY while a spreading that is enabled names it.
    [[nodiscard]] Status destroy_rxq(uint32_t number);
    [[nodiscard]] const EthernetQueueConfig* rxq_config(uint32_t number) const;
    // BAD_HANDLE: a number in the table is no receive queue of this port.
    [[nodiscard]] Status set_rss(uint8_t port, const ReceiveSpreading& spreading);
    [[nodiscard]] uint32_t txq_count() const { return txqs_.count(); }
    [[nodiscard]] uint32_t rxq_count() const { return rxqs_.count(); }
    void clear();

    [[nodiscard]] bool tx_doorbell(uint32_t number, uint32_t prod);
    void doorbells_lost();

    // A frame for the host: filtered by address, spread, scattered.
    void receive(Port& port, std::span<const std::byte> frame);
    // Sends from queues that have work, in turn. True: more can be done now.
    [[nodiscard]] bool run(uint32_t& budget);

private:
    struct TransmitQueue {
        TransmitQueue(uint32_t number, const EthernetQueueConfig& queue_config);
        const EthernetQueueConfig config;
        SendQueue queue;
    };
    struct ReceiveSide {
        explicit ReceiveSide(const EthernetQueueConfig& queue_config);
        const EthernetQueueConfig config;
        ReceiveQueue queue;
    };

    [[nodiscard]] bool run_queue(TransmitQueue& txq, uint32_t& budget);
    [[nodiscard]] bool transmit(Port& port, const SendWqe& wqe);
    void complete(const EthernetQueueConfig& config, Completion completion);
    [[nodiscard]] ReceiveSide* choose_queue(const Port& port, std::span<const std::byte> frame, uint32_t& hash);
    [[nodiscard]] tern_port_counter place(ReceiveSide& rxq, std::span<const std::byte> frame, uint32_t hash,
                                          Port& port);

    Rooms rooms_;
    ObjectTable<TransmitQueue> txqs_;
    ObjectTable<ReceiveSide> rxqs_;
    std::array<ReceiveSpreading, TERN_MAX_PORTS> spreading_{};
};

// Whether a frame with this destination is for the port (SET_RX_MODE).
[[nodiscard]] bool accepts_address(const Port& port, std::span<const std::byte> frame);

}  // namespace tern
