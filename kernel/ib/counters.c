// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copyright (c) 2026 The Tern authors
 *
 * Counters in sysfs hw_counters and "rdma statistic": those of the ports that
 * are RDMA's, and the card's counts of live objects.
 */
#include "tern_ib.h"

#define TERN_IB_COUNTER(index, label) \
	{ .name = (label), .priv = (const void *)(uintptr_t)(index) },

/* Rows of one room each; the netdev shows the others. */
#define TERN_IB_PORT_COUNTER_ETH(index, label)
#define TERN_IB_PORT_COUNTER_IB(index, label)	TERN_IB_COUNTER(index, label)

static const struct rdma_stat_desc tern_ib_port_counters[] = {
#define TERN_PORT_COUNTER(name, index, label, room, meaning) \
	TERN_IB_PORT_COUNTER_##room(name, label)
#include <tern/fw/port_counter.def>
};

static const struct rdma_stat_desc tern_ib_device_counters[] = {
#define TERN_DEVICE_COUNTER(name, index, label, meaning) \
	TERN_IB_COUNTER(name, label)
#include <tern/fw/device_counter.def>
};

static_assert(TERN_PORT_COUNTER_COUNT <= TERN_PORT_COUNTER_SLOTS);
static_assert(TERN_DEVICE_COUNTER_COUNT <= TERN_DEVICE_COUNTER_SLOTS);

struct rdma_hw_stats *tern_ib_alloc_hw_device_stats(struct ib_device *ibdev)
{
	return rdma_alloc_hw_stats_struct(tern_ib_device_counters,
					  ARRAY_SIZE(tern_ib_device_counters),
					  RDMA_HW_STATS_DEFAULT_LIFESPAN);
}

struct rdma_hw_stats *tern_ib_alloc_hw_port_stats(struct ib_device *ibdev,
						  u32 port_num)
{
	return rdma_alloc_hw_stats_struct(tern_ib_port_counters,
					  ARRAY_SIZE(tern_ib_port_counters),
					  RDMA_HW_STATS_DEFAULT_LIFESPAN);
}

static void tern_ib_take_counters(struct rdma_hw_stats *stats,
				  const __le64 *values)
{
	int i;

	for (i = 0; i < stats->num_counters; i++)
		stats->value[i] =
			le64_to_cpu(values[(uintptr_t)stats->descs[i].priv]);
}

static int tern_ib_get_device_stats(struct tern_ib_device *dev,
				    struct rdma_hw_stats *stats)
{
	struct tern_cmd_object_counts counts;
	int err;

	err = tern_cmd_query_objects(dev->core, &counts);
	if (!err)
		tern_ib_take_counters(stats, counts.value);
	return err;
}

static int tern_ib_get_port_stats(struct tern_ib_device *dev,
				  struct rdma_hw_stats *stats, u32 port_num)
{
	struct tern_cmd_port_counters counters;
	int err;

	err = tern_cmd_query_port_counters(dev->core, port_num, &counters);
	if (!err)
		tern_ib_take_counters(stats, counters.value);
	return err;
}

/**
 * tern_ib_get_hw_stats() - verb of the RDMA core
 * @ibdev: the device
 * @stats: what one of the alloc functions above returned
 * @port_num: 1, 2, or 0 for the device
 * @index: the counter wanted; all are updated
 *
 * Return: the number of counters, or a negative errno.
 */
int tern_ib_get_hw_stats(struct ib_device *ibdev, struct rdma_hw_stats *stats,
			 u32 port_num, int index)
{
	struct tern_ib_device *dev = to_tern_ib_device(ibdev);
	int err;

	if (port_num)
		err = tern_ib_get_port_stats(dev, stats, port_num);
	else
		err = tern_ib_get_device_stats(dev, stats);
	return err ?: stats->num_counters;
}
