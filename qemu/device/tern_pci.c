/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Copyright (c) 2026 The Tern authors
 *
 * The PCIe function: identity, capabilities, properties, life and reset.
 */
#include "qemu/osdep.h"

#include "exec/address-spaces.h"
#include "hw/pci/pcie.h"
#include "hw/pci/pcie_regs.h"
#include "hw/qdev-properties.h"
#include "hw/qdev-properties-system.h"
#include "migration/vmstate.h"
#include "qapi/error.h"
#include "qemu/cutils.h"
#include "qemu/error-report.h"
#include "qemu/module.h"

#include "tern.h"

#define TERN_AER_OFFSET PCI_CONFIG_SPACE_SIZE
#define TERN_SERIAL_OFFSET (TERN_AER_OFFSET + PCI_ERR_SIZEOF)

typedef struct TernModel {
    const char *name;
    uint32_t number;
    const char *ports; /* default */
    PCIExpLinkSpeed link_speed;
} TernModel;

static const TernModel tern_models[] = {
    { "tern400", TERN_MODEL_TERN400, "2x200", QEMU_PCI_EXP_LNK_32GT },
    { "tern100", TERN_MODEL_TERN100, "2x100", QEMU_PCI_EXP_LNK_16GT },
};

typedef struct TernPortsOption {
    const char *name;
    uint32_t model;
    uint32_t count;
    uint32_t speed_mbps; /* of each */
} TernPortsOption;

static const TernPortsOption tern_ports_options[] = {
    { "2x200", TERN_MODEL_TERN400, 2, 200000 },
    { "1x400", TERN_MODEL_TERN400, 1, 400000 },
    { "2x400", TERN_MODEL_TERN400, 2, 400000 },
    { "2x100", TERN_MODEL_TERN100, 2, 100000 },
    { "1x100", TERN_MODEL_TERN100, 1, 100000 },
};

static const TernModel *tern_find_model(const char *name, Error **errp)
{
    for (size_t i = 0; i < ARRAY_SIZE(tern_models); i++) {
        if (!strcmp(name, tern_models[i].name)) {
            return &tern_models[i];
        }
    }
    error_setg(errp, "tern: no model '%s'; there are tern400 and tern100",
               name);
    return NULL;
}

static const TernPortsOption *tern_find_ports(const TernModel *model,
                                              const char *name, Error **errp)
{
    g_autoptr(GString) known = g_string_new(NULL);

    for (size_t i = 0; i < ARRAY_SIZE(tern_ports_options); i++) {
        const TernPortsOption *option = &tern_ports_options[i];

        if (option->model != model->number) {
            continue;
        }
        if (!strcmp(name, option->name)) {
            return option;
        }
        g_string_append_printf(known, " %s", option->name);
    }
    error_setg(errp, "tern: %s has no ports=%s; it has%s", model->name, name,
               known->str);
    return NULL;
}

static uint64_t tern_device_serial(const TernState *s)
{
    const uint8_t *mac = s->ports[0].conf.macaddr.a;

    return (uint64_t)mac[0] << 56 | (uint64_t)mac[1] << 48 |
           (uint64_t)mac[2] << 40 | 0xfffeULL << 24 | mac[3] << 16 |
           mac[4] << 8 | mac[5];
}

static bool tern_init_capabilities(TernState *s, const TernModel *model,
                                   Error **errp)
{
    PCIDevice *pdev = PCI_DEVICE(s);

    if (pcie_endpoint_cap_init(pdev, 0) < 0) {
        error_setg(errp, "tern: no room for the PCI Express capability");
        return false;
    }
    pcie_cap_fill_link_ep_usp(pdev, QEMU_PCI_EXP_LNK_X16, model->link_speed);
    pcie_cap_flr_init(pdev);
    if (pcie_aer_init(pdev, PCI_ERR_VER, TERN_AER_OFFSET, PCI_ERR_SIZEOF,
                      errp) < 0) {
        return false;
    }
    pcie_dev_ser_num_init(pdev, TERN_SERIAL_OFFSET, tern_device_serial(s));
    return true;
}

static bool tern_check_properties(TernState *s, Error **errp)
{
    if (!pci_bus_is_express(pci_get_bus(PCI_DEVICE(s)))) {
        error_setg(errp, "tern: needs a PCI Express bus; put it behind a "
                   "pcie-root-port");
        return false;
    }
    if (s->vectors < 1 || s->vectors > TERN_MAX_VECTORS) {
        error_setg(errp, "tern: vectors=%u is not in 1 .. %u", s->vectors,
                   TERN_MAX_VECTORS);
        return false;
    }
    return true;
}

static void tern_realize(PCIDevice *pdev, Error **errp)
{
    TernState *s = TERN(pdev);
    const TernModel *model = tern_find_model(s->model ?: "tern400", errp);
    const TernPortsOption *ports;

    if (!model || !tern_check_properties(s, errp)) {
        return;
    }
    if (!s->ports_text) {
        s->ports_text = g_strdup(model->ports);
    }
    ports = tern_find_ports(model, s->ports_text, errp);
    if (!ports || !tern_engine_load(s, errp)) {
        return;
    }
    s->port_count = ports->count;
    s->has_iommu = pci_device_iommu_address_space(pdev) !=
                   &address_space_memory;
    tern_card_init(s);
    if (!tern_net_init(s, errp)) {
        goto free_net;
    }
    tern_bars_init(s);
    if (!tern_irq_init(s, errp)) {
        goto free_net;
    }
    if (!tern_init_capabilities(s, model, errp)) {
        goto free_irq;
    }
    if (!tern_engine_start(s, model->number, ports->speed_mbps, errp)) {
        goto free_capabilities;
    }
    tern_net_follow_carrier(s);
    tern_card_start(s);
    return;

free_capabilities:
    pcie_aer_exit(pdev);
    pcie_cap_exit(pdev);
free_irq:
    tern_irq_cleanup(s);
free_net:
    tern_net_cleanup(s);
    tern_card_cleanup(s);
    tern_engine_unload(s);
}

/* First the thread, so that nothing is used after it is gone. */
static void tern_exit(PCIDevice *pdev)
{
    TernState *s = TERN(pdev);

    tern_card_stop(s);
    tern_net_cleanup(s);
    tern_card_cleanup(s);
    tern_engine_unload(s);
    pcie_aer_exit(pdev);
    pcie_cap_exit(pdev);
    tern_irq_cleanup(s);
}

static void tern_reset(DeviceState *dev)
{
    TernState *s = TERN(dev);

    /* realize could not see it, and there is no changing threads now. */
    if (!s->has_iommu && pci_device_iommu_address_space(PCI_DEVICE(s)) !=
                         &address_space_memory) {
        warn_report_once("tern: an IOMMU must come before the card on the "
                         "command line; behind this one DMA will fail");
    }
    tern_card_reset(s);
}

static void tern_write_config(PCIDevice *pdev, uint32_t address,
                              uint32_t value, int length)
{
    TernState *s = TERN(pdev);

    pci_default_write_config(pdev, address, value, length);
    pcie_cap_flr_write_config(pdev, address, value, length);
    pcie_aer_write_config(pdev, address, value, length);
    if (ranges_overlap(address, length, PCI_COMMAND, 2)) {
        tern_card_set_bus_master(s, pci_get_word(pdev->config + PCI_COMMAND) &
                                    PCI_COMMAND_MASTER);
    }
}

static void tern_set_fault(Object *object, const char *text, Error **errp)
{
    TernState *s = TERN(object);
    g_auto(GStrv) words = g_strsplit(text, "=", 2);
    char message[128] = "";
    bool is_set;

    if (!s->engine || !words[0] || !words[1]) {
        error_setg(errp, "tern: fault is NAME=VALUE, of a realized card");
        return;
    }
    tern_card_lock(s);
    is_set = s->abi.set_fault(s->engine, words[0], words[1], message,
                              sizeof(message));
    tern_card_unlock(s);
    tern_card_kick(s);
    if (!is_set) {
        error_setg(errp, "tern: %s", message);
    }
}

static const Property tern_properties[] = {
    DEFINE_PROP_STRING("model", TernState, model),
    DEFINE_PROP_STRING("ports", TernState, ports_text),
    DEFINE_PROP_STRING("engine", TernState, engine_path),
    DEFINE_PROP_MACADDR("mac0", TernState, ports[0].conf.macaddr),
    DEFINE_PROP_MACADDR("mac1", TernState, ports[1].conf.macaddr),
    DEFINE_PROP_NETDEV("netdev0", TernState, ports[0].conf.peers),
    DEFINE_PROP_NETDEV("netdev1", TernState, ports[1].conf.peers),
    DEFINE_PROP_STRING("cable0", TernState, ports[0].cable_text),
    DEFINE_PROP_STRING("cable1", TernState, ports[1].cable_text),
    DEFINE_PROP_UINT32("vectors", TernState, vectors, TERN_MAX_VECTORS),
    DEFINE_PROP_UINT32("inline-budget", TernState, inline_budget, 0),
    DEFINE_PROP_BOOL("push-worthwhile", TernState, push_worthwhile, false),
};

static const VMStateDescription tern_vmstate = {
    .name = TYPE_TERN,
    .unmigratable = 1,
};

static void tern_instance_init(Object *object)
{
    TERN(object)->engine_path = g_strdup("libtern-engine.so");
    PCI_DEVICE(object)->cap_present |= QEMU_PCI_CAP_EXPRESS;
}

static void tern_class_init(ObjectClass *class, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(class);
    PCIDeviceClass *pc = PCI_DEVICE_CLASS(class);

    pc->realize = tern_realize;
    pc->exit = tern_exit;
    pc->config_write = tern_write_config;
    pc->vendor_id = TERN_PCI_VENDOR_ID;
    pc->device_id = TERN_PCI_DEVICE_ID;
    pc->subsystem_vendor_id = TERN_PCI_VENDOR_ID;
    pc->subsystem_id = TERN_PCI_DEVICE_ID;
    pc->class_id = TERN_PCI_CLASS >> 8;

    dc->desc = "Tern RoCE v2 RDMA NIC";
    dc->vmsd = &tern_vmstate;
    device_class_set_legacy_reset(dc, tern_reset);
    device_class_set_props(dc, tern_properties);
    set_bit(DEVICE_CATEGORY_NETWORK, dc->categories);
    object_class_property_add_str(class, "fault", NULL, tern_set_fault);
    object_class_property_set_description(class, "fault",
        "fault for tests, NAME=VALUE: firmware-hang=on|off");
}

static const TypeInfo tern_info = {
    .name = TYPE_TERN,
    .parent = TYPE_PCI_DEVICE,
    .instance_size = sizeof(TernState),
    .instance_init = tern_instance_init,
    .class_init = tern_class_init,
    .interfaces = (InterfaceInfo[]) {
        { INTERFACE_PCIE_DEVICE },
        { }
    },
};

static void tern_register_types(void)
{
    type_register_static(&tern_info);
}

type_init(tern_register_types)
