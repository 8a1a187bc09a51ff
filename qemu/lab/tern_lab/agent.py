# SPDX-License-Identifier: BSD-2-Clause
"""The host's side of a guest's agent: commands by number, output as it comes."""

import itertools
import json
import socket
import threading
from dataclasses import dataclass

from .error import LabError


@dataclass
class Result:
    command: str
    status: int
    output: str


class Command:
    """A command that runs in a guest."""

    def __init__(self, agent, number, text, watch):
        self._agent = agent
        self._watch = watch
        self.number = number
        self.text = text
        self.output = ""
        self.status = None
        self._done = threading.Event()

    def _add(self, text):
        self.output += text
        if self._watch:
            self._watch(text)

    def _finish(self, status):
        self.status = status
        self._done.set()

    @property
    def is_running(self):
        return not self._done.is_set()

    def wait(self, timeout=None) -> Result:
        if not self._done.wait(timeout):
            raise LabError(f"{self._agent.name}: no end of `{self.text}` after {timeout} s")
        return Result(self.text, self.status, self.output)

    def kill(self, signal=9):
        self._agent.send(id=self.number, kill=signal)


class Agent:
    def __init__(self, name, path):
        self.name = name
        self.is_gone = False
        self.hello = threading.Event()
        self._commands = {}
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(str(path))
        threading.Thread(target=self._listen, daemon=True).start()

    def send(self, **message):
        with self._lock:
            try:
                self._socket.sendall(json.dumps(message).encode() + b"\n")
            except OSError as error:
                raise LabError(f"{self.name}: the VM is gone") from error

    def start(self, text, timeout, watch=None) -> Command:
        command = Command(self, next(self._numbers), text, watch)
        self._commands[command.number] = command
        if self.is_gone:
            command._finish(255)
        else:
            self.send(id=command.number, run=text, timeout=timeout)
        return command

    def _listen(self):
        pending = b""
        while True:
            try:
                data = self._socket.recv(65536)
            except OSError:
                data = b""
            if not data:
                break
            *lines, pending = (pending + data).split(b"\n")
            for line in lines:
                self._hear(line)
        self.is_gone = True
        for command in list(self._commands.values()):
            command._finish(255)

    def _hear(self, line):
        try:
            message = json.loads(line)
        except ValueError:
            return
        if "hello" in message:
            self.hello.set()
            return
        command = self._commands.get(message.get("id"))
        if command is None:
            return
        if "out" in message:
            command._add(message["out"])
        else:
            del self._commands[command.number]
            command._finish(message["exit"])
