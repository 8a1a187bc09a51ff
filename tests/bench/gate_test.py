#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""gate_test.py REPORT: the provider's fast path takes no more instructions than
instructions.json says, to 3 %. The compiler and the C library are those of the
build root, so the counts are exact. `gate_test.py --fix` writes the file."""

import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOP = HERE.parents[1]
sys.path[:0] = [str(HERE), str(TOP / "tests" / "guest")]

import tern_guest  # noqa: E402,F401  (puts the lab on the path)
from fast_path import VARIANTS, Unavailable, instructions  # noqa: E402
from tern_guest.results import Results  # noqa: E402

COMMITTED = HERE / "instructions.json"
GROWTH = 1.03


def measure():
    library = next((TOP / "build" / "provider").glob("libtern-rdmav*.so"))
    return {variant: {row: round(value, 1) for row, value in instructions("tern", library, *options).items()}
            for variant, options in VARIANTS.items()}


def judge(results, committed, measured):
    for variant, rows in committed.items():
        for row, value in rows.items():
            now = measured[variant].get(row)
            results.check(f"{row}.{variant}", now is not None and now <= value * GROWTH,
                          f"{now} instructions, {value} committed; if that is meant: tests/bench/gate_test.py --fix")


def main():
    if sys.argv[1:] == ["--fix"]:
        COMMITTED.write_text(json.dumps(measure(), indent=1, sort_keys=True) + "\n")
        return 0
    results = Results(sys.argv[1])
    committed = json.loads(COMMITTED.read_text())
    try:
        measured = measure()
    except Unavailable as error:
        # The build root has valgrind, so this is a failure like any other.
        results.check("FastPathIsCounted", False, str(error))
    else:
        judge(results, committed, measured)
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
