#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The demonstration: two VMs with a card each, both ports cabled, and the tools
that people use between them. Ends with a table and build/demo.json; exit
status 0 only if every row is ok."""

import json
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests" / "guest"))

import tern_guest  # noqa: E402,F401  (puts the lab on the path)
from tern_guest.host import Host, prepare  # noqa: E402
from tern_guest.pair import last_row, run_pair  # noqa: E402
from tern_lab import Lab, LabError  # noqa: E402

PERFTEST_PORT = 18515
IPERF_PORT = 5201
RXE_MTU = 4200
# Same iterations for both sides of the comparison, each at its best of so many.
COMPARED = "-s 65536 -n 300 -m 4096"
ATTEMPTS = 3
WANTED_RATIO = 20


class Demo:
    def __init__(self, a, b):
        self.a = a
        self.b = b
        self.rows = []

    def row(self, name, function):
        """Runs a row: function returns (value, unit, commands)."""
        print(f"demo: {name} ...", file=sys.stderr, flush=True)
        try:
            value, unit, commands = function()
            if not value > 0:
                raise LabError(f"{commands[-1]} measured nothing")
            row = {"name": name, "ok": True, "value": value, "unit": unit, "commands": commands}
        except (LabError, ValueError, IndexError) as error:
            print(f"demo: {name} failed: {error}", file=sys.stderr, flush=True)
            row = {"name": name, "ok": False, "value": None, "unit": "", "error": str(error)}
        self.rows.append(row)
        return row

    # Commands

    def verbs(self, port):
        """Options by which ibv_*_pingpong and perftest find the card's port."""
        return {host: (f"-d {host.device()} -i {port}", host.gid_index(port)) for host in (self.a, self.b)}

    def devinfo(self):
        command = f"ibv_devinfo -d {self.a.device()} -v"
        text = self.a.run(command).output
        active = text.count("PORT_ACTIVE (4)")
        if active != 2:
            raise LabError(f"{active} of 2 ports are active:\n{text}")
        return active, "ports active", [command]

    def pingpong(self, tool, port=1):
        options = self.verbs(port)
        commands = [f"{tool} {options[host][0]} -g {options[host][1]} -n 200" for host in (self.b, self.a)]
        commands[1] += f" {self.b.address(port)}"
        run = run_pair(self.b, self.a, *commands, listen=PERFTEST_PORT)
        return float(run.client.split("usec/iter")[0].split()[-1]), "us per iteration", commands

    def perftest(self, tool, options, column, unit, port=1):
        sides = self.verbs(port)
        commands = [f"{tool} {sides[host][0]} -x {sides[host][1]} -F {options}" for host in (self.b, self.a)]
        commands[1] += f" {self.b.address(port)}"
        # perftest says 0 when a busy host kept it from calibrating the guest's cycle counter.
        for _ in range(ATTEMPTS):
            value = last_row(run_pair(self.b, self.a, *commands, listen=PERFTEST_PORT).client)[column]
            if value > 0:
                break
        return value, unit, commands

    def bandwidth(self, tool, options="-s 65536 -n 300", port=1):
        return self.perftest(tool, options, 3, "MiB/s", port)

    def rping(self):
        commands = [f"rping -s -v -C 10 -a {self.b.address()}", f"rping -c -v -C 10 -a {self.b.address()}"]
        waiting = self.b.spawn(commands[0], timeout=60)
        self.b.wait_for("rdma resource show cm_id | grep -q LISTEN")
        text = self.a.run(commands[1], timeout=60).output
        served = waiting.wait(60)
        pings = text.count("ping data:")
        if pings != 10 or served.status:
            raise LabError(f"{pings} of 10 pings:\n{text}\nserver: {served.output}")
        return pings, "pings", commands

    def ping(self, port=1):
        command = f"ping -c 10 -i 0.2 {self.b.address(port)}"
        text = self.a.run(command).output
        return float(text.rsplit("=", 1)[1].split("/")[1]), "ms round trip", [command]

    def iperf(self, port=1):
        commands = ["iperf3 -s -1", f"iperf3 -c {self.b.address(port)} -t 3 --json"]
        run = run_pair(self.b, self.a, *commands, listen=IPERF_PORT)
        bits = json.loads(run.client)["end"]["sum_received"]["bits_per_second"]
        return round(bits / 1e6, 1), "Mb/s", commands

    # rxe beside us

    def best_write_bandwidth(self, sides):
        commands = [f"ib_write_bw {sides[host]} -F {COMPARED}" for host in (self.b, self.a)]
        commands[1] += f" {self.b.address()}"
        best = 0.0
        for _ in range(ATTEMPTS):
            best = max(best, last_row(run_pair(self.b, self.a, *commands, listen=PERFTEST_PORT).client)[3])
        return best, commands

    def compare_with_rxe(self):
        ours, our_commands = self.best_write_bandwidth(
            {host: f"{options} -x {gid}" for host, (options, gid) in self.verbs(1).items()})
        sides = {host: f"-d rxe0 -i 1 -x {start_rxe(host)}" for host in (self.a, self.b)}
        theirs, their_commands = self.best_write_bandwidth(sides)
        ratio = round(ours / theirs, 1)
        self.rows.append({"name": "rxe_ib_write_bw_64k", "ok": True, "value": theirs, "unit": "MiB/s",
                          "commands": their_commands})
        if ratio < WANTED_RATIO:
            raise LabError(f"Tern {ours} MiB/s, rxe {theirs} MiB/s: {ratio} and not {WANTED_RATIO}")
        return ratio, "times rxe", our_commands + their_commands

    def run(self):
        self.row("ibv_devinfo", self.devinfo)
        self.row("ibv_rc_pingpong", lambda: self.pingpong("ibv_rc_pingpong"))
        self.row("ibv_ud_pingpong", lambda: self.pingpong("ibv_ud_pingpong"))
        for tool in ("ib_write_bw", "ib_read_bw", "ib_send_bw"):
            self.row(tool, lambda tool=tool: self.bandwidth(tool))
        self.row("ib_write_lat", lambda: self.perftest("ib_write_lat", "-s 8 -n 300", 4, "us typical"))
        self.row("ib_atomic_bw", lambda: self.perftest("ib_atomic_bw", "-n 300", 3, "MiB/s"))
        self.row("rping", self.rping)
        self.row("ping", self.ping)
        self.row("iperf3", self.iperf)
        self.row("port2_ib_write_bw", lambda: self.bandwidth("ib_write_bw", port=2))
        self.row("port2_iperf3", lambda: self.iperf(port=2))
        self.row("ib_write_bw_64k_vs_rxe", self.compare_with_rxe)


def start_rxe(host):
    """rxe over the VM's virtio link; returns its GID index. The link has
    addresses of its own; the tools still meet over the card's netdev."""
    netdev = host.run("ls -d /sys/bus/virtio/drivers/virtio_net/*/net/*").output.split()[0].rsplit("/", 1)[1]
    address = f"192.168.200.{host.vm.number}"
    host.run(f"ip link set {netdev} mtu {RXE_MTU} up && ip addr replace {address}/24 dev {netdev} && "
             f"modprobe rdma_rxe && {{ rdma link show rxe0/1 >/dev/null 2>&1 || "
             f"rdma link add rxe0 type rxe netdev {netdev}; }}")
    wanted = "0000:0000:0000:0000:0000:ffff:{:02x}{:02x}:{:02x}{:02x}".format(*map(int, address.split(".")))
    path = "/sys/class/infiniband/rxe0/ports/1/gids"
    host.wait_for(f"grep -lq {wanted} {path}/*")
    return int(host.run(f"basename $(grep -l {wanted} {path}/* | head -n 1)").output)


def print_table(rows):
    width = max(len(row["name"]) for row in rows)
    print(f"\n{'what':{width}}  {'':4}  {'value':>12}  unit")
    for row in rows:
        value = "-" if row["value"] is None else f"{row['value']:g}"
        print(f"{row['name']:{width}}  {'ok' if row['ok'] else 'FAIL':4}  {value:>12}  {row['unit']}")


def main():
    rows = []
    try:
        with Lab() as lab:
            link = lab.cable(netdevs=True)
            vms = lab.pair(cpus=1)
            for vm, end in zip(vms, (link.a, link.b)):
                vm.nics.append(end)
            lab.boot()
            hosts = [Host(vm) for vm in vms]
            print("demo: installing drivers and provider ...", file=sys.stderr, flush=True)
            prepare(*hosts)
            demo = Demo(*hosts)
            rows = demo.rows
            demo.run()
    except LabError as error:
        print(f"demo: {error}", file=sys.stderr)
        rows.append({"name": "demo", "ok": False, "value": None, "unit": "", "error": str(error)})
    except KeyboardInterrupt:
        return 130
    output = TOP / "build" / "demo.json"
    output.parent.mkdir(exist_ok=True)
    output.write_text(json.dumps({"results": rows}, indent=1), encoding="utf-8")
    print_table(rows)
    return 0 if all(row["ok"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
