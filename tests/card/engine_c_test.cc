// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
//
// The C ABI as a host uses it.
#include "qemu/engine/api/engine_c.h"

#include <gtest/gtest.h>

#include <memory>

#include "firmware-if/model/firmware.h"
#include "tern/hw/ids.h"
#include "tern/hw/regs.h"
#include "tests/support/fake_host.h"

namespace tern {
namespace {

struct Destroyer {
    void operator()(tern_engine* engine) const { tern_engine_destroy(engine); }
};
using Engine = std::unique_ptr<tern_engine, Destroyer>;

class EngineAbi : public testing::Test {
protected:
    EngineAbi() {
        config.abi_version = tern_engine_abi_version();
        config.config_bytes = sizeof(config);
        config.model = TERN_MODEL_TERN400;
        config.ports = 2;
        config.port_speed_mbps = 200000;
        config.port_lanes = 4;
        config.vectors = 8;
        config.mac[0][0] = config.mac[1][0] = 2;
    }

    Engine create() {
        const tern_host_ops ops = fake.ops();
        return Engine(tern_engine_create(&config, &ops, &fake, error, sizeof(error)));
    }

    test::FakeHost fake{1 << 16};
    tern_engine_config config{};
    char error[128] = "";
};

TEST_F(EngineAbi, ACardIsBornBooting) {
    const Engine engine = create();
    ASSERT_NE(engine, nullptr) << error;
    EXPECT_EQ(tern_engine_register_read(engine.get(), TERN_REG_STATUS, 4), uint64_t{TERN_DEVICE_STATE_BOOTING});
    fake.now += firmware::kBootNs;
    EXPECT_EQ(tern_engine_register_read(engine.get(), TERN_REG_STATUS, 4), uint64_t{TERN_DEVICE_STATE_READY});
}

TEST_F(EngineAbi, ImpossibleConfigurationsAreRefusedWithAReason) {
    const tern_engine_config good = config;
    const auto refused = [&](auto change, const char* reason) {
        config = good;
        change();
        EXPECT_EQ(create(), nullptr);
        EXPECT_NE(std::string(error).find(reason), std::string::npos) << error;
    };
    refused([&] { config.abi_version++; }, "version");
    refused([&] { config.config_bytes--; }, "version");
    refused([&] { config.model = 0; }, "model");
    refused([&] { config.ports = 3; }, "ports");
    refused([&] { config.vectors = 65; }, "vectors");
    refused([&] { config.port_lanes = 0; }, "lanes");
    refused([&] { config.mac[1][0] = 1; }, "MAC");
}

TEST_F(EngineAbi, AHungFirmwareStopsItsHeartUntilReset) {
    const Engine engine = create();
    ASSERT_TRUE(tern_engine_set_fault(engine.get(), "firmware-hang", "on", error, sizeof(error)));
    const uint64_t beats = tern_engine_register_read(engine.get(), TERN_REG_HEALTH_HEARTBEAT, 4);
    fake.now += 5'000'000'000;
    EXPECT_EQ(tern_engine_register_read(engine.get(), TERN_REG_HEALTH_HEARTBEAT, 4), beats);
    tern_engine_reset(engine.get());
    fake.now += 5'000'000'000;
    EXPECT_GT(tern_engine_register_read(engine.get(), TERN_REG_HEALTH_HEARTBEAT, 4), beats);
}

TEST_F(EngineAbi, UnknownFaultsAreRefused) {
    const Engine engine = create();
    EXPECT_FALSE(tern_engine_set_fault(engine.get(), "smoke", "on", error, sizeof(error)));
    EXPECT_FALSE(tern_engine_set_fault(engine.get(), "firmware-hang", "maybe", error, sizeof(error)));
}

TEST_F(EngineAbi, AccessesOutsideTheRegistersDoNothing) {
    const Engine engine = create();
    for (const uint64_t offset : {uint64_t{1}, uint64_t{0xfffff8}, ~uint64_t{0}}) {
        EXPECT_EQ(tern_engine_register_read(engine.get(), offset, 8), 0u);
        tern_engine_register_write(engine.get(), offset, ~uint64_t{0}, 8);
        tern_engine_doorbell_write(engine.get(), offset, ~uint64_t{0}, 8);
    }
    tern_engine_receive_frames(engine.get(), 7, nullptr, 0);
    tern_engine_set_carrier(engine.get(), 7, true);
    EXPECT_FALSE(tern_engine_run(engine.get(), 64));
}

}  // namespace
}  // namespace tern
