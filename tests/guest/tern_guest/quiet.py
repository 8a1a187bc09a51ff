# SPDX-License-Identifier: BSD-2-Clause
"""The check that ends each file of tests: nothing leaked, nothing in dmesg."""

import contextlib
import re

# What loading an out-of-tree module always prints; nothing else of ours is welcome.
# The line on hrtimers tells that the host did not run a vCPU for a while.
_ALLOWED = (
    re.compile(r"tern: loading out-of-tree module taints kernel"),
    re.compile(r"tern: module verification failed: signature and/or required key missing"),
    re.compile(r"^hrtimer: interrupt took \d+ ns$"),
)
# What a clean kernel may say by itself at level warning while tests run.
_COMPLAINT_LEVELS = "emerg,alert,crit,err,warn"


def complaints(host):
    """Lines of the kernel log at warning or worse since the last call that are
    not on the list."""
    text = host.run(f"dmesg --level {_COMPLAINT_LEVELS} --notime; dmesg -C").output
    return [line for line in text.splitlines()
            if line and not any(allowed.search(line) for allowed in _ALLOWED)]


def _snapshot(host):
    return {"rdma resource": host.resources(), "live objects": host.live_objects()}


@contextlib.contextmanager
def leaves_nothing(results, name, *hosts):
    """Around a file's tests: records as tests of their own that objects are
    back to where they were and that dmesg stayed quiet."""
    for host in hosts:
        host.run("dmesg -C")
    before = [_snapshot(host) for host in hosts]
    yield
    for host, earlier in zip(hosts, before):
        later = _snapshot(host)
        results.check(f"{name}.NoObjectIsLeft.{host.name}", later == earlier,
                      f"before {earlier}\nafter {later}")
        lines = complaints(host)
        results.check(f"{name}.KernelLogStaysQuiet.{host.name}", not lines, "\n".join(lines))
