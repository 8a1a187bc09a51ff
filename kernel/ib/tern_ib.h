/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Copyright (c) 2026 The Tern authors
 *
 * tern_ib.ko: what its files share. One file per verbs object; this module
 * sees tern.ko through tern_core.h only.
 */
#ifndef TERN_IB_H
#define TERN_IB_H

#include <linux/completion.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <rdma/ib_umem.h>
#include <rdma/ib_verbs.h>
#include <rdma/uverbs_ioctl.h>

#include <tern/fw/mr.h>
#include <tern/fw/qp.h>
#include <tern/hw/access.h>
#include <tern/hw/cqe.h>
#include <tern/hw/doorbell.h>
#include <tern/hw/limits.h>
#include <tern/hw/ring.h>
#include <tern/hw/wqe.h>
#include <uapi/rdma/tern-abi.h>

#include "../core/tern_core.h"

struct dma_pool;

/**
 * struct tern_ib_device - one card as an RDMA device with all its ports
 * @ibdev: what the RDMA core sees
 * @core: the card
 * @records: 64-byte doorbell records of kernel queues
 * @cqs: CQs by CQN, for asynchronous events
 * @qps: QPs by object number, for asynchronous events
 * @uidx: kernel QPs by the uidx that their CQEs carry
 * @flush_work: completes what kernel consumers wait for on a dead card
 * @flush_lock: held while @flush_work calls a consumer
 * @is_fatal: IB_EVENT_DEVICE_FATAL has been told
 */
struct tern_ib_device {
	struct ib_device ibdev;
	struct tern_device *core;
	struct dma_pool *records;
	struct xarray cqs;
	struct xarray qps;
	struct xarray uidx;
	struct work_struct flush_work;
	struct mutex flush_lock;	/* calls of flush_work */
	atomic_t is_fatal;
};

/**
 * struct tern_ib_ucontext - one open of the device by user space
 * @ibucontext: what the RDMA core sees
 * @doorbell_pair: the pages that its queues are bound to
 * @doorbell_entry: mapping of the doorbell page
 * @push_entry: mapping of the push page; NULL without TERN_CAP_PUSH
 * @record_lock: guards @record_pages and their user counts
 * @record_pages: pinned pages of doorbell records
 */
struct tern_ib_ucontext {
	struct ib_ucontext ibucontext;
	struct tern_doorbell_pair doorbell_pair;
	struct rdma_user_mmap_entry *doorbell_entry;
	struct rdma_user_mmap_entry *push_entry;
	struct mutex record_lock;	/* record_pages */
	struct list_head record_pages;
};

struct tern_ib_pd {
	struct ib_pd ibpd;
	u32 pdn;
};

/**
 * struct tern_ib_mr - memory region
 * @ibmr: what the RDMA core sees; its lkey names the object to the card
 * @umem: pinned user memory; NULL for kernel regions
 * @pages: list of @umem's pages
 * @list: fast registration: one list page in DMA memory
 * @list_dma: its bus address
 * @max_pages: fast registration: entries that the list may have
 * @page_count: fast registration: entries that it has
 */
struct tern_ib_mr {
	struct ib_mr ibmr;
	struct ib_umem *umem;
	struct tern_pages pages;
	__le64 *list;
	dma_addr_t list_dma;
	u32 max_pages;
	u32 page_count;
};

struct tern_ib_ah {
	struct ib_ah ibah;
	struct tern_wqe_address_vector av;
};

/**
 * struct tern_ib_ring - memory of one queue
 * @umem: user queues: the pinned buffer; NULL for kernel queues
 * @pages: user queues: what the card is told
 * @memory: kernel queues: the entries, and what the card is told
 */
struct tern_ib_ring {
	struct ib_umem *umem;
	struct tern_pages pages;
	struct tern_ring memory;
};

/**
 * struct tern_ib_record - doorbell record of one queue (hw/doorbell.h)
 * @dma: bus address, 64-byte aligned
 * @cpu: kernel queues: the record
 * @page: user queues: the pinned page that it lies in
 */
struct tern_ib_record {
	dma_addr_t dma;
	void *cpu;
	struct tern_ib_record_page *page;
};

/**
 * struct tern_ib_object_users - who may still look at an object
 * @count: one for the object's life, one per event being delivered
 * @gone: completed when @count has dropped to zero
 */
struct tern_ib_object_users {
	refcount_t count;
	struct completion gone;
};

/**
 * struct tern_ib_cq - completion queue
 * @ibcq: what the RDMA core sees
 * @link: how the card's completion events reach it
 * @users: holders of the CQ besides its owner
 * @cqn: its number
 * @depth_log2: entries
 * @ring: its entries
 * @record: its doorbell record
 * @lock: kernel CQs: guards all that follows
 * @cons: free-running count of entries polled
 * @arm_seq: sequence number of the last arm, 2 bits
 * @send_qps: kernel QPs whose sends complete here
 * @recv_qps: kernel QPs whose receives complete here
 */
struct tern_ib_cq {
	struct ib_cq ibcq;
	struct tern_cq_link link;
	struct tern_ib_object_users users;
	u32 cqn;
	u8 depth_log2;
	struct tern_ib_ring ring;
	struct tern_ib_record record;
	spinlock_t lock;	/* what follows */
	u32 cons;
	u32 arm_seq;
	struct list_head send_qps;
	struct list_head recv_qps;
};

/* What a kernel send queue remembers about the WQE that starts in a slot. */
struct tern_ib_send_slot {
	u64 wr_id;
	u32 blocks;	/* 0: no WQE starts here */
};

/**
 * struct tern_ib_sq - send queue of a kernel QP
 * @lock: guards posting
 * @slots: one per block
 * @prod: free-running count of blocks posted
 * @cons: free-running count of blocks completed; the send CQ's lock guards it
 * @depth_log2: blocks
 * @max_sge: SGEs of a work request
 * @max_inline: inline bytes of a work request
 */
struct tern_ib_sq {
	spinlock_t lock;	/* posting */
	struct tern_ib_send_slot *slots;
	u32 prod;
	u32 cons;
	u8 depth_log2;
	u32 max_sge;
	u32 max_inline;
};

/**
 * struct tern_ib_rq - receive queue of a kernel QP
 * @lock: guards posting
 * @wr_ids: one per entry
 * @prod: free-running count of entries posted
 * @cons: free-running count of entries completed; the receive CQ's lock guards
 *        it
 * @depth_log2: entries
 * @stride_log2: entries have 16 << stride_log2 bytes
 */
struct tern_ib_rq {
	spinlock_t lock;	/* posting */
	u64 *wr_ids;
	u32 prod;
	u32 cons;
	u8 depth_log2;
	u8 stride_log2;
};

/**
 * struct tern_ib_qp - queue pair
 * @ibqp: what the RDMA core sees; qp_num is 1 for GSI
 * @users: holders of the QP besides its owner
 * @mutex: one command about this QP at a time
 * @qpn: object number, for WQEs, doorbells and commands
 * @uidx: comes back in its CQEs
 * @port: 1, 2; 0 until it is known
 * @state: as the host last asked for
 * @has_rq: there is a receive queue
 * @signal_all: every send completes
 * @cap: what create granted
 * @sq_ring: memory of the send queue
 * @rq_ring: memory of the receive queue
 * @record: doorbell record of both
 * @sq: kernel QPs: send queue
 * @rq: kernel QPs: receive queue
 * @send_link: kernel QPs: in send_qps of its send CQ
 * @recv_link: kernel QPs: in recv_qps of its receive CQ
 */
struct tern_ib_qp {
	struct ib_qp ibqp;
	struct tern_ib_object_users users;
	struct mutex mutex;	/* commands */
	u32 qpn;
	u32 uidx;
	u8 port;
	enum ib_qp_state state;
	bool has_rq;
	bool signal_all;
	struct ib_qp_cap cap;
	struct tern_ib_ring sq_ring;
	struct tern_ib_ring rq_ring;
	struct tern_ib_record record;
	struct tern_ib_sq sq;
	struct tern_ib_rq rq;
	struct list_head send_link;
	struct list_head recv_link;
};

static inline struct tern_ib_device *to_tern_ib_device(struct ib_device *ibdev)
{
	return container_of(ibdev, struct tern_ib_device, ibdev);
}

static inline struct tern_ib_ucontext *
to_tern_ib_ucontext(struct ib_ucontext *ibucontext)
{
	return container_of(ibucontext, struct tern_ib_ucontext, ibucontext);
}

static inline struct tern_ib_pd *to_tern_ib_pd(struct ib_pd *ibpd)
{
	return container_of(ibpd, struct tern_ib_pd, ibpd);
}

static inline struct tern_ib_mr *to_tern_ib_mr(struct ib_mr *ibmr)
{
	return container_of(ibmr, struct tern_ib_mr, ibmr);
}

static inline struct tern_ib_ah *to_tern_ib_ah(struct ib_ah *ibah)
{
	return container_of(ibah, struct tern_ib_ah, ibah);
}

static inline struct tern_ib_cq *to_tern_ib_cq(struct ib_cq *ibcq)
{
	return container_of(ibcq, struct tern_ib_cq, ibcq);
}

static inline struct tern_ib_qp *to_tern_ib_qp(struct ib_qp *ibqp)
{
	return container_of(ibqp, struct tern_ib_qp, ibqp);
}

/*
 * Free-running counts that one side of a kernel queue moves and the other one
 * reads without its lock. What the count announces, or gives back, is done with
 * before the count says so.
 */
static inline u32 tern_ib_count_read(const u32 *count)
{
	/* Pairs with the release in tern_ib_count_move(). */
	return smp_load_acquire(count);
}

static inline void tern_ib_count_move(u32 *count, u32 value)
{
	/* Pairs with the acquire in tern_ib_count_read(). */
	smp_store_release(count, value);
}

static inline bool tern_ib_is_dead(const struct tern_ib_device *dev)
{
	return tern_device_is_dead(dev->core);
}

/**
 * tern_ib_destroyed() - has the card let go?
 * @dev: the card
 * @err: how the command that ends something ended
 *
 * A dead card's objects are gone with it, whether it could answer or not.
 *
 * Return: 0, or @err.
 */
static inline int tern_ib_destroyed(const struct tern_ib_device *dev, int err)
{
	return err && tern_ib_is_dead(dev) ? 0 : err;
}

/* device.c */
int tern_ib_query_device(struct ib_device *ibdev, struct ib_device_attr *attr,
			 struct ib_udata *udata);
void tern_ib_get_dev_fw_str(struct ib_device *ibdev, char *str);
u32 tern_ib_max_qp_wr(const struct tern_ib_device *dev);

/* port.c */
int tern_ib_query_port(struct ib_device *ibdev, u32 port_num,
		       struct ib_port_attr *attr);
int tern_ib_query_pkey(struct ib_device *ibdev, u32 port_num, u16 index,
		       u16 *pkey);
int tern_ib_get_port_immutable(struct ib_device *ibdev, u32 port_num,
			       struct ib_port_immutable *immutable);
enum rdma_link_layer tern_ib_get_link_layer(struct ib_device *ibdev,
					    u32 port_num);
enum ib_mtu tern_ib_active_mtu(struct tern_ib_device *dev, u32 port_num);

/* gid.c */
int tern_ib_add_gid(const struct ib_gid_attr *attr, void **context);
int tern_ib_del_gid(const struct ib_gid_attr *attr, void **context);

/* udata.c */
int tern_ib_read_request(struct ib_udata *udata, void *request, size_t bytes);
int tern_ib_write_response(struct ib_udata *udata, void *response,
			   size_t bytes);

/* ucontext.c */
int tern_ib_alloc_ucontext(struct ib_ucontext *ibucontext,
			   struct ib_udata *udata);
void tern_ib_dealloc_ucontext(struct ib_ucontext *ibucontext);
void tern_ib_disassociate_ucontext(struct ib_ucontext *ibucontext);
int tern_ib_mmap(struct ib_ucontext *ibucontext, struct vm_area_struct *vma);
void tern_ib_mmap_free(struct rdma_user_mmap_entry *entry);

/* record.c */
int tern_ib_record_pin(struct tern_ib_ucontext *context, u64 address,
		       struct tern_ib_record *record);
void tern_ib_record_unpin(struct tern_ib_ucontext *context,
			  struct tern_ib_record *record);
int tern_ib_record_alloc(struct tern_ib_device *dev,
			 struct tern_ib_record *record);
void tern_ib_record_free(struct tern_ib_device *dev,
			 struct tern_ib_record *record);

/* ring.c */
int tern_ib_umem_pages(struct tern_ib_device *dev, struct ib_umem *umem,
		       u64 iova, struct tern_pages *pages);
int tern_ib_ring_pin(struct tern_ib_device *dev, u64 address, u64 length,
		     u64 bytes, struct tern_ib_ring *ring);
int tern_ib_ring_alloc(struct tern_ib_device *dev, size_t bytes,
		       struct tern_ib_ring *ring);
const struct tern_page_list *tern_ib_ring_list(const struct tern_ib_ring *ring);
void tern_ib_ring_release(struct tern_ib_device *dev,
			  struct tern_ib_ring *ring);

/* pd.c */
int tern_ib_alloc_pd(struct ib_pd *ibpd, struct ib_udata *udata);
int tern_ib_dealloc_pd(struct ib_pd *ibpd, struct ib_udata *udata);

/* ah.c */
__le32 tern_ib_flow_class(const struct rdma_ah_attr *attr);
int tern_ib_check_address(const struct rdma_ah_attr *attr);
u8 tern_ib_hop_limit(const struct rdma_ah_attr *attr);
int tern_ib_create_ah(struct ib_ah *ibah, struct rdma_ah_init_attr *init,
		      struct ib_udata *udata);
int tern_ib_query_ah(struct ib_ah *ibah, struct rdma_ah_attr *attr);
int tern_ib_destroy_ah(struct ib_ah *ibah, u32 flags);

/* mr.c */
struct ib_mr *tern_ib_get_dma_mr(struct ib_pd *ibpd, int access);
struct ib_mr *tern_ib_reg_user_mr(struct ib_pd *ibpd, u64 start, u64 length,
				  u64 iova, int access, struct ib_udata *udata);
struct ib_mr *tern_ib_alloc_mr(struct ib_pd *ibpd, enum ib_mr_type type,
			       u32 max_num_sg);
int tern_ib_map_mr_sg(struct ib_mr *ibmr, struct scatterlist *sg, int sg_nents,
		      unsigned int *sg_offset);
int tern_ib_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata);

/* cq.c */
int tern_ib_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		      struct uverbs_attr_bundle *attrs);
int tern_ib_modify_cq(struct ib_cq *ibcq, u16 count, u16 period);
int tern_ib_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata);
void tern_ib_cq_completion(struct tern_cq_link *link);

/* poll.c */
int tern_ib_poll_cq(struct ib_cq *ibcq, int num_entries, struct ib_wc *wc);
int tern_ib_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags flags);
void tern_ib_cq_forget_qp(struct tern_ib_cq *cq, u32 uidx);

/* flush.c */
int tern_ib_flush_poll(struct tern_ib_cq *cq, int num_entries,
		       struct ib_wc *wc);
bool tern_ib_flush_pending(struct tern_ib_cq *cq);
void tern_ib_flush_work(struct work_struct *work);
void tern_ib_flush_wait(struct tern_ib_device *dev);

/* qp.c */
int tern_ib_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *init,
		      struct ib_udata *udata);
int tern_ib_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata);

/* qp_kernel.c */
int tern_ib_kernel_qp_init(struct tern_ib_device *dev, struct tern_ib_qp *qp);
void tern_ib_kernel_qp_fini(struct tern_ib_device *dev, struct tern_ib_qp *qp);
void tern_ib_kernel_qp_attach(struct tern_ib_device *dev, struct tern_ib_qp *qp,
			      const struct ib_qp_init_attr *init);
void tern_ib_kernel_qp_detach(struct tern_ib_device *dev,
			      struct tern_ib_qp *qp);
void tern_ib_kernel_qp_rewind(struct tern_ib_qp *qp);

/* qp_modify.c */
int tern_ib_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		      struct ib_udata *udata);
int tern_ib_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		     struct ib_qp_init_attr *init);

/* post_send.c, post_recv.c */
int tern_ib_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
		      const struct ib_send_wr **bad_wr);
int tern_ib_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
		      const struct ib_recv_wr **bad_wr);

/* counters.c */
struct rdma_hw_stats *tern_ib_alloc_hw_device_stats(struct ib_device *ibdev);
struct rdma_hw_stats *tern_ib_alloc_hw_port_stats(struct ib_device *ibdev,
						  u32 port_num);
int tern_ib_get_hw_stats(struct ib_device *ibdev, struct rdma_hw_stats *stats,
			 u32 port_num, int index);

/* events.c */
void tern_ib_users_init(struct tern_ib_object_users *users);
void tern_ib_users_put(struct tern_ib_object_users *users);
void tern_ib_users_wait(struct tern_ib_object_users *users);
struct tern_ib_cq *tern_ib_cq_get(struct tern_ib_device *dev, u32 cqn);

void tern_ib_tell_ports(struct tern_ib_device *dev);
void tern_ib_async_event(void *context, const struct tern_async_event *event);
void tern_ib_bare_event(void *context, const struct tern_async_event *event);

/* verbs_map.c */
int tern_ib_access(int access, u32 *card);
enum ib_wc_status tern_ib_wc_status(u32 status);
enum ib_wc_opcode tern_ib_wc_opcode(u32 opcode);

#endif /* TERN_IB_H */
