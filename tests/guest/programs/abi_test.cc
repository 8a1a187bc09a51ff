// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
//
// What the kernel answers to each verb that has an answer of ours: every byte
// is meant, none is left over from its stack, and none is written beyond the
// buffer (C38). TERN_TEST_ROUNDS: how often, times a hundred.
#include <gtest/gtest.h>
#include <infiniband/verbs.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "tests/guest/programs/endpoint.h"
#include "tests/guest/programs/raw_connection.h"

namespace tern::guest {
namespace {

constexpr std::byte kStale{0xa5};
constexpr size_t kPage = Pages::kBytes;

using Bytes = std::vector<std::byte>;

struct Nothing {};

// Leaves a pattern where the kernel's next calls have their variables: poll()
// copies what it is given to its stack.
void spray_stack() {
    pollfd entries[28];
    std::memset(entries, 0xa5, sizeof(entries));
    (void)::poll(entries, std::size(entries), 0);
}

template <typename T>
T load(const Bytes& bytes) {
    T value{};
    EXPECT_EQ(bytes.size(), sizeof(T));
    std::memcpy(&value, bytes.data(), std::min(bytes.size(), sizeof(T)));
    return value;
}

template <typename T>
bool is_zero(const T& field) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(&field);
    return std::all_of(bytes, bytes + sizeof(T), [](uint8_t byte) { return byte == 0; });
}

unsigned long rounds() {
    const char* text = std::getenv("TERN_TEST_ROUNDS");
    return 100 * (text ? std::strtoul(text, nullptr, 10) : 1);
}

// One verb: its request, and how much of an answer the core and the driver have.
struct Verb {
    uint32_t command;
    Bytes request;
    size_t core_bytes, driver_bytes;
};

template <typename Response, typename Answer, typename Core, typename Driver = Nothing>
Verb verb(uint32_t command, const Core& core, const Driver& driver = {}) {
    Bytes request(sizeof(core) + (std::is_same_v<Driver, Nothing> ? 0 : sizeof(driver)));
    std::memcpy(request.data(), &core, sizeof(core));
    if (request.size() > sizeof(core)) std::memcpy(request.data() + sizeof(core), &driver, sizeof(driver));
    return {command, request, sizeof(Response), sizeof(Answer)};
}

class Answers : public testing::Test {
protected:
    // The driver's part of the answer, when the buffer has @extra bytes more (or fewer) than
    // it needs. What is beyond the answer is as it was, or zero.
    Bytes ask(RawUverbs& user, Verb verb, ptrdiff_t extra, uint32_t* handle = nullptr) {
        const size_t room = static_cast<size_t>(static_cast<ptrdiff_t>(verb.core_bytes + verb.driver_bytes) + extra);
        Bytes buffer(room + 64, kStale);
        spray_stack();
        const int error = user.command(verb.command, verb.request, std::span(buffer).first(room));
        EXPECT_EQ(error, 0) << "command " << verb.command << ", " << extra << " bytes more: " << std::strerror(error);
        EXPECT_TRUE(std::all_of(buffer.begin() + static_cast<ptrdiff_t>(room), buffer.end(),
                                [](std::byte byte) { return byte == kStale; }))
            << "command " << verb.command << " wrote behind the buffer";
        const size_t end = std::min(room, verb.core_bytes + verb.driver_bytes);
        const auto tail = std::span(buffer).subspan(end, room - end);
        EXPECT_TRUE(std::ranges::all_of(tail, [](std::byte byte) { return byte == kStale; }) ||
                    std::ranges::all_of(tail, [](std::byte byte) { return byte == std::byte{}; }));
        if (handle) std::memcpy(handle, buffer.data(), sizeof(*handle));  // first field of all that make one
        return {buffer.begin() + static_cast<ptrdiff_t>(verb.core_bytes), buffer.begin() + static_cast<ptrdiff_t>(end)};
    }

    // Asks as often as rounds() says, with longer and shorter buffers in between.
    template <typename T, typename Check>
    void expect_clean(const Verb& verb, const Check& check, const std::function<void(uint32_t)>& destroy) {
        for (unsigned long round = 0; round < rounds() && !HasFailure(); ++round)
            for (const ptrdiff_t extra : {0, 4, 16, 4096}) {
                uint32_t handle = 0;
                const T answer = load<T>(ask(uverbs, verb, extra, &handle));
                check(answer);
                destroy(handle);
            }
        for (ptrdiff_t cut = 4; cut <= static_cast<ptrdiff_t>(sizeof(T)); cut += 4) {
            uint32_t handle = 0;
            (void)ask(uverbs, verb, -cut, &handle);
            destroy(handle);
        }
    }

    template <typename Request, typename Response>
    void destroy(uint32_t command, uint32_t handle) {
        Request request{};
        reinterpret_cast<uint32_t*>(&request)[2] = handle;  // behind the response's address
        Response response;
        EXPECT_EQ(uverbs.command(command, std::as_writable_bytes(std::span(&request, 1)),
                                 std::as_writable_bytes(std::span(&response, 1))),
                  0);
    }
    void order(uint32_t command, uint32_t handle) {
        EXPECT_EQ(uverbs.order(command, std::as_bytes(std::span(&handle, 1))), 0);
    }

    uint32_t make_pd() {
        uint32_t handle = 0;
        (void)ask(uverbs, pd_verb(), 0, &handle);
        return handle;
    }
    static Verb pd_verb() {
        return verb<ib_uverbs_alloc_pd_resp, tern_uresp_alloc_pd>(IB_USER_VERBS_CMD_ALLOC_PD, ib_uverbs_alloc_pd{});
    }
    Verb cq_verb() {
        ib_uverbs_create_cq core{};
        core.cqe = 128;
        core.comp_channel = -1;
        tern_ureq_create_cq driver{};
        driver.buffer_address = address(0);
        driver.buffer_length = kPage;
        driver.record_address = address(3);
        driver.depth_log2 = 7;
        return verb<ib_uverbs_create_cq_resp, tern_uresp_create_cq>(IB_USER_VERBS_CMD_CREATE_CQ, core, driver);
    }
    Verb qp_verb(uint32_t pd, uint32_t cq, ibv_qp_type type) {
        ib_uverbs_create_qp core{};
        core.pd_handle = pd;
        core.send_cq_handle = core.recv_cq_handle = cq;
        core.max_send_wr = core.max_recv_wr = 32;
        core.max_send_sge = core.max_recv_sge = 1;
        core.qp_type = static_cast<uint8_t>(type);
        tern_ureq_create_qp driver{};
        driver.sq_address = address(1);
        driver.rq_address = address(2);
        driver.sq_length = driver.rq_length = kPage;
        driver.record_address = address(3) + 64;
        driver.sq_depth_log2 = driver.rq_depth_log2 = 6;
        if (type == IBV_QPT_RC) driver.sq_depth_log2 = driver.rq_depth_log2 = 5;
        return verb<ib_uverbs_create_qp_resp, tern_uresp_create_qp>(IB_USER_VERBS_CMD_CREATE_QP, core, driver);
    }
    uint64_t address(size_t page) const { return reinterpret_cast<uint64_t>(memory.data + page * kPage); }

    void SetUp() override { ASSERT_EQ(uverbs.get_context(context), 0); }

    RawUverbs uverbs;
    tern_uresp_alloc_ucontext context{};
    Pages memory{4};
};

TEST_F(Answers, OfAllocUcontext) {
    for (unsigned long round = 0; round < rounds(); ++round)
        for (const ptrdiff_t extra : {0, 4, 16, 4096}) {
            RawUverbs other;
            const auto get = verb<ib_uverbs_get_context_resp, tern_uresp_alloc_ucontext>(IB_USER_VERBS_CMD_GET_CONTEXT,
                                                                                         ib_uverbs_get_context{});
            uint32_t async_fd = 0;
            const auto answer = load<tern_uresp_alloc_ucontext>(ask(other, get, extra, &async_fd));
            ::close(static_cast<int>(async_fd));
            EXPECT_EQ(std::memcmp(&answer, &context, sizeof(answer)), 0) << round;
        }
    EXPECT_EQ(context.page_size, kPage);
    EXPECT_EQ(context.capabilities & ~3u, 0u);
    for (const uint64_t offset : {context.doorbell_offset, context.push_offset}) EXPECT_EQ(offset % kPage, 0u);
    for (const uint32_t limit : {context.max_send_blocks_log2, context.max_recv_entries_log2, context.max_cqe_log2,
                                 context.max_send_sge, context.max_recv_sge})
        EXPECT_TRUE(limit > 0 && limit < 32) << limit;
    EXPECT_LE(context.max_inline, 255u);
}

TEST_F(Answers, OfAllocPd) {
    expect_clean<tern_uresp_alloc_pd>(
        pd_verb(), [](const auto& answer) { EXPECT_TRUE(answer.pdn < 1u << 24 && is_zero(answer.reserved)); },
        [&](uint32_t handle) { order(IB_USER_VERBS_CMD_DEALLOC_PD, handle); });
}

TEST_F(Answers, OfCreateCq) {
    expect_clean<tern_uresp_create_cq>(
        cq_verb(), [](const auto& answer) { EXPECT_TRUE(answer.cqn < 1u << 24 && is_zero(answer.reserved)); },
        [&](uint32_t handle) {
            destroy<ib_uverbs_destroy_cq, ib_uverbs_destroy_cq_resp>(IB_USER_VERBS_CMD_DESTROY_CQ, handle);
        });
}

TEST_F(Answers, OfCreateQp) {
    const uint32_t pd = make_pd();
    uint32_t cq = 0;
    (void)ask(uverbs, cq_verb(), 0, &cq);
    for (const ibv_qp_type type : {IBV_QPT_RC, IBV_QPT_UD})
        expect_clean<tern_uresp_create_qp>(
            qp_verb(pd, cq, type),
            [](const auto& answer) { EXPECT_TRUE(answer.qpn < 1u << 24 && is_zero(answer.reserved)); },
            [&](uint32_t handle) {
                destroy<ib_uverbs_destroy_qp, ib_uverbs_destroy_qp_resp>(IB_USER_VERBS_CMD_DESTROY_QP, handle);
            });
}

TEST_F(Answers, OfCreateAh) {
    const Context card = open_card();
    for (const uint8_t port : {1, 2}) {
        ib_uverbs_create_ah core{};
        core.pd_handle = make_pd();
        ibv_gid gid{};
        ASSERT_EQ(ibv_query_gid(card.get(), port, 0, &gid), 0);
        std::memcpy(core.attr.grh.dgid, gid.raw, sizeof(gid.raw));
        core.attr.is_global = 1;
        core.attr.grh.hop_limit = 1;
        core.attr.port_num = port;
        // A link-local GID is made of the MAC (RFC 4291, appendix A).
        const uint8_t mac[6] = {
            static_cast<uint8_t>(gid.raw[8] ^ 2), gid.raw[9], gid.raw[10], gid.raw[13], gid.raw[14], gid.raw[15]};
        expect_clean<tern_uresp_create_ah>(
            verb<ib_uverbs_create_ah_resp, tern_uresp_create_ah>(IB_USER_VERBS_CMD_CREATE_AH, core),
            [&](const auto& answer) {
                EXPECT_EQ(std::memcmp(answer.dmac, mac, sizeof(mac)), 0);
                EXPECT_TRUE(is_zero(answer.reserved));
            },
            [&](uint32_t handle) { order(IB_USER_VERBS_CMD_DESTROY_AH, handle); });
    }
}

}  // namespace
}  // namespace tern::guest
