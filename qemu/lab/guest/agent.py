# SPDX-License-Identifier: BSD-2-Clause
"""Runs commands for the lab, asked for by JSON lines on a virtio port.

Asked:    {"id": 1, "run": "shell text", "timeout": seconds or null}
          {"id": 1, "kill": signal number}
Answered: {"hello": uptime}
          {"id": 1, "out": "text"} as it comes, {"id": 1, "exit": status}
A command that outlives its time-out is killed with its whole session and
exits 124.
"""

import json
import os
import selectors
import signal
import subprocess
import time

PORT = "/dev/virtio-ports/tern.agent"


class Command:
    """One running shell and all that it started."""

    def __init__(self, number, text, timeout):
        self.number = number
        self.deadline = time.monotonic() + timeout if timeout else None
        self.timed_out = False
        self.process = subprocess.Popen(
            ["/bin/sh", "-c", text], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, start_new_session=True)
        os.set_blocking(self.process.stdout.fileno(), False)

    def kill(self, number=signal.SIGKILL):
        try:
            os.killpg(self.process.pid, number)
        except ProcessLookupError:
            pass


class Agent:
    def __init__(self, port):
        self.port = port
        self.commands = {}
        self.pending = b""
        self.selector = selectors.DefaultSelector()
        self.selector.register(port, selectors.EVENT_READ, self.hear)

    def say(self, **message):
        data = json.dumps(message).encode() + b"\n"
        while data:
            data = data[os.write(self.port, data):]

    def hear(self, _):
        data = os.read(self.port, 65536)
        if not data:
            time.sleep(0.05)  # nobody at the other end yet
            return
        *lines, self.pending = (self.pending + data).split(b"\n")
        for line in lines:
            self.obey(json.loads(line))

    def obey(self, message):
        number = message["id"]
        if "kill" in message:
            if number in self.commands:
                self.commands[number].kill(message["kill"])
            return
        command = Command(number, message["run"], message.get("timeout"))
        self.commands[number] = command
        self.selector.register(command.process.stdout, selectors.EVENT_READ,
                               lambda stream: self.forward(command))

    def forward(self, command):
        data = command.process.stdout.read(65536)
        if data:
            self.say(id=command.number, out=data.decode(errors="replace"))
        elif data == b"":
            self.finish(command)

    def finish(self, command):
        self.selector.unregister(command.process.stdout)
        del self.commands[command.number]
        status = command.process.wait()
        if command.timed_out:
            status = 124
        elif status < 0:
            status = 128 - status
        self.say(id=command.number, exit=status)

    def expire(self):
        now = time.monotonic()
        for command in list(self.commands.values()):
            if command.deadline and now > command.deadline:
                command.timed_out = True
                command.deadline = None
                command.kill()

    def serve(self):
        with open("/proc/uptime", encoding="ascii") as uptime:
            self.say(hello=float(uptime.read().split()[0]))
        while True:
            for key, _ in self.selector.select(timeout=0.5):
                key.data(key.fileobj)
            self.expire()


if __name__ == "__main__":
    Agent(os.open(PORT, os.O_RDWR)).serve()
