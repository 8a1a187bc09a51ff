// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copyright (c) 2026 The Tern authors
 *
 * ib_modify_qp() and ib_query_qp(). The attribute bits and the states are
 * those of verbs; the card checks the transition once more against the state
 * that the QP is really in.
 */
#include "tern_ib.h"

static_assert((u32)TERN_QP_ATTR_STATE == IB_QP_STATE);
static_assert((u32)TERN_QP_ATTR_CURRENT_STATE == IB_QP_CUR_STATE);
static_assert((u32)TERN_QP_ATTR_SQD_ASYNC == IB_QP_EN_SQD_ASYNC_NOTIFY);
static_assert((u32)TERN_QP_ATTR_ACCESS == IB_QP_ACCESS_FLAGS);
static_assert((u32)TERN_QP_ATTR_PKEY_INDEX == IB_QP_PKEY_INDEX);
static_assert((u32)TERN_QP_ATTR_PORT == IB_QP_PORT);
static_assert((u32)TERN_QP_ATTR_QKEY == IB_QP_QKEY);
static_assert((u32)TERN_QP_ATTR_ADDRESS_VECTOR == IB_QP_AV);
static_assert((u32)TERN_QP_ATTR_PATH_MTU == IB_QP_PATH_MTU);
static_assert((u32)TERN_QP_ATTR_TIMEOUT == IB_QP_TIMEOUT);
static_assert((u32)TERN_QP_ATTR_RETRY_COUNT == IB_QP_RETRY_CNT);
static_assert((u32)TERN_QP_ATTR_RNR_RETRY == IB_QP_RNR_RETRY);
static_assert((u32)TERN_QP_ATTR_RQ_PSN == IB_QP_RQ_PSN);
static_assert((u32)TERN_QP_ATTR_MAX_RD_ATOMIC == IB_QP_MAX_QP_RD_ATOMIC);
static_assert((u32)TERN_QP_ATTR_MIN_RNR_TIMER == IB_QP_MIN_RNR_TIMER);
static_assert((u32)TERN_QP_ATTR_SQ_PSN == IB_QP_SQ_PSN);
static_assert((u32)TERN_QP_ATTR_MAX_DEST_RD_ATOMIC ==
	      IB_QP_MAX_DEST_RD_ATOMIC);
static_assert((u32)TERN_QP_ATTR_DEST_QPN == IB_QP_DEST_QPN);
static_assert((u32)TERN_QP_STATE_RESET == IB_QPS_RESET);
static_assert((u32)TERN_QP_STATE_INIT == IB_QPS_INIT);
static_assert((u32)TERN_QP_STATE_RTR == IB_QPS_RTR);
static_assert((u32)TERN_QP_STATE_RTS == IB_QPS_RTS);
static_assert((u32)TERN_QP_STATE_SQD == IB_QPS_SQD);
static_assert((u32)TERN_QP_STATE_SQE == IB_QPS_SQE);
static_assert((u32)TERN_QP_STATE_ERR == IB_QPS_ERR);

/* IB_MTU_256 is 1; the card has the log2 of the bytes. */
#define TERN_IB_MTU_LOG2_BIAS	7

/* Widest values of the encoded attributes (IBTA 11.2.5.2). */
#define TERN_IB_MAX_TIMEOUT	31
#define TERN_IB_MAX_RETRY	7
#define TERN_IB_MAX_RNR_TIMER	31
#define TERN_IB_PSN_MASK	0xffffff

/* The RDMA core knows attributes that the card has not. */
static int tern_ib_check_mask(const struct ib_qp_attr *attr, int mask)
{
	if (mask & ~IB_QP_ATTR_STANDARD_BITS)
		return -EOPNOTSUPP;
	if (mask & (IB_QP_CAP | IB_QP_ALT_PATH))
		return -EINVAL;
	if (mask & IB_QP_PATH_MIG_STATE &&
	    attr->path_mig_state != IB_MIG_MIGRATED)
		return -EINVAL;
	return 0;
}

static int tern_ib_check_path(struct tern_ib_device *dev,
			      const struct tern_ib_qp *qp,
			      const struct ib_qp_attr *attr, int mask)
{
	u32 port = mask & IB_QP_PORT ? attr->port_num : qp->port;

	if (mask & IB_QP_PORT && !rdma_is_port_valid(&dev->ibdev, port))
		return -EINVAL;
	if (mask & IB_QP_PORT && qp->ibqp.qp_type == IB_QPT_GSI &&
	    port != qp->port)
		return -EINVAL;
	if (mask & IB_QP_AV && tern_ib_check_address(&attr->ah_attr))
		return -EINVAL;
	/* A packet that the port cannot send would be lost for ever. */
	if (mask & IB_QP_PATH_MTU &&
	    (!port || attr->path_mtu < IB_MTU_256 ||
	     attr->path_mtu > tern_ib_active_mtu(dev, port)))
		return -EINVAL;
	return 0;
}

static bool tern_ib_are_values_ok(const struct tern_ib_device *dev,
				  const struct ib_qp_attr *attr, int mask)
{
	const struct tern_caps *caps = &dev->core->caps;

	return !(mask & IB_QP_PKEY_INDEX && attr->pkey_index) &&
	       !(mask & IB_QP_TIMEOUT && attr->timeout > TERN_IB_MAX_TIMEOUT) &&
	       !(mask & IB_QP_RETRY_CNT &&
		 attr->retry_cnt > TERN_IB_MAX_RETRY) &&
	       !(mask & IB_QP_RNR_RETRY &&
		 attr->rnr_retry > TERN_IB_MAX_RETRY) &&
	       !(mask & IB_QP_MIN_RNR_TIMER &&
		 attr->min_rnr_timer > TERN_IB_MAX_RNR_TIMER) &&
	       !(mask & IB_QP_MAX_QP_RD_ATOMIC &&
		 attr->max_rd_atomic > caps->max_rd_atomic) &&
	       !(mask & IB_QP_MAX_DEST_RD_ATOMIC &&
		 attr->max_dest_rd_atomic > caps->max_dest_rd_atomic) &&
	       !(mask & IB_QP_DEST_QPN &&
		 attr->dest_qp_num > TERN_OBJECT_NUMBER_MASK);
}

static int tern_ib_check_attributes(struct tern_ib_device *dev,
				    const struct tern_ib_qp *qp,
				    const struct ib_qp_attr *attr, int mask)
{
	enum ib_qp_state from = mask & IB_QP_CUR_STATE ? attr->cur_qp_state :
							 qp->state;
	enum ib_qp_state to = mask & IB_QP_STATE ? attr->qp_state : from;
	int err;

	err = tern_ib_check_mask(attr, mask);
	if (err)
		return err;
	if (!ib_modify_qp_is_ok(from, to, qp->ibqp.qp_type, mask) ||
	    !tern_ib_are_values_ok(dev, attr, mask))
		return -EINVAL;
	return tern_ib_check_path(dev, qp, attr, mask);
}

static void tern_ib_fill_path(struct tern_path *path,
			      const struct rdma_ah_attr *ah)
{
	const struct ib_global_route *grh = rdma_ah_read_grh(ah);

	memcpy(path->dgid, grh->dgid.raw, sizeof(path->dgid));
	memcpy(path->dmac, ah->roce.dmac, sizeof(path->dmac));
	path->sgid_index = grh->sgid_attr->index;
	path->hop_limit = tern_ib_hop_limit(ah);
	path->flow_class = tern_ib_flow_class(ah);
}

/* How to reach the peer and how patient to be with it. */
static void tern_ib_fill_connection(struct tern_cmd_qp_attributes *to,
				    const struct ib_qp_attr *attr, int mask)
{
	if (mask & IB_QP_PATH_MTU)
		to->path_mtu = attr->path_mtu + TERN_IB_MTU_LOG2_BIAS;
	if (mask & IB_QP_TIMEOUT)
		to->timeout = attr->timeout;
	if (mask & IB_QP_RETRY_CNT)
		to->retry_count = attr->retry_cnt;
	if (mask & IB_QP_RNR_RETRY)
		to->rnr_retry = attr->rnr_retry;
	if (mask & IB_QP_MIN_RNR_TIMER)
		to->min_rnr_timer = attr->min_rnr_timer;
	if (mask & IB_QP_DEST_QPN)
		to->dest_qpn = cpu_to_le32(attr->dest_qp_num);
	if (mask & IB_QP_RQ_PSN)
		to->rq_psn = cpu_to_le32(attr->rq_psn & TERN_IB_PSN_MASK);
	if (mask & IB_QP_SQ_PSN)
		to->sq_psn = cpu_to_le32(attr->sq_psn & TERN_IB_PSN_MASK);
	if (mask & IB_QP_AV)
		tern_ib_fill_path(&to->path, &attr->ah_attr);
}

static int tern_ib_fill_attributes(struct tern_cmd_qp_attributes *to,
				   const struct ib_qp_attr *attr, int mask)
{
	u32 rights = 0;

	if (mask & IB_QP_ACCESS_FLAGS &&
	    tern_ib_access(attr->qp_access_flags, &rights))
		return -EINVAL;
	to->access = cpu_to_le32(rights);
	if (mask & IB_QP_STATE)
		to->state = attr->qp_state;
	if (mask & IB_QP_CUR_STATE)
		to->current_state = attr->cur_qp_state;
	if (mask & IB_QP_PORT)
		to->port = attr->port_num;
	if (mask & IB_QP_QKEY)
		to->qkey = cpu_to_le32(attr->qkey);
	if (mask & IB_QP_EN_SQD_ASYNC_NOTIFY)
		to->sqd_async = !!attr->en_sqd_async_notify;
	if (mask & IB_QP_MAX_QP_RD_ATOMIC)
		to->max_rd_atomic = attr->max_rd_atomic;
	if (mask & IB_QP_MAX_DEST_RD_ATOMIC)
		to->max_dest_rd_atomic = attr->max_dest_rd_atomic;
	tern_ib_fill_connection(to, attr, mask);
	return 0;
}

/* A dead card's QPs are all in error, so that consumers may drain them. */
static int tern_ib_modify_command(struct tern_ib_device *dev,
				  struct tern_ib_qp *qp,
				  const struct ib_qp_attr *attr, int mask)
{
	struct tern_cmd_modify_qp command = {
		.qpn = cpu_to_le32(qp->qpn),
		.valid = cpu_to_le32(mask & TERN_QP_ATTR_ALL),
	};
	bool is_end = mask & IB_QP_STATE && (attr->qp_state == IB_QPS_ERR ||
					     attr->qp_state == IB_QPS_RESET);
	int err;

	err = tern_ib_fill_attributes(&command.attributes, attr, mask);
	if (err)
		return err;
	err = tern_cmd_modify_qp(dev->core, &command);
	return is_end ? tern_ib_destroyed(dev, err) : err;
}

static void tern_ib_note_attributes(struct tern_ib_qp *qp,
				    const struct ib_qp_attr *attr, int mask)
{
	bool is_kernel = !qp->ibqp.uobject;

	if (mask & IB_QP_PORT)
		qp->port = attr->port_num;
	if (!(mask & IB_QP_STATE))
		return;
	if (is_kernel && attr->qp_state == IB_QPS_RESET)
		tern_ib_kernel_qp_rewind(qp);
	WRITE_ONCE(qp->state, attr->qp_state);
}

/**
 * tern_ib_modify_qp() - verb of the RDMA core
 * @ibqp: the QP
 * @attr: new attributes
 * @mask: which of them are meant
 * @udata: no request, no response
 *
 * Return: 0; -EINVAL for a transition or a value that verbs or the card does
 * not allow; -EOPNOTSUPP for attributes that it does not have; or another
 * negative errno.
 */
int tern_ib_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		      struct ib_udata *udata)
{
	struct tern_ib_device *dev = to_tern_ib_device(ibqp->device);
	struct tern_ib_qp *qp = to_tern_ib_qp(ibqp);
	int err;

	if (udata) {
		err = tern_ib_read_request(udata, NULL, 0);
		if (err)
			return err;
	}
	mutex_lock(&qp->mutex);
	err = tern_ib_check_attributes(dev, qp, attr, mask);
	if (!err)
		err = tern_ib_modify_command(dev, qp, attr, mask);
	if (!err)
		tern_ib_note_attributes(qp, attr, mask);
	mutex_unlock(&qp->mutex);
	return err;
}

static void tern_ib_take_path(struct rdma_ah_attr *ah,
			      const struct tern_path *path, u8 port)
{
	u32 flow_class = le32_to_cpu(path->flow_class);

	ah->type = RDMA_AH_ATTR_TYPE_ROCE;
	rdma_ah_set_port_num(ah, port);
	rdma_ah_set_sl(ah, TERN_GET32(TERN_AV_SL, flow_class));
	rdma_ah_set_ah_flags(ah, IB_AH_GRH);
	rdma_ah_set_grh(ah, NULL, TERN_GET32(TERN_AV_FLOW_LABEL, flow_class),
			path->sgid_index, path->hop_limit,
			TERN_GET32(TERN_AV_TRAFFIC_CLASS, flow_class));
	rdma_ah_set_dgid_raw(ah, (void *)path->dgid);
	memcpy(ah->roce.dmac, path->dmac, sizeof(path->dmac));
}

static void tern_ib_take_attributes(struct ib_qp_attr *attr,
				    const struct tern_cmd_qp_attributes *from)
{
	attr->qp_state = from->state;
	attr->cur_qp_state = from->state;
	attr->path_mtu = from->path_mtu > TERN_IB_MTU_LOG2_BIAS ?
			 from->path_mtu - TERN_IB_MTU_LOG2_BIAS : 0;
	attr->path_mig_state = IB_MIG_MIGRATED;
	attr->qkey = le32_to_cpu(from->qkey);
	attr->rq_psn = le32_to_cpu(from->rq_psn);
	attr->sq_psn = le32_to_cpu(from->sq_psn);
	attr->dest_qp_num = le32_to_cpu(from->dest_qpn);
	attr->qp_access_flags = le32_to_cpu(from->access) & TERN_ACCESS_MASK;
	attr->pkey_index = from->pkey_index;
	attr->sq_draining = from->sqd_async;
	attr->max_rd_atomic = from->max_rd_atomic;
	attr->max_dest_rd_atomic = from->max_dest_rd_atomic;
	attr->min_rnr_timer = from->min_rnr_timer;
	attr->port_num = from->port;
	attr->timeout = from->timeout;
	attr->retry_cnt = from->retry_count;
	attr->rnr_retry = from->rnr_retry;
	tern_ib_take_path(&attr->ah_attr, &from->path, from->port);
}

/**
 * tern_ib_query_qp() - verb of the RDMA core
 * @ibqp: the QP
 * @attr: receives all attributes, whatever @mask says
 * @mask: attributes wanted
 * @init: receives the attributes of creation
 *
 * Return: 0 or a negative errno; -EIO if the card says what cannot be.
 */
int tern_ib_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		     struct ib_qp_init_attr *init)
{
	struct tern_ib_device *dev = to_tern_ib_device(ibqp->device);
	struct tern_ib_qp *qp = to_tern_ib_qp(ibqp);
	struct tern_cmd_qp_attributes attributes;
	int err;

	mutex_lock(&qp->mutex);
	err = tern_cmd_query_qp(dev->core, qp->qpn, &attributes);
	mutex_unlock(&qp->mutex);
	if (err)
		return err;
	if (attributes.state > TERN_QP_STATE_ERR)
		return -EIO;
	tern_ib_take_attributes(attr, &attributes);
	attr->cap = qp->cap;
	init->qp_type = ibqp->qp_type;
	init->cap = qp->cap;
	init->sq_sig_type = qp->signal_all ? IB_SIGNAL_ALL_WR :
					     IB_SIGNAL_REQ_WR;
	return 0;
}
