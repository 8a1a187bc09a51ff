// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
#include "qemu/engine/queues/command_queue.h"

#include <algorithm>
#include <cstring>

#include "qemu/engine/base/endian.h"
#include "tern/hw/limits.h"
#include "tern/hw/ring.h"

namespace tern {

namespace {

bool is_mailbox(uint64_t address) { return address != 0 && address % TERN_COMMAND_MAILBOX_BYTES == 0; }

bool is_zero(std::span<const std::byte> bytes) {
    return std::ranges::all_of(bytes, [](std::byte byte) { return byte == std::byte{0}; });
}

}  // namespace

void CommandQueue::start(const Config& config) {
    config_ = config;
    prod_ = cons_ = completed_ = 0;
    is_running_ = config.depth_log2 >= TERN_RING_MIN_DEPTH_LOG2 && config.depth_log2 <= TERN_COMMAND_MAX_DEPTH_LOG2 &&
                  config.ring != 0 && config.completions != 0 && config.vector < config.vectors;
    if (!is_running_) fail();
}

void CommandQueue::stop() { is_running_ = false; }

void CommandQueue::fail() {
    is_running_ = false;
    sink_.set_fatal(TERN_SYNDROME_COMMAND_RING);
}

void CommandQueue::set_prod(uint32_t prod) {
    if (!is_running_) return;
    if (prod - cons_ >= (1u << config_.depth_log2)) return fail();
    prod_ = prod;
}

void CommandQueue::run_one() {
    tern_command command;
    const uint64_t slot = tern_ring_slot(cons_, config_.depth_log2);
    if (!host_.read(config_.ring + (slot << TERN_COMMAND_BYTES_LOG2), std::as_writable_bytes(std::span(&command, 1))))
        return fail();
    ++cons_;
    complete(command, execute(command));
}

// The entry itself: lengths against the opcode's, mailboxes only where they are used.
CommandAnswer CommandQueue::check(const tern_command& command, CommandSink::Shape& shape) const {
    shape = sink_.shape(little(command.opcode), command.version);
    if (shape.status != TERN_STATUS_OK) return {shape.status};
    const uint32_t in_length = little(command.in_length);
    const uint32_t out_length = little(command.out_length);
    if (in_length != shape.in_length || out_length != shape.out_length) return {TERN_STATUS_BAD_LENGTH};
    const bool is_long = in_length > TERN_COMMAND_INLINE_BYTES;
    const auto unused = std::as_bytes(std::span(command.inline_data)).subspan(is_long ? 0 : in_length);
    if (command.flags != 0) return {TERN_STATUS_BAD_RESERVED, offsetof(tern_command, flags)};
    if (!is_zero(unused)) return {TERN_STATUS_BAD_RESERVED, offsetof(tern_command, inline_data)};
    if (is_long != is_mailbox(little(command.in_mailbox)) || (!is_long && command.in_mailbox != 0))
        return {TERN_STATUS_BAD_PARAMETER, offsetof(tern_command, in_mailbox)};
    const bool is_long_answer = out_length > TERN_COMMAND_RESULT_BYTES;
    if (is_long_answer != is_mailbox(little(command.out_mailbox)) || (!is_long_answer && command.out_mailbox != 0))
        return {TERN_STATUS_BAD_PARAMETER, offsetof(tern_command, out_mailbox)};
    return {};
}

bool CommandQueue::load_request(const tern_command& command, uint32_t length) {
    if (length > TERN_COMMAND_INLINE_BYTES) return host_.read(little(command.in_mailbox), std::span(in_).first(length));
    std::memcpy(in_.data(), command.inline_data, length);
    return true;
}

CommandAnswer CommandQueue::execute(const tern_command& command) {
    CommandSink::Shape shape{};
    if (const CommandAnswer refused = check(command, shape); refused.status != TERN_STATUS_OK) return refused;
    if (!load_request(command, shape.in_length)) return {TERN_STATUS_DMA_FAULT, offsetof(tern_command, in_mailbox)};
    const auto out = std::span(out_).first(shape.out_length);
    std::ranges::fill(out, std::byte{0});
    CommandAnswer answer =
        sink_.execute(little(command.opcode), std::span<const std::byte>(in_).first(shape.in_length), out);
    answer.out_length = answer.status == TERN_STATUS_OK ? shape.out_length : 0;
    if (answer.out_length > TERN_COMMAND_RESULT_BYTES && !host_.write(little(command.out_mailbox), out))
        return {TERN_STATUS_DMA_FAULT, offsetof(tern_command, out_mailbox)};
    return answer;
}

void CommandQueue::complete(const tern_command& command, const CommandAnswer& answer) {
    tern_command_completion completion{};
    completion.cookie = command.cookie;
    completion.status = little(static_cast<uint16_t>(answer.status));
    completion.syndrome = little(answer.syndrome);
    if (answer.out_length <= TERN_COMMAND_RESULT_BYTES) std::memcpy(completion.result, out_.data(), answer.out_length);
    const uint64_t slot = tern_ring_slot(completed_, config_.depth_log2);
    const uint64_t address = config_.completions + (slot << TERN_COMMAND_COMPLETION_BYTES_LOG2);
    const uint32_t owner = TERN_SET32(TERN_COMMAND_COMPLETION_PHASE, tern_ring_phase(completed_, config_.depth_log2));
    const auto body = std::as_bytes(std::span(&completion, 1)).first(offsetof(tern_command_completion, owner));
    if (!host_.write(address, body) ||
        !host_.store_release32(address + offsetof(tern_command_completion, owner), owner))
        return fail();
    ++completed_;
    if (config_.raise_vector) host_.raise_vector(config_.vector);
}

}  // namespace tern
