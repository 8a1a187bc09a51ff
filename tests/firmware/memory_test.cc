// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
#include "tern/hw/access.h"
#include "tests/firmware/commands.h"

namespace tern {
namespace {

using T = tern_cmd_create_mr;

class MemoryCommands : public test::Commands {
protected:
    MemoryCommands() {
        boot();
        pdn = make_pd(true);
        user_pdn = make_pd(false);
    }

    T region() {
        T mr{};
        mr.pdn = user_pdn;
        mr.access = TERN_ACCESS_LOCAL_WRITE;
        mr.iova = 0x7000'0000'0123;
        mr.length_bytes = 0x1000;
        mr.first_offset = 0x123;
        mr.pages = contiguous(test::kQueue, 2);
        return mr;
    }

    template <typename F>
    void refused(F change, tern_command_status status, size_t offset) {
        T mr = region();
        change(mr);
        expect_refused(run(TERN_CMD_CREATE_MR, mr, sizeof(tern_cmd_handle)), status, offset);
    }

    uint32_t pdn = 0, user_pdn = 0;
};

TEST_F(MemoryCommands, ARegionHoldsItsDomainUntilItIsDestroyed) {
    const uint32_t key = make(TERN_CMD_CREATE_MR, region());
    EXPECT_EQ(key & 0xff, 0u);
    EXPECT_EQ(run(TERN_CMD_DEALLOC_PD, tern_cmd_handle{user_pdn, 0}).status, TERN_STATUS_BUSY);
    EXPECT_EQ(run(TERN_CMD_DESTROY_MR, tern_cmd_handle{key | 0x5a, 0}).status, TERN_STATUS_OK);
    EXPECT_EQ(run(TERN_CMD_DESTROY_MR, tern_cmd_handle{key, 0}).status, TERN_STATUS_BAD_HANDLE);
    EXPECT_EQ(run(TERN_CMD_DEALLOC_PD, tern_cmd_handle{user_pdn, 0}).status, TERN_STATUS_OK);
}

TEST_F(MemoryCommands, ARegionMustLieWithinItsPagesAndTheAddressSpace) {
    refused([](T& mr) { mr.length_bytes = 0x2000 - 0x122; }, TERN_STATUS_BAD_PARAMETER, offsetof(T, pages));
    refused([](T& mr) { mr.first_offset = 0x1000; }, TERN_STATUS_BAD_PARAMETER, offsetof(T, first_offset));
    refused([](T& mr) { mr.iova = ~uint64_t{0} - 0xffe; }, TERN_STATUS_BAD_PARAMETER, offsetof(T, iova));
    refused([](T& mr) { mr.length_bytes = ~uint64_t{0}, mr.iova = 0; }, TERN_STATUS_BAD_PARAMETER,
            offsetof(T, length_bytes));
    refused([](T& mr) { mr.pages.page_shift = 255; }, TERN_STATUS_BAD_PARAMETER, offsetof(T, pages));
    refused([](T& mr) { mr.pages.levels = 4; }, TERN_STATUS_BAD_PARAMETER, offsetof(T, pages));
}

TEST_F(MemoryCommands, UnknownBitsAreRefused) {
    refused([](T& mr) { mr.flags = 4; }, TERN_STATUS_BAD_RESERVED, offsetof(T, flags));
    refused([](T& mr) { mr.flags = 3; }, TERN_STATUS_BAD_PARAMETER, offsetof(T, flags));
    refused([](T& mr) { mr.access = 0x10; }, TERN_STATUS_BAD_PARAMETER, offsetof(T, access));
    refused([](T& mr) { mr.reserved_05[2] = 1; }, TERN_STATUS_BAD_RESERVED, offsetof(T, reserved_05));
    refused([](T& mr) { mr.max_pages = 1; }, TERN_STATUS_BAD_PARAMETER, offsetof(T, max_pages));
    refused([](T& mr) { mr.pdn ^= 1; }, TERN_STATUS_BAD_HANDLE, offsetof(T, pdn));
}

TEST_F(MemoryCommands, AllMemoryAndFastRegistrationAreTheKernels) {
    T all{};
    all.pdn = user_pdn;
    all.flags = TERN_MR_ALL_MEMORY;
    all.access = TERN_ACCESS_LOCAL_WRITE;
    all.length_bytes = ~uint64_t{0};
    EXPECT_EQ(run(TERN_CMD_CREATE_MR, all, 8).status, TERN_STATUS_NOT_PERMITTED);
    all.pdn = pdn;
    EXPECT_EQ(run(TERN_CMD_CREATE_MR, all, 8).status, TERN_STATUS_OK);
    T fast{};
    fast.pdn = user_pdn;
    fast.flags = TERN_MR_FAST_REG;
    fast.max_pages = 512;
    EXPECT_EQ(run(TERN_CMD_CREATE_MR, fast, 8).status, TERN_STATUS_NOT_PERMITTED);
    fast.pdn = pdn;
    EXPECT_EQ(run(TERN_CMD_CREATE_MR, fast, 8).status, TERN_STATUS_OK);
    fast.max_pages = 513;
    expect_refused(run(TERN_CMD_CREATE_MR, fast, 8), TERN_STATUS_BAD_PARAMETER, offsetof(T, max_pages));
}

}  // namespace
}  // namespace tern
