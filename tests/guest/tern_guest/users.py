# SPDX-License-Identifier: BSD-2-Clause
"""Users of a card of every kind, to be surprised by its removal."""

from tern_lab import LabError

DIRECTORY = "/tmp/users"
HOLDERS = ("events", "completions", "doorbell")
FATAL = "local catastrophic error"  # IBV_EVENT_DEVICE_FATAL, as libibverbs calls it

_START = """
rm -rf {directory}; mkdir {directory}; cd {directory}
start() {{ name=$1; shift; "$@" > $name.out 2>&1 & echo $! > $name.pid; }}
wait_for() {{ i=0; until eval "$1"; do i=$((i+1)); [ $i -lt 150 ] || {{ echo "never: $1"; exit 1; }}; sleep 0.1; done; }}
start server ib_write_bw -d {device} -i 2 -x 0 -F -D 60
wait_for 'ss -ltn | grep -q :18515'
start client ib_write_bw -d {device} -i 1 -x 0 -F -D 60 localhost
start listener rping -s -a {address}
for what in {holders}; do start $what /tern/build/guest/holder $what; done
wait_for "rdma resource show qp | grep -q 'state RTS.*ib_write_bw'"
wait_for 'rdma resource show cm_id | grep -q LISTEN'
for what in {holders}; do wait_for "grep -q waiting $what.out"; done
"""


def expect(condition, detail):
    if not condition:
        raise LabError(detail)


class Users:
    """WRITEs under way between the ports, a listener of the connection manager,
    and holders (programs/holder.cc) that wait or idle."""

    def __init__(self, host):
        self.run = host.run
        self.wait_for = host.wait_for
        self._start = _START.format(directory=DIRECTORY, device=host.device(), address=host.address(),
                                    holders=" ".join(HOLDERS))

    def start(self):
        self.run(self._start, timeout=90)

    def said(self, who):
        return self.run(f"cat {DIRECTORY}/{who}.out").output.splitlines()

    def expect_told(self, error):
        """After a removal: blocked calls have returned, each context heard of it
        once, the old doorbell page takes stores, and a command is @error."""
        self.run(f"kill -USR1 $(cat {DIRECTORY}/doorbell.pid)")
        for who in HOLDERS:
            try:
                self.wait_for(f"grep -q -e '^errno' -e silence {DIRECTORY}/{who}.out", seconds=10)
            except LabError as failure:
                raise LabError(f"{who} goes on: {self.said(who)}") from failure
        expect(self.said("events") == ["waiting", FATAL, "silence"], f"events: {self.said('events')}")
        expect(self.said("completions") == ["waiting", f"errno {error}"], f"completions: {self.said('completions')}")
        expect(self.said("doorbell") == ["waiting", "rung", f"errno {error}"], f"doorbell: {self.said('doorbell')}")

    def end(self):
        """All are gone within five seconds."""
        self.run(f"cd {DIRECTORY}; kill -9 $(cat *.pid) 2>/dev/null; i=0\n"
                 "while kill -0 $(cat *.pid) 2>/dev/null; do i=$((i+1)); [ $i -lt 50 ] || exit 1; sleep 0.1; done; true")
