# SPDX-License-Identifier: BSD-2-Clause
"""documents.py --check|--fix TABLES FILE...: the checks of scripts/checks/docs.

TABLES has what register_map prints. One complaint a line, exit status 1 if
there was one. --fix writes the tables first."""

import re
import sys
from pathlib import Path

BLOCK = re.compile(r"^<!-- ([a-z-]+) begin -->\n(.*?)^<!-- \1 end -->$", re.M | re.S)
LAYOUT = re.compile(r"^<!-- layout (\w+) (\d+) begin -->\n(.*?)^<!-- layout \1 end -->$", re.M | re.S)
MARK = re.compile(r"^<!-- (.*) (?:begin|end) -->$", re.M)
ROW = re.compile(r"^\| 0x([0-9a-f]+) \| (\d+) \| `(\w+)` \|", re.M)
FENCE = re.compile(r"^```.*?^```$", re.M | re.S)
CODE = re.compile(r"`[^`\n]*`")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.*?)\s*$", re.M)


def blocks_of(text):
    return {match[1]: match[2] for match in BLOCK.finditer(text)}


def with_tables(text, tables):
    """The text with each marked table as it should be."""
    def table(match):
        return f"<!-- {match[1]} begin -->\n{tables.get(match[1], match[2])}<!-- {match[1]} end -->"
    return BLOCK.sub(table, text)


def layouts_of(header):
    """{struct: ({offset: field}, bytes)} from the rows of layout_check.h."""
    layouts = {}
    for struct, size in re.findall(r"^TERN_LAYOUT_SIZE\((\w+), (\d+)\);", header, re.M):
        rows = re.findall(rf"^TERN_LAYOUT_OFFSET\({struct}, (\w+), (0x[0-9a-f]+)\);", header, re.M)
        layouts[struct] = ([(int(offset, 16), field) for field, offset in rows], int(size))
    return layouts


def layout_complaints(text, layouts):
    for struct, size, table in LAYOUT.findall(text):
        if struct not in layouts:
            yield f"layout of {struct}, which include/tern/layout_check.h has not"
            continue
        fields, total = layouts[struct]
        ends = [offset for offset, _ in fields[1:]] + [total]
        wanted = [(offset, end - offset, field) for (offset, field), end in zip(fields, ends)]
        found = [(int(offset, 16), int(length), field) for offset, length, field in ROW.findall(table)]
        if int(size) != total:
            yield f"layout of {struct}: {size} bytes, not {total}"
        for row in sorted(set(wanted) ^ set(found)):
            yield f"layout of {struct}: {'unknown' if row in found else 'missing'} {row[2]} at {row[0]:#x}, {row[1]} bytes"


def anchor_of(heading):
    """The fragment that a heading gets: lower case, no punctuation, blanks as hyphens."""
    words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
    return re.sub(r"[^\w\- ]", "", words).replace(" ", "-")


def anchors_of(text):
    anchors = set()
    for heading in HEADING.findall(FENCE.sub("", text)):
        anchor, number = anchor_of(heading), 0
        while (f"{anchor}-{number}" if number else anchor) in anchors:
            number += 1
        anchors.add(f"{anchor}-{number}" if number else anchor)
    return anchors


def link_complaints(path, text):
    for link in LINK.findall(CODE.sub("", FENCE.sub("", text))):
        if re.match(r"[a-z]+:", link):
            continue
        file, _, fragment = link.partition("#")
        target = path.parent / file if file else path
        if not target.exists():
            yield f"link to {link}, which is not there"
        elif fragment and fragment not in anchors_of(target.read_text(encoding="utf-8")):
            yield f"link to {link}, which has no such heading"


def table_complaints(text, tables):
    for name, table in blocks_of(text).items():
        if name not in tables:
            yield f"table {name}, which register_map does not print"
        elif table != tables[name]:
            yield f"table {name} differs from include/ (scripts/checks/docs --fix writes it)"
    marked = [*blocks_of(text), *(f"layout {struct}" for struct, _, _ in LAYOUT.findall(text))]
    for mark in MARK.findall(text):
        if re.sub(r" \d+$", "", mark) not in marked:
            yield f"mark {mark} has no partner"


def main():
    mode, tables_file, *names = sys.argv[1:]
    tables = blocks_of(Path(tables_file).read_text(encoding="utf-8"))
    layouts = layouts_of(Path("include/tern/layout_check.h").read_text(encoding="utf-8"))
    complaints = []
    for path in map(Path, names):
        text = path.read_text(encoding="utf-8")
        if mode == "--fix" and with_tables(text, tables) != text:
            text = with_tables(text, tables)
            path.write_text(text, encoding="utf-8")
        for found in (link_complaints(path, text), table_complaints(text, tables), layout_complaints(text, layouts)):
            complaints += [f"{path}: {complaint}" for complaint in found]
    print("\n".join(complaints), end="\n" if complaints else "", file=sys.stderr)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
