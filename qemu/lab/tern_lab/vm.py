# SPDX-License-Identifier: BSD-2-Clause
"""One virtual machine: QEMU in the build root, its cards, its agent."""

import ctypes
import signal
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

from .agent import Agent, Result
from .cable import End
from .error import LabError
from .qmp import Qmp

PR_SET_PDEATHSIG = 1
BOOT_SECONDS = 120
PROGRESS_SECONDS = 10

_libc = ctypes.CDLL(None)


def _die_with_parent():
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


@dataclass
class Card:
    """A Tern card: what `-device tern` gets, and the cable end of each port."""
    ports: list[End | None] = field(default_factory=list)
    model: str = "tern400"
    properties: dict[str, str] = field(default_factory=dict)


class Vm:
    """Boots on start(); commands once ready() has returned."""

    def __init__(self, name, number, directory: Path, parts, accelerator, *, cards=(), nics=(),
                 cpus=2, memory_mb=1536, iommu=False, kernel_arguments="", qemu_arguments=()):
        self.name = name
        self.number = number
        self.cards = list(cards)
        self.nics = list(nics)
        self.console = directory / f"{name}.console"
        self.log = directory / f"{name}.qemu"
        self._directory = directory
        self._parts = parts
        self._accelerator = accelerator
        self._cpus = cpus
        self._memory_mb = memory_mb
        self._iommu = iommu
        self._kernel_arguments = kernel_arguments
        self._qemu_arguments = list(qemu_arguments)
        self._process = None
        self._started = 0.0
        self.agent = None
        self.qmp = None

    # Command line

    def mac(self, card, port):
        return f"52:54:00:7e:{self.number:02x}:{card * 16 + port:02x}"

    def _machine(self, shell):
        # tsc=unstable: calibrating an emulated TSC and comparing it with other clocks both fail on a busy host.
        append = (f"console=ttyS0 quiet panic=-1 mitigations=off tsc=unstable lab.name={self.name} "
                  f"{'lab.shell ' if shell else ''}{'intel_iommu=on iommu.strict=1 ' if self._iommu else ''}"
                  f"{self._kernel_arguments}")
        return [
            "-machine", "q35,kernel-irqchip=split" if self._iommu else "q35",
            # Before all devices whose DMA it translates.
            *(["-device", "intel-iommu,intremap=on"] if self._iommu else []),
            "-accel", self._accelerator, "-cpu", "max", "-smp", self._cpus,
            "-m", self._memory_mb, "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
            "-L", "/usr/share/seabios", "-L", "/usr/share/qemu",
            "-kernel", self._parts.image / "kernel", "-initrd", self._parts.initrd,
            "-append", append,
            "-drive", f"file={self._parts.image / 'root.erofs'},if=none,id=image,format=raw,"
                      "readonly=on,file.locking=off",
            "-device", "virtio-blk-pci,drive=image",
            "-fsdev", f"local,id=clone,path={Path(__file__).resolve().parents[3]},"
                      "security_model=none,readonly=on",
            "-device", "virtio-9p-pci,fsdev=clone,mount_tag=tern",
            "-device", "virtio-rng-pci",
            "-device", "virtio-serial-pci",
            "-chardev", f"socket,id=agent,path={self._socket('agent')},server=on,wait=off",
            "-device", "virtserialport,chardev=agent,name=tern.agent",
            "-qmp", f"unix:{self._socket('qmp')},server=on,wait=off",
        ]

    def _network(self):
        options = []
        for index, end in enumerate(self.nics):
            options += end.arguments(f"nic{index}")
            options += ["-device", f"virtio-net-pci,romfile=,netdev=nic{index},"
                                   f"mac=52:54:00:00:{self.number:02x}:{index:02x}"]
        for index, card in enumerate(self.cards):
            options += self._card(index, card)
        return options

    def card_device(self, index):
        """QEMU's -device text of a card, to plug it by hand."""
        card = self.cards[index]
        properties = {"id": f"card{index}", "bus": f"slot{index}", "model": card.model,
                      "engine": str(self._parts.engine)}
        for port, end in enumerate(card.ports):
            properties[f"mac{port}"] = self.mac(index, port)
            if end:
                properties |= end.card_properties(port, f"card{index}port{port}")
        properties |= card.properties
        return properties

    def _card(self, index, card):
        options = ["-device", f"pcie-root-port,id=slot{index},chassis={index + 1},slot={index + 1},"
                              "x-speed=32,x-width=16"]
        for port, end in enumerate(card.ports):
            if end and not end.memory:
                options += end.arguments(f"card{index}port{port}")
        text = ",".join(f"{key}={value}" for key, value in self.card_device(index).items())
        return options + ["-device", f"tern,{text}"]

    def _socket(self, kind):
        return self._directory / f"{self.name}.{kind}"

    def _command(self, shell):
        words = [self._parts.in_root, self._parts.qemu, *self._machine(shell), *self._network(),
                 *self._qemu_arguments]
        if not shell:
            words += ["-chardev", f"file,id=console,path={self.console}", "-serial", "chardev:console"]
        else:
            words += ["-chardev", "stdio,id=console,signal=off", "-serial", "chardev:console"]
        return [str(word) for word in words]

    # Life

    def start(self):
        """Starts QEMU; call from the thread that outlives the VM."""
        self._started = time.monotonic()
        with open(self.log, "wb") as log:  # a file, so that QEMU never waits for a reader
            self._process = subprocess.Popen(
                self._command(shell=False), stdin=subprocess.DEVNULL, stdout=log,
                stderr=subprocess.STDOUT, preexec_fn=_die_with_parent)

    def shell(self):
        """Runs the VM with its console here until it powers off."""
        self.check_parts()
        return subprocess.call(self._command(shell=True), preexec_fn=_die_with_parent)

    def check_parts(self):
        """LabError if something is missing that the lab does not build itself."""
        if self.cards and not self._parts.engine.exists():
            raise LabError(f"{self._parts.engine} is missing; run make engine")

    def ready(self, progress=None):
        """Waits until the agent answers. Returns the seconds since start().
        @progress is called now and then with a line for whoever waits."""
        deadline = self._started + BOOT_SECONDS
        next_progress = time.monotonic() + PROGRESS_SECONDS
        while self.agent is None or not self.agent.hello.wait(0.1):
            self._check_alive()
            now = time.monotonic()
            if now > deadline:
                raise LabError(f"{self.name}: not up after {BOOT_SECONDS} s; its console is in {self.console}")
            if progress and now > next_progress:
                progress(f"{self.name} boots since {now - self._started:.0f} s: {self._last_console_line()}")
                next_progress += PROGRESS_SECONDS
            if self.agent is None and self._socket("agent").exists():
                self.agent = self._connect()
        self.qmp = Qmp(self._socket("qmp"))
        return time.monotonic() - self._started

    def _last_console_line(self):
        try:
            lines = self.console.read_text(encoding="utf-8", errors="replace").split("\n")
        except OSError:
            lines = []
        printable = ("".join(filter(str.isprintable, line)).strip() for line in reversed(lines))
        return next(filter(None, printable), "nothing on its console yet")

    def _connect(self):
        try:
            return Agent(self.name, self._socket("agent"))
        except ConnectionRefusedError:
            time.sleep(0.1)
            return None

    def _check_alive(self):
        if self._process.poll() is not None:
            words = self.log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
            reason = words[-1] if words else f"the guest stopped at: {self._last_console_line()}"
            raise LabError(f"{self.name}: QEMU ended: {reason} (its console is in {self.console})")

    @property
    def is_alive(self):
        return self._process is not None and self._process.poll() is None

    def stop(self):
        """Takes the VM's power away; start() boots it anew."""
        if self._process is None:
            return
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        self._process = self.agent = self.qmp = None
        ends = [*self.nics, *(end for card in self.cards for end in card.ports if end)]
        for path in [self._socket("agent"), self._socket("qmp"), *(end.local for end in ends)]:
            path.unlink(missing_ok=True)

    # Commands

    def spawn(self, text, timeout=None, watch=None):
        """Starts a shell command; returns a Command to wait for or kill."""
        return self.agent.start(text, timeout, watch)

    def run(self, text, timeout=60, check=True, watch=None) -> Result:
        """Runs a shell command to its end. 124: it took longer than @timeout
        seconds. With @check a status other than 0 is a LabError."""
        result = self.spawn(text, timeout, watch).wait(timeout + 30)
        if check and result.status != 0:
            if not self.is_alive:
                self._check_alive()
            raise LabError(f"{self.name}: `{text}` exited {result.status}:\n{result.output}")
        return result
