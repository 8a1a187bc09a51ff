/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Copyright (c) 2026 The Tern authors
 *
 * A netdev per port: what the files of eth/ share.
 */
#ifndef TERN_ETH_PRIVATE_H
#define TERN_ETH_PRIVATE_H

#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/netdevice.h>
#include <linux/u64_stats_sync.h>
#include <linux/workqueue.h>

#include <tern/fw/port.h>
#include <tern/hw/cqe.h>
#include <tern/hw/doorbell.h>
#include <tern/hw/limits.h>
#include <tern/hw/wqe.h>

#include "../core/tern_core.h"
#include "tern_eth.h"

struct ethtool_link_ksettings;
struct ethtool_stats;
struct page_pool;

#define TERN_ETH_MAX_CHANNELS	8

/* Depths of rings: of blocks (transmit) and of entries (receive). */
#define TERN_ETH_MAX_DEPTH_LOG2		13
#define TERN_ETH_DEFAULT_TX_DEPTH_LOG2	10
#define TERN_ETH_DEFAULT_RX_DEPTH_LOG2	9

/* What a frame has beyond the MTU: header and two VLAN tags. */
#define TERN_ETH_OVERHEAD_BYTES	(TERN_ETH_FRAME_MAX_BYTES - TERN_ETH_MTU_MAX)

/* Segments are what WQEs are made of. */
#define TERN_WQE_SEGMENT_BYTES	16
#define TERN_WQE_BLOCK_SEGMENTS	(TERN_SQ_BLOCK_BYTES / TERN_WQE_SEGMENT_BYTES)
/* Control and offload segments come first. */
#define TERN_ETH_FIRST_SGE	2
#define TERN_ETH_MAX_BLOCKS \
	DIV_ROUND_UP(TERN_ETH_FIRST_SGE + TERN_ETH_MAX_SGE, \
		     TERN_WQE_BLOCK_SEGMENTS)

/* Room for the next frame, and for some more before a queue starts again. */
#define TERN_TXQ_STOP_BLOCKS	TERN_ETH_MAX_BLOCKS
#define TERN_TXQ_START_BLOCKS	(2 * TERN_ETH_MAX_BLOCKS)

/* Doorbell records of a channel, one 64-byte line each. */
enum tern_channel_record {
	TERN_CHANNEL_RECORD_RX_CQ,
	TERN_CHANNEL_RECORD_TX_CQ,
	TERN_CHANNEL_RECORD_TXQ,
	TERN_CHANNEL_RECORD_RXQ,
	TERN_CHANNEL_RECORDS
};

/**
 * struct tern_eth_cq - completion queue of one Ethernet queue
 * @link: how the card's completion events reach it
 * @napi: scheduled by them
 * @dev: the card
 * @cqn: its number
 * @cons: free-running count of entries polled
 * @arm_seq: sequence number of the last arm
 * @depth_log2: entries
 * @ring: the entries
 * @record: its doorbell record
 */
struct tern_eth_cq {
	struct tern_cq_link link;
	struct napi_struct *napi;
	struct tern_device *dev;
	u32 cqn;
	u32 cons;
	u32 arm_seq;
	u8 depth_log2;
	struct tern_ring ring;
	struct tern_cq_record *record;
};

/**
 * struct tern_tx_slot - frame whose WQE starts at a block
 * @skb: the frame
 * @blocks: of its WQE
 * @sges: of its WQE
 */
struct tern_tx_slot {
	struct sk_buff *skb;
	u8 blocks;
	u8 sges;
};

/* What an SGE points to. */
struct tern_tx_mapping {
	dma_addr_t dma;
	u32 bytes;
};

/**
 * struct tern_txq - transmit queue
 * @netdev_queue: as the stack has it
 * @dev: the card
 * @number: its number
 * @uidx: comes back in its CQEs
 * @depth_log2: blocks
 * @ring: the blocks
 * @record: its doorbell record
 * @slots: by block
 * @mappings: by segment
 * @prod: free-running count of blocks written; the transmit lock guards it
 * @rung: @prod as the card knows it; the transmit lock guards it
 * @cons: free-running count of blocks completed; written by NAPI
 */
struct tern_txq {
	struct netdev_queue *netdev_queue;
	struct tern_device *dev;
	u32 number;
	u32 uidx;
	u8 depth_log2;
	struct tern_ring ring;
	struct tern_queue_record *record;
	struct tern_tx_slot *slots;
	struct tern_tx_mapping *mappings;
	u32 prod;
	u32 rung;
	u32 cons ____cacheline_aligned_in_smp;
};

/**
 * struct tern_rxq - receive queue; NAPI's alone
 * @dev: the card
 * @pool: where its pages come from
 * @number: its number
 * @uidx: comes back in its CQEs
 * @depth_log2: entries
 * @stride_log2: an entry has 16 << stride_log2 bytes
 * @entry_pages: pages of an entry
 * @ring: the entries
 * @record: its doorbell record
 * @pages: entry_pages for each entry; NULL where one is missing
 * @prod: free-running count of entries posted
 * @cons: free-running count of entries completed
 */
struct tern_rxq {
	struct tern_device *dev;
	struct page_pool *pool;
	u32 number;
	u32 uidx;
	u8 depth_log2;
	u8 stride_log2;
	u8 entry_pages;
	struct tern_ring ring;
	struct tern_queue_record *record;
	struct page **pages;
	u32 prod;
	u32 cons;
};

/* Counters of a channel; they outlive it. */
struct tern_channel_stats {
	struct u64_stats_sync tx_sync;
	u64_stats_t tx_packets;
	u64_stats_t tx_bytes;
	u64_stats_t tx_errors;
	struct u64_stats_sync rx_sync;
	u64_stats_t rx_packets;
	u64_stats_t rx_bytes;
	u64_stats_t rx_errors;
	u64_stats_t rx_dropped;
	/* Written with the transmit lock held, by the thread that sends. */
	struct u64_stats_sync xmit_sync;
	u64_stats_t tx_dropped;
};

/**
 * struct tern_channel - a pair of queues that share a NAPI and a vector
 * @napi: polls both queues
 * @tern: the netdev
 * @stats: counters
 * @records: TERN_CHANNEL_RECORDS lines
 * @records_dma: their bus address
 * @rx_cq: completions of @rxq
 * @tx_cq: completions of @txq
 * @rxq: receive queue
 * @txq: transmit queue
 * @index: of the channel
 */
struct tern_channel {
	struct napi_struct napi;
	struct tern_netdev *tern;
	struct tern_channel_stats *stats;
	void *records;
	dma_addr_t records_dma;
	struct tern_eth_cq rx_cq;
	struct tern_eth_cq tx_cq;
	struct tern_rxq rxq;
	struct tern_txq txq;
	u32 index;
};

/* What needs new queues when it changes. */
struct tern_eth_config {
	u32 channels;
	u32 mtu;
	u8 tx_depth_log2;
	u8 rx_depth_log2;
};

/**
 * struct tern_netdev - private part of a netdev
 * @netdev: as the stack has it
 * @dev: the card
 * @port: 1, 2
 * @max_channels: as many as the card, its vectors and the host have
 * @config: of the queues; RTNL guards it
 * @channels: config.channels of them while @is_open
 * @link_lock: one look at the link at a time; guards changes of @is_open
 * @is_open: queues exist
 * @indirection: RSS: channel by hash
 * @rss_key: RSS: key of the Toeplitz hash
 * @rx_mode_work: gives the receive filter to the card
 * @restart_work: makes new queues after a transmit time-out
 * @stats_work: reads @counters while the netdev is up
 * @counters: of the port, as they were at the last look
 * @stats: by channel
 */
struct tern_netdev {
	struct net_device *netdev;
	struct tern_device *dev;
	u8 port;
	u32 max_channels;
	struct tern_eth_config config;
	struct tern_channel *channels;
	struct mutex link_lock;
	bool is_open;
	u32 indirection[TERN_RSS_TABLE_LENGTH];
	u8 rss_key[TERN_RSS_KEY_BYTES];
	struct work_struct rx_mode_work;
	struct work_struct restart_work;
	struct delayed_work stats_work;
	u64 counters[TERN_PORT_COUNTER_COUNT];
	struct tern_channel_stats stats[TERN_ETH_MAX_CHANNELS];
};

/* Each ring has a completion queue of its depth. */
static inline u8 tern_eth_max_depth_log2(const struct tern_device *dev,
					 u8 max_of_ring)
{
	return min3(max_of_ring, dev->caps.max_cq_depth_log2,
		    (u8)TERN_ETH_MAX_DEPTH_LOG2);
}

/* open.c */
int tern_eth_open(struct net_device *netdev);
int tern_eth_stop(struct net_device *netdev);
int tern_eth_reconfigure(struct tern_netdev *tern,
			 const struct tern_eth_config *config);
int tern_eth_set_mtu(struct tern_netdev *tern, u32 mtu);
u8 tern_eth_entry_pages(u32 mtu);

/* channel.c */
int tern_channels_create(struct tern_netdev *tern);
void tern_channels_destroy(struct tern_netdev *tern);
void tern_channels_enable(struct tern_netdev *tern);
void tern_channels_disable(struct tern_netdev *tern);

/* queue.c */
int tern_txq_create(struct tern_channel *channel);
void tern_txq_destroy(struct tern_channel *channel);
int tern_rxq_create(struct tern_channel *channel);
void tern_rxq_destroy(struct tern_channel *channel);

/* cq.c */
int tern_eth_cq_create(struct tern_channel *channel, struct tern_eth_cq *cq,
		       enum tern_channel_record record, u8 depth_log2);
void tern_eth_cq_destroy(struct tern_eth_cq *cq);
bool tern_eth_cq_next(struct tern_eth_cq *cq, struct tern_cqe *cqe);
void tern_eth_cq_release(struct tern_eth_cq *cq);
void tern_eth_cq_arm(struct tern_eth_cq *cq);
bool tern_eth_cqe_is_from(const struct tern_cqe *cqe, u32 opcode, u32 uidx,
			  u32 index);

/* tx.c */
netdev_tx_t tern_eth_xmit(struct sk_buff *skb, struct net_device *netdev);

/* tx_clean.c */
bool tern_txq_clean(struct tern_channel *channel, int budget);
void tern_txq_drop_all(struct tern_txq *txq);
void tern_txq_unmap(struct tern_txq *txq, u32 block, u32 sges);

/* rx.c */
int tern_rxq_poll(struct tern_channel *channel, int budget);

/* rx_fill.c */
bool tern_rxq_fill(struct tern_rxq *rxq);
void tern_rxq_drop_all(struct tern_rxq *rxq);

/* rss.c */
void tern_rss_init(struct tern_netdev *tern);
void tern_rss_spread_evenly(struct tern_netdev *tern);
int tern_rss_enable(struct tern_netdev *tern);
int tern_rss_disable(struct tern_netdev *tern);

/* rx_mode.c */
void tern_eth_set_rx_mode(struct net_device *netdev);
void tern_rx_mode_work(struct work_struct *work);

/* stats.c */
void tern_stats_init(struct tern_netdev *tern);
void tern_stats_work(struct work_struct *work);
int tern_stats_query(struct tern_netdev *tern);
void tern_eth_get_stats64(struct net_device *netdev,
			  struct rtnl_link_stats64 *stats);

/* ethtool.c, ethtool_link.c, ethtool_stats.c */
extern const struct ethtool_ops tern_ethtool_ops;
int tern_ethtool_get_link_ksettings(struct net_device *netdev,
				    struct ethtool_link_ksettings *settings);
int tern_ethtool_get_sset_count(struct net_device *netdev, int set);
void tern_ethtool_get_strings(struct net_device *netdev, u32 set, u8 *data);
void tern_ethtool_get_stats(struct net_device *netdev,
			    struct ethtool_stats *stats, u64 *data);

#endif /* TERN_ETH_PRIVATE_H */
