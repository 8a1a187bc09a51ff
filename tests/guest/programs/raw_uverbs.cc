// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
#include "tests/guest/programs/raw_uverbs.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>

#include "tests/guest/programs/endpoint.h"

namespace tern::guest {

namespace {

std::string card_path() {
    const Context context = open_card();
    return std::string("/dev/infiniband/") + context->device->dev_name;
}

}  // namespace

RawUverbs::RawUverbs() {
    static const std::string path = card_path();
    fd_ = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (fd_ < 0) throw std::runtime_error(path + ": " + std::strerror(errno));
}

RawUverbs::~RawUverbs() { ::close(fd_); }

int RawUverbs::write(uint32_t command, std::span<const std::byte> request, size_t response_bytes) {
    const ib_uverbs_cmd_hdr header{command, static_cast<__u16>((sizeof(header) + request.size()) / 4),
                                   static_cast<__u16>(response_bytes / 4)};
    std::vector<std::byte> message(sizeof(header) + request.size());
    std::memcpy(message.data(), &header, sizeof(header));
    std::ranges::copy(request, message.begin() + sizeof(header));
    return ::write(fd_, message.data(), message.size()) < 0 ? errno : 0;
}

int RawUverbs::command(uint32_t command, std::span<std::byte> request, std::span<std::byte> response) {
    std::ranges::fill(response, std::byte{0xa5});
    const uint64_t address = reinterpret_cast<uint64_t>(response.data());
    std::memcpy(request.data(), &address, sizeof(address));
    return write(command, request, response.size());
}

int RawUverbs::order(uint32_t command, std::span<const std::byte> request) { return write(command, request, 0); }

int RawUverbs::get_context(tern_uresp_alloc_ucontext& answer) {
    std::byte request[sizeof(ib_uverbs_get_context)]{};
    Answer<ib_uverbs_get_context_resp, tern_uresp_alloc_ucontext> response;
    const int error = command(IB_USER_VERBS_CMD_GET_CONTEXT, request, response.bytes);
    if (error == 0) {
        ::close(static_cast<int>(response.core().async_fd));
        answer = response.driver();
    }
    return error;
}

void* RawUverbs::map(uint64_t offset, size_t length, int protection, int flags) {
    return ::mmap(nullptr, length, protection, flags, fd_, static_cast<off_t>(offset));
}

}  // namespace tern::guest
