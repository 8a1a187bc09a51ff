# SPDX-License-Identifier: BSD-2-Clause
"""Virtual machines with Tern cards, cabled to each other."""

from .cable import Cable, End
from .error import LabError
from .lab import Lab
from .vm import Card, Vm

__all__ = ["Cable", "Card", "End", "Lab", "LabError", "Vm"]
