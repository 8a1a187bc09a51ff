// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
//
// provider_bench time|count CARD LIBRARY [lockless] [push]
//
// time prints `row,nanoseconds per work request` for each row: the least of many
// rounds. count runs under callgrind with collection off at the start, and dumps
// one file for each row, whose trigger is `row,work requests`; both without
// taking off what the row "loop" costs.
#include <valgrind/callgrind.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>

#include "tests/bench/provider/rows.h"

namespace {

constexpr int kTimedRounds = 400;
constexpr int kWarmRounds = 4;
constexpr int kCountedRounds = 4;

template <typename Measure>
void round(Rig& rig, const Row& row, Measure measure) {
    const unsigned calls = kQueueWrs / row.wrs;
    row.prepare(rig, kQueueWrs);
    measure([&] { row.measured(rig, calls); });
    row.finish(rig, kQueueWrs);
}

void run_time(Rig& rig, const Row& row) {
    using clock = std::chrono::steady_clock;
    double least = std::numeric_limits<double>::max();
    for (int i = 0; i < kTimedRounds; i++) {
        round(rig, row, [&](auto work) {
            const auto before = clock::now();
            work();
            const std::chrono::duration<double, std::nano> took = clock::now() - before;
            least = std::min(least, took.count() / kQueueWrs);
        });
    }
    std::printf("%s,%.3f\n", row.name, least);
}

void run_count(Rig& rig, const Row& row) {
    for (int i = 0; i < kWarmRounds; i++) round(rig, row, [](auto work) { work(); });
    for (int i = 0; i < kCountedRounds; i++) {
        round(rig, row, [](auto work) {
            CALLGRIND_TOGGLE_COLLECT;
            work();
            CALLGRIND_TOGGLE_COLLECT;
        });
    }
    const std::string trigger = std::string(row.name) + "," + std::to_string(kCountedRounds * kQueueWrs);
    CALLGRIND_DUMP_STATS_AT(trigger.c_str());
}

const card* card_named(const char* name) {
    for (const card* paper : {&tern_card, &mlx5_card, &efa_card})
        if (!std::strcmp(paper->name, name)) return paper;
    return nullptr;
}

[[noreturn]] void usage() {
    std::fprintf(stderr, "usage: provider_bench time|count tern|mlx5|efa LIBRARY [lockless] [push]\n");
    std::exit(2);
}

Variant variant_of(int argc, char** argv) {
    Variant variant;
    for (int i = 4; i < argc; i++) {
        if (!std::strcmp(argv[i], "lockless"))
            variant.lockless = true;
        else if (!std::strcmp(argv[i], "push"))
            variant.push = true;
        else
            usage();
    }
    return variant;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 4) usage();
    const bool counts = !std::strcmp(argv[1], "count");
    const card* paper = card_named(argv[2]);
    if (!paper || (!counts && std::strcmp(argv[1], "time"))) usage();
    Rig rig(*paper, argv[3], variant_of(argc, argv));
    for (const Row& row : rows())
        if (row.applies(rig)) counts ? run_count(rig, row) : run_time(rig, row);
    return 0;
}
