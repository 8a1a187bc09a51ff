# SPDX-License-Identifier: BSD-2-Clause
"""Numbers of the contract, from its own .def files and headers."""

import re
from dataclasses import dataclass
from pathlib import Path

INCLUDE = Path(__file__).resolve().parents[3] / "include" / "tern"


@dataclass
class Register:
    name: str
    offset: int
    size: int
    access: str
    reset: int


def registers():
    rows = re.findall(r"^TERN_REGISTER\((\w+), (\w+), (\d), (\w+), (\w+),", (INCLUDE / "hw/regs.def").read_text(),
                      re.MULTILINE)
    return [Register(name, int(offset, 0), int(size), access, int(reset, 0))
            for name, offset, size, access, reset in rows]


def _rows(path, macro):
    text = (INCLUDE / path).read_text()
    return {name: int(value, 0) for name, value in re.findall(rf"^{macro}\((\w+), (\w+),", text, re.MULTILINE)}


REGISTER = {register.name: register for register in registers()}
COMMAND = _rows("fw/command.def", "TERN_COMMAND")
STATUS = _rows("fw/status.def", "TERN_COMMAND_STATUS")
PORT_COUNTER = _rows("fw/port_counter.def", "TERN_PORT_COUNTER")
DEVICE_COUNTER = _rows("fw/device_counter.def", "TERN_DEVICE_COUNTER")
WQE = _rows("hw/wqe_opcode.def", "TERN_WQE_OPCODE")
EVENT = _rows("hw/event.def", "TERN_EVENT") if (INCLUDE / "hw/event.def").exists() else {}
