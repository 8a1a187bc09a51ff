# SPDX-License-Identifier: BSD-2-Clause
"""Ethernet cables between two ends. Two cards share a file of memory; whatever
is recorded, or ends at another device, goes over QEMU netdevs that exchange
whole frames through a pair of Unix datagram sockets. Both push back when the
reader is slow, so a cable loses nothing."""

import itertools
import os
from dataclasses import dataclass
from pathlib import Path

_numbers = itertools.count()
_MEMORY = Path("/dev/shm")


@dataclass
class End:
    """One end of a cable; a port of a card or a netdev attaches to it."""
    name: str
    local: Path
    remote: Path
    memory: Path | None = None
    capture: Path | None = None

    def arguments(self, netdev: str) -> list[str]:
        """QEMU's options for a netdev of this name at this end."""
        options = [
            "-netdev", f"dgram,id={netdev},local.type=unix,local.path={self.local},"
                       f"remote.type=unix,remote.path={self.remote}"]
        if self.capture:
            options += ["-object", f"filter-dump,id=dump-{netdev},netdev={netdev},"
                                   f"file={self.capture}"]
        return options

    def card_properties(self, port: int, netdev: str) -> dict[str, str]:
        """How a card's port attaches."""
        if self.memory:
            return {f"cable{port}": f"{self.memory}:{self.name}"}
        return {f"netdev{port}": netdev}


class Cable:
    """A cable between end `a` and end `b`. `capture` names a pcap file for the
    frames that end `a` sees, both ways; such a cable has `netdevs`, as have
    those of which an end is no card's."""

    def __init__(self, directory: Path, capture: Path | None = None, netdevs=False):
        number = next(_numbers)
        stem = directory / f"cable{number}"
        a, b = stem.with_suffix(".a"), stem.with_suffix(".b")
        self.memory = None
        if not capture and not netdevs and _MEMORY.is_dir():
            self.memory = _MEMORY / f"tern-{os.getpid()}-{number}"
        self.a = End("a", a, b, self.memory, capture)
        self.b = End("b", b, a, self.memory)

    def remove(self):
        if self.memory:
            self.memory.unlink(missing_ok=True)
