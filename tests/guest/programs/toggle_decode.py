#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""toggle_decode.py CARD OTHER TIMES: reads a register of CARD on one CPU while
another CPU takes OTHER from the memory map and puts it back. Neither function
has a driver. Exit status 0 if each read gave the register's value."""

import mmap
import os
import struct
import sys
from pathlib import Path

COMMAND = 4
MEMORY_SPACE = 2
# Header of the device block, the first register (regs.def).
DEVICE_BLOCK = 0x00010001
READS_BETWEEN_LOOKS = 500


def decode(function, *states):
    """Switches the function's memory decode through the states."""
    config = os.open(function / "config", os.O_RDWR)
    command, = struct.unpack("<H", os.pread(config, 2, COMMAND))
    for on in states:
        word = command | MEMORY_SPACE if on else command & ~MEMORY_SPACE
        os.pwrite(config, struct.pack("<H", word), COMMAND)
    os.close(config)


def main():
    card, other = (Path("/sys/bus/pci/devices") / name for name in sys.argv[1:3])
    decode(card, True)
    bar = mmap.mmap(os.open(card / "resource0", os.O_RDWR), mmap.PAGESIZE)
    registers = memoryview(bar).cast("I")
    child = os.fork()
    if child == 0:
        os.sched_setaffinity(0, {1})
        decode(other, *[False, True] * int(sys.argv[3]))
        os._exit(0)
    os.sched_setaffinity(0, {0})
    reads = wrong = 0
    while os.waitpid(child, os.WNOHANG) == (0, 0):
        wrong += sum(registers[0] != DEVICE_BLOCK for _ in range(READS_BETWEEN_LOOKS))
        reads += READS_BETWEEN_LOOKS
    print(f"{wrong} of {reads} reads were wrong")
    return 1 if wrong or not reads else 0


if __name__ == "__main__":
    sys.exit(main())
