# SPDX-License-Identifier: BSD-2-Clause
"""The card without a guest: QEMU's qtest protocol, PCI, and a small driver."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "guest"))
