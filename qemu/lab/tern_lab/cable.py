# SPDX-License-Identifier: BSD-2-Clause
"""Ethernet cables: two ends, each a QEMU netdev that exchanges whole frames
with the other over a pair of Unix datagram sockets in the lab's directory.
The sockets push back when the reader is slow, so a cable loses nothing."""

import itertools
from pathlib import Path

_numbers = itertools.count()


class End:
    """One end; a VM's netdev attaches to it."""

    def __init__(self, local: Path, remote: Path, capture: Path | None):
        self.local = local
        self.remote = remote
        self.capture = capture

    def arguments(self, netdev: str) -> list[str]:
        """QEMU's options for a netdev of this name at this end."""
        options = [
            "-netdev", f"dgram,id={netdev},local.type=unix,local.path={self.local},"
                       f"remote.type=unix,remote.path={self.remote}"]
        if self.capture:
            options += ["-object", f"filter-dump,id=dump-{netdev},netdev={netdev},"
                                   f"file={self.capture}"]
        return options


class Cable:
    """A cable between end `a` and end `b`; `capture` names a pcap file for
    the frames that end `a` sees, both ways."""

    def __init__(self, directory: Path, capture: Path | None = None):
        stem = directory / f"cable{next(_numbers)}"
        a, b = stem.with_suffix(".a"), stem.with_suffix(".b")
        self.a = End(a, b, capture)
        self.b = End(b, a, None)
