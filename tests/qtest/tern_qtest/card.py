# SPDX-License-Identifier: BSD-2-Clause
"""A driver for the card, as small as it can be: PCI, commands by polling, an
event queue, completion queues and Ethernet transmit queues. Memory is handed
out once and never taken back."""

import struct
import time

from .contract import COMMAND, DEVICE_COUNTER, REGISTER, STATUS, WQE

PAGE = 4096
BAR0, BAR2, BAR4 = 0xfe000000, 0xfd000000, 0xfe010000
BAR_SIZES = {0: (BAR0, 0x10000), 2: (BAR2, 0x800000), 4: (BAR4, 0x4000)}
PCI_COMMAND, PCI_BRIDGE_BUSES, PCI_BRIDGE_MEMORY = 0x04, 0x18, 0x20
MEMORY_AND_MASTER = 0x6
DEPTH_LOG2 = 5
BOOTING, READY, FATAL = 1, 2, 3
LOCAL_DMA_LKEY = 1
SIGNALED = 0x08
CQE_FAILED = 0x20000000
WAIT_SECONDS = 20


class Timeout(Exception):
    """The card did not answer."""


class Pci:
    """Configuration space by ports, and the way to the card behind its root port."""

    def __init__(self, machine):
        self.machine = machine
        self.root_port = next(slot for slot in range(32) if self._read(0, slot, 0) >> 16 == 0x000c)

    def _select(self, bus, slot, offset):
        self.machine.port_out(0xcf8, 4, 0x80000000 | bus << 16 | slot << 11 | offset & 0xfc)

    def _read(self, bus, slot, offset):
        self._select(bus, slot, offset)
        return self.machine.port_in(0xcfc, 4)

    def _write(self, bus, slot, offset, value):
        self._select(bus, slot, offset)
        self.machine.port_out(0xcfc, 4, value)

    def root_capability(self, wanted):
        offset = self._read(0, self.root_port, 0x34) & 0xfc
        while self._read(0, self.root_port, offset) & 0xff != wanted:
            offset = self._read(0, self.root_port, offset) >> 8 & 0xfc
        return offset

    def set_slot_power(self, on):
        """Power and its indicator. Off: the card is gone when this returns."""
        self._write(0, self.root_port, self.root_capability(0x10) + 0x18, 0x100 if on else 0x700)

    def enable(self):
        self._write(0, self.root_port, PCI_BRIDGE_BUSES, 0x00010100)
        self._write(0, self.root_port, PCI_BRIDGE_MEMORY, (0xfe10 << 16) | 0xfd00)
        self._write(0, self.root_port, PCI_COMMAND, MEMORY_AND_MASTER)
        for bar, (address, _) in BAR_SIZES.items():
            self.write(0x10 + 4 * bar, address)
            self.write(0x14 + 4 * bar, 0)
        self.set_command(MEMORY_AND_MASTER)

    def read(self, offset):
        return self._read(1, 0, offset)

    def write(self, offset, value):
        self._write(1, 0, offset, value)

    def set_command(self, bits):
        self.write(PCI_COMMAND, bits)

    def capability(self, wanted):
        offset = self.read(0x34) & 0xfc
        while offset:
            word = self.read(offset)
            if word & 0xff == wanted:
                return offset
            offset = word >> 8 & 0xfc
        raise LookupError(f"no capability {wanted:#x}")

    def reset_function(self):
        express = self.capability(0x10)
        self.write(express + 8, self.read(express + 8) | 0x8000)


class Card:
    def __init__(self, machine):
        self.machine = machine
        self.pci = Pci(machine)
        self.pci.enable()
        self._memory = 0x100000
        self.prod = self.cons = 0

    def alloc(self, size=PAGE):
        """Zeroed, page aligned."""
        address = self._memory
        self._memory += -(-size // PAGE) * PAGE
        self.machine.write(address, bytes(size))
        return address

    # Registers

    def register(self, name):
        row = REGISTER[name]
        return self.machine.load(BAR0 + row.offset, row.size)

    def set_register(self, name, value):
        row = REGISTER[name]
        self.machine.store(BAR0 + row.offset, row.size, value)

    def boot(self):
        self.machine.step(10)
        self.expect_state(READY)
        self.ring, self.completions = self.alloc(), self.alloc()
        self.inbox, self.outbox = self.alloc(), self.alloc()
        self.prod = self.cons = 0
        self.set_register("TERN_REG_COMMAND_RING", self.ring)
        self.set_register("TERN_REG_COMMAND_COMPLETIONS", self.completions)
        self.set_register("TERN_REG_COMMAND_CONFIG", DEPTH_LOG2)
        self.set_register("TERN_REG_COMMAND_ENABLE", 1)
        return self

    def state(self):
        return self.register("TERN_REG_STATUS") & 0xf

    def expect_state(self, state):
        self._until(lambda: self.state() == state, f"state {state}, not {self.state()}")

    def _until(self, condition, what):
        deadline = time.monotonic() + WAIT_SECONDS
        while not condition():
            if time.monotonic() > deadline:
                raise Timeout(what)

    # Commands

    def post(self, name, request=b"", out_length=0, inbox=None, outbox=None):
        entry = struct.pack("<HBBIIIQQ", COMMAND.get(name, 0x7777), 0, 0, self.prod + 1, len(request), out_length,
                            (self.inbox if inbox is None else inbox) if len(request) > 32 else 0,
                            (self.outbox if outbox is None else outbox) if out_length > 16 else 0)
        if len(request) > 32 and inbox is None:
            self.machine.write(self.inbox, request)
        entry += request.ljust(32, b"\0") if len(request) <= 32 else bytes(32)
        self.machine.write(self.ring + 64 * (self.prod % (1 << DEPTH_LOG2)), entry)
        self.prod += 1
        self.set_register("TERN_REG_COMMAND_DOORBELL", self.prod)

    def take(self):
        """(status name, syndrome, 16 bytes of result)"""
        slot = self.completions + 32 * (self.cons % (1 << DEPTH_LOG2))
        phase = ~(self.cons >> DEPTH_LOG2) & 1
        self._until(lambda: self.machine.load(slot + 28, 4) >> 31 == phase, f"completion {self.cons}")
        cookie, status, _, syndrome = struct.unpack("<IHHI", self.machine.read(slot, 12))
        self.cons += 1
        if cookie != self.cons:
            raise ValueError(f"cookie {cookie}, not {self.cons}")
        name = next(name for name, value in STATUS.items() if value == status)
        return name.removeprefix("TERN_STATUS_"), syndrome, self.machine.read(slot + 12, 16)

    def command(self, name, request=b"", out_length=0, **mailboxes):
        self.post(name, request, out_length, **mailboxes)
        return self.take()

    def create(self, name, request):
        status, syndrome, result = self.command(name, request, 8)
        if status != "OK":
            raise ValueError(f"{name}: {status} at {syndrome:#x}")
        return struct.unpack_from("<I", result)[0]

    def expect_alive(self):
        status = self.command("TERN_CMD_NOP")[0]
        if status != "OK":
            raise ValueError(f"NOP: {status}")

    def object_count(self, name):
        status, _, _ = self.command("TERN_CMD_QUERY_OBJECTS", b"", 128)
        if status != "OK":
            raise ValueError(status)
        return struct.unpack_from("<Q", self.machine.read(self.outbox, 128), 8 * DEVICE_COUNTER[name])[0]

    # Objects; a buffer is contiguous unless a list says otherwise

    @staticmethod
    def pages(address, count=1, levels=0, shift=12):
        return struct.pack("<QIBBH", address, count, levels, shift, 0)

    def create_eq(self, buffer=None, vector=0, depth_log2=5):
        buffer = self.pages(self.alloc()) if buffer is None else buffer
        return self.create("TERN_CMD_CREATE_EQ", struct.pack("<BBHI", 0, depth_log2, vector, 0) + buffer)

    def create_cq(self, eqn, buffer=None, record=None, depth_log2=5):
        self.cq = self.alloc()
        self.cq_cons, self.cq_depth_log2 = 0, depth_log2
        buffer = self.pages(self.cq) if buffer is None else buffer
        self.cq_record = self.alloc()
        record = self.cq_record if record is None else record
        return self.create("TERN_CMD_CREATE_CQ",
                           struct.pack("<IB3xIIQ", eqn, depth_log2, 0, 0, record) + buffer)

    def create_txq(self, cqn, buffer=None, record=None):
        """64 blocks of 64 bytes."""
        self.sq, self.sq_prod = self.alloc(), 0
        buffer = self.pages(self.sq) if buffer is None else buffer
        record = self.alloc() if record is None else record
        return self.create("TERN_CMD_CREATE_TXQ",
                           struct.pack("<BBBxIIIQ", 1, 6, 0, cqn, 7, 0, record) + buffer)

    def link_up(self):
        self.command("TERN_CMD_SET_PORT", struct.pack("<BBBxH6x4x", 1, 1, 1, 0))

    # Transmission

    def transmit(self, txq, address, length=64):
        control = struct.pack("<IHBBII", WQE["TERN_WQE_OP_ETH_SEND"] << 24 | txq, self.sq_prod & 0xffff, SIGNALED, 1,
                              0, 0)
        wqe = control + bytes(16) + struct.pack("<QII", address, length, LOCAL_DMA_LKEY) + bytes(16)
        self.machine.write(self.sq + 64 * (self.sq_prod % 64), wqe)
        self.sq_prod += 1
        self.machine.store(BAR2 + 0x20, 8, self.sq_prod << 32 | txq)

    def _completion(self):
        """The last word of the next CQE, or None if it is not there yet."""
        slot = self.cq + 32 * (self.cq_cons % (1 << self.cq_depth_log2))
        phase = ~(self.cq_cons >> self.cq_depth_log2) & 1
        owner = self.machine.load(slot + 28, 4)
        if owner >> 31 != phase:
            return None
        self.cq_cons += 1
        self.machine.store(self.cq_record, 4, self.cq_cons)
        return owner

    def completion_ok(self):
        """Whether the next completion, which must come, is a success."""
        deadline = time.monotonic() + WAIT_SECONDS
        while (owner := self._completion()) is None:
            if time.monotonic() > deadline:
                raise Timeout(f"CQE {self.cq_cons}")
        return not owner & CQE_FAILED

    def completion_soon(self):
        """Whether a completion comes while the card is left to itself for a while."""
        return any(self._completion() is not None for _ in range(2000))
