#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""pair_test.py REPORT.json: two VMs, both ports cabled: the netdevs, and
standard RDMA tools and kernel consumers between hosts."""

import json
import sys

import tern_guest  # noqa: F401  (puts the lab on the path)
from tern_guest.host import Host, prepare
from tern_guest.pair import last_row, run_pair
from tern_guest.quiet import leaves_nothing
from tern_guest.results import run_file
from tern_lab import Lab, LabError

PERFTEST_PORT = 18515
IPERF_PORT = 5201
NVME_PORT = 4420
NVME_NAME = "nqn.2026-12.tern:test"
VLAN = 42


def expect(condition, detail):
    if not condition:
        raise LabError(detail)


class PairTests:
    def __init__(self, a, b):
        self.a = a
        self.b = b

    # Netdevs

    def frames_of_every_size_arrive(self):
        for mtu in (1500, 4200, 9000):
            for host in (self.a, self.b):
                host.run(f"ip link set {host.netdev(1)} mtu {mtu}")
            for size in (0, 1, mtu - 29, mtu - 28):
                self.a.run(f"ping -c 2 -i 0.1 -W 5 -M do -s {size} {self.b.address()}")
            too_long = self.a.run(f"ping -c 1 -W 1 -M do -s {mtu - 27} {self.b.address()}", check=False)
            expect(too_long.status != 0, f"a packet longer than the MTU of {mtu} went out")
        self.a.run(f"ping -6 -c 2 -i 0.1 -W 5 -s 8000 {self.b.address(1, 6)}")

    def iperf(self, options, port=1):
        run = run_pair(self.b, self.a, "iperf3 -s -1", f"iperf3 -c {self.b.address(port)} -t 2 --json {options}",
                       listen=IPERF_PORT)
        return json.loads(run.client)["end"]

    def tcp_flows_both_ways(self):
        for options in ("", "-R", "-P 4"):
            expect(self.iperf(options)["sum_received"]["bytes"] > 0, f"iperf3 {options} moved nothing")

    def second_port_carries_tcp(self):
        expect(self.iperf("", port=2)["sum_received"]["bytes"] > 0, "iperf3 moved nothing")

    def udp_arrives_with_good_checksums(self):
        end = self.iperf("-u -b 50M -l 1400")
        expect(end["sum"]["packets"] > 100, end)
        counters = self.b.run("nstat -az UdpInCsumErrors | tail -n 1").output.split()
        expect(counters[1] == "0", counters)

    # Verbs tools

    def perftest(self, tool, options, port=1):
        sides = {host: f"-d {host.device()} -i {port} -x {host.gid_index(port)}" for host in (self.a, self.b)}
        commands = [f"{tool} {sides[host]} -F {options}" for host in (self.b, self.a)]
        run = run_pair(self.b, self.a, commands[0], f"{commands[1]} {self.b.address(port)}", listen=PERFTEST_PORT)
        return last_row(run.client)

    def perftest_moves_all_it_can(self):
        for tool in ("ib_write_bw", "ib_read_bw", "ib_send_bw"):
            self.perftest(tool, "-a -n 20")
        for tool in ("ib_write_lat", "ib_read_lat", "ib_send_lat"):
            self.perftest(tool, "-s 64 -n 100")
        for tool in ("ib_atomic_bw", "ib_atomic_lat"):
            self.perftest(tool, "-n 100")

    def perftest_works_in_its_modes(self):
        self.perftest("ib_write_bw", "-b -s 65536 -n 100")
        self.perftest("ib_write_bw", "-q 16 -s 4096 -n 50")
        self.perftest("ib_send_bw", "-e -s 4096 -n 100")
        self.perftest("ib_send_bw", "-c UD -s 1024 -n 100")
        self.perftest("ib_write_bw", "-c UC -s 65536 -n 100")
        self.perftest("ib_send_bw", "-c UC -s 4096 -n 100")
        self.perftest("ib_write_bw", "-I 64 -s 64 -n 100")
        self.perftest("ib_write_bw", "-t 1 -s 1 -n 100")
        self.perftest("ib_write_bw", "-m 256 -s 10000 -n 50")
        self.perftest("ib_write_bw", "-s 65536 -n 100", port=2)

    def rping(self, address):
        waiting = self.b.spawn(f"rping -s -v -C 20 -a {address}", timeout=60)
        self.b.wait_for("rdma resource show cm_id | grep -q LISTEN")
        text = self.a.run(f"rping -c -v -C 20 -a {address}", timeout=60).output
        served = waiting.wait(60)
        expect(text.count("ping data:") == 20 and served.status == 0, f"{text}\n{served.output}")

    def connection_manager_connects_over_both_families(self):
        self.rping(self.b.address(1))
        self.rping(self.b.address(1, 6))
        self.rping(self.b.address(2))

    def vlan_has_its_own_gid_and_carries_rdma(self):
        for number, host in enumerate((self.a, self.b), 1):
            netdev = host.netdev(1)
            host.run(f"ip link add link {netdev} name vlan{VLAN} type vlan id {VLAN} && "
                     f"ip addr add 192.168.142.{number}/24 dev vlan{VLAN} && ip link set vlan{VLAN} up")
        self.a.run("ping -c 2 -i 0.1 -W 5 192.168.142.2")
        self.rping("192.168.142.2")
        for host in (self.a, self.b):
            host.run(f"ip link del vlan{VLAN}")

    # Kernel consumers: fast registration, SEND with invalidate, ib_drain_qp

    def serve_block_device(self):
        base = "/sys/kernel/config/nvmet"
        self.b.run(
            "modprobe null_blk nr_devices=1 gb=1 memory_backed=1 && modprobe nvmet-rdma && "
            "mount -t configfs configfs /sys/kernel/config 2>/dev/null; "
            f"mkdir -p {base}/subsystems/{NVME_NAME}/namespaces/1 {base}/ports/1 && "
            f"echo 1 > {base}/subsystems/{NVME_NAME}/attr_allow_any_host && "
            f"echo /dev/nullb0 > {base}/subsystems/{NVME_NAME}/namespaces/1/device_path && "
            f"echo 1 > {base}/subsystems/{NVME_NAME}/namespaces/1/enable && "
            f"echo ipv4 > {base}/ports/1/addr_adrfam && echo rdma > {base}/ports/1/addr_trtype && "
            f"echo {self.b.address()} > {base}/ports/1/addr_traddr && "
            f"echo {NVME_PORT} > {base}/ports/1/addr_trsvcid && "
            f"ln -s {base}/subsystems/{NVME_NAME} {base}/ports/1/subsystems/", timeout=60)

    def stop_serving(self):
        base = "/sys/kernel/config/nvmet"
        self.b.run(f"rm {base}/ports/1/subsystems/{NVME_NAME} && rmdir {base}/ports/1 && "
                   f"echo 0 > {base}/subsystems/{NVME_NAME}/namespaces/1/enable && "
                   f"rmdir {base}/subsystems/{NVME_NAME}/namespaces/1 {base}/subsystems/{NVME_NAME} && "
                   "modprobe -r nvmet-rdma null_blk", timeout=60)

    def block_device_over_the_fabric_keeps_its_data(self):
        self.serve_block_device()
        self.a.run("modprobe nvme-rdma", timeout=60)
        for _ in range(2):  # disconnecting drains the QPs
            self.a.run(f"nvme connect -t rdma -a {self.b.address()} -s {NVME_PORT} -n {NVME_NAME} -i 2", timeout=60)
            self.a.wait_for("[ -b /dev/nvme0n1 ]")
            self.a.run("dd if=/dev/urandom of=/tmp/data bs=64k count=160 2>/dev/null && "
                       "dd if=/tmp/data of=/dev/nvme0n1 bs=64k oflag=direct 2>/dev/null && "
                       "dd if=/dev/nvme0n1 of=/tmp/back bs=128k count=80 iflag=direct 2>/dev/null && "
                       "cmp /tmp/data /tmp/back", timeout=120)
            self.a.run(f"nvme disconnect -n {NVME_NAME}", timeout=60)
        self.a.run("modprobe -r nvme-rdma", timeout=60)
        self.stop_serving()
        for host in (self.a, self.b):  # the RDMA core keeps the CQs of its pool as long as the device is there
            host.unload()
            host.load()
            host.configure()


def run_all(results):
    with Lab() as lab:
        vms = lab.pair()
        lab.boot()
        hosts = [Host(vm) for vm in vms]
        prepare(*hosts)
        tests = PairTests(*hosts)
        with leaves_nothing(results, "Pair", *hosts):
            for name in ("frames_of_every_size_arrive", "tcp_flows_both_ways", "second_port_carries_tcp",
                         "udp_arrives_with_good_checksums", "perftest_moves_all_it_can", "perftest_works_in_its_modes",
                         "connection_manager_connects_over_both_families", "vlan_has_its_own_gid_and_carries_rdma",
                         "block_device_over_the_fabric_keeps_its_data"):
                results.test_named(getattr(tests, name))


if __name__ == "__main__":
    sys.exit(run_file(run_all))
