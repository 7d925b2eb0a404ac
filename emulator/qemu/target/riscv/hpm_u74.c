/*
 * RISC-V hardware performance counters of SiFive's U74
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The core's event registers hold a class of events in their low byte, and
 * above it a bit for each event of the class. The model counts those of
 * hpm_events_u74.tsv, one at a time. What else is in the core is not modelled.
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "system/device_tree.h"

#define HPM_EVENTS_U74
#include "hpm_events.h.inc"

#define U74_MVENDORID 0x489
#define U74_MARCHID 0x8000000000000007ull
#define U74_MIMPID 0x4210427

/* A class, and the bits of its events */
#define U74_CODE MAKE_64BIT_MASK(0, 28)

bool hpm_u74(CPURISCVState *env)
{
    return !g_strcmp0(env_archcpu(env)->hpm_cfg.core, "sifive-u74");
}

void hpm_u74_init(RISCVCPU *cpu)
{
    if (hpm_u74(&cpu->env)) {
        cpu->cfg.mvendorid = U74_MVENDORID;
        cpu->cfg.marchid = U74_MARCHID;
        cpu->cfg.mimpid = U74_MIMPID;
    }
}

const HPMEvent *hpm_u74_find_event(uint64_t reg)
{
    uint64_t code = reg & MAKE_64BIT_MASK(0, 56);

    for (int i = 0; i < ARRAY_SIZE(hpm_events_u74); i++) {
        if (hpm_events_u74[i].code == code) {
            return &hpm_events_u74[i];
        }
    }
    return NULL;
}

/*
 * What firmware needs to know: cycles and instructions have a counter, and no
 * event; all others are raw, and any counter counts them.
 */
void hpm_u74_generate_fdt(RISCVCPU *cpu, void *fdt, const char *node)
{
    uint32_t map[] = {
        cpu_to_be32(0x1), cpu_to_be32(0x1), cpu_to_be32(COUNTEREN_CY),
        cpu_to_be32(0x2), cpu_to_be32(0x2), cpu_to_be32(COUNTEREN_IR),
    };
    uint32_t raw[] = {
        0, 0, cpu_to_be32(~U74_CODE >> 32), cpu_to_be32((uint32_t)~U74_CODE),
        cpu_to_be32(cpu->pmu_avail_ctrs),
    };

    qemu_fdt_setprop(fdt, node, "riscv,event-to-mhpmcounters", map,
                     sizeof(map));
    qemu_fdt_setprop(fdt, node, "riscv,raw-event-to-mhpmcounters", raw,
                     sizeof(raw));
}
