// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copyright (c) 2026 The Tern authors
 *
 * Memory regions: of pinned user memory, of all bus addresses, and those that
 * a kernel QP registers by REG_MR.
 */
#include <linux/dma-mapping.h>
#include <linux/log2.h>

#include "tern_ib.h"

static int tern_ib_mr_command(struct tern_ib_device *dev, struct tern_ib_mr *mr,
			      const struct tern_cmd_create_mr *command)
{
	u32 key;
	int err;

	err = tern_cmd_create_mr(dev->core, command, &key);
	if (err)
		return err;
	mr->ibmr.lkey = key;
	mr->ibmr.rkey = key;
	return 0;
}

static __le32 tern_ib_mr_pdn(struct ib_pd *ibpd)
{
	return cpu_to_le32(to_tern_ib_pd(ibpd)->pdn);
}

/**
 * tern_ib_get_dma_mr() - verb of the RDMA core: all bus addresses
 * @ibpd: PD of a kernel consumer
 * @access: IB_ACCESS_*
 *
 * Return: the region or a negative errno.
 */
struct ib_mr *tern_ib_get_dma_mr(struct ib_pd *ibpd, int access)
{
	struct tern_ib_device *dev = to_tern_ib_device(ibpd->device);
	struct tern_cmd_create_mr command = {
		.pdn = tern_ib_mr_pdn(ibpd),
		.flags = TERN_MR_ALL_MEMORY,
		.length_bytes = cpu_to_le64(U64_MAX),
	};
	struct tern_ib_mr *mr;
	u32 rights;
	int err;

	err = tern_ib_access(access, &rights);
	if (err)
		return ERR_PTR(err);
	command.access = cpu_to_le32(rights);
	mr = kzalloc(sizeof(*mr), GFP_KERNEL);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	err = tern_ib_mr_command(dev, mr, &command);
	if (err) {
		kfree(mr);
		return ERR_PTR(err);
	}
	return &mr->ibmr;
}

static int tern_ib_check_range(const struct tern_ib_device *dev, u64 length,
			       u64 iova)
{
	u64 end;

	if (!length || length > dev->core->caps.max_mr_bytes)
		return -EINVAL;
	return check_add_overflow(iova, length, &end) ? -EINVAL : 0;
}

/* Pins the memory and tells the card; undone by tern_ib_mr_unpin(). */
static int tern_ib_mr_pin(struct tern_ib_device *dev, struct tern_ib_mr *mr,
			  u64 start, u64 iova, int access)
{
	int err;

	mr->umem = ib_umem_get(&dev->ibdev, start, mr->ibmr.length, access);
	if (IS_ERR(mr->umem))
		return PTR_ERR(mr->umem);
	err = tern_ib_umem_pages(dev, mr->umem, iova, &mr->pages);
	if (err)
		ib_umem_release(mr->umem);
	return err;
}

static void tern_ib_mr_unpin(struct tern_ib_device *dev, struct tern_ib_mr *mr)
{
	tern_pages_destroy(dev->core, &mr->pages);
	ib_umem_release(mr->umem);
}

static int tern_ib_mr_register(struct tern_ib_device *dev,
			       struct tern_ib_mr *mr, struct ib_pd *ibpd,
			       u64 iova, u32 rights)
{
	u64 page_mask = BIT_ULL(mr->pages.list.page_shift) - 1;
	struct tern_cmd_create_mr command = {
		.pdn = tern_ib_mr_pdn(ibpd),
		.access = cpu_to_le32(rights),
		.iova = cpu_to_le64(iova),
		.length_bytes = cpu_to_le64(mr->ibmr.length),
		.first_offset = cpu_to_le64(iova & page_mask),
		.pages = mr->pages.list,
	};

	return tern_ib_mr_command(dev, mr, &command);
}

/**
 * tern_ib_reg_user_mr() - verb of the RDMA core
 * @ibpd: the PD
 * @start: user address
 * @length: bytes
 * @iova: address by which the keys are used
 * @access: IB_ACCESS_*
 * @udata: no request, no response
 *
 * Return: the region or a negative errno.
 */
struct ib_mr *tern_ib_reg_user_mr(struct ib_pd *ibpd, u64 start, u64 length,
				  u64 iova, int access, struct ib_udata *udata)
{
	struct tern_ib_device *dev = to_tern_ib_device(ibpd->device);
	struct tern_ib_mr *mr;
	u32 rights;
	int err;

	err = tern_ib_read_request(udata, NULL, 0);
	if (!err)
		err = tern_ib_access(access, &rights);
	if (!err)
		err = tern_ib_check_range(dev, length, iova);
	if (err)
		return ERR_PTR(err);

	mr = kzalloc(sizeof(*mr), GFP_KERNEL);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	mr->ibmr.length = length;
	err = tern_ib_mr_pin(dev, mr, start, iova, access);
	if (err)
		goto free;
	err = tern_ib_mr_register(dev, mr, ibpd, iova, rights);
	if (err)
		goto unpin;
	return &mr->ibmr;

unpin:
	tern_ib_mr_unpin(dev, mr);
free:
	kfree(mr);
	return ERR_PTR(err);
}

static int tern_ib_mr_alloc_list(struct tern_ib_device *dev,
				 struct tern_ib_mr *mr, u32 max_pages)
{
	mr->list = dma_alloc_coherent(dev->ibdev.dma_device, TERN_PAGE_BYTES,
				      &mr->list_dma, GFP_KERNEL);
	if (!mr->list)
		return -ENOMEM;
	mr->max_pages = max_pages;
	return 0;
}

static void tern_ib_mr_free_list(struct tern_ib_device *dev,
				 struct tern_ib_mr *mr)
{
	dma_free_coherent(dev->ibdev.dma_device, TERN_PAGE_BYTES, mr->list,
			  mr->list_dma);
}

/**
 * tern_ib_alloc_mr() - verb of the RDMA core: region for fast registration
 * @ibpd: PD of a kernel consumer
 * @type: IB_MR_TYPE_MEM_REG
 * @max_num_sg: most pages of a registration
 *
 * Return: the region or a negative errno.
 */
struct ib_mr *tern_ib_alloc_mr(struct ib_pd *ibpd, enum ib_mr_type type,
			       u32 max_num_sg)
{
	struct tern_ib_device *dev = to_tern_ib_device(ibpd->device);
	struct tern_cmd_create_mr command = {
		.pdn = tern_ib_mr_pdn(ibpd),
		.flags = TERN_MR_FAST_REG,
		.max_pages = cpu_to_le32(max_num_sg),
	};
	struct tern_ib_mr *mr;
	int err;

	if (type != IB_MR_TYPE_MEM_REG)
		return ERR_PTR(-EOPNOTSUPP);
	if (!max_num_sg || max_num_sg > dev->core->caps.fast_reg_max_pages)
		return ERR_PTR(-EINVAL);
	mr = kzalloc(sizeof(*mr), GFP_KERNEL);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	err = tern_ib_mr_alloc_list(dev, mr, max_num_sg);
	if (err)
		goto free;
	err = tern_ib_mr_command(dev, mr, &command);
	if (err)
		goto free_list;
	return &mr->ibmr;

free_list:
	tern_ib_mr_free_list(dev, mr);
free:
	kfree(mr);
	return ERR_PTR(err);
}

static int tern_ib_set_page(struct ib_mr *ibmr, u64 address)
{
	struct tern_ib_mr *mr = to_tern_ib_mr(ibmr);

	if (mr->page_count >= mr->max_pages)
		return -ENOMEM;
	mr->list[mr->page_count++] = cpu_to_le64(address);
	return 0;
}

/**
 * tern_ib_map_mr_sg() - verb of the RDMA core: fill the list for REG_MR
 * @ibmr: free region for fast registration, its page_size set
 * @sg: mapped scatterlist
 * @sg_nents: entries of @sg
 * @sg_offset: where to start in the first entry, or NULL
 *
 * Return: entries of @sg that the region holds, or -EINVAL.
 */
int tern_ib_map_mr_sg(struct ib_mr *ibmr, struct scatterlist *sg, int sg_nents,
		      unsigned int *sg_offset)
{
	struct tern_ib_device *dev = to_tern_ib_device(ibmr->device);
	struct tern_ib_mr *mr = to_tern_ib_mr(ibmr);

	if (!is_power_of_2(ibmr->page_size) ||
	    !(dev->core->caps.page_sizes & ibmr->page_size))
		return -EINVAL;
	mr->page_count = 0;
	return ib_sg_to_pages(ibmr, sg, sg_nents, sg_offset, tern_ib_set_page);
}

/* The card does not touch the memory once the command has completed. */
int tern_ib_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata)
{
	struct tern_ib_device *dev = to_tern_ib_device(ibmr->device);
	struct tern_ib_mr *mr = to_tern_ib_mr(ibmr);

	tern_cmd_must_succeed(dev->core,
			      tern_cmd_destroy_mr(dev->core, ibmr->lkey));
	if (mr->umem)
		tern_ib_mr_unpin(dev, mr);
	if (mr->list)
		tern_ib_mr_free_list(dev, mr);
	kfree(mr);
	return 0;
}
