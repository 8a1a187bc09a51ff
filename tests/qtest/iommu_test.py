#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""iommu_test.py REPORT.json: the card behind a vIOMMU that translates."""

import functools
import sys

from tern_qtest.card import BAR0, PAGE, Card
from tern_qtest.checks import expect, expect_equal, recover, run_all
from tern_qtest.machine import MEMORY_BYTES, Machine
from tern_qtest.queue_pair import QueuePair
from tern_qtest.vtd import READ, WRITE, Vtd
from tern_guest.results import Results

LOW_PAGES = 1024  # of RAM at its own address, where the driver's memory is
MAPPED, UNMAPPED = 1 << 30, 2 << 30
PATTERN = b"\x5a" * PAGE
OLD = b"\xa5" * PAGE


def behind_an_iommu(test):
    """The card's low memory is mapped as it is, all else is not."""

    @functools.wraps(test)
    def run():
        with Machine(iommu=True) as machine:
            card = Card(machine).boot()
            vtd = Vtd(card)
            vtd.map(0, 0, pages=LOW_PAGES)
            vtd.enable()
            test(card, vtd)
            expect(machine.is_alive, "QEMU ended")

    return run


@behind_an_iommu
def a_mapped_iova_is_the_page_it_maps_to(card, vtd):
    source, target = MEMORY_BYTES - 2 * PAGE, MEMORY_BYTES - 4 * PAGE
    vtd.map(MAPPED, source)
    vtd.map(MAPPED + PAGE, target)
    card.machine.write(source, PATTERN)
    qp = QueuePair(card).connect()
    qp.post_write(MAPPED, MAPPED + PAGE, PAGE)
    expect(card.completion_ok(), "the write failed")
    expect_equal(card.machine.read(target, PAGE), PATTERN, "target")
    card.expect_alive()


@behind_an_iommu
def atomics_are_translated(card, vtd):
    page = MEMORY_BYTES - 2 * PAGE
    vtd.map(MAPPED, page)
    card.machine.store(page + 8, 8, 41)
    qp = QueuePair(card).connect()
    qp.post_fetch_add(MAPPED + 8, 1, MAPPED + 64)
    expect(card.completion_ok(), "the atomic failed")
    expect_equal(card.machine.load(page + 8, 8), 42, "word")
    expect_equal(card.machine.load(page + 64, 8), 41, "old value")


@behind_an_iommu
def an_unmapped_iova_is_an_error_of_the_access(card, vtd):
    for source, target in ((UNMAPPED, 0x300000), (0x300000, UNMAPPED), (BAR0, 0x300000)):
        qp = QueuePair(card).connect()
        qp.post_write(source, target, PAGE)
        expect(not card.completion_ok(), f"from {source:#x} to {target:#x}")
        card.expect_alive()
    qp = QueuePair(card).connect()
    qp.post_fetch_add(UNMAPPED, 1, 0x300000)
    expect(not card.completion_ok(), "an atomic on nothing")
    expect_equal(card.command("TERN_CMD_QUERY_DEVICE", b"", 128, outbox=UNMAPPED)[0], "DMA_FAULT")
    expect(card.object_count("TERN_DEVICE_COUNTER_DMA_FAULTS") >= 4, "faults are not counted")
    recover(card)


@behind_an_iommu
def a_page_that_may_only_be_read_is_not_written(card, vtd):
    page = MEMORY_BYTES - 2 * PAGE
    vtd.map(MAPPED, page, READ)
    card.machine.write(page, OLD)
    qp = QueuePair(card).connect()
    qp.post_write(MAPPED, 0x300000, PAGE)
    expect(card.completion_ok(), "reading failed")
    qp.post_write(0x300000, MAPPED, PAGE)
    expect(not card.completion_ok(), "writing was done")
    qp = QueuePair(card).connect()
    qp.post_fetch_add(MAPPED, 1, 0x300000)
    expect(not card.completion_ok(), "an atomic was done")
    expect_equal(card.machine.read(page, PAGE), OLD, "page")
    card.expect_alive()


@behind_an_iommu
def a_page_that_may_only_be_written_is_not_read(card, vtd):
    vtd.map(MAPPED, MEMORY_BYTES - 2 * PAGE, WRITE)
    qp = QueuePair(card).connect()
    qp.post_write(0x300000, MAPPED, PAGE)
    expect(card.completion_ok(), "writing failed")
    qp.post_write(MAPPED, 0x300000, PAGE)
    expect(not card.completion_ok(), "reading was done")
    card.expect_alive()


@behind_an_iommu
def after_an_unmap_there_is_no_access(card, vtd):
    page = MEMORY_BYTES - 2 * PAGE
    vtd.map(MAPPED, page)
    qp = QueuePair(card).connect()
    qp.post_write(0x300000, MAPPED, PAGE)
    expect(card.completion_ok(), "the mapped page was not written")
    for _ in range(20):
        qp.post_write(0x300000, MAPPED, PAGE, ring=False)
    qp.ring()
    vtd.unmap(MAPPED)
    card.machine.write(page, OLD)
    oks = [card.completion_ok() for _ in range(20)]
    expect_equal(card.machine.read(page, PAGE), OLD, "page")
    expect_equal(oks, sorted(oks, reverse=True), "completions")
    recover(card)


@behind_an_iommu
def an_iova_that_maps_to_a_device_is_an_error_of_the_access(card, vtd):
    """Our own registers by way of the IOMMU: no device is entered again."""
    vtd.map(MAPPED, BAR0)
    for source, target in ((MAPPED, 0x300000), (0x300000, MAPPED)):
        QueuePair(card).connect().post_write(source, target, 64)
        expect(not card.completion_ok(), f"from {source:#x} to {target:#x}")
    QueuePair(card).connect().post_fetch_add(MAPPED + 0x208, 1, 0x300000)
    expect(not card.completion_ok(), "an atomic on a register")
    recover(card)


@behind_an_iommu
def reset_under_work_recovers(card, vtd):
    """A bottom half that has been scheduled finds a card that was reset."""
    for _ in range(20):
        qp = QueuePair(card).connect()
        for _ in range(20):
            qp.post_write(0x200000, 0x300000, 0x100000, ring=False)
        qp.ring()
        card.pci.reset_function()
        card.pci.enable()
        card._memory = 0x180000  # not where the page tables are
        card.boot()
    card.expect_alive()


def main():
    results = Results(sys.argv[1])
    run_all(results, (a_mapped_iova_is_the_page_it_maps_to, atomics_are_translated,
                      an_unmapped_iova_is_an_error_of_the_access, a_page_that_may_only_be_read_is_not_written,
                      a_page_that_may_only_be_written_is_not_read, after_an_unmap_there_is_no_access,
                      an_iova_that_maps_to_a_device_is_an_error_of_the_access, reset_under_work_recovers))
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
