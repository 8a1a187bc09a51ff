#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""life_test.py REPORT.json: reset, removal, stop, link and firmware faults
while the card has work."""

import contextlib
import random
import select
import socket
import struct
import sys
import time

from tern_qtest.card import BOOTING, PAGE, READY, Card, Pci
from tern_qtest.checks import expect, expect_equal, recover, run_all, with_card
from tern_qtest.machine import Machine, parts
from tern_qtest.queue_pair import QueuePair
from tern_guest.results import Results
from tern_lab.error import LabError

ROUNDS = 50
WAIT_SECONDS = 10
MEGABYTE = 1 << 20
SOURCE, TARGET = 32 * MEGABYTE, 40 * MEGABYTE


def seeded():
    seed = random.SystemRandom().getrandbits(32)
    print(f"seed {seed}", flush=True)
    return random.Random(seed)


def load_with_work(card, rng):
    """RDMA writes, frames and commands, none of which is waited for."""
    qp = QueuePair(card).connect()
    txq = card.create_txq(card.create_cq(card.create_eq()))
    frame = card.alloc()
    for _ in range(rng.randrange(1, 40)):
        qp.post_write(SOURCE, TARGET, rng.choice((64, 4096, MEGABYTE)), ring=False)
    qp.ring()
    for _ in range(rng.randrange(1, 30)):
        card.transmit(txq, frame)
    for _ in range(rng.randrange(3)):
        card.post("TERN_CMD_NOP")
    for _ in range(rng.choice((0, 0, 1, 5, 20))):  # a delay in which the card works
        card.state()


@with_card
def rdma_writes_reach_memory(card):
    """What the other tests interrupt."""
    qp = QueuePair(card).connect()
    card.machine.write(SOURCE, b"\x5a" * PAGE)
    qp.post_write(SOURCE, TARGET, MEGABYTE)
    expect(card.completion_ok(), "the write failed")
    expect_equal(card.machine.read(TARGET, PAGE), b"\x5a" * PAGE, "target")


@with_card
def function_level_reset_under_rdma_recovers(card):
    rng = seeded()
    for _ in range(ROUNDS):
        load_with_work(card, rng)
        card.pci.reset_function()
        card.machine.write(TARGET, b"\xa5" * PAGE)
        card.pci.enable()
        expect_equal(card.state(), BOOTING, "state after reset")
        expect_equal(card.machine.read(TARGET, PAGE), b"\xa5" * PAGE, "memory after reset")
        card._memory = 0x100000
        card.boot()
        for kind in ("QPS", "TXQS", "CQS", "EQS", "PDS", "MRS"):
            expect_equal(card.object_count(f"TERN_DEVICE_COUNTER_{kind}"), 0, kind)


def plug(machine, netdev0="n0"):
    machine.qmp.command("device_add", driver="tern", id="card0", bus="slot0", engine=str(parts().engine),
                        netdev0=netdev0, netdev1="n1")


def card_goes_and_comes_back_under_rdma():
    rng = seeded()
    with Machine() as machine:
        card = Card(machine).boot()
        for _ in range(ROUNDS):
            load_with_work(card, rng)
            card.pci.set_slot_power(False)
            machine.write(TARGET, b"\xa5" * PAGE)
            machine.qmp.wait_event("DEVICE_DELETED")
            expect_equal(card.pci.read(0), 0xffffffff, "identity of an empty slot")
            expect_equal(machine.read(TARGET, PAGE), b"\xa5" * PAGE, "memory after removal")
            plug(machine)
            card.pci.set_slot_power(True)
            card = Card(machine).boot()
        card.expect_alive()


@contextlib.contextmanager
def full_back_end():
    """(card, its transmit queue, the peer's socket): the back end "slow" holds a frame and port 1 is stuck."""
    with Machine() as machine:
        path = str(machine.directory / "peer")
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(path)
        listener.listen()
        machine.qmp.command("netdev_add", type="stream", id="slow", server=False, addr={"type": "unix", "path": path})
        peer, _ = listener.accept()
        Pci(machine).set_slot_power(False)
        machine.qmp.wait_event("DEVICE_DELETED")
        plug(machine, netdev0="slow")
        card = Card(machine)
        card.pci.set_slot_power(True)
        card = Card(machine).boot()
        card.link_up()
        txq = card.create_txq(card.create_cq(card.create_eq(), depth_log2=7))
        frame = card.alloc()
        sent = 0
        while card.completion_soon() or sent < 1:
            expect(sent < 2000, "the back end takes everything")
            card.transmit(txq, frame, 1500)
            sent += 1
        yield card, txq, peer
        expect(machine.is_alive, "QEMU ended")


def drain(peer):
    while select.select([peer], [], [], 0.2)[0] and peer.recv(1 << 16):
        pass


def card_goes_while_a_back_end_holds_its_frames():
    """The back end keeps a frame that it cannot send, and the card that it would tell is gone."""
    with full_back_end() as (card, _, peer):
        machine = card.machine
        card.pci.set_slot_power(False)
        machine.qmp.wait_event("DEVICE_DELETED")
        drain(peer)  # now the back end has room
        plug(machine)
        card.pci.set_slot_power(True)
        Card(machine).boot().expect_alive()


def a_port_goes_on_when_its_full_back_end_has_gone():
    with full_back_end() as (card, txq, _):
        card.machine.qmp.command("netdev_del", id="slow")
        for _ in range(300):  # more than a ring holds
            card.transmit(txq, 0x100000, 1500)
            card.completion_ok()


def a_port_goes_on_when_its_back_end_has_room_again():
    with full_back_end() as (card, txq, peer):
        drain(peer)
        expect(card.completion_ok(), "the frame that was stuck")
        for _ in range(50):
            card.transmit(txq, 0x100000, 1500)
            expect(card.completion_ok(), "a frame was not sent")


@with_card
def a_stopped_machine_s_memory_does_not_change(card):
    qp = QueuePair(card).connect()
    card.machine.write(SOURCE, b"\x5a" * PAGE)
    for _ in range(20):
        qp.post_write(SOURCE, TARGET, MEGABYTE, ring=False)
    qp.ring()
    card.machine.qmp.command("stop")
    card.machine.write(TARGET, b"\xa5" * PAGE)
    card.post("TERN_CMD_NOP")
    for _ in range(50):
        card.state()
    expect_equal(card.machine.read(TARGET, PAGE), b"\xa5" * PAGE, "memory")
    expect_equal(card.machine.load(card.completions + 32 * card.cons + 28, 4) >> 31, 0, "completion")
    card.machine.qmp.command("cont")
    expect_equal(card.take()[0], "OK")
    for _ in range(20):
        expect(card.completion_ok(), "a write failed")


def port_flags(card):
    expect_equal(card.command("TERN_CMD_QUERY_PORT", struct.pack("<B7x", 1), 32)[0], "OK")
    return card.machine.load(card.outbox + 1, 1)


@with_card
def set_link_is_the_port_s_link(card):
    card.link_up()
    expect(port_flags(card) & 4, "the link is down")
    for _ in range(3):
        for up in (False, True):
            card.machine.qmp.command("set_link", name="card0p1", up=up)
            deadline = time.monotonic() + WAIT_SECONDS
            while bool(port_flags(card) & 4) != up:
                expect(time.monotonic() < deadline, f"the link is {'down' if up else 'up'}")


def set_fault(card, text):
    card.machine.qmp.command("qom-set", path="/machine/peripheral/card0", property="fault", value=text)


@with_card
def a_firmware_that_hangs_neither_beats_nor_answers(card):
    set_fault(card, "firmware-hang=on")
    beats = card.register("TERN_REG_HEALTH_HEARTBEAT")
    card.post("TERN_CMD_NOP")
    for _ in range(20):
        card.machine.step(100)
        card.state()
    expect_equal(card.register("TERN_REG_HEALTH_HEARTBEAT"), beats, "heartbeat")
    expect_equal(card.machine.load(card.completions + 32 * card.cons + 28, 4) >> 31, 0, "completion")
    set_fault(card, "firmware-hang=off")
    expect_equal(card.take()[0], "OK")
    card.machine.step(500)
    expect(card.register("TERN_REG_HEALTH_HEARTBEAT") != beats, "no heartbeat")


@with_card
def a_fault_that_is_none_is_refused(card):
    for text in ("", "=", "firmware-hang", "firmware-hang=", "firmware-hang=maybe", "no-such=on", "x" * 4000):
        try:
            set_fault(card, text)
        except LabError:
            continue
        raise AssertionError(f"taken: {text!r:.40}")
    expect_equal(card.state(), READY, "state")
    recover(card)


def main():
    results = Results(sys.argv[1])
    run_all(results, (rdma_writes_reach_memory, function_level_reset_under_rdma_recovers,
                      card_goes_and_comes_back_under_rdma, card_goes_while_a_back_end_holds_its_frames,
                      a_port_goes_on_when_its_full_back_end_has_gone,
                      a_port_goes_on_when_its_back_end_has_room_again,
                      a_stopped_machine_s_memory_does_not_change, set_link_is_the_port_s_link,
                      a_firmware_that_hangs_neither_beats_nor_answers, a_fault_that_is_none_is_refused))
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
