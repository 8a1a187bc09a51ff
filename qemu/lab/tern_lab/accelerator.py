# SPDX-License-Identifier: BSD-2-Clause
"""Which accelerator works here. That /dev/kvm exists proves nothing: KVM is
used only if the processor says svm or vmx and a guest really boots with it."""

import re
import subprocess

PROBE_SECONDS = 30


def _cpu_has_virtualisation():
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as text:
        return re.search(r"^flags\s*:.*\b(vmx|svm)\b", text.read(), re.M) is not None


def _probe_boots(parts):
    """The guest's kernel without a disk panics at once, and so ends QEMU."""
    command = [parts.in_root, parts.qemu, "-accel", "kvm", "-cpu", "max", "-machine", "q35",
               "-m", "512", "-nodefaults", "-display", "none", "-no-reboot", "-serial", "stdio",
               "-L", "/usr/share/seabios", "-L", "/usr/share/qemu",
               "-kernel", parts.image / "kernel", "-append", "console=ttyS0 panic=-1"]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, timeout=PROBE_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return False
    return b"Kernel panic" in done.stdout


def choose(parts):
    """QEMU's -accel argument for this machine."""
    try:
        with open("/dev/kvm", "rb"):
            opens = True
    except OSError:
        opens = False
    if opens and _cpu_has_virtualisation() and _probe_boots(parts):
        return "kvm"
    return "tcg,thread=multi"
