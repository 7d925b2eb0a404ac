/*
 * RISC-V precise decoded instruction sampling: reset and migration
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "migration/cpu.h"
#include "pdis_internal.h"

/* Reset values are left open by the architecture; what can be 0 is. */
void pdis_reset(CPURISCVState *env)
{
    PDISState *p = &env->pdis;

    memset(p, 0, sizeof(*p));
    amb_reset(&p->amb, ENVCFG_PDIS, pdis_rv32(env) ? 32 : 64);
    if (pdis_present(env)) {
        p->ctl = pdis_legal_ctl(env, 0);
    }
}

static bool pdis_needed(void *opaque)
{
    RISCVCPU *cpu = opaque;

    return pdis_present(&cpu->env);
}

/* Both have values that no write leaves there. */
static int pdis_post_load(void *opaque, int version_id)
{
    RISCVCPU *cpu = opaque;
    const PDISState *p = &cpu->env.pdis;
    uint64_t latsel = extract64(p->filter, PDISFILTER_LATSEL_SHIFT,
                                PDISFILTER_LATSEL_BITS);

    return (p->ctl & PDISCTL_SEL) < PDIS_SELS &&
           latsel * PDISLAT_BITS < PDISLAT_VALID_SHIFT ? 0 : -EINVAL;
}

const VMStateDescription vmstate_pdis = {
    .name = "cpu/pdis",
    .version_id = 3,
    .minimum_version_id = 3,
    .needed = pdis_needed,
    .post_load = pdis_post_load,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT64(env.pdis.ctl, RISCVCPU),
        VMSTATE_UINT64(env.pdis.vsctl, RISCVCPU),
        VMSTATE_UINT32(env.pdis.count, RISCVCPU),
        VMSTATE_UINT32(env.pdis.initval, RISCVCPU),
        VMSTATE_UINT64(env.pdis.evmask, RISCVCPU),
        VMSTATE_UINT64(env.pdis.evmatch, RISCVCPU),
        VMSTATE_UINT64(env.pdis.filter, RISCVCPU),
        VMSTATE_UINT64(env.pdis.record.hdrev, RISCVCPU),
        VMSTATE_UINT64(env.pdis.record.pc, RISCVCPU),
        VMSTATE_UINT64(env.pdis.record.time, RISCVCPU),
        VMSTATE_UINT64(env.pdis.record.lat, RISCVCPU),
        VMSTATE_UINT64(env.pdis.record.adr1, RISCVCPU),
        VMSTATE_UINT64(env.pdis.record.adr2, RISCVCPU),
        VMSTATE_BOOL(env.pdis.full, RISCVCPU),
        VMSTATE_BOOL(env.pdis.again, RISCVCPU),
        VMSTATE_BOOL(env.pdis.reloaded, RISCVCPU),
        VMSTATE_UINT64(env.pdis.busy_until, RISCVCPU),
        VMSTATE_UINT64(env.pdis.now, RISCVCPU),
        VMSTATE_UINT64(env.pdis.total, RISCVCPU),
        VMSTATE_UINT64(env.pdis.qualified, RISCVCPU),
        VMSTATE_STRUCT(env.pdis.amb, RISCVCPU, 1, vmstate_amb, AMBState),
        VMSTATE_END_OF_LIST()
    }
};
