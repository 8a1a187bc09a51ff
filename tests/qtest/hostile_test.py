#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""hostile_test.py REPORT.json: queues, lists, regions and WQEs of a guest that
means harm. The card says no or dies; QEMU lives; a reset brings the card back."""

import random
import struct
import sys

from tern_qtest.card import BAR0, BAR2, BAR4, PAGE, READY, Card
from tern_qtest.checks import expect, expect_equal, recover, run_all, with_card
from tern_qtest.contract import WQE
from tern_qtest.machine import MEMORY_BYTES, Machine
from tern_qtest.queue_pair import QueuePair
from tern_guest.results import Results

NO_RAM = {"OurRegisters": BAR0, "OurDoorbells": BAR2, "OurMsixTable": BAR4, "AnotherDevice": 0xfee00000,
          "Rom": 0xfffff000, "Hole": MEMORY_BYTES + (1 << 30), "TopOfTheAddressSpace": (1 << 64) - PAGE,
          "EndOfRam": MEMORY_BYTES}
READABLE = ("Rom",)
SOURCE, TARGET = 0x2000000, 0x2800000
RANDOM_STORES = 5000
RANDOM_WQES = 1000


def list_of(card, *entries):
    page = card.alloc()
    card.machine.write(page, struct.pack(f"<{len(entries)}Q", *entries))
    return page


def rdma_at(address, readable):
    """Source, target and atomic operand by bus address."""

    @with_card
    def test(card):
        good = card.alloc()
        for source, wanted in ((good, True), (address, readable)):
            QueuePair(card).connect().post_write(source, TARGET, 64)
            expect_equal(card.completion_ok(), wanted, f"read of {source:#x}:")
        QueuePair(card).connect().post_write(good, address, 64)
        expect(not card.completion_ok(), "a write was done")
        QueuePair(card).connect().post_fetch_add(address, 1, good)
        expect(not card.completion_ok(), "an atomic was done")
        expect(card.object_count("TERN_DEVICE_COUNTER_DMA_FAULTS") > 0, "no fault was counted")
        card.expect_alive()

    return test


def region_listing(address, readable):
    """A region whose list names that page; and one whose list does when it is first
    used. (A list that has been used may have been kept.)"""

    @with_card
    def test(card):
        for later in (False, True):
            good = card.alloc()
            qp = QueuePair(card).connect()
            entries = list_of(card, good, good if later else address)
            key = qp.create_region(0, 0x10000, 2 * PAGE, Card.pages(entries, 2, 1))
            if not later:
                qp.post_write(0x10000, TARGET, 64, key=key)
                expect(card.completion_ok(), "the good page is not read")
            card.machine.store(entries + 8, 8, address)
            qp.post_write(0x11000, TARGET, 64, key=key)
            expect_equal(card.completion_ok(), readable, "a read of the other page:")
            qp = QueuePair(card).connect()
            key = qp.create_region(0, 0x10000, 2 * PAGE, Card.pages(entries, 2, 1))
            qp.post_write(good, 0x11000, 64, remote_key=key)
            expect(not card.completion_ok(), "a write was done")
        card.expect_alive()

    return test


def queues_listing(address, _):
    """Rings whose list is good when they are made, and bad when they are used."""

    @with_card
    def test(card):
        good = card.alloc()
        for levels in (1, 2):
            for bad in (None, address, 0, "itself"):
                tree = list_of(card, good if levels == 1 else list_of(card, good))
                qp = QueuePair(card, sq=Card.pages(tree, 1, levels)).connect()
                qp.sq = good
                if bad is not None:
                    card.machine.store(tree, 8, tree if bad == "itself" else bad)
                qp.post_write(SOURCE, TARGET, 64)
                if bad is None:
                    expect(card.completion_ok(), "a queue in a tree does not work")
                for _ in range(20):
                    card.state()
        eq_list, cq_list = list_of(card, card.alloc()), list_of(card, card.alloc())
        cqn = card.create_cq(card.create_eq(Card.pages(eq_list, 1, 1)), Card.pages(cq_list, 1, 1))
        card.link_up()
        txq = card.create_txq(cqn)
        for broken in (eq_list, cq_list):
            card.machine.store(broken, 8, address)
            card.machine.store(BAR2 + 0x08, 8, 2 << 24 | cqn)
            card.transmit(txq, good)
            for _ in range(20):
                card.state()
        recover(card)

    return test


def record_at(address, _):
    """Read when the card thinks that it lost doorbells, and when a QP is in ERR."""

    @with_card
    def test(card):
        qp = QueuePair(card, record=address & ~63).connect()
        qp.post_write(SOURCE, BAR0, 64)  # fails: now the record is looked at
        expect(not card.completion_ok(), "a write was done")
        for _ in range(10):
            card.machine.step(10)
            card.state()
        recover(card)

    return test


@with_card
def lengths_that_wrap_are_refused(card):
    qp = QueuePair(card)
    for iova, length in (((1 << 64) - 1, 1), ((1 << 64) - PAGE, PAGE), (0, (1 << 64) - 1), (0, 0)):
        for count, levels in ((1, 0), (1, 1), (0, 0), ((1 << 32) - 1, 3)):
            try:
                key = qp.create_region(0, iova, length, Card.pages(card.alloc(), count, levels))
            except ValueError as error:
                expect("BAD_PARAMETER" in str(error), error)
                continue
            expect(length == 0 or count == (1 << 32) - 1, f"a key {key:#x} for {iova:#x}+{length:#x} in {count} pages")
    qp.connect()
    for source in ((1 << 64) - 1, (1 << 64) - 32):
        QueuePair(card).connect().post_write(source, TARGET, 64)
        expect(not card.completion_ok(), f"read of {source:#x}")
    card.expect_alive()


@with_card
def faults_without_bus_mastering_are_counted(card):
    card.link_up()
    txq = card.create_txq(card.create_cq(card.create_eq()))
    card.pci.set_command(0x2)
    before = card.machine.read(card.cq, PAGE)
    card.transmit(txq, card.alloc())
    for _ in range(20):
        card.state()
    card.pci.set_command(0x6)
    expect_equal(card.machine.read(card.cq, PAGE), before, "completion queue")
    expect(card.object_count("TERN_DEVICE_COUNTER_DMA_FAULTS") > 0, "no fault was counted")
    recover(card)


@with_card
def more_doorbells_than_the_queue_holds_are_not_lost(card):
    """The record says it again."""
    record = card.alloc()
    qp = QueuePair(card, record=record).connect()
    for _ in range(10):
        qp.post_write(SOURCE, TARGET, 64, ring=False)
    card.machine.store(record, 4, qp.prod)
    card.machine.qmp.command("stop")  # nobody takes them
    for _ in range(5000):
        card.machine.store(BAR2 + 2 * PAGE, 8, 0)
    qp.ring()  # no room for this one
    card.machine.qmp.command("cont")
    for _ in range(10):
        expect(card.completion_ok(), "a write failed")


def random_wqe(rng, qp):
    """Right enough that the card looks further, wrong in one place or two."""
    opcode = rng.choice((*WQE.values(), rng.getrandbits(8)))
    number = qp.number if rng.randrange(8) else rng.getrandbits(24)
    index = qp.prod & 0xffff if rng.randrange(8) else rng.getrandbits(16)
    wqe = bytearray(struct.pack("<IHBBII", opcode << 24 | number, index, rng.getrandbits(8), rng.choice((0, 1, 2, 16, 255)),
                                rng.getrandbits(32), 0))
    for _ in range(6):
        wqe += struct.pack("<Q", rng.choice((0, 1, SOURCE, TARGET, qp.key, qp.key << 32 | 64, BAR0, rng.getrandbits(64),
                                             (1 << 64) - 1, 64 | 1 << 32)))
    return bytes(wqe)


def random_wqes_never_end_qemu():
    seed = random.SystemRandom().getrandbits(32)
    print(f"seed {seed}", flush=True)
    rng = random.Random(seed)
    with Machine() as machine:
        card = Card(machine).boot()
        qp = None
        for turn in range(RANDOM_WQES):
            if turn % 10 == 0:  # most are in ERR by then
                if turn % 100 == 0:
                    recover(card)
                    card._memory = 0x200000
                qp = QueuePair(card).connect()
            machine.write(qp.sq + 64 * (qp.prod % 64), random_wqe(rng, qp))
            qp.prod += rng.choice((1, 1, 1, 1, 2, 64, 65, 1 << 31))
            qp.prod &= 0xffffffff
            qp.ring()
            if turn % 50 == 0:
                machine.step(20)
        recover(card)


def random_stores_at_live_objects_never_end_qemu():
    seed = random.SystemRandom().getrandbits(32)
    print(f"seed {seed}", flush=True)
    rng = random.Random(seed)
    with Machine() as machine:
        card = Card(machine).boot()
        qp = QueuePair(card).connect()
        eqn = card.create_eq()
        cqn = card.create_cq(eqn)
        card.link_up()
        numbers = (qp.number, qp.cqn, cqn, eqn, card.create_txq(cqn), 0, 0xffffff)
        machine.write(qp.sq, rng.randbytes(PAGE))
        for turn in range(RANDOM_STORES):
            value = rng.choice((rng.choice(numbers) | rng.getrandbits(8) << 24 | rng.choice((0, 1, 64, 1 << 31)) << 32,
                                rng.getrandbits(64)))
            offset = rng.choice((0, 8, 0x10, 0x18, 0x20, 0x28, PAGE + 8 * rng.randrange(512),
                                 2 * PAGE * rng.randrange(1024) + 8 * rng.randrange(6)))
            machine.store(BAR2 + offset, 8, value)
            if turn % 500 == 0:
                machine.step(20)
        expect(machine.is_alive, "QEMU ended")
        recover(card)


@with_card
def loads_of_all_windows_hurt_nobody(card):
    for bar, size in ((BAR0, 0x10000), (BAR2, 0x800000), (BAR4, 0x4000)):
        for offset in (*range(0, 0x400, 4), *range(0, size, size // 64), size - 8):
            for width in (1, 2, 4, 8):
                card.machine.load(bar + offset, width)
    for offset, width in ((0x1, 2), (0x3, 4), (0x305, 8), (0x30c, 8), (0xfffc, 8), (0xffff, 2)):
        card.machine.load(BAR0 + offset, width)
        card.machine.store(BAR0 + offset, width, (1 << 8 * width) - 1)
        card.machine.store(BAR2 + offset, width, (1 << 8 * width) - 1)
    expect_equal(card.state(), READY, "state")
    card.expect_alive()


def main():
    results = Results(sys.argv[1])
    run_all(results, (lengths_that_wrap_are_refused, faults_without_bus_mastering_are_counted,
                      more_doorbells_than_the_queue_holds_are_not_lost, random_wqes_never_end_qemu,
                      random_stores_at_live_objects_never_end_qemu, loads_of_all_windows_hurt_nobody))
    for place, address in NO_RAM.items():
        for kind, make in (("Rdma", rdma_at), ("RegionListing", region_listing), ("QueuesListing", queues_listing),
                           ("Record", record_at)):
            results.test(f"{kind}{'At' if kind in ('Rdma', 'Record') else ''}{place}HurtsNobody",
                         make(address, place in READABLE))
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
