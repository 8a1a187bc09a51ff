# SPDX-License-Identifier: BSD-2-Clause
"""GoogleTest programs (tests/guest/programs) run in a guest."""


def run_program(results, host, program, prefix="", environment="", options="", seconds=300):
    """Runs @program and takes over each of its tests, named after it."""
    report = f"/tmp/{program}.json"
    done = host.run(f"{environment} /tern/build/guest/{program} --gtest_brief=1 --gtest_output=json:{report} {options}",
                    timeout=seconds, check=False)
    text = host.run(f"cat {report}", check=False).output
    results.add_gtest(prefix + program.removesuffix("_test"), text, done.status)
