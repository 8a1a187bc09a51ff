#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""interrupt_test.py REPORT.json: MSI-X of the card: which vector fires where,
and what a hostile guest may make of it."""

import functools
import struct
import sys
import time

from tern_qtest.card import BAR0, BAR2, BAR4, DEPTH_LOG2, FATAL, Card
from tern_qtest.checks import expect, expect_equal, recover, run_all, with_card
from tern_guest.results import Results

MESSAGE = 0x7e57
WAIT_SECONDS = 10


def set_vector(card, vector, address, message=MESSAGE):
    """Unmasks it: a message is a store, so one into RAM can be seen."""
    entry = BAR4 + 16 * vector
    card.machine.store(entry, 8, address)
    card.machine.store(entry + 8, 4, message)
    card.machine.store(entry + 12, 4, 0)


def enable_msix(card):
    offset = card.pci.capability(0x11)
    card.pci.write(offset, 0x80000000 | card.pci.read(offset))


def restart_commands(card, vector, interrupt=True):
    card.set_register("TERN_REG_COMMAND_ENABLE", 0)
    card.set_register("TERN_REG_COMMAND_CONFIG", DEPTH_LOG2 | vector << 16)
    card.machine.write(card.completions, bytes(4096))
    card.prod = card.cons = 0
    card.set_register("TERN_REG_COMMAND_ENABLE", 3 if interrupt else 1)


def wait_for(machine, address, value):
    deadline = time.monotonic() + WAIT_SECONDS
    while machine.load(address, 4) != value:
        expect(time.monotonic() < deadline, f"{machine.load(address, 4):#x} at {address:#x}, not {value:#x}")


@with_card
def an_unmasked_vector_stores_its_message(card):
    target = card.alloc()
    enable_msix(card)
    set_vector(card, 3, target)
    restart_commands(card, 3)
    card.expect_alive()
    wait_for(card.machine, target, MESSAGE)


@with_card
def a_masked_vector_is_pending_and_fires_when_unmasked(card):
    target = card.alloc()
    enable_msix(card)
    set_vector(card, 63, target)
    card.machine.store(BAR4 + 16 * 63 + 12, 4, 1)
    restart_commands(card, 63)
    card.expect_alive()
    wait_for(card.machine, BAR4 + 0x2004, 1 << 31)
    expect_equal(card.machine.load(target, 4), 0, "message of a masked vector")
    card.machine.store(BAR4 + 16 * 63 + 12, 4, 0)
    wait_for(card.machine, target, MESSAGE)
    expect_equal(card.machine.load(BAR4 + 0x2004, 4), 0, "pending bits")


@with_card
def without_the_interrupt_bit_nothing_fires(card):
    target = card.alloc()
    enable_msix(card)
    set_vector(card, 3, target)
    restart_commands(card, 3, interrupt=False)
    card.expect_alive()
    restart_commands(card, 2)  # its message comes after whatever 3 would have said
    set_vector(card, 2, target + 64)
    card.expect_alive()
    wait_for(card.machine, target + 64, MESSAGE)
    expect_equal(card.machine.load(target, 4), 0, "message")


@with_card
def an_armed_event_queue_fires_its_vector(card):
    target = card.alloc()
    enable_msix(card)
    set_vector(card, 5, target)
    eqn = card.create_eq(vector=5)
    cqn = card.create_cq(eqn)
    card.link_up()
    txq = card.create_txq(cqn)
    card.machine.store(BAR2 + 0x18, 8, 1 << 24 | eqn)
    card.machine.store(BAR2 + 0x08, 8, 2 << 24 | cqn)
    card.transmit(txq, card.alloc())
    wait_for(card.machine, target, MESSAGE)


def a_vector_the_card_does_not_have_is_an_error_of_the_ring(vectors, vector):
    @functools.partial(with_card, properties=f",vectors={vectors}")
    def test(card):
        enable_msix(card)
        restart_commands(card, vector)
        expect_equal(card.state(), FATAL, "state")
        expect_equal(card.register("TERN_REG_HEALTH_SYNDROME"), 1, "syndrome")
        recover(card)

    return test


@functools.partial(with_card, properties=",vectors=2")
def an_event_queue_on_a_vector_the_card_does_not_have_is_refused(card):
    for vector in (2, 64, 0xffff):
        status, syndrome, _ = card.command("TERN_CMD_CREATE_EQ", struct.pack("<BBHI", 0, 5, vector, 0) +
                                           Card.pages(card.alloc()), 8)
        expect_equal((status, syndrome), ("BAD_PARAMETER", 2), f"vector {vector}")
    card.create_eq(vector=1)


@with_card
def messages_to_our_own_windows_hurt_nobody(card):
    """A message that is a doorbell, a reset or a new message address: stores like any other."""
    enable_msix(card)
    eqn = card.create_eq(vector=1)
    cqn = card.create_cq(eqn)
    card.link_up()
    txq = card.create_txq(cqn)
    for address, message in ((BAR2 + 0x18, 1 << 24 | eqn), (BAR2, 0xffffffff), (BAR0 + 0x120, 5), (BAR4 + 16, BAR4),
                             (BAR4 + 0x2000, 0xffffffff), (BAR0 + 0x14, 1)):
        set_vector(card, 1, address, message)
        card.machine.store(BAR2 + 0x18, 8, 1 << 24 | eqn)
        card.machine.store(BAR2 + 0x08, 8, 2 << 24 | cqn)
        card.transmit(txq, card.alloc())
        for _ in range(20):
            card.state()
    recover(card)


@with_card
def without_bus_mastering_there_is_no_message(card):
    target = card.alloc()
    enable_msix(card)
    set_vector(card, 3, target)
    restart_commands(card, 3)
    card.pci.set_command(0x2)
    card.post("TERN_CMD_NOP")
    for _ in range(20):
        card.state()
    card.pci.set_command(0x6)
    expect_equal(card.machine.load(target, 4), 0, "message")
    recover(card)


def main():
    results = Results(sys.argv[1])
    run_all(results, (an_unmasked_vector_stores_its_message, a_masked_vector_is_pending_and_fires_when_unmasked,
                      without_the_interrupt_bit_nothing_fires, an_armed_event_queue_fires_its_vector,
                      an_event_queue_on_a_vector_the_card_does_not_have_is_refused,
                      messages_to_our_own_windows_hurt_nobody, without_bus_mastering_there_is_no_message))
    for vectors, vector in ((1, 1), (1, 63), (64, 64), (64, 0xffff)):
        results.test(f"Vector{vector}Of{vectors}IsAnErrorOfTheRing",
                     a_vector_the_card_does_not_have_is_an_error_of_the_ring(vectors, vector))
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
