#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""card_test.py REPORT.json: one VM whose card has its ports cabled to each
other: installation, verbs programs, and the life of the driver."""

import contextlib
import json
import sys

import tern_guest  # noqa: F401  (puts the lab on the path)
from tern_guest.host import Host, prepare
from tern_guest.programs import run_program
from tern_guest.quiet import complaints, leaves_nothing
from tern_guest.results import run_file
from tern_lab import Lab, LabError

PROGRAMS = ("operations_test", "errors_test", "abi_test", "ring_test", "mapping_test", "hostile_test")
PROBES = 100
DECODE_TOGGLES = 3000
# As kernel/core/health.c promises: so many looks, a second each, and some.
FATAL_SECONDS = 20


def expect(condition, detail):
    if not condition:
        raise LabError(detail)


class CardTests:
    def __init__(self, host):
        self.host = host
        self.vm = host.vm
        self.run = host.run
        self.bdf = self.run("basename /sys/bus/pci/drivers/tern/0*").output.strip()

    # Installation

    def modules_say_who_they_are(self):
        for module in ("tern", "tern_ib"):
            text = self.run(f"modinfo {module}").output
            for field in ("license:", "alias:", "description:", "vermagic:"):
                expect(field in text, f"modinfo {module} has no {field}\n{text}")

    def card_loads_its_modules_by_alias(self):
        self.host.unload()
        self.run(f"echo add > /sys/bus/pci/devices/{self.bdf}/uevent; udevadm settle --timeout=30")
        self.host.wait_for("[ -d /sys/module/tern_ib ] && ls /sys/class/infiniband/* >/dev/null")
        self.host.configure()

    def provider_is_found_without_a_path(self):
        text = self.run(f"ibv_devinfo -d {self.host.device()}").output
        expect("PORT_ACTIVE (4)" in text and "vendor_part_id" in text, text)

    def program_with_executable_data_works(self):  # C43
        device = self.host.device()
        self.run(f"setarch -X ibv_rc_pingpong -d {device} -g 0 -i 2 -n 100 & server=$!\n"
                 "i=0; until ss -ltn | grep -q :18515; do i=$((i+1)); [ $i -lt 100 ] || exit 1; sleep 0.1; done\n"
                 f"setarch -X ibv_rc_pingpong -d {device} -g 0 -i 1 -n 100 localhost && wait $server")

    # Standard tools

    def devlink_tells_versions(self):
        info = json.loads(self.run(f"devlink -j dev info pci/{self.bdf}").output)
        info = info["info"][f"pci/{self.bdf}"]
        expect(info["driver"] == "tern" and info["serial_number"], info)
        expect("fw" in json.dumps(info["versions"]["running"]), info)

    def ethtool_tells_link_and_counters(self):
        netdev = self.host.netdev(1)
        text = self.run(f"ethtool {netdev}").output
        for line in ("Speed: 200000Mb/s", "Duplex: Full", "Link detected: yes", "200000baseCR4/Full"):
            expect(line in text, f"no {line} in\n{text}")
        text = self.run(f"ethtool -S {netdev}").output
        for label in ("tx_frames:", "rx_csum_ok:", "tx0_packets:"):
            expect(label in text, f"no {label} in\n{text}")
        self.run(f"ethtool -i {netdev} && ethtool -g {netdev} && ethtool -l {netdev} && ethtool -x {netdev}")

    def rings_and_channels_change_while_up(self):
        netdev = self.host.netdev(1)
        self.run(f"ethtool -G {netdev} rx 256 tx 512 && ethtool -L {netdev} combined 1")
        self.ping()
        self.run(f"ethtool -L {netdev} combined 2 && ethtool -X {netdev} equal 1")
        self.ping()
        self.run(f"ethtool -X {netdev} default && ethtool -G {netdev} rx 512 tx 1024")

    def ping(self):
        """From one port to the other: with its own scope, port 2's address is not local to port 1."""
        address = self.run(f"ip -6 -br addr show dev {self.host.netdev(2)} scope link").output.split()[2].split("/")[0]
        received = f"ethtool -S {self.host.netdev(2)} | sed -n 's/ *rx_frames: //p'"
        before = int(self.run(received).output)
        self.run(f"ping -6 -c 5 -i 0.2 -W 5 {address}%{self.host.netdev(1)}")
        after = int(self.run(received).output)
        expect(after - before >= 5, f"port 2 saw {after - before} of 5 frames")

    def mtu_has_its_limits(self):
        netdev = self.host.netdev(1)
        self.run(f"ip link set {netdev} mtu 68 && ip link set {netdev} mtu 9000")
        for mtu in (67, 9001):
            done = self.run(f"ip link set {netdev} mtu {mtu}", check=False)
            expect(done.status != 0, f"mtu {mtu} was taken")
        self.host.configure()

    def link_follows_the_cable(self):
        netdev, device = self.host.netdev(1), self.host.device()
        state = f"/sys/class/infiniband/{device}/ports/1/state"
        self.vm.qmp.command("set_link", name="card0p1", up=False)
        self.host.wait_for(f"grep -q 0 /sys/class/net/{netdev}/carrier && grep -q DOWN {state}")
        self.host.wait_for(f"grep -q 0 /sys/class/net/{self.host.netdev(2)}/carrier")
        self.vm.qmp.command("set_link", name="card0p1", up=True)
        self.host.wait_for(f"grep -q 1 /sys/class/net/{netdev}/carrier && grep -q ACTIVE {state}")
        self.host.configure()

    # Life

    def start_traffic(self, options, then):
        """WRITEs from port 1 to port 2 in the background; @then runs with them under way."""
        device = self.host.device()
        return self.run(
            f"ib_write_bw -d {device} -i 2 -x 0 -F {options} > /dev/null 2>&1 & server=$!\n"
            "i=0; until ss -ltn | grep -q :18515; do i=$((i+1)); [ $i -lt 100 ] || exit 1; sleep 0.1; done\n"
            f"ib_write_bw -d {device} -i 1 -x 0 -F {options} localhost > /dev/null 2>&1 & client=$!\n"
            "i=0; until rdma resource show qp | grep -q 'state RTS.*ib_write_bw'; do\n"
            "  i=$((i+1)); [ $i -lt 100 ] || exit 2; sleep 0.1; done\n" + then, timeout=120)

    def probes_and_removes_a_hundred_times(self):
        self.run(f"i=0; while [ $i -lt {PROBES} ]; do echo {self.bdf} > /sys/bus/pci/drivers/tern/unbind && "
                 f"echo {self.bdf} > /sys/bus/pci/drivers/tern/bind || exit 1; i=$((i+1)); done", timeout=300)
        self.run("udevadm settle --timeout=60", timeout=90)
        self.host.configure()

    def accesses_find_the_card_while_the_memory_map_changes(self):
        """QEMU's own matter, but what it loses then is a doorbell or a timer."""
        random = self.run("lspci -Dnd 1af4:1005").output.split()[0]
        self.run(f"cd /sys/bus/pci/drivers && echo {random} > virtio-pci/unbind && echo {self.bdf} > tern/unbind && "
                 f"/tern/tests/guest/programs/toggle_decode.py {self.bdf} {random} {DECODE_TOGGLES}; status=$?; "
                 f"echo {random} > virtio-pci/bind; echo {self.bdf} > tern/bind; exit $status", timeout=120)
        self.run("udevadm settle --timeout=60", timeout=90)
        self.host.configure()

    def unloads_and_loads_again(self):
        for _ in range(3):
            self.host.unload()
            self.host.load()
        self.host.configure()

    def reset_under_traffic_recovers(self):
        """A function-level reset by sysfs, while a process writes."""
        self.start_traffic("-D 20", f"echo 1 > /sys/bus/pci/devices/{self.bdf}/reset || exit 3\n"
                           "kill -9 $client $server 2>/dev/null; wait; true")
        self.run("udevadm settle --timeout=60", timeout=90)
        self.host.configure()

    def card_is_unplugged_and_plugged_under_traffic(self):
        netdev = self.host.netdev(1)
        self.vm.spawn(f"ping -6 -i 0.002 ff02::1%{netdev} > /dev/null 2>&1; true", timeout=60)
        self.vm.qmp.command("device_del", id="card0")
        self.vm.qmp.wait_event("DEVICE_DELETED")
        self.host.wait_for("[ -z \"$(ls -d /sys/bus/pci/drivers/tern/0* 2>/dev/null)\" ]")
        self.vm.qmp.command("device_add", driver="tern", **self.vm.card_device(0))
        self.host.wait_for("ls -d /sys/bus/pci/drivers/tern/0*/infiniband/*", seconds=60)
        self.run("udevadm settle --timeout=60", timeout=90)
        self.host.configure()

    def hung_firmware_ends_in_bounded_errors(self):
        netdev = self.host.netdev(1)
        with self.hung_firmware():
            self.host.wait_for("dmesg | grep -q 'the card has failed'", seconds=FATAL_SECONDS)
            self.run(f"ip link set {netdev} down; ibv_devinfo > /dev/null; ethtool -S {netdev} > /dev/null; true",
                     timeout=30)
            self.run(f"echo {self.bdf} > /sys/bus/pci/drivers/tern/unbind", timeout=30)
        lines = [line for line in complaints(self.host) if "the card has failed" not in line]
        expect(not lines, "\n".join(lines))

    @contextlib.contextmanager
    def hung_firmware(self):
        """The card's firmware hangs; afterwards a card that works is bound again,
        so that a failure here is the only one."""
        def hang(state):
            self.vm.qmp.command("qom-set", path="/machine/peripheral/card0", property="fault",
                                value=f"firmware-hang={state}")
        hang("on")
        try:
            yield
        finally:
            hang("off")
            self.run(f"cd /sys/bus/pci/drivers/tern; [ ! -e {self.bdf} ] || echo {self.bdf} > unbind; "
                     f"echo {self.bdf} > bind && udevadm settle --timeout=30")
            self.host.configure()


def run_all(results):
    with Lab() as lab:
        vm = lab.crossed()
        lab.boot()
        host = Host(vm)
        prepare(host)
        tests = CardTests(host)
        with leaves_nothing(results, "Verbs", host):
            for program in PROGRAMS:
                run_program(results, host, program)
        with leaves_nothing(results, "Driver", host):
            for name in ("modules_say_who_they_are", "card_loads_its_modules_by_alias",
                         "provider_is_found_without_a_path",
                         "program_with_executable_data_works", "devlink_tells_versions",
                         "ethtool_tells_link_and_counters", "rings_and_channels_change_while_up",
                         "mtu_has_its_limits", "link_follows_the_cable", "unloads_and_loads_again",
                         "probes_and_removes_a_hundred_times",
                         "accesses_find_the_card_while_the_memory_map_changes",
                         "reset_under_traffic_recovers",
                         "card_is_unplugged_and_plugged_under_traffic",
                         "hung_firmware_ends_in_bounded_errors"):
                results.test_named(getattr(tests, name))


if __name__ == "__main__":
    sys.exit(run_file(run_all))
