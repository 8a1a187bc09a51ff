// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
#include "tests/guest/programs/vfio_card.h"

#include <fcntl.h>
#include <linux/pci_regs.h>
#include <linux/vfio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <thread>

#include "tern/hw/regs.h"

namespace tern::guest {

namespace {

constexpr size_t kPage = 4096, kRegisterBytes = 0x1000;
constexpr uint32_t kDepthLog2 = 6;
constexpr auto kInterval = std::chrono::milliseconds(1);

int check(int result, const char* what) {
    if (result < 0) throw std::system_error(errno, std::generic_category(), what);
    return result;
}

std::string group_of(const std::string& address) {
    return std::filesystem::read_symlink("/sys/bus/pci/devices/" + address + "/iommu_group").filename();
}

}  // namespace

VfioCard::VfioCard(const std::string& address) {
    container_ = check(::open("/dev/vfio/vfio", O_RDWR), "open the container");
    group_ = check(::open(("/dev/vfio/" + group_of(address)).c_str(), O_RDWR), "open the group");
    check(::ioctl(group_, VFIO_GROUP_SET_CONTAINER, &container_), "VFIO_GROUP_SET_CONTAINER");
    check(::ioctl(container_, VFIO_SET_IOMMU, VFIO_TYPE1v2_IOMMU), "VFIO_SET_IOMMU");
    device_ = check(::ioctl(group_, VFIO_GROUP_GET_DEVICE_FD, address.c_str()), "VFIO_GROUP_GET_DEVICE_FD");

    vfio_region_info region{};
    region.argsz = sizeof(region);
    region.index = VFIO_PCI_BAR0_REGION_INDEX;
    check(::ioctl(device_, VFIO_DEVICE_GET_REGION_INFO, &region), "VFIO_DEVICE_GET_REGION_INFO");
    void* bar =
        ::mmap(nullptr, kRegisterBytes, PROT_READ | PROT_WRITE, MAP_SHARED, device_, static_cast<off_t>(region.offset));
    if (bar == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "map BAR0");
    registers_ = static_cast<volatile uint8_t*>(bar);
    enable_bus_master();
}

VfioCard::~VfioCard() {
    ::munmap(const_cast<uint8_t*>(registers_), kRegisterBytes);
    for (const int fd : {device_, group_, container_}) ::close(fd);
}

void VfioCard::enable_bus_master() {
    vfio_region_info region{};
    region.argsz = sizeof(region);
    region.index = VFIO_PCI_CONFIG_REGION_INDEX;
    check(::ioctl(device_, VFIO_DEVICE_GET_REGION_INFO, &region), "VFIO_DEVICE_GET_REGION_INFO");
    const uint16_t command = PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER;
    check(
        static_cast<int>(::pwrite(device_, &command, sizeof(command), static_cast<off_t>(region.offset) + PCI_COMMAND)),
        "write PCI_COMMAND");
}

uint8_t* VfioCard::map(uint64_t iova, size_t bytes) {
    void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "allocate");
    vfio_iommu_type1_dma_map map{};
    map.argsz = sizeof(map);
    map.flags = VFIO_DMA_MAP_FLAG_READ | VFIO_DMA_MAP_FLAG_WRITE;
    map.vaddr = reinterpret_cast<uint64_t>(memory);
    map.iova = iova;
    map.size = bytes;
    check(::ioctl(container_, VFIO_IOMMU_MAP_DMA, &map), "VFIO_IOMMU_MAP_DMA");
    return static_cast<uint8_t*>(memory);
}

void VfioCard::unmap(uint64_t iova, size_t bytes) {
    vfio_iommu_type1_dma_unmap unmap{};
    unmap.argsz = sizeof(unmap);
    unmap.iova = iova;
    unmap.size = bytes;
    check(::ioctl(container_, VFIO_IOMMU_UNMAP_DMA, &unmap), "VFIO_IOMMU_UNMAP_DMA");
}

void VfioCard::reset() {
    check(::ioctl(device_, VFIO_DEVICE_RESET), "VFIO_DEVICE_RESET");
    enable_bus_master();
}

void VfioCard::start(uint64_t iova, uint8_t* rings) {
    for (int i = 0; i < TERN_BOOT_TIMEOUT_MS && state() != TERN_DEVICE_STATE_READY; ++i)
        std::this_thread::sleep_for(kInterval);
    if (state() != TERN_DEVICE_STATE_READY) throw std::system_error(ETIMEDOUT, std::generic_category(), "boot");
    rings_ = rings;
    prod_ = 0;
    std::memset(rings, 0, 2 * kPage);
    store64(TERN_REG_COMMAND_RING, iova);
    store64(TERN_REG_COMMAND_COMPLETIONS, iova + kPage);
    store32(TERN_REG_COMMAND_CONFIG, kDepthLog2);
    store32(TERN_REG_COMMAND_ENABLE, 1);
}

std::optional<tern_command_completion> VfioCard::run(uint16_t opcode, uint32_t out_length, uint64_t out_mailbox,
                                                     int timeout_ms) {
    const uint32_t slot = prod_ & ((1u << kDepthLog2) - 1);
    const bool phase = (prod_ >> kDepthLog2 & 1) == 0;
    tern_command command{};
    command.opcode = opcode;
    command.cookie = ++prod_;
    command.out_length = out_length;
    command.out_mailbox = out_mailbox;
    std::memcpy(rings_ + slot * sizeof(command), &command, sizeof(command));
    std::atomic_thread_fence(std::memory_order_release);
    store32(TERN_REG_COMMAND_DOORBELL, prod_);

    uint8_t* entry = rings_ + kPage + slot * sizeof(tern_command_completion);
    auto* owner = reinterpret_cast<uint32_t*>(entry + offsetof(tern_command_completion, owner));
    for (int i = 0; i < timeout_ms; ++i) {
        const uint32_t seen = std::atomic_ref(*owner).load(std::memory_order_acquire);
        if ((seen >> TERN_COMMAND_COMPLETION_PHASE_LO & 1) == phase) {
            tern_command_completion completion;
            std::memcpy(&completion, entry, sizeof(completion));
            return completion;
        }
        std::this_thread::sleep_for(kInterval);
    }
    return std::nullopt;
}

uint32_t VfioCard::state() const { return load(TERN_REG_STATUS) & 0xf; }

uint32_t VfioCard::load(size_t offset) const {
    return *reinterpret_cast<const volatile uint32_t*>(registers_ + offset);
}

void VfioCard::store32(size_t offset, uint32_t value) {
    *reinterpret_cast<volatile uint32_t*>(registers_ + offset) = value;
}

void VfioCard::store64(size_t offset, uint64_t value) {
    *reinterpret_cast<volatile uint64_t*>(registers_ + offset) = value;
}

}  // namespace tern::guest
