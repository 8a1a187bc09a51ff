#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""iommu_test.py REPORT.json: a guest whose kernel translates all the card's DMA
(intel_iommu=on, strict), with our driver and with one in user space."""

import re
import sys

import tern_guest  # noqa: F401  (puts the lab on the path)
from tern_guest.host import Host, prepare
from tern_guest.programs import run_program
from tern_guest.quiet import complaints, leaves_nothing
from tern_guest.results import run_file
from tern_lab import Lab, LabError

# What the guest's IOMMU driver says of an access that it refused.
_FAULT = re.compile(r"DMAR: \[DMA (Read|Write)|DMAR: DRHD: handling fault status")


def expect(condition, detail):
    if not condition:
        raise LabError(detail)


class IommuTests:
    def __init__(self, host, results):
        self.host = host
        self.run = host.run
        self.results = results
        self.bdf = self.run("basename /sys/bus/pci/drivers/tern/0*").output.strip()

    def card_is_behind_the_iommu(self):
        kind = self.run(f"cat /sys/bus/pci/devices/{self.bdf}/iommu_group/type").output.strip()
        expect(kind == "DMA", f"the card's DMA domain is of type {kind}")

    def verbs_work_with_translated_memory(self):
        run_program(self.results, self.host, "operations_test", prefix="iommu.")

    def frames_work_with_translated_memory(self):
        """All ring pages and both checksums, between the two ports."""
        address = self.run(f"ip -6 -br addr show dev {self.host.netdev(2)} scope link").output.split()[2].split("/")[0]
        self.run(f"ping -6 -c 200 -i 0.002 -s 8000 -W 5 {address}%{self.host.netdev(1)}")

    def driver_leaves_no_mapping(self):
        """What the driver maps it unmaps: nothing may fault, and a new probe gets all it needs."""
        for _ in range(10):
            self.run(f"echo {self.bdf} > /sys/bus/pci/drivers/tern/unbind && "
                     f"echo {self.bdf} > /sys/bus/pci/drivers/tern/bind")
        self.run("udevadm settle --timeout=60", timeout=90)
        self.host.configure()

    def user_space_reaches_what_it_mapped_and_no_more(self):
        device = f"/sys/bus/pci/devices/{self.bdf}"
        lines = complaints(self.host)
        expect(not lines, "\n".join(lines))
        self.run(f"modprobe vfio-pci && echo {self.bdf} > {device}/driver/unbind && "
                 f"echo vfio-pci > {device}/driver_override && echo {self.bdf} > /sys/bus/pci/drivers_probe")
        run_program(self.results, self.host, "vfio_test", environment=f"TERN_TEST_VFIO={self.bdf}")
        self.run(f"echo {self.bdf} > {device}/driver/unbind && echo > {device}/driver_override && "
                 f"echo {self.bdf} > /sys/bus/pci/drivers_probe && modprobe -r vfio-pci && "
                 "udevadm settle --timeout=60", timeout=90)
        self.host.configure()
        lines = complaints(self.host)
        others = [line for line in lines if not _FAULT.search(line)]
        expect(len(others) < len(lines), "the guest's IOMMU saw no fault")
        expect(not others, "\n".join(others))


def run_all(results):
    with Lab() as lab:
        vm = lab.crossed(iommu=True, netdevs=True)  # a shared-memory cable does without
        lab.boot()
        host = Host(vm)
        prepare(host)
        tests = IommuTests(host, results)
        with leaves_nothing(results, "Iommu", host):
            for name in ("card_is_behind_the_iommu", "verbs_work_with_translated_memory",
                         "frames_work_with_translated_memory", "driver_leaves_no_mapping",
                         "user_space_reaches_what_it_mapped_and_no_more"):
                results.test_named(getattr(tests, name))


if __name__ == "__main__":
    sys.exit(run_file(run_all))
