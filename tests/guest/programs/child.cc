// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
#include "tests/guest/programs/child.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <exception>
#include <system_error>

namespace tern::guest {

namespace {

bool is_ready(int fd, int timeout_ms) {
    pollfd ready{fd, POLLIN, 0};
    return ::poll(&ready, 1, timeout_ms) == 1;
}

[[noreturn]] void run(const std::function<void(const Child::Tell&)>& body, int pipe) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    try {
        body([pipe](char word) {
            if (::write(pipe, &word, 1) != 1) ::_exit(2);
        });
    } catch (const std::exception& error) {
        std::fprintf(stderr, "child: %s\n", error.what());
        ::_exit(1);
    }
    ::_exit(0);
}

}  // namespace

Child::Child(const std::function<void(const Tell&)>& body) {
    int ends[2];
    if (::pipe(ends)) throw std::system_error(errno, std::generic_category(), "pipe");
    pid_ = ::fork();
    if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
    if (pid_ == 0) {
        ::close(ends[0]);
        run(body, ends[1]);
    }
    ::close(ends[1]);
    pipe_ = ends[0];
    pidfd_ = static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0));
}

Child::~Child() {
    if (pid_ > 0) {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }
    ::close(pidfd_);
    ::close(pipe_);
}

bool Child::says(char word, int timeout_ms) {
    char said = 0;
    return is_ready(pipe_, timeout_ms) && ::read(pipe_, &said, 1) == 1 && said == word;
}

void Child::signal(int number) { ::kill(pid_, number); }

bool Child::is_gone(int timeout_ms) {
    if (pid_ > 0 && is_ready(pidfd_, timeout_ms)) {
        ::waitpid(pid_, nullptr, 0);
        pid_ = -1;
    }
    return pid_ < 0;
}

}  // namespace tern::guest
