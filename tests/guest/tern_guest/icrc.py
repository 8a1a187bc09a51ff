# SPDX-License-Identifier: BSD-2-Clause
"""RoCE v2 packets of a pcap file, and their ICRC computed from the bytes alone
(IBTA 17.3 annex A17, 9.8): a second opinion that shares no code with the card."""

import struct
import zlib
from pathlib import Path

ROCE_PORT = 4791
_GLOBAL_HEADER = 24
_RECORD_HEADER = 16


def frames(path):
    data = Path(path).read_bytes()
    order = "<" if data[:4] == b"\xd4\xc3\xb2\xa1" else ">"
    offset = _GLOBAL_HEADER
    while offset + _RECORD_HEADER <= len(data):
        _, _, captured, length = struct.unpack_from(order + "IIII", data, offset)
        offset += _RECORD_HEADER
        if captured == length:
            yield data[offset:offset + captured]
        offset += captured


def _network_header(frame):
    """(offset, header bytes, is IPv6), or None if it is no IP."""
    offset, kind = 14, frame[12:14]
    if kind == b"\x81\x00":
        offset, kind = 18, frame[16:18]
    if kind == b"\x08\x00":
        return offset, (frame[offset] & 0xf) * 4, False
    return (offset, 40, True) if kind == b"\x86\xdd" else None


def _split(frame):
    """(IP header, UDP header, BTH and on without ICRC, ICRC, is IPv6), or None."""
    network = _network_header(frame)
    if not network:
        return None
    start, length, is_ipv6 = network
    protocol = frame[start + 6] if is_ipv6 else frame[start + 9]
    udp = start + length
    if protocol != 17 or struct.unpack_from(">H", frame, udp + 2)[0] != ROCE_PORT:
        return None
    end = udp + struct.unpack_from(">H", frame, udp + 4)[0]
    return (bytearray(frame[start:udp]), bytearray(frame[udp:udp + 8]), bytearray(frame[udp + 8:end - 4]),
            frame[end - 4:end], is_ipv6)


def _icrc(ip, udp, transport, is_ipv6):
    """Fields that a router may change count as ones."""
    if is_ipv6:
        ip[0] |= 0x0f
        ip[1:4] = b"\xff\xff\xff"  # traffic class and flow label
        ip[7] = 0xff
    else:
        ip[1] = ip[8] = 0xff
        ip[10:12] = b"\xff\xff"
    udp[6:8] = b"\xff\xff"
    transport[4] = 0xff
    return struct.pack("<I", zlib.crc32(b"\xff" * 8 + bytes(ip) + bytes(udp) + bytes(transport)))


def roce_packets(path):
    """BTH and on, without ICRC, of each RoCE v2 packet."""
    for frame in frames(path):
        parts = _split(frame)
        if parts:
            yield bytes(parts[2])


def icrc_errors(path):
    """(numbers of frames whose ICRC is wrong, RoCE packets in all)."""
    errors, count = [], 0
    for number, frame in enumerate(frames(path), 1):
        parts = _split(frame)
        if not parts:
            continue
        ip, udp, transport, icrc, is_ipv6 = parts
        count += 1
        if _icrc(ip, udp, transport, is_ipv6) != icrc:
            errors.append(number)
    return errors, count
