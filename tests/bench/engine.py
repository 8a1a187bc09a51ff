# SPDX-License-Identifier: BSD-2-Clause
"""Two engines on one core, and beside them a plain ring with ICRC from the same run."""

from fast_path import TOP, in_root
from table import Row

PROGRAM = TOP / "build" / "engine" / "tests" / "bench" / "engine" / "engine_bench"
RING = "engine.plain_ring"


def rows():
    found = [line.split(",") for line in in_root(PROGRAM).splitlines()]
    ring = next(float(value) for name, value, _ in found if name == RING)
    for name, value, unit in found:
        if name != RING:
            beside = ("two copies and ICRC", ring) if unit == "Gb/s" else (None, None)
            yield Row(name, float(value), unit, *beside)
