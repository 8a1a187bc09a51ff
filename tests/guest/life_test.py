#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""life_test.py REPORT.json [KILLS REMOVALS [SEED]]: processes that die with
everything in flight (C27), and a card that is taken away from its users (C25).
Each once unless told how often; `make soak` asks for many."""

import random
import sys
import time

import tern_guest  # noqa: F401  (puts the lab on the path)
from tern_guest.host import Host, prepare
from tern_guest.programs import run_program
from tern_guest.quiet import leaves_nothing
from tern_guest.results import Results, run_file
from tern_guest.users import Users
from tern_lab import Lab, LabError

EIO = 5
REMOVAL_SECONDS = 10
GONE_MS = 5000  # where nothing else runs
LINK = "/tmp/link"


def expect(condition, detail):
    if not condition:
        raise LabError(detail)


class LifeTests:
    def __init__(self, host, kills, removals, seed):
        self.host = host
        self.vm = host.vm
        self.run = host.run
        self.kills = kills
        self.removals = removals
        self.seed = seed
        self.bdf = self.run("basename /sys/bus/pci/drivers/tern/0*").output.strip()
        self.device = f"/sys/bus/pci/devices/{self.bdf}"

    # C27

    def killed_processes(self, results):
        environment = f"TERN_TEST_ROUNDS={self.kills} TERN_TEST_SEED={self.seed}"
        if self.kills > 1:
            environment += f" TERN_TEST_GONE_MS={GONE_MS}"
        run_program(results, self.host, "kill_test", environment=environment, options="--gtest_filter=-*LinkDown",
                    seconds=240 * self.kills)

    def killed_processes_without_a_link(self, results):
        """The program's part of it ends when we have taken the link down."""
        self.run(f"rm -rf {LINK}; mkdir {LINK}")
        running = self.vm.spawn(f"i=0; until [ -e {LINK}/writing ]; do i=$((i+1)); [ $i -lt 1200 ] || exit 1; "
                                "sleep 0.1; done", timeout=150)
        program = self.vm.spawn("TERN_TEST_LINK=/tmp/link /tern/build/guest/kill_test --gtest_filter=*LinkDown "
                                "--gtest_brief=1 --gtest_output=json:/tmp/link.json", timeout=300)
        expect(running.wait(180).status == 0, "nothing was written")
        self.vm.qmp.command("set_link", name="card0p1", up=False)
        self.host.wait_for(f"grep -q 0 /sys/class/net/{self.host.netdev(1)}/carrier")
        self.run(f"touch {LINK}/down")
        done = program.wait(330)
        self.vm.qmp.command("set_link", name="card0p1", up=True)
        self.host.configure()
        results.add_gtest("kill", self.run("cat /tmp/link.json", check=False).output, done.status)

    # C25

    def taken_away(self, take, give_back):
        """@take: a shell command that takes the card from its driver; or a function."""
        users = Users(self.host)
        users.start()
        started = time.monotonic()
        if callable(take):
            take()
        else:
            self.run(f"timeout {REMOVAL_SECONDS} sh -c '{take}'")
        self.host.wait_for("[ -z \"$(ls -A /sys/class/infiniband)\" ]", seconds=REMOVAL_SECONDS)
        took = time.monotonic() - started
        users.expect_told(EIO)
        users.end()
        if callable(give_back):
            give_back()
        else:
            self.run(give_back, timeout=90)
        self.host.wait_for("[ -d /sys/module/tern_ib ] && [ -n \"$(ls -A /sys/class/infiniband)\" ]", seconds=60)
        self.run("udevadm settle --timeout=60", timeout=90)
        self.host.configure()
        return took

    def device_is_deleted_with_users_still_open(self):
        def take():
            self.vm.qmp.command("device_del", id="card0")
            self.vm.qmp.wait_event("DEVICE_DELETED")

        self.taken_away(take, lambda: self.vm.qmp.command("device_add", driver="tern", **self.vm.card_device(0)))

    def function_is_removed_with_users_still_open(self):
        self.taken_away(f"echo 1 > {self.device}/remove", "echo 1 > /sys/bus/pci/rescan")

    def driver_is_unbound_with_users_still_open(self):
        self.taken_away(f"echo {self.bdf} > /sys/bus/pci/drivers/tern/unbind",
                        f"echo {self.bdf} > /sys/bus/pci/drivers/tern/bind")

    def modules_are_unloaded_with_users_still_open(self):
        """Users of a driver that can do without them do not hold its module."""
        self.taken_away("rmmod tern_ib && rmmod tern", "modprobe tern && modprobe tern_ib")

    def card_is_taken_away_in_random_order(self):
        """One after the other, the ways above, REMOVALS times."""
        ways = (self.device_is_deleted_with_users_still_open, self.function_is_removed_with_users_still_open,
                self.driver_is_unbound_with_users_still_open, self.modules_are_unloaded_with_users_still_open)
        order = random.Random(self.seed)
        for number in range(self.removals):
            way = order.choice(ways)
            try:
                way()
            except LabError as error:
                raise LabError(f"seed {self.seed}, round {number}, {way.__name__}: {error}") from error
            print(f"round {number}: {way.__name__}", flush=True)


def run_all(results: Results):
    kills, removals = map(int, sys.argv[2:4] or (1, 1))
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else random.SystemRandom().getrandbits(32)
    print(f"seed {seed}", flush=True)
    with Lab() as lab:
        vm = lab.crossed(memory_mb=2048)
        lab.boot()
        host = Host(vm)
        prepare(host)
        tests = LifeTests(host, kills, removals, seed)
        with leaves_nothing(results, "Life", host):
            tests.killed_processes(results)
            tests.killed_processes_without_a_link(results)
            names = (["card_is_taken_away_in_random_order"] if removals > 1 else
                     ["device_is_deleted_with_users_still_open", "function_is_removed_with_users_still_open",
                      "driver_is_unbound_with_users_still_open", "modules_are_unloaded_with_users_still_open"])
            for name in names:
                results.test_named(getattr(tests, name))


if __name__ == "__main__":
    sys.exit(run_file(run_all))
