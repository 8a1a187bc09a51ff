/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Copyright (c) 2026 The Tern authors
 *
 * RoCE v2 on the wire: offsets of fields within their headers, all big endian.
 * IBTA volume 1, chapter 9; annex A17.
 */
#ifndef TERN_WIRE_ROCE_H
#define TERN_WIRE_ROCE_H

#define TERN_ROCE_UDP_PORT		4791
#define TERN_ROCE_SOURCE_PORT_MIN	0xc000	/* annex A17.9.2: entropy */

#define TERN_ETHERTYPE_IPV4		0x0800
#define TERN_ETHERTYPE_IPV6		0x86dd
#define TERN_ETHERTYPE_VLAN		0x8100

#define TERN_ETH_HEADER_BYTES		14
#define TERN_VLAN_TAG_BYTES		4
#define TERN_IPV4_HEADER_BYTES		20
#define TERN_IPV6_HEADER_BYTES		40
#define TERN_UDP_HEADER_BYTES		8
#define TERN_ICRC_BYTES			4
#define TERN_GRH_BYTES			40

/* Base transport header, IBTA 9.2 */
#define TERN_BTH_BYTES			12
#define TERN_BTH_OPCODE			0	/* u8 */
#define TERN_BTH_FLAGS			1	/* u8: SE, M, pad, TVer */
#define TERN_BTH_PKEY			2	/* u16 */
#define TERN_BTH_RESERVED8A		4	/* u8: FECN, BECN, reserved; not in the ICRC */
#define TERN_BTH_DEST_QPN		5	/* u24 */
#define TERN_BTH_ACK_REQUEST		8	/* u8: A, reserved 7 */
#define TERN_BTH_PSN			9	/* u24 */

#define TERN_BTH_SOLICITED		0x80
#define TERN_BTH_MIGREQ			0x40
#define TERN_BTH_PAD_HI			5
#define TERN_BTH_PAD_LO			4
#define TERN_BTH_TVER_HI		3
#define TERN_BTH_TVER_LO		0
#define TERN_BTH_ACKREQ			0x80

/* RDMA extended transport header, IBTA 9.3.3 */
#define TERN_RETH_BYTES			16
#define TERN_RETH_ADDRESS		0	/* u64 */
#define TERN_RETH_RKEY			8	/* u32 */
#define TERN_RETH_LENGTH		12	/* u32 */

/* Atomic extended transport header, IBTA 9.3.4 */
#define TERN_ATOMICETH_BYTES		28
#define TERN_ATOMICETH_ADDRESS		0	/* u64 */
#define TERN_ATOMICETH_RKEY		8	/* u32 */
#define TERN_ATOMICETH_SWAP_OR_ADD	12	/* u64 */
#define TERN_ATOMICETH_COMPARE		20	/* u64 */

/* ACK extended transport header, IBTA 9.3.5 */
#define TERN_AETH_BYTES			4
#define TERN_AETH_SYNDROME		0	/* u8 */
#define TERN_AETH_MSN			1	/* u24 */

#define TERN_AETH_TYPE_MASK		0xe0
#define TERN_AETH_VALUE_MASK		0x1f
#define TERN_AETH_ACK			0x00	/* value: credit count code */
#define TERN_AETH_RNR_NAK		0x20	/* value: timer code */
#define TERN_AETH_NAK			0x60	/* value: TERN_NAK_* */
#define TERN_AETH_CREDITS_INVALID	0x1f	/* no end-to-end flow control */

#define TERN_NAK_PSN_SEQUENCE		0
#define TERN_NAK_INVALID_REQUEST	1
#define TERN_NAK_REMOTE_ACCESS		2
#define TERN_NAK_REMOTE_OPERATION	3
#define TERN_NAK_INVALID_RD_REQUEST	4

/* Atomic ACK extended transport header, IBTA 9.3.5.3 */
#define TERN_ATOMICACKETH_BYTES		8
/* Immediate and invalidate headers, IBTA 9.3.6 and 9.3.7 */
#define TERN_IMMDT_BYTES		4
#define TERN_IETH_BYTES			4

/* Datagram extended transport header, IBTA 9.3.2 */
#define TERN_DETH_BYTES			8
#define TERN_DETH_QKEY			0	/* u32 */
#define TERN_DETH_SOURCE_QPN		5	/* u24 */

#define TERN_PSN_MASK			0xffffff

/* Well-known Q_Key of QP1, and the bit that only the kernel may set. */
#define TERN_QKEY_GSI			0x80010000U
#define TERN_QKEY_PRIVILEGED		0x80000000U

#define TERN_QPN_SMI			0
#define TERN_QPN_GSI			1
#define TERN_QPN_MULTICAST		0xffffff

enum tern_bth_opcode {
#define TERN_BTH_OPCODE_ROW(name, value, headers, flags, meaning) name = (value),
#include <tern/wire/bth_opcode.def>
};

#endif /* TERN_WIRE_ROCE_H */
