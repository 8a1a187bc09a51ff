#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The checks find what they are there to find, the scripts fail in one line,
and the build root is entered and left as it should be."""

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests" / "guest"))

from tern_guest.results import Results  # noqa: E402

ENGINE_LICENCE = "// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later\n"
CONTRACT_LICENCE = "/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */\n"
SCRIPT_LICENCE = "# SPDX-License-Identifier: BSD-2-Clause\n"

# Check, file, what is wrong with it, and a word of the complaint.
FAULTS = (
    ("format", "qemu/engine/fault.cc", ENGINE_LICENCE + "int  f( );\n", "fault.cc:2"),
    ("licences", "qemu/engine/fault.cc", "int f();\n", "fault.cc: ''"),
    ("licences", "kernel/fault.c", ENGINE_LICENCE, "not 'GPL-2.0 OR Linux-OpenIB'"),
    ("contract", "include/tern/fault.h", CONTRACT_LICENCE + "struct a { uint32_t b; };\n", "in C: tern/fault.h"),
    ("contract", "include/tern/fault.h",
     CONTRACT_LICENCE + "#include <stdint.h>\nstruct a {\n\tuint32_t b : 3;\n};\n", "bit-fields"),
    ("contract", "include/tern/fault.h",
     CONTRACT_LICENCE + "struct a {\n\tint b;\n} __attribute__((packed));\n", "packed"),
    ("contract", "kernel/fault.c", CONTRACT_LICENCE + "#define TERN_PAGE_SHIFT_MIN 13\n", "TERN_PAGE_SHIFT_MIN"),
    ("scripts", "scripts/fault", "#!/bin/bash\n" + SCRIPT_LICENCE + "echo $1\n", "SC2086"),
    ("scripts", "qemu/lab/fault.py", SCRIPT_LICENCE + "x = 1 is 1\n", "Did you mean"),
    ("words", "qemu/engine/fault.cc", ENGINE_LICENCE + "// TO" + "DO: all\n", "notes to oneself"),
    ("words", "qemu/engine/fault.cc", ENGINE_LICENCE + "int a; \n", "blanks"),
    ("words", "qemu/engine/fault.cc", ENGINE_LICENCE + "// see /wo" + "rk/main\n", "one machine"),
    ("words", "qemu/engine/fault.cc", ENGINE_LICENCE + "// rec" + "ieve\n", "misspelt"),
    ("words", "qemu/engine/fault.cc", ENGINE_LICENCE + "//\n" * 700, "701 lines"),
    ("docs", "docs/fault.md", "[a](missing.md)\n", "link to missing.md"),
    ("docs", "docs/fault.md", "[a](glossary.md#missing)\n", "no such heading"),
    ("docs", "docs/fault.md", "<!-- statuses begin -->\n| 0 | OK |\n<!-- statuses end -->\n", "table statuses differs"),
    ("docs", "docs/fault.md", "<!-- nonsense begin -->\n<!-- nonsense end -->\n", "does not print"),
    ("docs", "docs/fault.md", "<!-- statuses begin -->\n", "no partner"),
    ("docs", "docs/fault.md", "<!-- layout tern_sge 16 begin -->\n| 0x00 | 8 | `address` | |\n| 0x08 | 8 | `lkey` | |\n"
     "<!-- layout tern_sge end -->\n", "missing length_bytes at 0x8, 4 bytes"),
)

# Where a host's apt has its mirror: file, text, the mirror.
SOURCES = (
    ("sources.list", "# deb http://comment.example/ bookworm main\n"
                     "deb [arch=amd64 signed-by=/k] http://mirror.example/debian bookworm main\n",
     "http://mirror.example/debian"),
    ("sources.list.d/debian.sources", "Types: deb\n# URIs: http://comment.example/\nURIs: http://mirror.example/debian/\n"
                                      "# a comment\nSuites: trixie trixie-updates\nComponents: main\n",
     "http://mirror.example/debian"),
    ("sources.list.d/debian.sources", "Types: deb\nSuites: bookworm-security\nURIs: http://security.example/\n\n"
                                      "Types: deb\nSuites: bookworm\nURIs: https://mirror.example/debian\n",
     "https://mirror.example/debian"),
    ("sources.list.d/debian.sources", "Types: deb\nURIs: mirror+file:{apt}/mirrors\nSuites: bookworm\n",
     "http://listed.example/debian"),
)


def expect(condition, detail):
    if not condition:
        raise AssertionError(detail)


def call(*command, cwd=TOP, **environment):
    done = subprocess.run(command, cwd=cwd, env={**os.environ, **environment}, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120, check=False)
    return done.returncode, done.stdout


def is_one_line(status, output, *words):
    expect(status != 0 and len(output.splitlines()) == 1 and all(word in output for word in words), (status, output))


@contextlib.contextmanager
def small_clone():
    """The scripts and the contract, in a directory of their own."""
    with tempfile.TemporaryDirectory(dir="/tmp") as directory:
        clone = Path(directory)
        for part in ("scripts", "include", "docs", ".clang-format", ".shellcheckrc"):
            copy = shutil.copytree if (TOP / part).is_dir() else shutil.copy
            copy(TOP / part, clone / part)
        yield clone


def finds(check, file, text, word):
    with small_clone() as clone:
        script = clone / "scripts" / "checks" / check
        # The scripts check needs Python to look at, the format check C++.
        for name, harmless in (("qemu/lab/harmless.py", SCRIPT_LICENCE),
                               ("qemu/engine/harmless.cc", ENGINE_LICENCE + "int f();\n"), (file, text)):
            (clone / name).parent.mkdir(parents=True, exist_ok=True)
            if name == file:
                status, output = call(script, cwd=clone)
                expect(status == 0, f"complains without reason: {output}")
            (clone / name).write_text(harmless)
        status, output = call(script, cwd=clone)
        expect(status != 0 and word in output, (status, output))


def mirror_is(file, text, mirror):
    with tempfile.TemporaryDirectory() as directory:
        apt = Path(directory)
        (apt / "sources.list.d").mkdir()
        (apt / "mirrors").write_text("# comment\nhttp://listed.example/debian/ priority:1\n")
        (apt / file).write_text(text.format(apt=apt))
        status, output = call("scripts/build-root", "--mirror", TERN_APT_DIRECTORY=directory)
        expect((status, output.strip()) == (0, mirror), (status, output))


def host_without_mirror():
    with tempfile.TemporaryDirectory() as directory:
        is_one_line(*call("scripts/build-root", "--mirror", TERN_APT_DIRECTORY=directory), "Debian 12 or 13")


def in_root_keeps_directory_arguments_and_status():
    status, output = call("../scripts/in-root", "sh", "-c", 'pwd; echo "$1|$2"; exit 7', "sh", "a b", "$c",
                          cwd=TOP / "tests")
    expect((status, output) == (7, f"{TOP}/tests\na b|$c\n"), (status, output))


def in_root_leaves_nothing():
    before = Path("/proc/mounts").read_text(encoding="ascii")
    call("scripts/in-root", "sh", "-c", "touch /etc/left /root/left")
    status, _ = call("scripts/in-root", "sh", "-c", "test ! -e /etc/left -a ! -e /root/left")
    expect(status == 0, "what was written is still there")
    expect(Path("/proc/mounts").read_text(encoding="ascii") == before, "mounts are left")


def host_without_tools_or_root():
    """A user whose host lacks mmdebstrap learns what to install."""
    with tempfile.TemporaryDirectory(dir="/tmp") as directory:
        os.chmod(directory, 0o755)
        for tool in ("bash", "dirname", "id", "mount"):
            os.symlink(shutil.which(tool), f"{directory}/{tool}")
        for tool in ("apt-get", "python3"):  # there, and new enough
            os.symlink("/bin/true", f"{directory}/{tool}")
        user = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups") if os.getuid() == 0 else ()
        is_one_line(*call(*user, "env", f"PATH={directory}", f"{directory}/bash", TOP / "scripts" / "host-tools"),
                    "missing: mmdebstrap", "as root: apt-get install mmdebstrap")


def unknown_part():
    is_one_line(*call("tests/run", "nonsense"), "nonsense", "checks")


def main():
    results = Results(sys.argv[1])
    for number, fault in enumerate(FAULTS):
        results.test(f"CheckFinds.{fault[0]}.{number}", finds, *fault)
    for number, sources in enumerate(SOURCES):
        results.test(f"MirrorIsTheHosts.{number}", mirror_is, *sources)
    results.test("HostWithoutMirrorIsOneLine", host_without_mirror)
    results.test("InRootKeepsDirectoryArgumentsAndStatus", in_root_keeps_directory_arguments_and_status)
    results.test("InRootLeavesNothing", in_root_leaves_nothing)
    results.test("HostWithoutToolsOrRootIsOneLine", host_without_tools_or_root)
    results.test("UnknownPartIsOneLine", unknown_part)
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
