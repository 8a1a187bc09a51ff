// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
//
// Requests between bytes and structs, without a card.
#include "firmware-if/codec/codec.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "tests/abi/golden_bytes.h"

namespace tern {
namespace {

namespace golden = test::golden;
using codec::Refusal;
using Bytes = std::span<const std::byte>;

constexpr codec::Limits kLimits{.ports = 2, .vectors = 64};

struct Field {
    size_t offset, bytes;
};

// What decode() said of @bytes; the struct, if it took it, must be these bytes again.
template <typename T>
using Check = Refusal (*)(const T&, const codec::Limits&);

template <typename T, Check<T> kCheck>
Refusal decoded(Bytes bytes) {
    const auto request = codec::decode<T>(bytes, kLimits, kCheck);
    if (!request) return request.error();
    std::vector<std::byte> again(sizeof(T));
    codec::encode(std::span(again), *request);
    EXPECT_TRUE(std::ranges::equal(again, bytes));
    return {};
}

struct Request {
    const char* name;
    std::span<const uint8_t> example;  // from the programming guide
    std::vector<Field> reserved;
    Refusal (*decode)(Bytes);
};

template <typename T, Check<T> kCheck = &codec::check>
Request request(const char* name, std::span<const uint8_t> example, std::vector<Field> reserved) {
    return {name, example.first(sizeof(T)), std::move(reserved), decoded<T, kCheck>};
}

#define FIELD(type, field) \
    Field { offsetof(type, field), sizeof(type::field) }

const std::vector<Request>& requests() {
    using Attributes = tern_cmd_qp_attributes;
    constexpr size_t kAttributes = offsetof(tern_cmd_modify_qp, attributes);
    static const std::vector<Field> queue = {FIELD(tern_cmd_create_eth_queue, reserved_03),
                                             FIELD(tern_cmd_create_eth_queue, reserved_0c)};
    static const std::vector<Field> modify = {
        {kAttributes + offsetof(Attributes, path.reserved_1c), 4},
        {kAttributes + offsetof(Attributes, reserved_40), sizeof(Attributes::reserved_40)}};
    static const std::vector<Request> all = {
        request<tern_cmd_handle>("Handle", golden::kHandle, {FIELD(tern_cmd_handle, reserved_04)}),
        request<tern_cmd_alloc_pd>("AllocPd", golden::kAllocPd, {FIELD(tern_cmd_alloc_pd, reserved_01)}),
        request<tern_cmd_create_eq>("CreateEq", golden::kCreateEq, {FIELD(tern_cmd_create_eq, reserved_04)}),
        request<tern_cmd_create_cq>("CreateCq", golden::kCreateCq,
                                    {FIELD(tern_cmd_create_cq, reserved_05), FIELD(tern_cmd_create_cq, reserved_0c)}),
        request<tern_cmd_modify_cq>("ModifyCq", golden::kModifyCq, {}),
        request<tern_cmd_create_mr>("CreateMr", golden::kCreateMr, {FIELD(tern_cmd_create_mr, reserved_05)}),
        request<tern_cmd_create_mr>("CreateMrFastRegistration", golden::kCreateMrFastRegistration,
                                    {FIELD(tern_cmd_create_mr, reserved_05)}),
        request<tern_cmd_create_qp>("CreateQp", golden::kCreateQp,
                                    {FIELD(tern_cmd_create_qp, reserved_07), FIELD(tern_cmd_create_qp, reserved_1c),
                                     FIELD(tern_cmd_create_qp, reserved_48)}),
        request<tern_cmd_modify_qp>("ModifyQpInit", golden::kModifyQpInit, modify),
        request<tern_cmd_modify_qp>("ModifyQpRtr", golden::kModifyQpRtr, modify),
        request<tern_cmd_modify_qp>("ModifyQpRts", golden::kModifyQpRts, modify),
        request<tern_cmd_port>("Port", golden::kPort, {FIELD(tern_cmd_port, reserved_01)}),
        request<tern_cmd_set_port>("SetPort", golden::kSetPort,
                                   {FIELD(tern_cmd_set_port, reserved_03), FIELD(tern_cmd_set_port, reserved_0c)}),
        request<tern_cmd_rx_mode>("RxMode", golden::kRxMode, {FIELD(tern_cmd_rx_mode, reserved_04)}),
        request<tern_cmd_set_gid>("SetGid", golden::kSetGid, {FIELD(tern_cmd_set_gid, reserved_0c)}),
        request<tern_cmd_create_eth_queue, codec::check_txq>("CreateTxq", golden::kCreateTxq, queue),
        request<tern_cmd_create_eth_queue, codec::check_rxq>("CreateRxq", golden::kCreateRxq, queue),
        request<tern_cmd_set_rss>("SetRss", golden::kSetRss, {FIELD(tern_cmd_set_rss, reserved_03)}),
    };
    return all;
}

class Codec : public testing::TestWithParam<Request> {
protected:
    std::vector<uint8_t> bytes{GetParam().example.begin(), GetParam().example.end()};

    [[nodiscard]] Refusal decode() const { return GetParam().decode(std::as_bytes(std::span(bytes))); }
};

TEST_P(Codec, ExampleOfTheGuideIsTakenAsItIs) { EXPECT_EQ(decode().status, TERN_STATUS_OK); }

TEST_P(Codec, AnyOtherLengthIsBadLength) {
    const size_t right = bytes.size();
    for (size_t length = 0; length < right + 16; ++length) {
        bytes.resize(length);
        if (length != right) {
            EXPECT_EQ(decode().status, TERN_STATUS_BAD_LENGTH) << length;
        }
    }
}

TEST_P(Codec, EveryReservedBitIsRefusedAtItsField) {
    for (const Field& field : GetParam().reserved)
        for (size_t bit = 0; bit < field.bytes * 8; ++bit) {
            const size_t at = field.offset + bit / 8;
            bytes[at] = static_cast<uint8_t>(1u << bit % 8);
            const Refusal refusal = decode();
            EXPECT_EQ(refusal.status, TERN_STATUS_BAD_RESERVED) << at;
            EXPECT_EQ(refusal.offset, field.offset);
            bytes[at] = 0;
        }
}

// Some bytes at random: taken only with all reserved bits clear, and refused with a place in the request.
TEST_P(Codec, NoBytesAreTakenWithReservedBitsSet) {
    const uint64_t seed = std::random_device{}();
    RecordProperty("seed", std::to_string(seed));
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    for (int round = 0; round < 20000; ++round) {
        bytes.assign(GetParam().example.begin(), GetParam().example.end());
        for (uint64_t changes = 1 + random() % 3; changes > 0; --changes)
            bytes[random() % bytes.size()] = static_cast<uint8_t>(random());
        const Refusal refusal = decode();
        ASSERT_LT(refusal.offset, bytes.size());
        if (refusal) continue;
        for (const Field& field : GetParam().reserved)
            for (size_t i = 0; i < field.bytes; ++i) ASSERT_EQ(bytes[field.offset + i], 0);
    }
}

INSTANTIATE_TEST_SUITE_P(Requests, Codec, testing::ValuesIn(requests()),
                         [](const auto& request) { return std::string(request.param.name); });

TEST(CodecLimits, AreThoseOfTheCard) {
    const auto port = [](uint8_t number, uint8_t ports) {
        return codec::check(tern_cmd_port{number, {}}, {.ports = ports, .vectors = 1});
    };
    EXPECT_FALSE(port(1, 1));
    EXPECT_FALSE(port(2, 2));
    for (const auto& [number, ports] : {std::pair{0, 2}, {3, 2}, {2, 1}, {255, 2}})
        EXPECT_EQ(port(static_cast<uint8_t>(number), static_cast<uint8_t>(ports)).status, TERN_STATUS_BAD_PARAMETER);
}

}  // namespace
}  // namespace tern
