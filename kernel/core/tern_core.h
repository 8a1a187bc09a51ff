/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Copyright (c) 2026 The Tern authors
 *
 * What tern_ib.ko sees of tern.ko: the card, its commands, the memory it
 * reads, its doorbells and its events. tern.ko outlives all of this: an
 * auxiliary driver is unbound before any of it goes.
 */
#ifndef TERN_CORE_H
#define TERN_CORE_H

#include <linux/bits.h>
#include <linux/io.h>
#include <linux/types.h>

#include <tern/fw/cq.h>
#include <tern/fw/device.h>
#include <tern/fw/mr.h>
#include <tern/fw/port.h>
#include <tern/fw/qp.h>
#include <tern/hw/doorbell.h>
#include <tern/hw/eqe.h>
#include <tern/hw/ids.h>
#include <tern/hw/page_list.h>

struct auxiliary_device;
struct net_device;
struct pci_dev;

/**
 * struct tern_caps - limits of the card, in host order and within hw/limits.h
 * @capabilities: TERN_CAP_*
 * @node_guid: EUI-64 as one number
 * @max_mr_bytes: longest memory region
 * @page_sizes: bit n: data pages of 2^n bytes
 * @max_qps: queue pairs
 * @max_cqs: completion queues
 * @max_mrs: memory regions
 * @max_pds: protection domains
 * @max_eqs: event queues
 * @max_txqs: Ethernet transmit queues of all ports
 * @max_rxqs: Ethernet receive queues of all ports
 * @vectors: MSI-X vectors
 * @ports: 1 or 2
 * @max_sq_depth_log2: blocks of a send queue
 * @max_rq_depth_log2: entries of a receive queue
 * @max_cq_depth_log2: entries of a completion queue
 * @max_eq_depth_log2: entries of an event queue
 * @max_send_sge: SGEs of a send WQE
 * @max_recv_sge: SGEs of a receive WQE
 * @max_inline_bytes: inline bytes of a send WQE
 * @max_rd_atomic: outstanding READs and atomics of a QP as requester
 * @max_dest_rd_atomic: and as responder
 * @gid_table_length: entries per port
 * @local_ack_delay: exponent, 4.096 us * 2^n
 * @fast_reg_max_pages: longest list of a fast registration
 */
struct tern_caps {
	u64 capabilities;
	u64 node_guid;
	u64 max_mr_bytes;
	u64 page_sizes;
	u32 max_qps;
	u32 max_cqs;
	u32 max_mrs;
	u32 max_pds;
	u32 max_eqs;
	u32 max_txqs;
	u32 max_rxqs;
	u32 vectors;
	u8 ports;
	u8 max_sq_depth_log2;
	u8 max_rq_depth_log2;
	u8 max_cq_depth_log2;
	u8 max_eq_depth_log2;
	u8 max_send_sge;
	u8 max_recv_sge;
	u8 max_inline_bytes;
	u8 max_rd_atomic;
	u8 max_dest_rd_atomic;
	u16 gid_table_length;
	u16 local_ack_delay;
	u16 fast_reg_max_pages;
};

struct tern_firmware_version {
	u16 major;
	u16 minor;
	u16 patch;
};

/**
 * struct tern_device - one card
 * @pdev: its PCI function; DMA memory is that of @pdev->dev
 * @caps: what it can do
 * @firmware_version: of the running firmware
 * @netdevs: by port less one; there while an auxiliary driver is bound
 * @doorbells: doorbell page of pair 0, the kernel's
 * @is_dead: the card takes no commands any more and does no DMA
 */
struct tern_device {
	struct pci_dev *pdev;
	struct tern_caps caps;
	struct tern_firmware_version firmware_version;
	struct net_device *netdevs[TERN_MAX_PORTS];
	void __iomem *doorbells;
	bool is_dead;
};

#define TERN_AUXILIARY_RDMA	"tern.rdma"

struct tern_device *tern_device_of_auxiliary(struct auxiliary_device *adev);

/**
 * tern_device_is_dead() - has the card failed or gone?
 * @dev: the card
 *
 * Return: true from the failure on; commands then fail with -EIO at once.
 */
static inline bool tern_device_is_dead(const struct tern_device *dev)
{
	return READ_ONCE(dev->is_dead);
}

void tern_device_set_fatal(struct tern_device *dev, const char *reason);

/*
 * Commands, one function each (fw/command.def). They sleep, take at most a
 * bounded time, and return 0 or the errno that fw/status.def has for the
 * card's answer; -EIO on a dead card or one that answers nonsense. Handles are
 * within range; requests are sent as they are.
 */
int tern_cmd_query_objects(struct tern_device *dev,
			   struct tern_cmd_object_counts *counts);
int tern_cmd_query_port(struct tern_device *dev, u8 port,
			struct tern_cmd_port_info *info);
int tern_cmd_query_port_counters(struct tern_device *dev, u8 port,
				 struct tern_cmd_port_counters *counters);
int tern_cmd_set_gid(struct tern_device *dev,
		     const struct tern_cmd_set_gid *request);
int tern_cmd_create_cq(struct tern_device *dev,
		       const struct tern_cmd_create_cq *request, u32 *cqn);
int tern_cmd_destroy_cq(struct tern_device *dev, u32 cqn);
int tern_cmd_modify_cq(struct tern_device *dev,
		       const struct tern_cmd_modify_cq *request);
int tern_cmd_alloc_pd(struct tern_device *dev,
		      const struct tern_cmd_alloc_pd *request, u32 *pdn);
int tern_cmd_dealloc_pd(struct tern_device *dev, u32 pdn);
int tern_cmd_create_mr(struct tern_device *dev,
		       const struct tern_cmd_create_mr *request, u32 *key);
int tern_cmd_destroy_mr(struct tern_device *dev, u32 key);
int tern_cmd_create_qp(struct tern_device *dev,
		       const struct tern_cmd_create_qp *request, u32 *qpn);
int tern_cmd_destroy_qp(struct tern_device *dev, u32 qpn);
int tern_cmd_modify_qp(struct tern_device *dev,
		       const struct tern_cmd_modify_qp *request);
int tern_cmd_query_qp(struct tern_device *dev, u32 qpn,
		      struct tern_cmd_qp_attributes *attributes);
void tern_cmd_must_succeed(struct tern_device *dev, int err);

struct tern_list_page;

/**
 * struct tern_pages - a buffer as the card sees it, and the lists that say so
 * @list: what a command carries
 * @count: data pages
 * @appended: data pages named so far
 * @table_count: list pages
 * @tables: list pages, those that name data pages first, the root last
 */
struct tern_pages {
	struct tern_page_list list;
	u32 count;
	u32 appended;
	u32 table_count;
	struct tern_list_page *tables;
};

int tern_pages_create(struct tern_device *dev, u32 count, u8 page_shift,
		      struct tern_pages *pages);
void tern_pages_append(struct tern_pages *pages, u64 address);
void tern_pages_destroy(struct tern_device *dev, struct tern_pages *pages);

/**
 * struct tern_ring - zeroed memory that the kernel and the card share
 * @cpu: the memory, contiguous to the kernel
 * @bytes: its length, whole pages
 * @dma: bus address, where it is contiguous to the card, too
 * @pages: what the card is told
 * @mapped: bus address of each page, where it is not; else NULL
 */
struct tern_ring {
	void *cpu;
	size_t bytes;
	dma_addr_t dma;
	struct tern_pages pages;
	dma_addr_t *mapped;
};

int tern_ring_create(struct tern_device *dev, size_t bytes,
		     struct tern_ring *ring);
void tern_ring_destroy(struct tern_device *dev, struct tern_ring *ring);

/**
 * struct tern_doorbell_pair - pages of BAR2 that a user context may map
 * @number: as commands have it; never 0, the kernel's
 * @doorbell_address: physical address of the page of doorbells
 * @push_address: physical address of the page of push slots
 */
struct tern_doorbell_pair {
	u32 number;
	phys_addr_t doorbell_address;
	phys_addr_t push_address;
};

int tern_doorbell_pair_alloc(struct tern_device *dev,
			     struct tern_doorbell_pair *pair);
void tern_doorbell_pair_free(struct tern_device *dev,
			     struct tern_doorbell_pair *pair);

/**
 * tern_doorbell_ring() - write to the kernel's doorbell page
 * @dev: the card
 * @offset: TERN_DOORBELL_*
 * @value: fields of hw/doorbell.h
 *
 * All stores to memory before it are visible to the card before it. Harmless
 * on a dead card.
 */
static inline void tern_doorbell_ring(const struct tern_device *dev,
				      u32 offset, u64 value)
{
	writeq(value, dev->doorbells + offset);
}

/**
 * struct tern_cq_link - how completion events reach the owner of a CQ
 * @handler: the armed CQ has a completion; hard interrupt context
 */
struct tern_cq_link {
	void (*handler)(struct tern_cq_link *link);
};

u32 tern_vector_count(const struct tern_device *dev);
u32 tern_eq_for_vector(const struct tern_device *dev, u32 comp_vector);
int tern_cq_register(struct tern_device *dev, u32 cqn,
		     struct tern_cq_link *link);
void tern_cq_unregister(struct tern_device *dev, u32 cqn,
			struct tern_cq_link *link);

/**
 * struct tern_async_event - an EQE in host order, not checked in any way
 * @type: enum tern_event
 * @subtype: as the event says
 * @port: 1, 2; 0 where no port is meant
 * @object: number of the CQ or QP, or port
 * @data0: PORT_UP: speed in Mb/s
 * @token: uidx of the QP
 */
struct tern_async_event {
	u8 type;
	u8 subtype;
	u16 port;
	u32 object;
	u64 data0;
	u32 token;
};

typedef void (*tern_async_handler)(void *context,
				   const struct tern_async_event *event);

void tern_async_register(struct tern_device *dev, tern_async_handler handler,
			 void *context);
void tern_async_unregister(struct tern_device *dev);

u32 tern_port_speed_mbps(const struct tern_device *dev, u8 port);
int tern_port_set_roce(struct tern_device *dev, u8 port, bool enable);

#endif /* TERN_CORE_H */
