// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
//
// A child process of a test: seen through a pipe on which it says how far it
// is, and a pidfd.
#pragma once

#include <sys/types.h>

#include <functional>

namespace tern::guest {

class Child {
public:
    // Runs @body in a new process; @body says things with Tell.
    using Tell = std::function<void(char)>;
    explicit Child(const std::function<void(const Tell&)>& body);
    // Kills it if it still runs.
    ~Child();
    Child(const Child&) = delete;

    // Whether the next thing that it says, within @timeout_ms, is @word. False also when it ends.
    [[nodiscard]] bool says(char word, int timeout_ms);
    void signal(int number);
    // Whether it has gone within @timeout_ms; its exit status is lost.
    [[nodiscard]] bool is_gone(int timeout_ms);

private:
    pid_t pid_;
    int pipe_;
    int pidfd_;
};

}  // namespace tern::guest
