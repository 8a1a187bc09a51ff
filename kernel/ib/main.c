// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copyright (c) 2026 The Tern authors
 *
 * tern_ib.ko: registers the card with the RDMA core, as one device with all
 * its ports.
 */
#include <linux/auxiliary_bus.h>
#include <linux/dma-mapping.h>
#include <linux/dmapool.h>
#include <linux/module.h>
#include <linux/pci.h>

#include <tern/layout_check.h>

#include "tern_ib.h"

static const struct ib_device_ops tern_ib_ops = {
	.owner = THIS_MODULE,
	.driver_id = RDMA_DRIVER_UNKNOWN,
	.uverbs_abi_ver = TERN_UVERBS_ABI_VERSION,
	/* The provider knows the card by its PCI ids. */
	.uverbs_no_driver_id_binding = 1,

	.add_gid = tern_ib_add_gid,
	.alloc_hw_device_stats = tern_ib_alloc_hw_device_stats,
	.alloc_hw_port_stats = tern_ib_alloc_hw_port_stats,
	.alloc_mr = tern_ib_alloc_mr,
	.alloc_pd = tern_ib_alloc_pd,
	.alloc_ucontext = tern_ib_alloc_ucontext,
	.create_ah = tern_ib_create_ah,
	.create_cq = tern_ib_create_cq,
	.create_qp = tern_ib_create_qp,
	.create_user_ah = tern_ib_create_ah,
	.dealloc_pd = tern_ib_dealloc_pd,
	.dealloc_ucontext = tern_ib_dealloc_ucontext,
	.del_gid = tern_ib_del_gid,
	.dereg_mr = tern_ib_dereg_mr,
	.destroy_ah = tern_ib_destroy_ah,
	.destroy_cq = tern_ib_destroy_cq,
	.destroy_qp = tern_ib_destroy_qp,
	.disassociate_ucontext = tern_ib_disassociate_ucontext,
	.get_dev_fw_str = tern_ib_get_dev_fw_str,
	.get_dma_mr = tern_ib_get_dma_mr,
	.get_hw_stats = tern_ib_get_hw_stats,
	.get_link_layer = tern_ib_get_link_layer,
	.get_port_immutable = tern_ib_get_port_immutable,
	.map_mr_sg = tern_ib_map_mr_sg,
	.mmap = tern_ib_mmap,
	.mmap_free = tern_ib_mmap_free,
	.modify_cq = tern_ib_modify_cq,
	.modify_qp = tern_ib_modify_qp,
	.poll_cq = tern_ib_poll_cq,
	.post_recv = tern_ib_post_recv,
	.post_send = tern_ib_post_send,
	.query_ah = tern_ib_query_ah,
	.query_device = tern_ib_query_device,
	.query_pkey = tern_ib_query_pkey,
	.query_port = tern_ib_query_port,
	.query_qp = tern_ib_query_qp,
	.reg_user_mr = tern_ib_reg_user_mr,
	.req_notify_cq = tern_ib_req_notify_cq,

	INIT_RDMA_OBJ_SIZE(ib_ah, tern_ib_ah, ibah),
	INIT_RDMA_OBJ_SIZE(ib_cq, tern_ib_cq, ibcq),
	INIT_RDMA_OBJ_SIZE(ib_pd, tern_ib_pd, ibpd),
	INIT_RDMA_OBJ_SIZE(ib_qp, tern_ib_qp, ibqp),
	INIT_RDMA_OBJ_SIZE(ib_ucontext, tern_ib_ucontext, ibucontext),
};

static void tern_ib_init_device(struct tern_ib_device *dev,
				struct tern_device *core)
{
	struct ib_device *ibdev = &dev->ibdev;

	dev->core = core;
	xa_init(&dev->cqs);
	xa_init(&dev->qps);
	xa_init_flags(&dev->uidx, XA_FLAGS_ALLOC);
	INIT_WORK(&dev->flush_work, tern_ib_flush_work);
	mutex_init(&dev->flush_lock);

	/* libibverbs finds the provider by the PCI device's modalias. */
	ibdev->dev.parent = &core->pdev->dev;
	ibdev->node_type = RDMA_NODE_IB_CA;
	ibdev->node_guid = cpu_to_be64(core->caps.node_guid);
	ibdev->phys_port_cnt = core->caps.ports;
	ibdev->num_comp_vectors = tern_vector_count(core);
	ibdev->local_dma_lkey = TERN_LOCAL_DMA_LKEY;
	ib_set_device_ops(ibdev, &tern_ib_ops);
}

static void tern_ib_fini_device(struct tern_ib_device *dev)
{
	xa_destroy(&dev->cqs);
	xa_destroy(&dev->qps);
	xa_destroy(&dev->uidx);
	mutex_destroy(&dev->flush_lock);
}

static int tern_ib_set_netdevs(struct tern_ib_device *dev)
{
	u32 port;
	int err;

	rdma_for_each_port(&dev->ibdev, port) {
		err = ib_device_set_netdev(&dev->ibdev,
					   dev->core->netdevs[port - 1], port);
		if (err)
			return err;
	}
	return 0;
}

static void tern_ib_disable_roce(struct tern_ib_device *dev, u32 ports)
{
	u32 port;

	for (port = 1; port <= ports; port++)
		tern_port_set_roce(dev->core, port, false);
}

/* From here on the ports give RoCE packets to QPs. */
static int tern_ib_enable_roce(struct tern_ib_device *dev)
{
	u32 port;
	int err;

	rdma_for_each_port(&dev->ibdev, port) {
		err = tern_port_set_roce(dev->core, port, true);
		if (err) {
			tern_ib_disable_roce(dev, port - 1);
			return err;
		}
	}
	return 0;
}

static int tern_ib_register(struct tern_ib_device *dev)
{
	struct device *dma_device = &dev->core->pdev->dev;
	int err;

	/* Pinned memory in as few pieces as it has. */
	dma_set_max_seg_size(dma_device, UINT_MAX);
	dev->records = dma_pool_create("tern_ib records", dma_device,
				       TERN_RECORD_BYTES, TERN_RECORD_BYTES, 0);
	if (!dev->records)
		return -ENOMEM;
	err = tern_ib_set_netdevs(dev);
	if (err)
		goto destroy_records;
	err = tern_ib_enable_roce(dev);
	if (err)
		goto destroy_records;
	tern_async_register(dev->core, tern_ib_bare_event, dev);
	err = ib_register_device(&dev->ibdev, "tern%d", dma_device);
	tern_async_unregister(dev->core);
	if (err)
		goto disable_roce;
	return 0;

disable_roce:
	cancel_work_sync(&dev->flush_work);
	tern_ib_disable_roce(dev, dev->core->caps.ports);
destroy_records:
	dma_pool_destroy(dev->records);
	return err;
}

static void tern_ib_unregister(struct tern_ib_device *dev)
{
	tern_async_register(dev->core, tern_ib_bare_event, dev);
	ib_unregister_device(&dev->ibdev);
	tern_async_unregister(dev->core);
	cancel_work_sync(&dev->flush_work);
	tern_ib_disable_roce(dev, dev->core->caps.ports);
	dma_pool_destroy(dev->records);
}

static int tern_ib_probe(struct auxiliary_device *adev,
			 const struct auxiliary_device_id *id)
{
	struct tern_ib_device *dev;
	int err;

	dev = ib_alloc_device(tern_ib_device, ibdev);
	if (!dev)
		return -ENOMEM;
	tern_ib_init_device(dev, tern_device_of_auxiliary(adev));
	err = tern_ib_register(dev);
	if (err) {
		tern_ib_fini_device(dev);
		ib_dealloc_device(&dev->ibdev);
		return err;
	}
	auxiliary_set_drvdata(adev, dev);
	tern_async_register(dev->core, tern_ib_async_event, dev);
	tern_ib_tell_ports(dev);
	return 0;
}

static void tern_ib_remove(struct auxiliary_device *adev)
{
	struct tern_ib_device *dev = auxiliary_get_drvdata(adev);

	tern_async_unregister(dev->core);
	tern_ib_unregister(dev);
	tern_ib_fini_device(dev);
	ib_dealloc_device(&dev->ibdev);
}

static const struct auxiliary_device_id tern_ib_ids[] = {
	{ .name = TERN_AUXILIARY_RDMA },
	{}
};
MODULE_DEVICE_TABLE(auxiliary, tern_ib_ids);

static struct auxiliary_driver tern_ib_driver = {
	.name = "rdma",
	.probe = tern_ib_probe,
	.remove = tern_ib_remove,
	.id_table = tern_ib_ids,
};
module_auxiliary_driver(tern_ib_driver);

MODULE_DESCRIPTION("Tern RoCE v2 driver");
MODULE_LICENSE("Dual BSD/GPL");
