// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
//
// A user without our library: its own rings, laid out by the contract and
// registered by raw commands; its own doorbell page. One RC QP of port 1 that
// is connected to itself.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "tern/hw/cqe.h"
#include "tern/hw/doorbell.h"
#include "tests/guest/programs/raw_uverbs.h"

namespace tern::guest {

// Pages of this process.
class Pages {
public:
    explicit Pages(size_t count, int more_flags = 0);
    ~Pages();
    Pages(const Pages&) = delete;
    static constexpr size_t kBytes = 4096;
    size_t bytes;
    uint8_t* data;
};

struct RawOptions {
    uint8_t* memory = nullptr;  // RawConnection::kPages pages to use instead of its own
    // Changes what the requests say.
    std::function<void(tern_ureq_create_cq&, tern_ureq_create_qp&)> change = [](auto&, auto&) {};
};

class RawConnection {
public:
    static constexpr uint32_t kDepthLog2 = 6, kCqDepthLog2 = 7;
    static constexpr size_t kPages = 8, kDataBytes = 4 * Pages::kBytes;

    // All objects, and the QP in RTS. @card: what GET_CONTEXT of @uverbs answered.
    // Throws std::system_error with the verb that failed.
    RawConnection(RawUverbs& uverbs, const tern_uresp_alloc_ucontext& card, RawOptions options = {});
    ~RawConnection();
    RawConnection(const RawConnection&) = delete;

    // Puts a signaled WRITE of @bytes from the first to the second half of data() at the next slot.
    void prepare_write(uint32_t bytes);
    // Announces all that was prepared: record, then doorbell, by @page if not our own.
    void ring(volatile uint8_t* page = nullptr);
    // The next CQE; nullopt: none within @timeout_ms.
    std::optional<tern_cqe> wait(int timeout_ms = 10000);

    // Each a page of its own, so that a test may take one away.
    std::span<uint8_t> send_queue() { return page(0); }
    std::span<uint8_t> receive_queue() { return page(1); }
    std::span<uint8_t> completion_queue() { return page(2); }
    std::span<uint8_t> records() { return page(3); }  // the QP's, then the CQ's
    std::span<uint8_t> data() { return {memory_ + 4 * Pages::kBytes, kDataBytes}; }
    tern_qp_record& qp_record() { return *reinterpret_cast<tern_qp_record*>(records().data()); }
    tern_cq_record& cq_record() { return *reinterpret_cast<tern_cq_record*>(records().data() + TERN_RECORD_BYTES); }
    volatile uint8_t* doorbells() { return doorbells_; }
    uint32_t qpn() const { return qpn_; }
    uint32_t posted() const { return posted_; }

private:
    std::span<uint8_t> page(size_t index) { return {memory_ + index * Pages::kBytes, Pages::kBytes}; }
    void fill_requests();
    void allocate_pd();
    void register_data();
    void create_cq();
    void create_qp();
    void connect();
    void modify(struct ib_uverbs_modify_qp& request, const char* to);
    void destroy();

    RawUverbs& uverbs_;
    RawOptions options_;
    std::optional<Pages> own_;
    uint8_t* memory_;
    tern_ureq_create_cq cq_request_{};
    tern_ureq_create_qp qp_request_{};
    volatile uint8_t* doorbells_;
    uint32_t pd_ = 0, mr_ = 0, cq_ = 0, qp_ = 0;
    bool has_pd_ = false, has_mr_ = false, has_cq_ = false, has_qp_ = false;
    uint32_t key_ = 0, qpn_ = 0, wire_qpn_ = 0;
    uint32_t posted_ = 0, polled_ = 0;
};

}  // namespace tern::guest
