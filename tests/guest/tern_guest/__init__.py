# SPDX-License-Identifier: BSD-2-Clause
"""What tests in VMs share: a host with a card, pairs of programs, the checks
that end each file, and results."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "qemu" / "lab"))
