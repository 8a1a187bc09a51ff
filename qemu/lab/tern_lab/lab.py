# SPDX-License-Identifier: BSD-2-Clause
"""A set of VMs and cables that lives as long as a `with` block."""

import shutil
import signal
import sys
import tempfile
import threading
from pathlib import Path

from . import accelerator
from .cable import Cable
from .parts import Parts
from .vm import Card, Vm


class Lab:
    """with Lab() as lab: a = lab.add_vm("a", ...); lab.boot(); a.run("...")"""

    def __init__(self, parts=None, quiet=False):
        self.parts = parts or Parts()
        self.directory = None
        self.vms = []
        self._cables = []
        self._quiet = quiet
        self._accelerator = None

    def __enter__(self):
        # Below /tmp whatever TMPDIR says: QEMU sees it there too.
        self.directory = Path(tempfile.mkdtemp(prefix="tern-lab-", dir="/tmp"))
        self._accelerator = accelerator.choose(self.parts)
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
        return self

    def __exit__(self, kind, error, trace):
        for vm in self.vms:
            vm.stop()
        for cable in self._cables:
            cable.remove()
        if isinstance(error, Exception) and any(vm.console.exists() for vm in self.vms):
            self.say(f"consoles are kept in {self.directory}")
        else:
            shutil.rmtree(self.directory, ignore_errors=True)

    def say(self, text):
        if not self._quiet:
            print(f"lab: {text}", file=sys.stderr, flush=True)

    def cable(self, capture=None, netdevs=False) -> Cable:
        cable = Cable(self.directory, Path(capture) if capture else None, netdevs)
        self._cables.append(cable)
        return cable

    def add_vm(self, name, **options) -> Vm:
        vm = Vm(name, len(self.vms) + 1, self.directory, self.parts, self._accelerator, **options)
        self.vms.append(vm)
        return vm

    def boot(self):
        """Boots all VMs that are not up, together."""
        waiting = [vm for vm in self.vms if not vm.is_alive]
        for vm in waiting:
            vm.check_parts()
        self.say(f"booting {', '.join(vm.name for vm in waiting)} ({self._accelerator.split(',')[0]})")
        for vm in waiting:
            vm.start()
        for vm in waiting:
            self.say(f"{vm.name} is up after {vm.ready(self.say):.1f} s")

    def pair(self, model="tern400", capture=None, properties=None, netdevs=False, **options):
        """Two VMs a and b with a card each, port 1 to port 1 and 2 to 2.
        @capture: directory for port1.pcap and port2.pcap."""
        cables = [self.cable(Path(capture) / f"port{n}.pcap" if capture else None, netdevs) for n in (1, 2)]
        vms = []
        for name in ("a", "b"):
            card = Card([getattr(cable, name) for cable in cables], model, dict(properties or {}))
            vms.append(self.add_vm(name, cards=[card], **options))
        return vms

    def crossed(self, name="c", model="tern400", properties=None, netdevs=False, **options):
        """One VM whose card has its two ports cabled to each other."""
        cable = self.cable(netdevs=netdevs)
        card = Card([cable.a, cable.b], model, dict(properties or {}))
        return self.add_vm(name, cards=[card], **options)
