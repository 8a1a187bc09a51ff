# SPDX-License-Identifier: BSD-2-Clause
"""Results of a part of the tests: printed as they come, written as JSON."""

import json
import sys
import time
import traceback
from pathlib import Path

from tern_lab import LabError


class Results:
    def __init__(self, path):
        self._path = Path(path)
        self._tests = []

    def check(self, name, ok, detail=""):
        """Records a test that has been done."""
        self._add(name, "passed" if ok else "failed", "" if ok else detail)
        return ok

    def skip(self, name, reason):
        self._add(name, "skipped", reason)

    def test(self, name, function, *arguments):
        """Runs a function as a test: it fails by raising."""
        started = time.monotonic()
        try:
            function(*arguments)
        except Exception as error:  # a failed test must not hide the next ones
            detail = str(error) or traceback.format_exc()
            return self._add(name, "failed", detail, time.monotonic() - started)
        return self._add(name, "passed", "", time.monotonic() - started)

    def test_named(self, function, *arguments):
        """test(), named after the function: it_holds is ItHolds."""
        return self.test("".join(word.capitalize() for word in function.__name__.split("_")), function, *arguments)

    def add_gtest(self, name, text, status):
        """Takes over a GoogleTest run's own report (--gtest_output=json)."""
        try:
            suites = json.loads(text)["testsuites"]
        except (ValueError, KeyError):
            return self._add(name, "failed", f"exit status {status} and no report")
        for suite in suites:
            for test in suite["testsuite"]:
                full = f"{name}.{suite['name']}.{test['name']}"
                failures = "\n".join(f["failure"] for f in test.get("failures", []))
                state = "failed" if failures else "skipped" if test["result"] == "SKIPPED" else "passed"
                self._add(full, state, failures)
        return self._add(f"{name}.ExitsCleanly", "passed" if status == 0 else "failed",
                         f"exit status {status}")

    def _add(self, name, state, detail, seconds=None):
        took = f" ({seconds:.1f} s)" if seconds is not None else ""
        print(f"{state.upper():8} {name}{took}", flush=True)
        if state == "failed" and detail:
            print("    " + detail.strip().replace("\n", "\n    "), flush=True)
        self._tests.append({"name": name, "state": state, "detail": detail})
        return state == "passed"

    def count(self, state):
        return sum(test["state"] == state for test in self._tests)

    def finish(self):
        """Writes the file; exit status of the part."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._path.write_text(json.dumps({"tests": self._tests}, indent=1), encoding="utf-8")
        print(f"{self.count('passed')} passed, {self.count('failed')} failed, "
              f"{self.count('skipped')} skipped", flush=True)
        return 1 if self.count("failed") else 0


def run_file(run_all):
    """What a file of tests is: run_all(results), the report that argv names, an exit status."""
    results = Results(sys.argv[1])
    try:
        run_all(results)
    except LabError as error:
        results.check("Lab", False, str(error))
    return results.finish()
