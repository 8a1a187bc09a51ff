# SPDX-License-Identifier: BSD-2-Clause
"""What a VM is made of, each built by its script: QEMU, image, engine."""

import subprocess
from pathlib import Path

from .error import LabError

TOP = Path(__file__).resolve().parents[3]
SCRIPTS = TOP / "scripts"
ENGINE = TOP / "build" / "engine" / "libtern-engine.so"


def _built_by(script):
    done = subprocess.run([SCRIPTS / script], stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        raise LabError(f"{script} failed")
    return Path(done.stdout.strip())


class Parts:
    """Paths of all parts; builds what is missing."""

    def __init__(self, qemu=None, engine=ENGINE):
        self.qemu = Path(qemu) if qemu else _built_by("build-qemu")
        self.image = _built_by("build-image")
        self.initrd = _built_by("build-initrd")
        self.engine = Path(engine)
        self.in_root = SCRIPTS / "in-root"
