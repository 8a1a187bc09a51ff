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
                 cpus=2, memory_mb=1536, kernel_arguments="", qemu_arguments=()):
        self.name = name
        self.number = number
        self.cards = list(cards)
        self.nics = list(nics)
        self.console = directory / f"{name}.console"
        self._directory = directory
        self._parts = parts
        self._accelerator = accelerator
        self._cpus = cpus
        self._memory_mb = memory_mb
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
        append = (f"console=ttyS0 quiet panic=-1 mitigations=off lab.name={self.name} "
                  f"{'lab.shell ' if shell else ''}{self._kernel_arguments}")
        machine = "q35,kernel-irqchip=split" if "iommu" in append else "q35"
        return [
            "-machine", machine, "-accel", self._accelerator, "-cpu", "max", "-smp", self._cpus,
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
                      "engine": self._parts.engine}
        for port, end in enumerate(card.ports):
            properties[f"mac{port}"] = self.mac(index, port)
            if end:
                properties[f"netdev{port}"] = f"card{index}port{port}"
        properties |= card.properties
        return properties

    def _card(self, index, card):
        options = ["-device", f"pcie-root-port,id=slot{index},chassis={index + 1},slot={index + 1},"
                              "x-speed=32,x-width=16"]
        for port, end in enumerate(card.ports):
            if end:
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
        self._process = subprocess.Popen(
            self._command(shell=False), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, preexec_fn=_die_with_parent)

    def shell(self):
        """Runs the VM with its console here until it powers off."""
        return subprocess.call(self._command(shell=True), preexec_fn=_die_with_parent)

    def ready(self):
        """Waits until the agent answers. Returns the seconds since start()."""
        deadline = self._started + BOOT_SECONDS
        while self.agent is None or not self.agent.hello.wait(0.1):
            self._check_alive()
            if time.monotonic() > deadline:
                raise LabError(f"{self.name}: not up after {BOOT_SECONDS} s; its console is in {self.console}")
            if self.agent is None and self._socket("agent").exists():
                self.agent = self._connect()
        self.qmp = Qmp(self._socket("qmp"))
        return time.monotonic() - self._started

    def _connect(self):
        try:
            return Agent(self.name, self._socket("agent"))
        except ConnectionRefusedError:
            time.sleep(0.1)
            return None

    def _check_alive(self):
        if self._process.poll() is not None:
            words = self._process.stdout.read().strip().splitlines()
            reason = words[-1] if words else f"exit status {self._process.returncode}"
            raise LabError(f"{self.name}: QEMU ended: {reason}; its console is in {self.console}")

    @property
    def is_alive(self):
        return self._process is not None and self._process.poll() is None

    def stop(self):
        if self._process is None:
            return
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        self._process.stdout.close()
        self._process = None

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
