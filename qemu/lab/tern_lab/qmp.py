# SPDX-License-Identifier: BSD-2-Clause
"""QEMU's machine protocol, as much as the lab needs: commands and events."""

import json
import socket

from .error import LabError


class Qmp:
    def __init__(self, path, timeout=30):
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(timeout)
        self._socket.connect(str(path))
        self._lines = self._socket.makefile("r")
        self.events = []
        self._read()  # greeting
        self.command("qmp_capabilities")

    def _read(self):
        line = self._lines.readline()
        if not line:
            raise LabError("QEMU closed its control socket")
        return json.loads(line)

    def command(self, command, /, **arguments):
        """Runs a command and returns what it returns; LabError if it fails."""
        request = {"execute": command, "arguments": {k.replace("_", "-"): v
                                                     for k, v in arguments.items()}}
        self._socket.sendall(json.dumps(request).encode())
        while True:
            answer = self._read()
            if "return" in answer:
                return answer["return"]
            if "error" in answer:
                raise LabError(f"{command}: {answer['error']['desc']}")
            self.events.append(answer)

    def wait_event(self, name):
        """The next event of this name, also one that has come already."""
        while True:
            for event in self.events:
                if event.get("event") == name:
                    self.events.remove(event)
                    return event
            self.events.append(self._read())
