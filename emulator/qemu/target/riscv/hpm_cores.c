/*
 * RISC-V hardware performance counters of cores on sale
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Their events, as far as the model counts them, and what firmware is told of
 * them: cycles and instructions have counters of their own, which count nothing
 * else, and every other counter counts every other event. What else is in these
 * cores is not modelled.
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "system/device_tree.h"

#define HPM_EVENTS_CORES
#include "hpm_events.h.inc"

#define ALL_BUT(bit)                                                        \
    ((MHPMEVENT_BIT_MINH | MHPMEVENT_BIT_SINH | MHPMEVENT_BIT_UINH |        \
      MHPMEVENT_BIT_VSINH | MHPMEVENT_BIT_VUINH) & ~(bit))

typedef struct HPMCore {
    const char *name;
    uint64_t mvendorid, marchid, mimpid;
    const HPMEvent *events;
    size_t nr_events;
    uint64_t codes;             /* the bits of raw events that firmware takes */
    struct {
        uint64_t code, inhibits;
    } modes[3];                 /* events of one mode alone */
} HPMCore;

static const HPMCore hpm_cores[] = {
    {
        /* A class of events in bits 7:0, and a bit for each event of it */
        .name = "sifive-u74",
        .mvendorid = 0x489,
        .marchid = 0x8000000000000007ull,
        .mimpid = 0x4210427,
        .events = hpm_events_u74,
        .nr_events = ARRAY_SIZE(hpm_events_u74),
        .codes = MAKE_64BIT_MASK(0, 28),
    }, {
        .name = "spacemit-x60",
        .mvendorid = 0x710,
        .marchid = 0x8000000058000001ull,
        .events = hpm_events_x60,
        .nr_events = ARRAY_SIZE(hpm_events_x60),
        .codes = MAKE_64BIT_MASK(0, 8),
        .modes = {
            { 0x20, ALL_BUT(MHPMEVENT_BIT_MINH) },
            { 0x21, ALL_BUT(MHPMEVENT_BIT_SINH) },
            { 0x22, ALL_BUT(MHPMEVENT_BIT_UINH) },
        },
    },
};

static const HPMCore *hpm_core_of(CPURISCVState *env)
{
    const char *name = env_archcpu(env)->hpm_cfg.core;

    for (int i = 0; i < ARRAY_SIZE(hpm_cores); i++) {
        if (!g_strcmp0(name, hpm_cores[i].name)) {
            return &hpm_cores[i];
        }
    }
    return NULL;
}

bool hpm_core(CPURISCVState *env)
{
    return hpm_core_of(env);
}

void hpm_core_init(RISCVCPU *cpu)
{
    const HPMCore *core = hpm_core_of(&cpu->env);

    /* Others of its maker have the same events, and are told by their ids. */
    if (core && !cpu->cfg.mvendorid) {
        cpu->cfg.mvendorid = core->mvendorid;
        cpu->cfg.marchid = core->marchid;
        cpu->cfg.mimpid = core->mimpid;
    }
}

const HPMEvent *hpm_core_find(CPURISCVState *env, uint64_t reg)
{
    const HPMCore *core = hpm_core_of(env);
    uint64_t code = reg & MAKE_64BIT_MASK(0, 56);

    for (int i = 0; i < core->nr_events; i++) {
        if (core->events[i].code == code) {
            return &core->events[i];
        }
    }
    return NULL;
}

uint64_t hpm_core_inhibits(CPURISCVState *env, uint64_t reg)
{
    const HPMCore *core = hpm_core_of(env);
    uint64_t code = reg & MAKE_64BIT_MASK(0, 56);

    for (int i = 0; core && code && i < ARRAY_SIZE(core->modes); i++) {
        if (core->modes[i].code == code) {
            return core->modes[i].inhibits;
        }
    }
    return 0;
}

/* Generic events as the table has them, and cycles and instructions */
static void hpm_core_fdt_generic(const HPMCore *core, uint32_t counters,
                                 void *fdt, const char *node)
{
    g_autoptr(GArray) select = g_array_new(false, false, sizeof(uint32_t));
    g_autoptr(GArray) map = g_array_new(false, false, sizeof(uint32_t));
    uint32_t fixed[] = {
        cpu_to_be32(0x1), cpu_to_be32(0x1), cpu_to_be32(COUNTEREN_CY),
        cpu_to_be32(0x2), cpu_to_be32(0x2), cpu_to_be32(COUNTEREN_IR),
    };

    g_array_append_vals(map, fixed, ARRAY_SIZE(fixed));
    for (int i = 0; i < core->nr_events; i++) {
        const HPMEvent *e = &core->events[i];
        uint32_t cells[] = {
            cpu_to_be32(e->sbi), 0, cpu_to_be32((uint32_t)e->code),
            cpu_to_be32(e->sbi), cpu_to_be32(e->sbi), cpu_to_be32(counters),
        };

        if (e->sbi) {
            g_array_append_vals(select, cells, 3);
            g_array_append_vals(map, cells + 3, 3);
        }
    }
    if (select->len) {
        qemu_fdt_setprop(fdt, node, "riscv,event-to-mhpmevent",
                         select->data, select->len * sizeof(uint32_t));
    }
    qemu_fdt_setprop(fdt, node, "riscv,event-to-mhpmcounters",
                     map->data, map->len * sizeof(uint32_t));
}

void hpm_core_generate_fdt(RISCVCPU *cpu, void *fdt, const char *node)
{
    const HPMCore *core = hpm_core_of(&cpu->env);
    uint32_t counters = cpu->pmu_avail_ctrs;
    uint32_t raw[] = {
        0, 0, cpu_to_be32(~core->codes >> 32),
        cpu_to_be32((uint32_t)~core->codes), cpu_to_be32(counters),
    };

    hpm_core_fdt_generic(core, counters, fdt, node);
    qemu_fdt_setprop(fdt, node, "riscv,raw-event-to-mhpmcounters", raw,
                     sizeof(raw));
}
