# SPDX-License-Identifier: BSD-2-Clause
"""QEMU's intel-iommu: three levels of page tables for the card's function."""

BASE = 0xfed90000
GLOBAL_COMMAND, GLOBAL_STATUS, ROOT_TABLE, CONTEXT_COMMAND, IOTLB = 0x18, 0x1c, 0x20, 0x28, 0xf8
PAGE = 4096
READ, WRITE = 1, 2
CARD_BUS, CARD_FUNCTION = 1, 0
WIDTH_39_BITS = 1
DOMAIN = 1


class Vtd:
    """Built in memory of the card's driver; on when enable() has returned."""

    def __init__(self, card):
        self._machine = card.machine
        self._card = card
        root, context, self._top = card.alloc(), card.alloc(), card.alloc()
        self._tables = {}
        self._machine.store(root + 16 * CARD_BUS, 8, context | 1)
        self._machine.store(context + 16 * CARD_FUNCTION, 8, self._top | 1)
        self._machine.store(context + 16 * CARD_FUNCTION + 8, 8, DOMAIN << 8 | WIDTH_39_BITS)
        self._machine.store(BASE + ROOT_TABLE, 8, root)

    def enable(self):
        self._machine.store(BASE + GLOBAL_COMMAND, 4, 1 << 30)  # set the root table's pointer
        self._machine.store(BASE + CONTEXT_COMMAND, 8, 1 << 63 | 1 << 61)
        self.flush()
        self._machine.store(BASE + GLOBAL_COMMAND, 4, 1 << 31)  # translate
        if not self._machine.load(BASE + GLOBAL_STATUS, 4) >> 31:
            raise ValueError("translation is not on")

    def flush(self):
        self._machine.store(BASE + IOTLB, 8, 1 << 63 | 1 << 60)

    def _leaf(self, iova):
        table = self._top
        for shift in (30, 21):
            entry = table + 8 * (iova >> shift & 511)
            if entry not in self._tables:
                self._tables[entry] = self._card.alloc()
                self._machine.store(entry, 8, self._tables[entry] | READ | WRITE)
            table = self._tables[entry]
        return table + 8 * (iova >> 12 & 511)

    def map(self, iova, address, rights=READ | WRITE, pages=1):
        for page in range(pages):
            self._machine.store(self._leaf(iova + page * PAGE), 8, address + page * PAGE | rights)

    def unmap(self, iova):
        """No access by it afterwards."""
        self._machine.store(self._leaf(iova), 8, 0)
        self.flush()
