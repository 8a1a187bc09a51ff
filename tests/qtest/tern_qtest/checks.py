# SPDX-License-Identifier: BSD-2-Clause
"""What the tests share: expectations, a card of one's own, the way back."""

import functools

from .card import BOOTING, FATAL, READY, Card
from .machine import Machine


def expect(condition, detail):
    if not condition:
        raise AssertionError(detail)


def expect_equal(seen, wanted, what=""):
    expect(seen == wanted, f"{what} {seen!r}, not {wanted!r}")


def with_card(test, properties=""):
    """Runs a test on a card of its own that has booted."""

    @functools.wraps(test)
    def run():
        with Machine(properties) as machine:
            test(Card(machine).boot())
            expect(machine.is_alive, "QEMU ended")

    return run


def recover(card):
    """The card answers, or says that it is fatal; after a reset it answers."""
    expect(card.state() in (BOOTING, READY, FATAL), card.state())
    card.set_register("TERN_REG_CONTROL", 1)
    card.state()  # time must not pass before the card has seen the reset
    card.boot()
    card.expect_alive()


def run_all(results, tests):
    """Each test under its function's name, in capitals."""
    for test in tests:
        results.test("".join(word.capitalize() for word in test.__name__.split("_")), test)
