// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
//
// holder events|completions|doorbell: a user that holds the card open while it
// is taken away, and says on standard output what became of it.
//
//   events       blocked in ibv_get_async_event: names each; after the first, "silence" once
//                there was none for a while, or "errno N"
//   completions  blocked in ibv_get_cq_event: "errno N"
//   doorbell     idle until SIGUSR1; then rings its old doorbell page and says
//                what a command answers: "rung", "errno N"
#include <poll.h>
#include <signal.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "tests/guest/programs/endpoint.h"

namespace tern::guest {
namespace {

constexpr int kSilenceMs = 500;

void say(const char* text) {
    std::puts(text);
    std::fflush(stdout);
}

void say_error(int number) {
    std::printf("errno %d\n", number);
    std::fflush(stdout);
}

void hold_events(ibv_context* context) {
    ibv_async_event event{};
    pollfd ready{context->async_fd, POLLIN, 0};
    do {
        if (ibv_get_async_event(context, &event)) return say_error(errno);
        say(ibv_event_type_str(event.event_type));
        ibv_ack_async_event(&event);
    } while (::poll(&ready, 1, kSilenceMs) == 1);
    say("silence");
}

void hold_completions(ibv_context* context) {
    const Handle<ibv_comp_channel, ibv_destroy_comp_channel> channel(ibv_create_comp_channel(context));
    const CompletionQueue cq(ibv_create_cq(context, 16, nullptr, channel.get(), 0));
    if (!cq || ibv_req_notify_cq(cq.get(), 0)) return say("no CQ");
    say("waiting");
    ibv_cq* from = nullptr;
    void* its_context = nullptr;
    while (!ibv_get_cq_event(channel.get(), &from, &its_context)) ibv_ack_cq_events(from, 1);
    say_error(errno);
}

void hold_doorbell(ibv_context* context) {
    sigset_t wanted;
    sigemptyset(&wanted);
    sigaddset(&wanted, SIGUSR1);
    sigprocmask(SIG_BLOCK, &wanted, nullptr);
    Endpoint left(context, {.port = 1}), right(context, {.port = 2});
    if (left.connect(right) || right.connect(left)) return say("no connection");
    say("waiting");
    int number = 0;
    sigwait(&wanted, &number);
    for (uint64_t i = 0; i < 8; ++i) {
        ibv_sge sge = left.sge(0, 64);
        ibv_send_wr work = make_remote(i, IBV_WR_RDMA_WRITE, {&sge, 1}, right.address(), right.mr->rkey);
        if (const int error = left.post(work)) return say_error(error);
    }
    say("rung");
    say_error(ibv_alloc_pd(context) ? 0 : errno);
}

}  // namespace
}  // namespace tern::guest

int main(int count, char** words) {
    using namespace tern::guest;
    const std::string_view what = count == 2 ? words[1] : "";
    const Context context = open_card();
    if (what == "events") {
        say("waiting");
        hold_events(context.get());
    } else if (what == "completions") {
        hold_completions(context.get());
    } else if (what == "doorbell") {
        hold_doorbell(context.get());
    } else {
        std::fprintf(stderr, "usage: holder events|completions|doorbell\n");
        return 2;
    }
    return 0;
}
