#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""wire_test.py REPORT.json: what two hosts say to each other, captured from the
cable: dissected by tshark, and every ICRC computed anew from the bytes."""

import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import tern_guest  # noqa: F401  (puts the lab on the path)
from tern_guest.host import Host, prepare
from tern_guest.icrc import icrc_errors, roce_packets
from tern_guest.pair import run_pair
from tern_guest.quiet import leaves_nothing
from tern_guest.results import run_file
from tern_lab import Lab, LabError

TOP = Path(__file__).resolve().parents[2]
PERFTEST_PORT = 18515
# IBTA table 38: BTH opcodes that the traffic below must have shown.
WANTED_OPCODES = {
    0x00: "RC SEND First", 0x01: "RC SEND Middle", 0x02: "RC SEND Last", 0x04: "RC SEND Only",
    0x06: "RC RDMA WRITE First", 0x08: "RC RDMA WRITE Last", 0x0a: "RC RDMA WRITE Only",
    0x0c: "RC RDMA READ Request", 0x0d: "RC RDMA READ Response First", 0x0f: "RC RDMA READ Response Last",
    0x10: "RC RDMA READ Response Only", 0x11: "RC Acknowledge", 0x12: "RC ATOMIC Acknowledge",
    0x13: "RC CmpSwap", 0x14: "RC FetchAdd", 0x64: "UD SEND Only",
}


# tshark looks for an encapsulated protocol in what is carried; random bytes now
# and then look like one. These do not.
PAYLOAD = "/tmp/payload"


def talk(a, b):
    for host in (a, b):
        host.run(f"yes 0x7b7b7b7b | head -n 4096 | paste -sd, > {PAYLOAD}")

    def pair(tool, options):
        sides = {host: f"{tool} -d {host.device()} -i 1 {options} " for host in (a, b)}
        gid = "-g" if "pingpong" in tool else f"--payload_file_path={PAYLOAD} -F -x"
        run_pair(b, a, f"{sides[b]} {gid} {b.gid_index(1)}", f"{sides[a]} {gid} {a.gid_index(1)} {b.address()}",
                 listen=PERFTEST_PORT)

    for size in (16, 1023, 10000):
        pair("ibv_rc_pingpong", f"-n 5 -s {size} -m 1024")
    pair("ibv_ud_pingpong", "-n 10 -s 1000")
    for tool in ("ib_write_bw", "ib_read_bw"):
        for size in (1, 1023, 10000):
            pair(tool, f"-n 5 -s {size} -m 1024")
    pair("ib_atomic_bw", "-n 5 -A CMP_AND_SWAP")
    pair("ib_atomic_bw", "-n 5 -A FETCH_AND_ADD")
    for version in (4, 6):
        address = b.address(1, version)
        waiting = b.spawn(f"rping -s -C 3 -a {address}", timeout=60)
        b.wait_for("rdma resource show cm_id | grep -q LISTEN")
        a.run(f"rping -c -C 3 -a {address}", timeout=60)
        waiting.wait(60)


def tshark(capture, *options):
    done = subprocess.run([TOP / "scripts" / "in-root", "tshark", "-r", capture, *options], capture_output=True,
                          text=True, check=False)
    if done.returncode:
        raise LabError(done.stderr.strip())
    return done.stdout


def every_frame_is_well_formed(capture):
    # RoCE v2 leaves the UDP checksum to the ICRC, over IPv6 too (IBTA annex A17, RFC 6936).
    text = tshark(capture, "-o", "udp.ignore_ipv6_zero_checksum:TRUE", "-Y", "_ws.malformed || _ws.expert.severity == error")
    if text:
        raise LabError(f"tshark complains about:\n{text[:2000]}")
    seen = tshark(capture, "-Y", "infiniband", "-T", "fields", "-e", "infiniband.bth.opcode").split()
    if not seen:
        raise LabError("tshark saw no RoCE packet")


def every_icrc_is_right(capture):
    errors, count = icrc_errors(capture)
    if errors or not count:
        raise LabError(f"{len(errors)} of {count} ICRCs are wrong, first in frame {errors[:1]}")


def every_opcode_was_seen(capture):
    seen = Counter(packet[0] for packet in roce_packets(capture))
    missing = [name for opcode, name in WANTED_OPCODES.items() if not seen[opcode]]
    if missing:
        raise LabError(f"never seen: {', '.join(missing)}; seen {dict(seen)}")


def run_hosts(results, directory):
    with Lab() as lab:
        vms = lab.pair(capture=directory, cpus=1)
        lab.boot()
        hosts = [Host(vm) for vm in vms]
        prepare(*hosts)
        with leaves_nothing(results, "Wire", *hosts):
            results.test("HostsTalk", talk, *hosts)


def run_all(results):
    with tempfile.TemporaryDirectory(prefix="tern-wire-", dir="/tmp") as directory:
        run_hosts(results, directory)
        capture = Path(directory) / "port1.pcap"
        for test in (every_frame_is_well_formed, every_icrc_is_right, every_opcode_was_seen):
            results.test_named(test, capture)


if __name__ == "__main__":
    sys.exit(run_file(run_all))
