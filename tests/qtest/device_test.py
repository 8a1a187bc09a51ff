#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""device_test.py REPORT.json: the card's PCIe function and its DMA under a
hostile guest, without a guest."""

import random
import struct
import subprocess
import sys
import tempfile
import time

from tern_qtest.card import BAR0, BAR2, BAR4, BOOTING, MEMORY_AND_MASTER, PAGE, READY, Card
from tern_qtest.checks import expect, expect_equal, recover, run_all, with_card
from tern_qtest.contract import registers
from tern_qtest.machine import MEMORY_BYTES, SANITIZED, Machine, command_line
from tern_guest.results import Results

# Where a bus address may point that is no RAM. ROM can be read, like any memory.
NO_RAM = {
    "OurRegisters": BAR0, "OurDoorbells": BAR2, "OurMsixTable": BAR4, "AnotherDevice": 0xfee00000,  # local APIC
    "Rom": 0xfffff000, "Hole": MEMORY_BYTES + (1 << 30), "TopOfTheAddressSpace": (1 << 64) - PAGE,
    "EndOfRam": MEMORY_BYTES,
}
# Page counts of C44.
COUNTS = (0, 1, 512, 513, 1 << 31, (1 << 32) - 1)
ROUNDS = 30
RANDOM_ACCESSES = 3000


def registers_are_those_of_the_contract():
    with Machine() as machine:
        card = Card(machine)
        for row in registers():
            if row.name in ("TERN_REG_MODEL", "TERN_REG_CLOCK_TIME"):
                continue
            value = machine.load(BAR0 + row.offset, row.size)
            expect_equal(value, 0 if row.access == "WO" else row.reset, row.name)
        expect_equal(card.register("TERN_REG_MODEL") & 0xff, 1, "model")


@with_card
def function_shows_its_link_and_identity(card):
    express = card.pci.capability(0x10)
    expect_equal(card.pci.read(0), 0x7e401234, "identity")
    expect_equal(card.pci.read(express + 12) & 0x3ff, 0x105, "LnkCap (x16, 32 GT/s)")
    expect_equal(card.pci.read(express + 16) >> 16 & 0x3ff, 0x105, "LnkSta")
    expect_equal(card.pci.read(card.pci.capability(0x11)) >> 16 & 0x7ff, 63, "MSI-X vectors less one")


def small_card_is_slower():
    with Machine(",model=tern100") as machine:
        card = Card(machine).boot()
        express = card.pci.capability(0x10)
        expect_equal(card.register("TERN_REG_MODEL"), 2 | 2 << 8, "model and ports")
        expect_equal(card.pci.read(express + 12) & 0x3ff, 0x104, "LnkCap (x16, 16 GT/s)")
        status, _, _ = card.command("TERN_CMD_QUERY_PORT", struct.pack("<B7x", 2), 32)
        expect_equal((status, machine.load(card.outbox + 4, 4)), ("OK", 100000), "speed")


@with_card
def accesses_that_fit_no_register_do_nothing(card):
    for offset in (1, 0x3, 0x12c, 0xfff8):
        for size in (1, 2, 4, 8):
            if offset % size == 0:
                expect_equal(card.machine.load(BAR0 + offset, size), 0, f"register {offset:#x}/{size}")
                card.machine.store(BAR0 + offset, size, (1 << 8 * size) - 1)
                card.machine.store(BAR2 + offset, size, (1 << 8 * size) - 1)
    card.expect_alive()


@with_card
def unknown_commands_and_lengths_have_their_status(card):
    expect_equal(card.command("no such command")[0], "BAD_OPCODE")
    expect_equal(card.command("TERN_CMD_QUERY_DEVICE", b"", 8)[0], "BAD_LENGTH")
    expect_equal(card.command("TERN_CMD_DESTROY_CQ", struct.pack("<II", 0x123456, 0))[0], "BAD_HANDLE")
    card.expect_alive()


@with_card
def many_commands_are_outstanding_at_once(card):
    for _ in range(20):
        card.post("TERN_CMD_NOP")
    expect_equal({card.take()[0] for _ in range(20)}, {"OK"})


def completion_raises_its_vector():
    with Machine() as machine:
        card = Card(machine).boot()
        card.pci.write(card.pci.capability(0x11), 0x80000000)  # enabled; vectors start masked
        card.set_register("TERN_REG_COMMAND_ENABLE", 0)
        card.set_register("TERN_REG_COMMAND_CONFIG", 5 | 3 << 16)
        machine.write(card.completions, bytes(PAGE))
        card.prod = card.cons = 0
        card.set_register("TERN_REG_COMMAND_ENABLE", 3)
        card.expect_alive()
        deadline = time.monotonic() + 10
        while machine.load(BAR4 + 0x2000, 8) != 1 << 3:  # pending while masked
            expect(time.monotonic() < deadline, f"pending vectors {machine.load(BAR4 + 0x2000, 8):#x}")


# DMA that goes nowhere

def sge_at(address, readable):
    @with_card
    def test(card):
        card.link_up()
        txq = card.create_txq(card.create_cq(card.create_eq()))
        card.transmit(txq, card.alloc())
        expect(card.completion_ok(), "a frame from RAM is not sent")
        card.transmit(txq, address)
        expect_equal(card.completion_ok(), readable, "a frame from there is sent:")
        card.transmit(txq, card.alloc())
        expect(card.completion_ok(), "the queue does not go on")
        expect(readable or card.object_count("TERN_DEVICE_COUNTER_DMA_FAULTS") > 0, "no fault was counted")

    return test


def memory_of_objects_at(address, _):
    """Rings, lists and records that are no RAM: an error of their object, at most."""

    @with_card
    def test(card):
        page = Card.pages(address & ~(PAGE - 1) & (1 << 64) - 1)
        tree = Card.pages(address & ~(PAGE - 1), 1, 1)
        eqn = card.create_eq()
        cqn = card.create_cq(eqn)
        record = address & ~63
        for make in (lambda: card.create_cq(card.create_eq(page)), lambda: card.create_cq(eqn, page),
                     lambda: card.create_cq(eqn, tree), lambda: card.create_cq(eqn, None, record),
                     lambda: card.create_txq(cqn, page), lambda: card.create_txq(cqn, tree),
                     lambda: card.create_txq(cqn, None, record)):
            try:
                number = make()
            except ValueError:
                continue  # refused with a status
            card.machine.store(BAR2 + 0x08, 8, 2 << 24 | number)
            card.machine.store(BAR2 + 0x20, 8, 3 << 32 | number)
            if card.state() != READY:
                break
        recover(card)

    return test


def mailbox_at(address, readable):
    @with_card
    def test(card):
        expect_equal(card.command("TERN_CMD_QUERY_DEVICE", b"", 128, outbox=address & ~(PAGE - 1))[0], "DMA_FAULT")
        status = card.command("TERN_CMD_SET_RX_MODE", bytes(1032), inbox=address & ~(PAGE - 1))[0]
        expect(readable or status == "DMA_FAULT", status)
        card.expect_alive()

    return test


def command_ring_at(address, _):
    @with_card
    def test(card):
        card.set_register("TERN_REG_COMMAND_ENABLE", 0)
        card.set_register("TERN_REG_COMMAND_RING", address & ~(PAGE - 1))
        card.set_register("TERN_REG_COMMAND_ENABLE", 1)
        card.set_register("TERN_REG_COMMAND_DOORBELL", 1)
        recover(card)

    return test


@with_card
def impossible_page_counts_are_refused(card):  # C44
    for count in COUNTS:
        for levels in range(6):
            for root in (card.alloc(), MEMORY_BYTES, 0xfffff000, BAR0, card.ring):
                status, _, _ = card.command("TERN_CMD_CREATE_EQ", struct.pack("<BBHI", 0, 10, 0, 0) +
                                            Card.pages(root, count, levels), 8)
                wanted_bytes = 32 << 10
                if levels > 3 or count == 0 or count * PAGE < wanted_bytes:
                    expect_equal(status, "BAD_PARAMETER", f"{count} pages, {levels} levels")
                expect(status in ("OK", "BAD_PARAMETER"), status)
    recover(card)


@with_card
def without_bus_mastering_there_is_no_dma(card):
    target = card.alloc()
    card.machine.write(target, b"\x5a" * 128)
    card.pci.set_command(0x2)
    card.post("TERN_CMD_QUERY_DEVICE", b"", 128, outbox=target)
    for _ in range(20):
        card.machine.step(1)
        card.state()  # waits for the store before it
    expect_equal(card.machine.read(target, 128), b"\x5a" * 128, "memory")
    card.pci.set_command(MEMORY_AND_MASTER)
    recover(card)


# Reset and removal

@with_card
def function_level_reset_under_work_recovers(card):
    rng = random.Random(1)
    for _ in range(ROUNDS):
        card.link_up()
        txq = card.create_txq(card.create_cq(card.create_eq()))
        buffer = card.alloc()
        for _ in range(rng.randrange(1, 30)):
            card.transmit(txq, buffer)
        for _ in range(rng.randrange(3)):
            card.post("TERN_CMD_NOP")
        card.pci.reset_function()
        card.pci.enable()
        expect_equal(card.state(), BOOTING, "state after reset")
        card._memory = 0x100000
        card.boot()
        expect_equal(card.object_count("TERN_DEVICE_COUNTER_TXQS"), 0, "transmit queues")


def card_is_deleted_under_work():
    for number in range(5):
        with Machine() as machine:
            card = Card(machine).boot()
            card.link_up()
            txq = card.create_txq(card.create_cq(card.create_eq()))
            buffer = card.alloc()
            for _ in range(10 * number):
                card.transmit(txq, buffer)
            machine.qmp.command("device_del", id="card0")  # asks the guest
            card.pci.set_slot_power(False)  # its answer
            machine.qmp.wait_event("DEVICE_DELETED")
            expect(machine.is_alive, "QEMU ended")


def iommu_faults_are_errors_of_the_access():
    with Machine(iommu=True) as machine:
        card = Card(machine).boot()  # translation is off: addresses go through
        card.expect_alive()
        card.link_up()
        txq = card.create_txq(card.create_cq(card.create_eq()))
        card.transmit(txq, card.alloc())
        expect(card.completion_ok(), "a frame from RAM is not sent")
        turn_translation_on(machine)
        card.post("TERN_CMD_NOP")
        for _ in range(20):
            card.state()
        machine.step(1)
        expect_equal(machine.load(card.completions + 32 * card.cons + 28, 4) >> 31, 0, "completion without a mapping")
        expect(machine.is_alive, "QEMU ended")


def turn_translation_on(machine):
    """VT-d with a root table in which no device has a context: all DMA faults."""
    base, root = 0xfed90000, 0x3f00000
    machine.write(root, bytes(PAGE))
    machine.store(base + 0x20, 8, root)
    machine.store(base + 0x18, 4, 1 << 30)  # set root table pointer
    machine.store(base + 0x18, 4, 1 << 31)  # translation enable
    expect(machine.load(base + 0x1c, 4) >> 31, "translation is not on")


# Nonsense

@with_card
def random_stores_never_end_qemu(card):
    seed = random.SystemRandom().getrandbits(32)
    print(f"seed {seed}", flush=True)
    rng = random.Random(seed)
    offsets = [row.offset for row in registers()]
    for _ in range(RANDOM_ACCESSES):
        value = rng.choice((0, 1, rng.getrandbits(64), (1 << 64) - 1, card.ring))
        size = rng.choice((1, 2, 4, 8))
        if rng.randrange(2):
            offset = rng.choice(offsets) if rng.randrange(4) else rng.randrange(0, 0x10000, size)
            card.machine.store(BAR0 + (offset - offset % size), size, value & (1 << 8 * size) - 1)
        else:
            card.machine.store(BAR2 + rng.randrange(0, 0x800000, size), size, value & (1 << 8 * size) - 1)
    recover(card)


def expect_refused(directory, wanted, properties="", **arguments):
    done = subprocess.run(command_line(directory, properties, **arguments), capture_output=True, text=True, timeout=60,
                          check=False)
    lines = [line for line in done.stderr.splitlines() if "warning" not in line]
    if SANITIZED:  # which speaks too
        lines = [line for line in lines if line.startswith("qemu-system")]
    expect(done.returncode != 0 and len(lines) == 1 and wanted in lines[0],
           f"{properties} {arguments}: exit status {done.returncode}, {done.stderr}")


def bad_properties_are_one_clear_line():
    cases = {
        ",model=tern800": "no model 'tern800'", ",ports=3x7": "has no ports=3x7", ",vectors=0": "vectors=0",
        ",vectors=65": "vectors=65", ",mac0=01:00:00:00:00:01": "MAC address", ",cable0=/nowhere:a": "a netdev and a cable",
        ",ports=1x400": "port that ports=1x400 does not have", ",engine=/nowhere.so": "cannot load the engine",
        ",engine=libc.so.6": "the engine library has no", ",inline-budget=many": "inline-budget",
        ",model=tern100,ports=2x400": "tern100 has no ports=2x400", ",no-such=1": "no-such",
    }
    with tempfile.TemporaryDirectory(dir="/tmp") as directory:
        for properties, wanted in cases.items():
            expect_refused(directory, wanted, properties)


def bad_cables_are_one_clear_line():
    with tempfile.TemporaryDirectory(dir="/tmp") as directory:
        other = f"{directory}/other"
        with open(other, "wb") as file:
            file.write(b"no cable")
        for cable, wanted in ((f"{directory}/x", "PATH:a or PATH:b"), (f"{directory}/x:c", "PATH:a or PATH:b"),
                              (f"{directory}/no/x:a", "cannot open the cable"), (f"{other}:a", "file is none")):
            expect_refused(directory, wanted, ends=f",cable0={cable}")
        expect_refused(directory, "another card is plugged into", ends=f",cable0={directory}/y:a,cable1={directory}/y:a")
        expect_refused(directory, "does not work behind a vIOMMU", ends=f",cable0={directory}/x:a",
                       extra=("intel-iommu",))


def an_iommu_after_the_card_is_warned_of():
    with Machine(extra=("late-iommu",)) as machine:
        Card(machine).boot().expect_alive()
        expect("must come before the card" in machine.said(), machine.said())


def main():
    results = Results(sys.argv[1])
    run_all(results, (registers_are_those_of_the_contract, function_shows_its_link_and_identity,
                 small_card_is_slower, accesses_that_fit_no_register_do_nothing, unknown_commands_and_lengths_have_their_status,
                 many_commands_are_outstanding_at_once, completion_raises_its_vector,
                 impossible_page_counts_are_refused, without_bus_mastering_there_is_no_dma,
                 function_level_reset_under_work_recovers, card_is_deleted_under_work,
                 iommu_faults_are_errors_of_the_access, random_stores_never_end_qemu,
                 bad_properties_are_one_clear_line, bad_cables_are_one_clear_line, an_iommu_after_the_card_is_warned_of))
    for place, address in NO_RAM.items():
        for kind, make in (("Sge", sge_at), ("ObjectMemory", memory_of_objects_at), ("Mailbox", mailbox_at),
                           ("CommandRing", command_ring_at)):
            results.test(f"{kind}At{place}HurtsNobody", make(address, place == "Rom"))
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
