# SPDX-License-Identifier: BSD-2-Clause
"""A QEMU whose processor is this test: every access to memory, ports and the
clock is a line of the qtest protocol."""

import os
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path

import tern_guest  # noqa: F401  (puts the lab on the path)
from tern_lab.parts import TOP, Parts
from tern_lab.qmp import Qmp

START_SECONDS = 30
MEMORY_MB = 64
MEMORY_BYTES = MEMORY_MB << 20

# With TERN_SANITIZED=1 the engine is the one that `build-engine asan` makes.
SANITIZED = os.environ.get("TERN_SANITIZED") == "1"
SANITIZED_ENGINE = TOP / "build" / "asan" / "libtern-engine.so"
# What is freed is overwritten, so that its use does not go unnoticed.
ENVIRONMENT = (("LD_PRELOAD=libasan.so.8:libubsan.so.1", "ASAN_OPTIONS=detect_leaks=0") if SANITIZED else
               ("MALLOC_PERTURB_=165",))

_parts = None


class MachineGone(Exception):
    """QEMU ended: what a guest must never achieve."""


def parts():
    global _parts
    _parts = _parts or (Parts(engine=SANITIZED_ENGINE) if SANITIZED else Parts())
    return _parts


HUBS = ("hubport,id=n0,hubid=0", "hubport,id=n1,hubid=1")


PLUGGED = ",netdev0=n0,netdev1=n1"


def command_line(directory, card="", extra=(), netdevs=HUBS, ends=PLUGGED):
    """QEMU's words; @card: properties of the card beside the engine's path;
    @netdevs: the back ends n0 and n1; @ends: what the card's ports are plugged into."""
    return [str(word) for word in (
        parts().in_root, "env", *ENVIRONMENT, parts().qemu, "-machine", "q35,kernel-irqchip=split" if extra else "q35",
        "-global", "ICH9-LPC.acpi-pci-hotplug-with-bridge-support=off",  # the slot's own registers do it
        "-accel", "qtest", "-m", MEMORY_MB, "-nodefaults", "-no-user-config", "-display", "none",
        "-L", "/usr/share/seabios", "-L", "/usr/share/qemu",
        "-qtest", f"unix:{directory}/qtest,server=on,wait=off", "-qtest-log", "none",
        "-qmp", f"unix:{directory}/qmp,server=on,wait=off",
        *(["-device", "intel-iommu,intremap=off"] if "intel-iommu" in extra else []),
        *(word for netdev in netdevs for word in ("-netdev", netdev)),
        "-device", "pcie-root-port,id=slot0,chassis=1,slot=1,x-speed=32,x-width=16",
        "-device", f"tern,id=card0,bus=slot0,engine={parts().engine}{ends}{card}",
        *(["-device", "intel-iommu,intremap=off"] if "late-iommu" in extra else []))]


class Machine:
    """with Machine() as machine: ..."""

    def __init__(self, card="", iommu=False, netdevs=HUBS, extra=()):
        self._card = card
        self._netdevs = netdevs
        self._extra = ("intel-iommu",) if iommu else extra

    def __enter__(self):
        # Below /tmp whatever TMPDIR says: QEMU sees it there too.
        self.directory = Path(tempfile.mkdtemp(prefix="tern-qtest-", dir="/tmp"))
        self._log = open(self.directory / "log", "w+b")
        self._process = subprocess.Popen(command_line(self.directory, self._card, self._extra, self._netdevs),
                                         stdin=subprocess.DEVNULL, stdout=self._log, stderr=subprocess.STDOUT)
        self._socket = self._connect(self.directory / "qtest")
        self._lines = self._socket.makefile("r")
        self.qmp = Qmp(self.directory / "qmp")
        return self

    def __exit__(self, *_):
        self._process.kill()
        self._process.wait()
        self._log.close()
        shutil.rmtree(self.directory, ignore_errors=True)

    def _connect(self, path):
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                connection = socket.socket(socket.AF_UNIX)
                connection.settimeout(START_SECONDS)
                connection.connect(str(path))
                return connection
            except (FileNotFoundError, ConnectionRefusedError):
                if self._process.poll() is not None or time.monotonic() > deadline:
                    raise MachineGone(self.said()) from None
                time.sleep(0.02)

    def said(self):
        self._log.seek(0)
        return self._log.read().decode(errors="replace").strip()

    @property
    def is_alive(self):
        return self._process.poll() is None

    def _ask(self, text):
        try:
            self._socket.sendall(f"{text}\n".encode())
            while True:
                answer = self._lines.readline().split()
                if not answer:
                    raise MachineGone(f"QEMU ended at `{text}`: {self.said()}")
                if answer[0] == "IRQ":
                    continue
                if answer[0] != "OK":
                    raise ValueError(f"`{text}`: {' '.join(answer)}")
                return answer[1:]
        except (BrokenPipeError, ConnectionResetError):
            raise MachineGone(f"QEMU ended at `{text}`: {self.said()}") from None
        except TimeoutError:
            raise MachineGone(f"QEMU hangs at `{text}`") from None

    # Accesses; sizes in bytes

    _SUFFIX = {1: "b", 2: "w", 4: "l", 8: "q"}

    def load(self, address, size):
        return int(self._ask(f"read{self._SUFFIX[size]} {address:#x}")[0], 16)

    def store(self, address, size, value):
        self._ask(f"write{self._SUFFIX[size]} {address:#x} {value:#x}")

    def port_in(self, port, size):
        return int(self._ask(f"in{self._SUFFIX[size]} {port:#x}")[0], 16)

    def port_out(self, port, size, value):
        self._ask(f"out{self._SUFFIX[size]} {port:#x} {value:#x}")

    def read(self, address, length):
        return bytes.fromhex(self._ask(f"read {address:#x} {length:#x}")[0][2:])

    def write(self, address, data):
        if data:
            self._ask(f"write {address:#x} {len(data):#x} 0x{data.hex()}")

    def step(self, milliseconds):
        """Lets time pass, and the threads see it."""
        self._ask(f"clock_step {milliseconds * 1000000}")
