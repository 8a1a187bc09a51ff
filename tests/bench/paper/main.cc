// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
//
// The interface on paper: bytes on PCIe and on the wire for each message, from
// the sizes in the contract, and the ceilings that follow. Prints
// `row,value,unit[,value of a card with CQEs of 64 bytes]`. What a card would do; the emulated one has no PCIe link.
#include <tern/hw/cqe.h>
#include <tern/hw/doorbell.h>
#include <tern/hw/limits.h>
#include <tern/hw/wqe.h>
#include <tern/wire/roce.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

namespace {

// PCIe 5.0 x16: 32 GT/s, 16 lanes, 128b/130b, in bytes per second each way.
constexpr double kLinkBytes = 32e9 * 16 * 128 / 130 / 8;
// Framing and sequence number, header, LCRC of a TLP; addresses above 4 GiB.
constexpr double kRequestBytes = 4 + 16 + 4;
constexpr double kCompletionBytes = 4 + 12 + 4;
constexpr double kMaxPayload = 256;
constexpr double kMaxRead = 512;
constexpr double kWireBytes = 400e9 / 8;

// What one message moves, host to card and card to host.
struct Traffic {
    double down = 0;
    double up = 0;

    Traffic operator+(Traffic other) const { return {down + other.down, up + other.up}; }
    Traffic operator/(double messages) const { return {down / messages, up / messages}; }
};

Traffic host_writes(double bytes) { return {std::ceil(bytes / kMaxPayload) * kRequestBytes + bytes, 0}; }

Traffic card_writes(double bytes) { return {0, std::ceil(bytes / kMaxPayload) * kRequestBytes + bytes}; }

Traffic card_reads(double bytes) {
    return {std::ceil(bytes / kMaxPayload) * kCompletionBytes + bytes, std::ceil(bytes / kMaxRead) * kRequestBytes};
}

constexpr double kWqe = TERN_SQ_BLOCK_BYTES;
constexpr double kCqe = sizeof(tern_cqe);
constexpr double kPeerCqe = 64;
constexpr double kDoorbell = 8;
constexpr double kReceiveWqe = sizeof(tern_sge);
constexpr double kBatch = 32;
constexpr double kModeration = 64;
// Entries that one read brings.
constexpr double kWqesPerRead = kMaxRead / kWqe;
constexpr double kReceivesPerRead = 64 / kReceiveWqe;

double ceiling(Traffic traffic) { return kLinkBytes / std::max(traffic.down, traffic.up) / 1e6; }

// @path: what moves, by the bytes of a CQE.
template <typename Path>
void print_path(const std::string& name, Path path) {
    const Traffic ours = path(kCqe), theirs = path(kPeerCqe);
    const char* row = name.c_str();
    std::printf("%s down,%.1f,bytes,%.1f\n", row, ours.down, theirs.down);
    std::printf("%s up,%.1f,bytes,%.1f\n", row, ours.up, theirs.up);
    std::printf("%s ceiling,%.0f,M messages/s,%.0f\n", row, ceiling(ours), ceiling(theirs));
}

void print_paths() {
    const Traffic batched = host_writes(kDoorbell) / kBatch + card_reads(kMaxRead) / kWqesPerRead;
    const Traffic gather = card_reads(64);
    print_path("pcie.write_8.pushed_signaled", [](double cqe) { return host_writes(kWqe) + card_writes(cqe); });
    print_path("pcie.write_8.doorbell_signaled",
               [](double cqe) { return host_writes(kDoorbell) + card_reads(kWqe) + card_writes(cqe); });
    print_path("pcie.write_8.batched_unsignaled", [&](double cqe) { return batched + card_writes(cqe) / kModeration; });
    print_path("pcie.write_64.doorbell_signaled",
               [&](double cqe) { return host_writes(kDoorbell) + card_reads(kWqe) + gather + card_writes(cqe); });
    print_path("pcie.write_64.batched_unsignaled",
               [&](double cqe) { return batched + gather + card_writes(cqe) / kModeration; });
    // At worst the card reads the record again for each fetch.
    const Traffic receive = (card_reads(sizeof(__le32)) + card_reads(64)) / kReceivesPerRead;
    print_path("pcie.receive_64", [&](double cqe) { return receive + card_writes(64) + card_writes(cqe); });
    print_path("pcie.written_8", [](double) { return card_writes(8); });
    print_path("pcie.read_response_64", [&](double) { return gather; });
}

// Preamble and gap, then headers and trailers of every packet.
constexpr double kPacketBytes = 8 + 12 + TERN_ETH_HEADER_BYTES + TERN_IPV4_HEADER_BYTES + TERN_UDP_HEADER_BYTES +
                                TERN_BTH_BYTES + TERN_ICRC_BYTES + 4;

double wire_bytes(double message, double mtu) {
    return message + std::max(1.0, std::ceil(message / mtu)) * kPacketBytes + TERN_RETH_BYTES;
}

void print_wire() {
    std::printf("wire.write_8 ceiling,%.0f,M messages/s\n", kWireBytes / wire_bytes(8, 4096) / 1e6);
    for (int mtu = 256; mtu <= 4096; mtu *= 2)
        std::printf("wire.write_64k.mtu_%d ceiling,%.1f,Gb/s\n", mtu, 400 * 65536 / wire_bytes(65536, mtu));
}

}  // namespace

int main() {
    print_paths();
    print_wire();
    return 0;
}
