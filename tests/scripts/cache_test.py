#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The build scripts' cache: entries appear whole or not at all, one at a time."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests" / "guest"))

from tern_guest.results import Results  # noqa: E402

KEY = "0123456789abcdef"


def expect(condition, detail):
    if not condition:
        raise AssertionError(detail)


class Cache:
    """A cache in a directory of its own; makers append to the file `made`."""

    def __init__(self, directory):
        self.path = Path(directory)
        self.made = self.path / "made"

    def command(self, text):
        return subprocess.Popen(
            ["bash", "-c", f". {TOP}/scripts/cache.sh; {text}", "a-script"], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, start_new_session=True,
            env={**os.environ, "TERN_CACHE": str(self.path)})

    def run(self, text):
        """(exit status, standard output, standard error)"""
        process = self.command(text)
        output, error = process.communicate(timeout=60)
        return process.returncode, output.strip(), error.strip()

    def maker(self, body="true"):
        return f'make() {{ echo made >> {self.made}; {body}; touch "$1/whole"; }}; entry thing {KEY} make'

    def times_made(self):
        return len(self.made.read_text().splitlines())


def in_fresh_cache(test):
    with tempfile.TemporaryDirectory() as directory:
        test(Cache(directory))


def entry_is_made_once_and_found_again(cache):
    first = cache.run(cache.maker())
    second = cache.run(cache.maker())
    expect(first[0] == 0 and first[:2] == second[:2], (first, second))
    expect(first[1] == f"{cache.path}/thing-{KEY}" and Path(first[1], "whole").exists(), first)
    expect(cache.times_made() == 1, cache.times_made())


def failed_maker_leaves_nothing(cache):
    status, output, error = cache.run(cache.maker("false"))
    expect(status == 1 and not output, (status, output))
    expect(error == "a-script: could not make thing", error)
    expect(not list(cache.path.glob("thing-*")), list(cache.path.iterdir()))


def maker_that_was_killed_is_cleared_away(cache):
    # The maker ends its whole session while its entry is half made.
    process = cache.command(cache.maker('touch "$1/half"; kill -9 0'))
    process.wait(timeout=60)
    expect(list(cache.path.glob("thing-*.new.*/half")), list(cache.path.iterdir()))
    status, output, error = cache.run(cache.maker())
    expect(status == 0 and not Path(output, "half").exists(), (status, output, error))
    expect(not list(cache.path.glob("thing-*.new.*")), list(cache.path.iterdir()))


def two_makers_at_once_make_one_entry(cache):
    makers = [cache.command(cache.maker("sleep 1")) for _ in range(2)]
    outputs = [maker.communicate(timeout=60) for maker in makers]
    expect(all(maker.returncode == 0 for maker in makers), outputs)
    expect(outputs[0][0] == outputs[1][0], outputs)
    expect(cache.times_made() == 1, cache.times_made())


def newest_entries_are_kept(cache):
    digits = "123456789a"
    for digit in digits:
        status = cache.run("make() { true; }; for name in thing thing-longer root; do "
                           f"entry $name {digit * 16} make; done")
        expect(status[0] == 0, status)
    for name, count in (("thing", 8), ("thing-longer", 8), ("root", 3)):
        kept = sorted(path.name for path in cache.path.glob(f"{name}-?" + "?" * 15))
        expect(kept == [f"{name}-{digit * 16}" for digit in digits[-count:]], kept)


def lack_of_space_is_one_line_that_says_what_to_do(cache):
    status, output, error = cache.run(f"need_space {cache.path} 1000000000")
    expect(status == 1 and not output, (status, output))
    expect(len(error.splitlines()) == 1 and "TERN_CACHE" in error, error)


def cache_that_cannot_be_made_is_one_line(cache):
    (cache.path / "file").touch()
    cache.path = cache.path / "file" / "below"
    status, _, error = cache.run(f"make() {{ true; }}; entry thing {KEY} make")
    expect(status == 1 and error.splitlines()[-1].endswith("set TERN_CACHE to a directory you may write"), error)


TESTS = (entry_is_made_once_and_found_again, failed_maker_leaves_nothing, maker_that_was_killed_is_cleared_away,
         two_makers_at_once_make_one_entry, newest_entries_are_kept, lack_of_space_is_one_line_that_says_what_to_do,
         cache_that_cannot_be_made_is_one_line)


def main():
    results = Results(sys.argv[1])
    for test in TESTS:
        name = "".join(word.capitalize() for word in test.__name__.split("_"))
        results.test(name, in_fresh_cache, test)
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
