# SPDX-License-Identifier: BSD-2-Clause
"""An RC QP connected to itself: work for the transport without a second card."""

import struct

from .card import BAR2, LOCAL_DMA_LKEY, SIGNALED, Card
from .contract import WQE

RESET, INIT, RTR, RTS = 0, 1, 2, 3
STATE, ACCESS, PKEY_INDEX, PORT, ADDRESS_VECTOR, PATH_MTU = 0x1, 0x8, 0x10, 0x20, 0x80, 0x100
TIMEOUT, RETRY_COUNT, RNR_RETRY, RQ_PSN, MAX_RD_ATOMIC = 0x200, 0x400, 0x800, 0x1000, 0x2000
MIN_RNR_TIMER, SQ_PSN, MAX_DEST_RD_ATOMIC, DEST_QPN = 0x8000, 0x10000, 0x20000, 0x100000
ALL_ACCESS = 0xf
PD_KERNEL, MR_ALL_MEMORY, QP_KERNEL, RC = 1, 2, 1, 1
PORT_UP_AND_ROCE = 3
NO_VLAN = 0xffff
MAC = bytes.fromhex("52540000aa01")
GID = bytes.fromhex("fe80000000000000505400fffe00aa01")
DEPTH_LOG2 = 6
ALL_BYTES = (1 << 46) - 1


class QueuePair:
    """With its own PD and CQ; the send queue has 64 blocks in one page."""

    def __init__(self, card, sq=None, record=None, all_memory=ALL_BYTES):
        self.card = card
        self.pdn = card.create("TERN_CMD_ALLOC_PD", struct.pack("<B7x", PD_KERNEL))
        self.cqn = card.create_cq(card.create_eq(), depth_log2=7)
        self.sq, self.prod = card.alloc(), 0
        sq = Card.pages(self.sq) if sq is None else sq
        record = card.alloc() if record is None else record
        self.number = card.create("TERN_CMD_CREATE_QP", struct.pack(
            "<BBBBBBBxIIIIIIQ", RC, QP_KERNEL, 0, DEPTH_LOG2, 0, 0, 0, self.pdn, self.cqn, self.cqn, 0, 9, 0, record) +
            sq + bytes(16) + bytes(8))
        self.key = self.create_region(MR_ALL_MEMORY, 0, all_memory)

    def create_region(self, flags, iova, length, pages=bytes(16)):
        return self.card.create("TERN_CMD_CREATE_MR", struct.pack("<IB3xIIQQQ", self.pdn, flags, ALL_ACCESS, 0, iova,
                                                                  length, 0) + pages)

    def modify(self, state, valid, **values):
        attribute = {name: values.get(name, 0) for name in (
            "port", "mtu", "timeout", "retry", "rnr_retry", "rd_atomic", "access", "dest_qpn", "psn")}
        request = struct.pack("<II", self.number, valid | STATE) + struct.pack(
            "<12B5I", state, 0, attribute["port"], attribute["mtu"], 0, attribute["timeout"], attribute["retry"],
            attribute["rnr_retry"], 0, attribute["rd_atomic"] if valid & MAX_RD_ATOMIC else 0,
            attribute["rd_atomic"] if valid & MAX_DEST_RD_ATOMIC else 0, 0, attribute["access"], 0,
            attribute["dest_qpn"], attribute["psn"] if valid & RQ_PSN else 0,
            attribute["psn"] if valid & SQ_PSN else 0)
        request += (GID + MAC + bytes((0, 64)) if valid & ADDRESS_VECTOR else bytes(24)) + bytes(8) + bytes(16)
        status, syndrome, _ = self.card.command("TERN_CMD_MODIFY_QP", request)
        if status != "OK":
            raise ValueError(f"MODIFY_QP to {state}: {status} at {syndrome:#x}")

    def connect(self):
        """To itself, over port 1."""
        card = self.card
        card.command("TERN_CMD_SET_PORT", struct.pack("<BBBxH6x4x", 1, 1, PORT_UP_AND_ROCE, 0))
        card.command("TERN_CMD_SET_GID", struct.pack("<BBHH6s4x16s", 1, 2, 0, NO_VLAN, MAC, GID))
        self.modify(INIT, ACCESS | PKEY_INDEX | PORT, port=1, access=ALL_ACCESS)
        self.modify(RTR, ADDRESS_VECTOR | PATH_MTU | DEST_QPN | RQ_PSN | MAX_DEST_RD_ATOMIC | MIN_RNR_TIMER, mtu=12,
                    dest_qpn=self.number, rd_atomic=4)
        self.modify(RTS, TIMEOUT | RETRY_COUNT | RNR_RETRY | SQ_PSN | MAX_RD_ATOMIC, timeout=14, retry=7, rnr_retry=7,
                    rd_atomic=4)
        return self

    def post_write(self, source, target, length, key=None, remote_key=None, ring=True,
                   opcode="TERN_WQE_OP_RDMA_WRITE"):
        control = struct.pack("<IHBBII", WQE[opcode] << 24 | self.number, self.prod & 0xffff, SIGNALED, 1, 0, 0)
        remote = struct.pack("<QII", target, self.key if remote_key is None else remote_key, 0)
        sge = struct.pack("<QII", source, length, LOCAL_DMA_LKEY if key is None else key)
        self.card.machine.write(self.sq + 64 * (self.prod % (1 << DEPTH_LOG2)), control + remote + sge + bytes(16))
        self.prod += 1
        if ring:
            self.ring()

    def post_fetch_add(self, target, add, result):
        """The old value goes to @result."""
        control = struct.pack("<IHBBII", WQE["TERN_WQE_OP_ATOMIC_FETCH_AND_ADD"] << 24 | self.number,
                              self.prod & 0xffff, SIGNALED, 1, 0, 0)
        wqe = control + struct.pack("<QIIQQQII", target, self.key, 0, add, 0, result, 8, LOCAL_DMA_LKEY)
        self.card.machine.write(self.sq + 64 * (self.prod % (1 << DEPTH_LOG2)), wqe)
        self.prod += 1
        self.ring()

    def ring(self):
        self.card.machine.store(BAR2, 8, self.prod << 32 | self.number)
