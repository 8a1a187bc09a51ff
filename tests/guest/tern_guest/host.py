# SPDX-License-Identifier: BSD-2-Clause
"""A VM seen as a host with one Tern card: drivers, names, addresses, GIDs."""

import socket
from concurrent.futures import ThreadPoolExecutor

from tern_lab import LabError, Vm

# Names change when udev renames, so they are looked up, by the driver's own sysfs.
_FIND_NETDEV = ('for n in /sys/bus/pci/drivers/tern/*/net/*; do '
                'if [ "$(cat $n/dev_port)" = {port} ]; then basename $n; fi; done')


def _as_sysfs_gid(address):
    """The 16 bytes of an IPv6 address as sysfs writes a GID: eight groups of hex
    digits, whatever form Python prefers for a mapped IPv4 address."""
    return socket.inet_pton(socket.AF_INET6, address).hex(":", 2)


class Host:
    """Port numbers count from 1. Addresses: 192.168.<100 + port>.<VM number>,
    and fd00:<port>::<VM number>."""

    def __init__(self, vm: Vm):
        self.vm = vm
        self.run = vm.run
        self.spawn = vm.spawn
        self.name = vm.name

    def install(self):
        self.run("/tern/scripts/install", timeout=120)

    def load(self):
        """Loads by modprobe; the ib driver follows by its auxiliary alias."""
        self.run("modprobe tern && udevadm settle --timeout=30 && modprobe tern_ib && "
                 "udevadm settle --timeout=30", timeout=120)

    def unload(self):
        self.run("modprobe -r tern_ib && modprobe -r tern", timeout=120)

    def netdev(self, port=1):
        name = self.run(_FIND_NETDEV.format(port=port - 1)).output.split()
        if len(name) != 1:
            raise LabError(f"{self.name}: port {port} has the netdevs {name}")
        return name[0]

    def device(self):
        """Name of the card's ib_device."""
        names = self.run("ls -d /sys/bus/pci/drivers/tern/*/infiniband/*").output.split()
        if len(names) != 1:
            raise LabError(f"{self.name}: the card has the RDMA devices {names}")
        return names[0].rsplit("/", 1)[1]

    def address(self, port=1, version=4):
        number = self.vm.number
        return f"192.168.{100 + port}.{number}" if version == 4 else f"fd00:{port}::{number}"

    def configure(self, mtu=9000, ports=(1, 2)):
        """Brings the ports up with their addresses and waits for the link and the GIDs."""
        for port in ports:
            netdev = self.netdev(port)
            self.run(f"ip link set {netdev} mtu {mtu} up && "
                     f"ip addr replace {self.address(port)}/24 dev {netdev} && "
                     f"ip addr replace {self.address(port, 6)}/64 dev {netdev} nodad")
        for port in ports:
            netdev = self.netdev(port)
            self.wait_for(f"grep -q 1 /sys/class/net/{netdev}/carrier")
            # Nobody answers for an address that may turn out to be a duplicate.
            self.wait_for(f'[ -z "$(ip -6 addr show dev {netdev} tentative)" ]')
            self.gid_index(port)

    def wait_for(self, condition, seconds=30):
        """Waits until a shell condition holds."""
        self.run(f"i=0; until {condition} 2>/dev/null; do i=$((i+1)); [ $i -lt {seconds * 5} ] || "
                 f"exit 1; sleep 0.2; done", timeout=seconds + 30)

    def gid_index(self, port=1, version=4):
        """Index of the RoCE v2 GID of this port's address."""
        address = self.address(port, version)
        wanted = _as_sysfs_gid(f"::ffff:{address}" if version == 4 else address)
        path = f"/sys/class/infiniband/{self.device()}/ports/{port}/gids"
        self.wait_for(f"grep -lq {wanted} {path}/*")
        return int(self.run(f"basename $(grep -l {wanted} {path}/* | head -n 1)").output)

    def resources(self):
        """Objects that restrack knows, by kind: a clean host has only the
        kernel's own, which are the same before and after a test."""
        words = self.run(f"rdma resource show {self.device()}").output.split()[2:]
        return {kind: int(count) for kind, count in zip(words[::2], words[1::2])}

    def live_objects(self):
        """The card's own counts of live objects."""
        path = f"/sys/class/infiniband/{self.device()}/hw_counters"
        lines = self.run(f"cd {path} && grep -H . live_*").output.splitlines()
        return {name: int(value) for name, value in (line.split(":") for line in lines)}


def prepare(*hosts, mtu=9000):
    """Installs, loads and configures on all hosts at once."""

    def prepare_one(host):
        host.install()
        host.load()
        host.configure(mtu)

    with ThreadPoolExecutor(len(hosts)) as pool:
        list(pool.map(prepare_one, hosts))
