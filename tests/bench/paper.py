# SPDX-License-Identifier: BSD-2-Clause
"""The interface on paper: rows of paper_bench, which works out the same for a
card with CQEs of 64 bytes."""

from fast_path import TOP, in_root
from table import Row

PROGRAM = TOP / "build" / "engine" / "tests" / "bench" / "paper" / "paper_bench"
PEER = "64 B CQEs"


def rows():
    for line in in_root(PROGRAM).splitlines():
        name, value, unit, *peer = line.split(",")
        yield Row(name, float(value), unit, *((PEER, float(peer[0])) if peer else ()))
