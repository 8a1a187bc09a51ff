// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
#include "qemu/engine/transport/requester.h"

#include <algorithm>

#include "qemu/engine/transport/gather.h"
#include "tern/hw/wqe.h"

namespace tern::requester {

namespace {

// Packets on their way at most; bounds what a go-back repeats. The responses of
// READs that are the oldest do not count, the initiator depth bounds them.
constexpr int32_t kWindowPackets = 256;
// PSNs on their way at most: further apart two of them have no order (IBTA 9.7.2).
constexpr uint32_t kMaxPsnsOut = 1u << 23;
// The peer is asked for an ACK this often within long messages.
constexpr uint32_t kAckRequestInterval = 16;

bool is_read(uint8_t opcode) { return opcode == TERN_WQE_OP_RDMA_READ; }

bool is_atomic(uint8_t opcode) {
    return opcode == TERN_WQE_OP_ATOMIC_CMP_AND_SWP || opcode == TERN_WQE_OP_ATOMIC_FETCH_AND_ADD;
}

bool is_local(uint8_t opcode) { return opcode == TERN_WQE_OP_LOCAL_INV || opcode == TERN_WQE_OP_REG_MR; }

// Request packets, or for a READ response packets: what the WQE takes of the PSN space.
uint32_t packets_of(const SendWqe& wqe, uint32_t mtu_log2) {
    if (is_atomic(wqe.opcode)) return 1;
    const uint64_t packets = (wqe.length_bytes + (uint64_t{1} << mtu_log2) - 1) >> mtu_log2;
    return static_cast<uint32_t>(std::max<uint64_t>(packets, 1));
}

// What is wrong with a WQE before any packet of it is sent.
uint8_t check_wqe(const Qp& qp, const SendWqe& wqe) {
    if (wqe.length_bytes > TERN_MAX_MESSAGE_BYTES) return TERN_CQE_STATUS_LOCAL_LENGTH;
    if (is_atomic(wqe.opcode) && wqe.length_bytes != sizeof(uint64_t)) return TERN_CQE_STATUS_LOCAL_LENGTH;
    if (wqe.opcode == TERN_WQE_OP_REG_MR && !qp.config.is_kernel) return TERN_CQE_STATUS_LOCAL_QP_OPERATION;
    if ((is_read(wqe.opcode) || is_atomic(wqe.opcode)) && qp.attributes.max_rd_atomic == 0)
        return TERN_CQE_STATUS_LOCAL_QP_OPERATION;
    return TERN_CQE_STATUS_SUCCESS;
}

uint8_t execute_local(Transport& transport, Qp& qp, const SendWqe& wqe) {
    MemoryTable& memory = transport.rooms.memory;
    if (wqe.opcode == TERN_WQE_OP_LOCAL_INV)
        return memory.invalidate(qp.user(), wqe.immediate) ? TERN_CQE_STATUS_SUCCESS : TERN_CQE_STATUS_MW_BIND;
    const MemoryTable::Registration registration = {
        .key = wqe.registration_key,
        .access = wqe.registration_access,
        .iova = wqe.registration_iova,
        .length_bytes = wqe.registration_length_bytes,
        .page_list = wqe.registration_page_list,
        .page_count = wqe.registration_page_count,
        .page_shift = wqe.registration_page_shift,
    };
    return memory.fast_register(qp.user(), registration) ? TERN_CQE_STATUS_SUCCESS : TERN_CQE_STATUS_MW_BIND;
}

// A new entry at the tail for the WQE in requester.wqe.
PendingSend& append(Qp& qp, uint8_t status) {
    RequesterState& state = qp.requester;
    const SendWqe& wqe = state.wqe;
    state.wqe_entry = state.tail;
    PendingSend& send = state.entry(state.tail++);
    send = {
        .start = wqe.start,
        .opcode = wqe.opcode,
        .is_signaled = wqe.is_signaled || qp.config.signal_all,
        .needs_response = is_read(wqe.opcode) || is_atomic(wqe.opcode),
        .is_local = status != TERN_CQE_STATUS_SUCCESS || is_local(wqe.opcode),
        .status = status,
        .vendor_error = 0,
        .length_bytes = static_cast<uint32_t>(wqe.length_bytes),
        .first_psn = state.next_psn,
        .last_psn = state.next_psn,
    };
    state.is_blocked = status != TERN_CQE_STATUS_SUCCESS;
    return send;
}

void append_failed(Qp& qp, uint8_t status) {
    SendWqe& wqe = qp.requester.wqe;
    wqe.length_bytes = 0;
    append(qp, status);
}

bool fits_psn_space(const Qp& qp, const SendWqe& wqe) {
    const RequesterState& state = qp.requester;
    const uint32_t out = (state.next_psn - state.unacked.value()).value();
    return state.pending_count() == 0 || out + packets_of(wqe, qp.attributes.path_mtu_log2) <= kMaxPsnsOut;
}

// Whether the WQE must wait for earlier ones (IBTA 10.8.3.3: fence; READ and
// atomic limit; an invalidation waits for all that might use the key). With a
// limit of 0 there is nothing to wait for: check_wqe() refuses it.
bool must_wait(const Qp& qp, const SendWqe& wqe) {
    const RequesterState& state = qp.requester;
    if (wqe.is_fenced && state.outstanding_responses > 0) return true;
    if (wqe.opcode == TERN_WQE_OP_LOCAL_INV) return state.pending_count() > 0;
    if (!fits_psn_space(qp, wqe)) return true;
    const uint32_t limit = qp.attributes.max_rd_atomic;
    return (is_read(wqe.opcode) || is_atomic(wqe.opcode)) && limit != 0 && state.outstanding_responses >= limit;
}

enum class Fetch : uint8_t { kPackets, kNoPackets, kWait };

uint8_t status_of(WqeError error) {
    return error == WqeError::kFault ? TERN_CQE_STATUS_LOCAL_PROTECTION : TERN_CQE_STATUS_LOCAL_QP_OPERATION;
}

// Takes requester.wqe in: gives it PSNs, or does what needs none.
Fetch admit(Transport& transport, Qp& qp) {
    RequesterState& state = qp.requester;
    const SendWqe& wqe = state.wqe;
    uint8_t status = check_wqe(qp, wqe);
    if (status == TERN_CQE_STATUS_SUCCESS && is_local(wqe.opcode)) status = execute_local(transport, qp, wqe);
    PendingSend& send = append(qp, status);
    if (send.is_local) return Fetch::kNoPackets;
    const uint32_t packets = packets_of(wqe, qp.attributes.path_mtu_log2);
    send.last_psn = state.next_psn + (packets - 1);
    state.next_psn = send.last_psn + 1;
    if (send.needs_response) ++state.outstanding_responses;
    return Fetch::kPackets;
}

// The next WQE of the queue becomes the pending entry at the cursor.
Fetch fetch(Transport& transport, Qp& qp) {
    RequesterState& state = qp.requester;
    if (state.is_blocked || state.is_full() || qp.sq.is_empty() || qp.state() != TERN_QP_STATE_RTS) return Fetch::kWait;
    state.wqe_entry = UINT32_MAX;
    const auto seen = qp.sq.peek(transport.rooms.host, state.wqe);
    if (seen && must_wait(qp, state.wqe)) return Fetch::kWait;
    qp.sq.advance(state.wqe);
    if (seen) return admit(transport, qp);
    append_failed(qp, status_of(seen.error()));
    return Fetch::kNoPackets;
}

struct Position {
    bool is_first;
    bool is_last;
    uint32_t offset_bytes;
    uint32_t payload_bytes;
};

Position position_of(const Qp& qp, const PendingSend& send, Psn psn) {
    const auto packet = static_cast<uint32_t>(psn.distance_from(send.first_psn));
    const uint32_t offset = packet << qp.attributes.path_mtu_log2;
    return {psn == send.first_psn, psn == send.last_psn, offset, std::min(send.length_bytes - offset, qp.mtu_bytes())};
}

struct PacketKinds {
    uint8_t first, middle, last, only;
};

PacketKinds kinds_of(uint8_t opcode) {
    switch (opcode) {
    case TERN_WQE_OP_SEND:
        return {TERN_BTH_RC_SEND_FIRST, TERN_BTH_RC_SEND_MIDDLE, TERN_BTH_RC_SEND_LAST, TERN_BTH_RC_SEND_ONLY};
    case TERN_WQE_OP_SEND_WITH_IMM:
        return {TERN_BTH_RC_SEND_FIRST, TERN_BTH_RC_SEND_MIDDLE, TERN_BTH_RC_SEND_LAST_WITH_IMM,
                TERN_BTH_RC_SEND_ONLY_WITH_IMM};
    case TERN_WQE_OP_SEND_WITH_INV:
        return {TERN_BTH_RC_SEND_FIRST, TERN_BTH_RC_SEND_MIDDLE, TERN_BTH_RC_SEND_LAST_WITH_INV,
                TERN_BTH_RC_SEND_ONLY_WITH_INV};
    case TERN_WQE_OP_RDMA_WRITE_WITH_IMM:
        return {TERN_BTH_RC_WRITE_FIRST, TERN_BTH_RC_WRITE_MIDDLE, TERN_BTH_RC_WRITE_LAST_WITH_IMM,
                TERN_BTH_RC_WRITE_ONLY_WITH_IMM};
    default: return {TERN_BTH_RC_WRITE_FIRST, TERN_BTH_RC_WRITE_MIDDLE, TERN_BTH_RC_WRITE_LAST, TERN_BTH_RC_WRITE_ONLY};
    }
}

// The opcodes of UC are those of RC in another service.
static_assert(TERN_BTH_UC_SEND_FIRST - TERN_BTH_RC_SEND_FIRST ==
              TERN_BTH_UC_WRITE_ONLY_WITH_IMM - TERN_BTH_RC_WRITE_ONLY_WITH_IMM);
uint8_t service_of(const Qp& qp) { return qp.is_uc() ? TERN_BTH_UC_SEND_FIRST - TERN_BTH_RC_SEND_FIRST : 0; }

uint8_t opcode_of(const PendingSend& send, const Position& position) {
    if (is_read(send.opcode)) return TERN_BTH_RC_READ_REQUEST;
    if (send.opcode == TERN_WQE_OP_ATOMIC_CMP_AND_SWP) return TERN_BTH_RC_COMPARE_SWAP;
    if (send.opcode == TERN_WQE_OP_ATOMIC_FETCH_AND_ADD) return TERN_BTH_RC_FETCH_ADD;
    const PacketKinds kinds = kinds_of(send.opcode);
    if (position.is_first) return position.is_last ? kinds.only : kinds.first;
    return position.is_last ? kinds.last : kinds.middle;
}

ExtendedHeaders headers_of(const SendWqe& wqe, const PendingSend& send, const Position& position) {
    ExtendedHeaders headers;
    // A READ that resumes asks only for what is missing (IBTA 9.7.5.1.3).
    const uint32_t done = is_read(send.opcode) ? position.offset_bytes : 0;
    headers.remote_address = wqe.remote_address + done;
    headers.rkey = wqe.rkey;
    headers.dma_length = send.length_bytes - done;
    headers.swap_or_add = wqe.swap_or_add;
    headers.compare = wqe.compare;
    headers.immediate = wqe.immediate;
    headers.invalidate_key = wqe.immediate;
    return headers;
}

bool wants_ack(Qp& qp, const PendingSend& send, const Position& position) {
    if (qp.is_uc()) return false;
    RequesterState& state = qp.requester;
    const bool wants =
        position.is_last || send.needs_response || ++state.packets_since_ack_request >= kAckRequestInterval;
    if (wants) state.packets_since_ack_request = 0;
    return wants;
}

// The WQE at the cursor failed while its packets were being made: it is
// reported once all before it are done, and nothing after it is sent.
void fail_here(Transport& transport, Qp& qp, uint8_t status) {
    RequesterState& state = qp.requester;
    PendingSend& send = state.entry(state.cursor);
    send.status = status;
    send.is_local = true;
    state.is_blocked = true;
    retire_local(transport, qp);
}

// Sends the packet at send_psn. False: the WQE failed here.
bool send_packet(Transport& transport, Qp& qp) {
    RequesterState& state = qp.requester;
    const PendingSend& send = state.entry(state.cursor);
    const Position position = position_of(qp, send, state.send_psn);
    const MacAddress& destination = qp.attributes.dmac;
    const bool is_solicited = state.wqe.is_solicited && position.is_last && !send.needs_response;
    const auto opcode = static_cast<uint8_t>(service_of(qp) + opcode_of(send, position));
    const BthFields bth = {opcode, qp.attributes.dest_qpn, state.send_psn.value(), is_solicited,
                           wants_ack(qp, send, position)};
    PacketBuilder builder(transport.begin_frame(qp, destination), qp.path, bth, headers_of(state.wqe, send, position));
    if (!send.needs_response) {
        const auto payload = builder.payload(position.payload_bytes);
        if (!gather_wqe(transport.rooms.memory, qp.user(), state.wqe, position.offset_bytes, payload)) return false;
    }
    transport.send_frame(qp, destination, builder.finish());
    return true;
}

// Moves send_psn past the packet just sent, and the cursor past the WQE at its end.
void advance(RequesterState& state, const PendingSend& send) {
    const bool is_whole = send.needs_response || state.send_psn == send.last_psn;
    state.send_psn = is_whole ? send.last_psn + 1 : state.send_psn + 1;
    if (is_whole) ++state.cursor;
}

bool accepts_work(const Qp& qp) { return qp.state() == TERN_QP_STATE_RTS || qp.state() == TERN_QP_STATE_SQD; }

// Nobody answers: what has been sent is done.
void settle(Transport& transport, Qp& qp) {
    RequesterState& state = qp.requester;
    state.unacked = state.highest_psn = state.send_psn;
    if (state.cursor == state.head) return;
    retire_head(transport, qp, TERN_CQE_STATUS_SUCCESS, 0);
    retire_local(transport, qp);
}

bool is_window_full(const RequesterState& state) {
    Psn base = state.unacked;
    if (state.send_psn.distance_from(base) < kWindowPackets) return false;
    for (uint32_t entry = state.head; entry != state.cursor; ++entry) {
        const PendingSend& send = state.entry(entry);
        if (!send.needs_response && !send.is_local) break;
        if (!send.is_local) base = send.last_psn + 1;
    }
    return state.send_psn.distance_from(base) >= kWindowPackets;
}

// Steps over WQEs without packets. False: the cursor stands on one that failed.
bool skip_local(RequesterState& state) {
    for (; state.cursor != state.tail && state.entry(state.cursor).is_local; ++state.cursor)
        if (state.entry(state.cursor).status != TERN_CQE_STATUS_SUCCESS) return false;
    return true;
}

// Makes sure that the cursor stands on an entry with packets whose WQE is decoded.
bool prepare(Transport& transport, Qp& qp, uint32_t& budget) {
    RequesterState& state = qp.requester;
    if (!skip_local(state)) return false;
    while (state.cursor == state.tail) {
        if (budget == 0) return false;
        const Fetch fetched = fetch(transport, qp);
        if (fetched == Fetch::kWait) return false;
        if (fetched == Fetch::kPackets) break;
        --budget;
        retire_local(transport, qp);
        if (qp.state() != TERN_QP_STATE_RTS || !skip_local(state)) return false;
    }
    if (state.wqe_entry == state.cursor) return true;
    state.wqe_entry = state.cursor;
    if (refetch(transport, qp, state.cursor, state.wqe)) return true;
    fail_here(transport, qp, TERN_CQE_STATUS_LOCAL_QP_OPERATION);
    return false;
}

void start_ack_timer(Transport& transport, Qp& qp) {
    // 4.096 us * 2^timeout; 0: never
    qp.requester.ack_deadline_ns =
        qp.attributes.timeout ? transport.rooms.host.now_ns() + (uint64_t{4096} << qp.attributes.timeout) : UINT64_MAX;
    transport.update_timer(qp);
}

// What a packet that has been sent changes.
void pass_packet(Transport& transport, Qp& qp) {
    RequesterState& state = qp.requester;
    if (state.send_psn.is_before(state.highest_psn)) transport.port_of(qp).count(TERN_PORT_COUNTER_RETRANSMITTED);
    advance(state, state.entry(state.cursor));
    if (qp.is_uc()) return settle(transport, qp);
    if (state.highest_psn.is_before(state.send_psn)) state.highest_psn = state.send_psn;
    if (state.ack_deadline_ns == UINT64_MAX) restart_ack_timer(transport, qp);
}

// The source GID is gone: as if what cannot be sent were lost, until the retries
// are used up or the GID is back. False, as from run().
bool wait_for_path(Transport& transport, Qp& qp) {
    if (qp.requester.ack_deadline_ns == UINT64_MAX) start_ack_timer(transport, qp);
    return false;
}

}  // namespace

bool refetch(Transport& transport, Qp& qp, uint32_t entry, SendWqe& wqe) {
    const PendingSend& send = qp.requester.entry(entry);
    return qp.sq.refetch(transport.rooms.host, send.start, wqe).ok() && wqe.opcode == send.opcode &&
           wqe.length_bytes == send.length_bytes;
}

bool run(Transport& transport, Qp& qp, uint32_t& budget) {
    RequesterState& state = qp.requester;
    if (!accepts_work(qp)) return false;
    if (state.rnr_deadline_ns != UINT64_MAX) return false;
    while (budget > 0) {
        if (is_window_full(state) || !prepare(transport, qp, budget)) return budget == 0;
        const bool has_path = transport.path_header(qp) != nullptr;
        if (!has_path && !qp.is_uc()) return wait_for_path(transport, qp);
        if (!transport.has_room(qp, qp.attributes.dmac)) return false;
        --budget;
        if (has_path && !send_packet(transport, qp)) {
            fail_here(transport, qp, TERN_CQE_STATUS_LOCAL_PROTECTION);
            return false;
        }
        pass_packet(transport, qp);
        if (!accepts_work(qp)) return false;
    }
    return true;
}

void go_back(Qp& qp, Psn psn) {
    RequesterState& state = qp.requester;
    if (!psn.is_before(state.send_psn)) return;
    uint32_t entry = state.head;
    while (entry != state.tail && (state.entry(entry).is_local || state.entry(entry).last_psn.is_before(psn))) ++entry;
    if (entry == state.tail) return;
    state.cursor = entry;
    state.send_psn = psn;
}

void restart_ack_timer(Transport& transport, Qp& qp) {
    RequesterState& state = qp.requester;
    if (state.unacked.is_before(state.send_psn)) return start_ack_timer(transport, qp);
    state.ack_deadline_ns = UINT64_MAX;
}

void ack_timer_due(Transport& transport, Qp& qp, uint64_t now_ns) {
    RequesterState& state = qp.requester;
    if (now_ns < state.ack_deadline_ns) return;
    state.ack_deadline_ns = UINT64_MAX;
    if (state.pending_count() == 0) return;
    transport.port_of(qp).count(TERN_PORT_COUNTER_ACK_TIMEOUT);
    if (state.retries_left == 0) return fail_head(transport, qp, TERN_CQE_STATUS_RETRY_EXCEEDED, 0);
    --state.retries_left;
    state.has_implied_nak = false;
    go_back(qp, state.unacked);
    transport.make_runnable(qp);
}

void rnr_timer_due(Qp& qp) { qp.requester.rnr_deadline_ns = UINT64_MAX; }

void retire_head(Transport& transport, Qp& qp, uint8_t status, uint32_t vendor_error) {
    RequesterState& state = qp.requester;
    const PendingSend send = state.entry(state.head);
    if (send.needs_response && !send.is_local) --state.outstanding_responses;
    if (state.cursor == state.head) state.cursor = state.head + 1;
    ++state.head;
    if (send.is_signaled || status != TERN_CQE_STATUS_SUCCESS) transport.complete_send(qp, send, status, vendor_error);
}

void retire_local(Transport& transport, Qp& qp) {
    RequesterState& state = qp.requester;
    while (state.pending_count() && state.entry(state.head).is_local) {
        const PendingSend& send = state.entry(state.head);
        if (send.status != TERN_CQE_STATUS_SUCCESS) return fail_head(transport, qp, send.status, send.vendor_error);
        retire_head(transport, qp, TERN_CQE_STATUS_SUCCESS, 0);
    }
}

void fail_head(Transport& transport, Qp& qp, uint8_t status, uint32_t vendor_error) {
    if (status == TERN_CQE_STATUS_RETRY_EXCEEDED || status == TERN_CQE_STATUS_RNR_RETRY_EXCEEDED)
        transport.port_of(qp).count(TERN_PORT_COUNTER_RETRY_EXCEEDED);
    retire_head(transport, qp, status, vendor_error);
    transport.set_state(qp, qp.is_uc() ? TERN_QP_STATE_SQE : TERN_QP_STATE_ERR);
}

void start(Qp& qp) {
    RequesterState& state = qp.requester;
    state.next_psn = state.unacked = state.send_psn = state.highest_psn = Psn(qp.attributes.sq_psn);
    state.retries_left = qp.attributes.retry_count;
    state.rnr_retries_left = qp.attributes.rnr_retry;
}

void resume(Qp& qp) {
    RequesterState& state = qp.requester;
    state.cursor = state.head = state.tail;
    state.send_psn = state.unacked = state.highest_psn = state.next_psn;
    state.wqe_entry = UINT32_MAX;
    state.is_blocked = false;
}

void reset(Qp& qp) {
    RequesterState fresh;
    fresh.pending = std::move(qp.requester.pending);  // its size stays
    qp.requester = std::move(fresh);
    qp.sq.reset();
}

}  // namespace tern::requester
