# SPDX-License-Identifier: BSD-2-Clause
"""The interface on paper: rows of paper_bench beside those of a card with 64-byte
WQEs and CQEs, as measured peers have (worked out by hand from the same model)."""

from fast_path import TOP, in_root
from table import Row

PROGRAM = TOP / "build" / "engine" / "tests" / "bench" / "paper" / "paper_bench"
PEER = "64 B WQE and CQE"
PEERS = {
    "pcie.write_8.pushed_signaled down": 88, "pcie.write_8.pushed_signaled up": 88,
    "pcie.write_8.doorbell_signaled down": 116, "pcie.write_8.doorbell_signaled up": 112,
    "pcie.write_8.batched_unsignaled down": 70, "pcie.write_8.batched_unsignaled up": 4.4,
    "pcie.write_64.doorbell_signaled down": 200, "pcie.write_64.doorbell_signaled up": 136,
    "pcie.write_64.batched_unsignaled down": 154, "pcie.write_64.batched_unsignaled up": 28,
    "pcie.receive_64 up": 178,
}


def rows():
    for line in in_root(PROGRAM).splitlines():
        name, value, unit = line.split(",")
        peer_value = PEERS.get(name)
        yield Row(name, float(value), unit, PEER if peer_value else None, peer_value)
