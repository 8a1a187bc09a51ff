// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copyright (c) 2026 The Tern authors
 *
 * What the device can do and how much of it. Each figure may be used together
 * with all others.
 */
#include <linux/log2.h>
#include <linux/pci.h>

#include "tern_ib.h"
#include "wqe.h"

/* Clock of CQE timestamps: nanoseconds. */
#define TERN_IB_CLOCK_KHZ	1000000

/**
 * tern_ib_max_qp_wr() - work requests that fit in a queue of any QP
 * @dev: the card
 *
 * Return: so many of the largest WQEs fit in the largest send queue, and so
 * many entries in the largest receive queue.
 */
u32 tern_ib_max_qp_wr(const struct tern_ib_device *dev)
{
	const struct tern_caps *caps = &dev->core->caps;
	u32 blocks = max(tern_ib_wqe_blocks(IB_QPT_RC, caps->max_send_sge,
					    caps->max_inline_bytes),
			 tern_ib_wqe_blocks(IB_QPT_UD, caps->max_send_sge,
					    caps->max_inline_bytes));
	u32 send = rounddown_pow_of_two((1U << caps->max_sq_depth_log2) /
					blocks);

	return min(send, 1U << caps->max_rq_depth_log2);
}

static u64 tern_ib_firmware_version(const struct tern_ib_device *dev)
{
	const struct tern_firmware_version *fw = &dev->core->firmware_version;

	return (u64)fw->major << 32 | (u64)fw->minor << 16 | fw->patch;
}

static void tern_ib_fill_identity(const struct tern_ib_device *dev,
				  struct ib_device_attr *attr)
{
	const struct pci_dev *pdev = dev->core->pdev;

	attr->fw_ver = tern_ib_firmware_version(dev);
	attr->sys_image_guid = dev->ibdev.node_guid;
	attr->vendor_id = pdev->vendor;
	attr->vendor_part_id = pdev->device;
	attr->hw_ver = pdev->revision;
}

static void tern_ib_fill_capabilities(const struct tern_ib_device *dev,
				      struct ib_device_attr *attr)
{
	const struct tern_caps *caps = &dev->core->caps;

	attr->device_cap_flags = IB_DEVICE_CURR_QP_STATE_MOD |
				 IB_DEVICE_PORT_ACTIVE_EVENT |
				 IB_DEVICE_SYS_IMAGE_GUID |
				 IB_DEVICE_RC_RNR_NAK_GEN;
	attr->kernel_cap_flags = IBK_LOCAL_DMA_LKEY;
	if (caps->capabilities & TERN_CAP_FAST_REGISTRATION) {
		attr->device_cap_flags |= IB_DEVICE_MEM_MGT_EXTENSIONS;
		attr->max_fast_reg_page_list_len = caps->fast_reg_max_pages;
	}
	attr->atomic_cap = IB_ATOMIC_HCA;
	attr->local_ca_ack_delay = caps->local_ack_delay;
	attr->timestamp_mask = U64_MAX;
	attr->hca_core_clock = TERN_IB_CLOCK_KHZ;
	attr->cq_caps.max_cq_moderation_count = U16_MAX;
	attr->cq_caps.max_cq_moderation_period = U16_MAX;
}

static void tern_ib_fill_limits(const struct tern_ib_device *dev,
				struct ib_device_attr *attr)
{
	const struct tern_caps *caps = &dev->core->caps;

	attr->max_mr_size = caps->max_mr_bytes;
	attr->page_size_cap = caps->page_sizes;
	attr->max_qp = caps->max_qps;
	attr->max_qp_wr = tern_ib_max_qp_wr(dev);
	attr->max_send_sge = caps->max_send_sge;
	attr->max_recv_sge = caps->max_recv_sge;
	attr->max_sge_rd = caps->max_send_sge;
	attr->max_cq = caps->max_cqs;
	attr->max_cqe = (1 << caps->max_cq_depth_log2) - 1;
	attr->max_mr = caps->max_mrs;
	attr->max_pd = caps->max_pds;
	attr->max_ah = INT_MAX;
	attr->max_qp_rd_atom = caps->max_dest_rd_atomic;
	attr->max_qp_init_rd_atom = caps->max_rd_atomic;
	attr->max_res_rd_atom = min_t(u64, INT_MAX, (u64)caps->max_qps *
				      caps->max_dest_rd_atomic);
	attr->max_pkeys = 1;
}

/**
 * tern_ib_query_device() - verb of the RDMA core
 * @ibdev: the device
 * @attr: zeroed by the RDMA core
 * @udata: no request, no response
 *
 * Return: 0 or -EINVAL.
 */
int tern_ib_query_device(struct ib_device *ibdev, struct ib_device_attr *attr,
			 struct ib_udata *udata)
{
	struct tern_ib_device *dev = to_tern_ib_device(ibdev);
	int err;

	if (udata) {
		err = tern_ib_read_request(udata, NULL, 0);
		if (err)
			return err;
	}
	tern_ib_fill_identity(dev, attr);
	tern_ib_fill_capabilities(dev, attr);
	tern_ib_fill_limits(dev, attr);
	return 0;
}

void tern_ib_get_dev_fw_str(struct ib_device *ibdev, char *str)
{
	const struct tern_firmware_version *fw =
		&to_tern_ib_device(ibdev)->core->firmware_version;

	snprintf(str, IB_FW_VERSION_NAME_MAX, "%u.%u.%u", fw->major, fw->minor,
		 fw->patch);
}
