// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copyright (c) 2026 The Tern authors
 *
 * Asynchronous events on their way from the card to the owner of the object.
 * The object may be destroyed at the same time: whoever looks it up holds it,
 * and its destruction waits.
 */
#include "tern_ib.h"

void tern_ib_users_init(struct tern_ib_object_users *users)
{
	refcount_set(&users->count, 1);
	init_completion(&users->gone);
}

void tern_ib_users_put(struct tern_ib_object_users *users)
{
	if (refcount_dec_and_test(&users->count))
		complete(&users->gone);
}

/* Ends the owner's hold, and waits for all others; none can come. */
void tern_ib_users_wait(struct tern_ib_object_users *users)
{
	tern_ib_users_put(users);
	wait_for_completion(&users->gone);
}

/**
 * tern_ib_cq_get() - hold a CQ
 * @dev: the card
 * @cqn: its number
 *
 * Return: the CQ, until tern_ib_users_put(); NULL if there is none.
 */
struct tern_ib_cq *tern_ib_cq_get(struct tern_ib_device *dev, u32 cqn)
{
	struct tern_ib_cq *cq;

	xa_lock(&dev->cqs);
	cq = xa_load(&dev->cqs, cqn);
	if (cq)
		refcount_inc(&cq->users.count);
	xa_unlock(&dev->cqs);
	return cq;
}

static struct tern_ib_qp *tern_ib_qp_get(struct tern_ib_device *dev, u32 qpn)
{
	struct tern_ib_qp *qp;

	xa_lock(&dev->qps);
	qp = xa_load(&dev->qps, qpn);
	if (qp)
		refcount_inc(&qp->users.count);
	xa_unlock(&dev->qps);
	return qp;
}

static void tern_ib_cq_event(struct tern_ib_device *dev, u32 cqn)
{
	struct ib_event event = {
		.device = &dev->ibdev,
		.event = IB_EVENT_CQ_ERR,
	};
	struct tern_ib_cq *cq = tern_ib_cq_get(dev, cqn);

	if (!cq)
		return;
	event.element.cq = &cq->ibcq;
	if (cq->ibcq.event_handler)
		cq->ibcq.event_handler(&event, cq->ibcq.cq_context);
	tern_ib_users_put(&cq->users);
}

static void tern_ib_qp_event(struct tern_ib_device *dev, u32 qpn,
			     enum ib_event_type type)
{
	struct ib_event event = {
		.device = &dev->ibdev,
		.event = type,
	};
	struct tern_ib_qp *qp = tern_ib_qp_get(dev, qpn);

	if (!qp)
		return;
	event.element.qp = &qp->ibqp;
	if (qp->ibqp.event_handler)
		qp->ibqp.event_handler(&event, qp->ibqp.qp_context);
	tern_ib_users_put(&qp->users);
}

static void tern_ib_port_event(struct tern_ib_device *dev, u32 port_num,
			       enum ib_event_type type)
{
	struct ib_event event = {
		.device = &dev->ibdev,
		.element.port_num = port_num,
		.event = type,
	};

	if (rdma_is_port_valid(&dev->ibdev, port_num))
		ib_dispatch_event(&event);
}

/**
 * tern_ib_tell_ports() - tell the RDMA core how the ports are
 * @dev: the card, registered and listening to its events
 *
 * For what happened while it could not be told.
 */
void tern_ib_tell_ports(struct tern_ib_device *dev)
{
	struct ib_port_attr attr = {};
	u32 port;

	rdma_for_each_port(&dev->ibdev, port) {
		tern_ib_query_port(&dev->ibdev, port, &attr);
		tern_ib_port_event(dev, port, attr.state == IB_PORT_ACTIVE ?
				   IB_EVENT_PORT_ACTIVE : IB_EVENT_PORT_ERR);
	}
}

/* Told once, whether the card says it, or the driver finds it out, or both. */
static void tern_ib_fatal_event(struct tern_ib_device *dev)
{
	struct ib_event event = {
		.device = &dev->ibdev,
		.element.port_num = 1,
		.event = IB_EVENT_DEVICE_FATAL,
	};

	if (atomic_xchg(&dev->is_fatal, 1))
		return;
	ib_dispatch_event(&event);
	schedule_work(&dev->flush_work);
}

/**
 * tern_ib_bare_event() - the card has something to say while the device comes
 * or goes
 * @context: the device
 * @event: as for tern_ib_async_event()
 *
 * The RDMA core takes no events then, but who drains a QP must not wait for a
 * card that dies meanwhile.
 *
 * Context: as for tern_ib_async_event().
 */
void tern_ib_bare_event(void *context, const struct tern_async_event *event)
{
	struct tern_ib_device *dev = context;

	if (event->type == TERN_EVENT_DEVICE_FATAL)
		schedule_work(&dev->flush_work);
}

/**
 * tern_ib_async_event() - the card has something to say
 * @context: the device
 * @event: type, port and object number, none of them checked
 *
 * Context: may sleep, as event handlers may.
 */
void tern_ib_async_event(void *context, const struct tern_async_event *event)
{
	struct tern_ib_device *dev = context;

	switch (event->type) {
	case TERN_EVENT_CQ_ERROR:
		return tern_ib_cq_event(dev, event->object);
	case TERN_EVENT_QP_FATAL:
		return tern_ib_qp_event(dev, event->object, IB_EVENT_QP_FATAL);
	case TERN_EVENT_QP_REQUEST_ERROR:
		return tern_ib_qp_event(dev, event->object,
					IB_EVENT_QP_REQ_ERR);
	case TERN_EVENT_QP_ACCESS_ERROR:
		return tern_ib_qp_event(dev, event->object,
					IB_EVENT_QP_ACCESS_ERR);
	case TERN_EVENT_QP_COMM_EST:
		return tern_ib_qp_event(dev, event->object, IB_EVENT_COMM_EST);
	case TERN_EVENT_QP_SQ_DRAINED:
		return tern_ib_qp_event(dev, event->object,
					IB_EVENT_SQ_DRAINED);
	case TERN_EVENT_PORT_UP:
		return tern_ib_port_event(dev, event->port,
					  IB_EVENT_PORT_ACTIVE);
	case TERN_EVENT_PORT_DOWN:
		return tern_ib_port_event(dev, event->port, IB_EVENT_PORT_ERR);
	case TERN_EVENT_DEVICE_FATAL:
		return tern_ib_fatal_event(dev);
	default:
		return;
	}
}
