// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
//
// What is measured of a provider, one row for each way to call it.
#pragma once

#include <span>

#include "tests/bench/provider/rig.h"

struct Row {
    const char* name;
    unsigned wrs;  // work requests or completions per call
    bool (*applies)(const Rig&);
    void (*prepare)(Rig&, unsigned wrs);            // before a round of `wrs` work requests in all
    void (*measured)(Rig&, unsigned calls);         // the round
    void (*finish)(Rig&, unsigned wrs);             // after it
};

// The first row calls nothing: what the loop costs.
std::span<const Row> rows();
