# SPDX-License-Identifier: BSD-2-Clause
"""What the fast path of a provider costs per work request, in instructions and
in nanoseconds: provider_bench over one provider's library (tests/bench/provider)."""

import re
import shutil
import subprocess
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
OUTPUT = TOP / "build" / "bench"
PROGRAM = TOP / "build" / "engine" / "tests" / "bench" / "provider" / "provider_bench"
SECONDS = 300
LOOP = "loop"
# How a program may use the queues: shared by threads, by one thread, by one thread with push.
VARIANTS = {"locked": (), "lockless": ("lockless",), "pushed": ("lockless", "push")}


class Unavailable(Exception):
    """Why there is no figure."""


def in_root(*command):
    """Standard output of a command in the build root."""
    done = subprocess.run([TOP / "scripts" / "in-root", *command], cwd=TOP, timeout=SECONDS, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, errors="replace", check=False)
    if done.returncode:
        raise Unavailable(done.stderr.strip().splitlines()[-1] if done.stderr.strip() else f"status {done.returncode}")
    return done.stdout


def without_loop(rows, loop_per_call):
    """Takes off what the loop around the calls costs; rows: {name: (value per work request, calls per work request)}."""
    return {name: value - loop_per_call * calls for name, (value, calls) in rows.items() if name != LOOP}


def calls_per_wr(name):
    """A list or batch of n is one call."""
    found = re.search(r"(?:list|batch|poll_)(\d+)$", name)
    return 1 / int(found.group(1)) if found else 1


def times(card, library, *variant):
    """{row: nanoseconds per work request}, the least of many rounds."""
    rows = {}
    for line in in_root(PROGRAM, "time", card, library, *variant).splitlines():
        name, value = line.split(",")
        rows[name] = (float(value), calls_per_wr(name))
    return without_loop(rows, rows[LOOP][0])


def read_dump(path):
    """(row, instructions per work request) of a callgrind dump, or None."""
    text = path.read_text(errors="replace")
    trigger = re.search(r"^desc: Trigger: Client Request: (\w+),(\d+)$", text, re.MULTILINE)
    total = re.search(r"^(?:summary|totals): (\d+)", text, re.MULTILINE)
    return (trigger[1], int(total[1]) / int(trigger[2])) if trigger and total else None


def instructions(card, library, *variant):
    """{row: instructions per work request}, exact for one compiler and one C library."""
    place = OUTPUT / "-".join([card, *variant])
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    in_root("sh", "-c", "command -v valgrind > /dev/null || { echo 'there is no valgrind' >&2; exit 1; }")
    in_root("valgrind", "--tool=callgrind", "--collect-atstart=no", f"--callgrind-out-file={place}/out",
            PROGRAM, "count", card, library, *variant)
    in_order = sorted(place.glob("out.*"), key=lambda path: int(path.suffix[1:]))
    dumps = filter(None, map(read_dump, in_order))
    rows = {name: (value, calls_per_wr(name)) for name, value in dumps}
    return without_loop(rows, rows[LOOP][0])
