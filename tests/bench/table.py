# SPDX-License-Identifier: BSD-2-Clause
"""Rows of the bench: printed, and written as JSON."""

from dataclasses import dataclass

# Where more is better; of all other units less is.
MORE = ("M messages/s", "Gb/s")


@dataclass
class Row:
    name: str
    value: float | None
    unit: str
    peer: str | None = None
    peer_value: float | None = None
    reason: str = ""  # why there is no value

    @property
    def ratio(self):
        """Above 1: we are ahead. None: nothing to compare with."""
        if not self.value or not self.peer_value:
            return None
        return self.value / self.peer_value if self.unit in MORE else self.peer_value / self.value

    def as_json(self):
        row = {"name": self.name, "value": self.value, "unit": self.unit, "peer": self.peer,
               "peer_value": self.peer_value, "ratio": round(self.ratio, 3) if self.ratio else None}
        return row | ({"reason": self.reason} if self.reason else {})


def number(value):
    return "-" if value is None else f"{value:.1f}"


def print_table(rows):
    print(f"{'':44}{'tern':>10}  {'unit':14}{'peer':20}{'value':>10}{'ratio':>8}")
    for row in rows:
        ratio = f"{row.ratio:.2f}" if row.ratio else "-"
        print(f"{row.name:44}{number(row.value):>10}  {row.unit:14}{row.peer or '-':20}"
              f"{number(row.peer_value):>10}{ratio:>8}  {row.reason}")
