/*
 * RISC-V precise event sample attribution (Sspesa), precise LCOFI (Ssplcofi)
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The counters (hpm.c) tell when OF of some of them goes from 0 to 1, and know
 * at which instruction. From here come shpmspc and shpmsdata.
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "cpu.h"
#include "migration/cpu.h"

#define SHPMSDATA_CNTRID MAKE_64BIT_MASK(0, 5)

/* pesa-pc=block: where in the block of shpmspc the instruction begins */
#define PESA_BLOCK_BYTES 16
#define SHPMSDATA_OFFSET_SHIFT 5    /* in units of two bytes */
#define SHPMSDATA_OFFSET MAKE_64BIT_MASK(SHPMSDATA_OFFSET_SHIFT, 3)

/* pesa-pc=next: how far back it begins */
#define SHPMSDATA_BACK_SHIFT 5      /* in units of two bytes */
#define SHPMSDATA_BACK MAKE_64BIT_MASK(SHPMSDATA_BACK_SHIFT, 2)
#define PESA_BACK_TRANSFER 3        /* elsewhere: shpmspc is a target */

static PESAForm pesa_form(CPURISCVState *env)
{
    return env_archcpu(env)->pesa_cfg.form;
}

/* Those of @ctrs whose overflow may be captured */
static uint32_t pesa_delegated(CPURISCVState *env, uint32_t ctrs)
{
    return env->menvcfg & MENVCFG_CDE ? ctrs & env->mcounteren : ctrs;
}

static target_ulong pesa_back(target_ulong pc, target_ulong next)
{
    target_ulong back = (next - pc) / 2;

    return back < PESA_BACK_TRANSFER ? back : PESA_BACK_TRANSFER;
}

static void pesa_set(CPURISCVState *env, int ctr, target_ulong pc,
                     target_ulong next)
{
    PESAState *p = &env->pesa;

    p->spc = pc;
    p->sdata = ctr;
    switch (pesa_form(env)) {
    case PESA_BLOCK:
        p->spc &= -(target_ulong)PESA_BLOCK_BYTES;
        p->sdata |= (pc - p->spc) / 2 << SHPMSDATA_OFFSET_SHIFT;
        break;
    case PESA_NEXT:
        p->spc = next;
        p->sdata |= pesa_back(pc, next) << SHPMSDATA_BACK_SHIFT;
        break;
    default:
        break;
    }
    hpm_log_capture(env, ctr, pc);
}

/*
 * LCOFIP is one bit: sip and vsip show it where LCOFI is delegated, and what
 * software injects by mvip or hvip is not it.
 */
static bool pesa_armed(CPURISCVState *env)
{
    return riscv_cpu_cfg(env)->ext_sspesa && !(env->mip & MIP_LCOFIP);
}

void pesa_capture(CPURISCVState *env, uint32_t ctrs)
{
    ctrs = pesa_delegated(env, ctrs);
    if (ctrs && pesa_armed(env)) {
        pesa_set(env, ctz32(ctrs), env->hpm.pc, env->hpm.next_pc);
    }
}

void pesa_request(CPURISCVState *env, uint32_t ctrs)
{
    PESAState *p = &env->pesa;

    ctrs = pesa_delegated(env, ctrs);
    p->late_ctr = ctrs ? ctz32(ctrs) : 0;
    p->late_pc = env->hpm.pc;
    p->late_next = env->hpm.next_pc;
}

void pesa_arrive(CPURISCVState *env)
{
    PESAState *p = &env->pesa;

    if (p->late_ctr && pesa_armed(env)) {
        pesa_set(env, p->late_ctr, p->late_pc, p->late_next);
    }
    p->late_ctr = 0;
}

bool pesa_no_skid(CPURISCVState *env, int ctr)
{
    HPMSelection sel;

    if (!riscv_cpu_cfg(env)->ext_ssplcofi) {
        return false;
    }
    hpm_select(env, ctr, &sel);
    return !sel.combined && sel.event[0] && sel.event[0]->precise;
}

/* CSR accesses */

RISCVException pesa_access(CPURISCVState *env, int csrno)
{
    if (!riscv_cpu_cfg(env)->ext_sspesa) {
        return RISCV_EXCP_ILLEGAL_INST;
    }
    if (env->debugger || env->priv == PRV_M) {
        return RISCV_EXCP_NONE;
    }
    if (!(env->menvcfg & MENVCFG_CDE)) {
        return RISCV_EXCP_ILLEGAL_INST;
    }
    return env->virt_enabled ? RISCV_EXCP_VIRT_INSTRUCTION_FAULT :
                               RISCV_EXCP_NONE;
}

RISCVException pesa_read(CPURISCVState *env, int csrno, target_ulong *val)
{
    *val = csrno == CSR_SHPMSPC ? env->pesa.spc : env->pesa.sdata;
    return RISCV_EXCP_NONE;
}

RISCVException pesa_write(CPURISCVState *env, int csrno, target_ulong val)
{
    static const target_ulong metadata[PESA_FORMS] = {
        [PESA_BLOCK] = SHPMSDATA_OFFSET, [PESA_NEXT] = SHPMSDATA_BACK,
    };

    if (csrno == CSR_SHPMSPC) {
        env->pesa.spc = val;
    } else {
        env->pesa.sdata = val & (SHPMSDATA_CNTRID | metadata[pesa_form(env)]);
    }
    return RISCV_EXCP_NONE;
}

/*
 * An instruction retires under the configuration that was in force before it,
 * also if it is the one that overflows a counter.
 */
void pesa_before_delegation(CPURISCVState *env)
{
    if (riscv_cpu_cfg(env)->ext_sspesa) {
        hpm_before_write(env, 0);
        hpm_configure(env);
    }
}

/* Life of the model */

static bool pesa_parse_form(PESAConfig *cfg, const char *name)
{
    static const char * const names[PESA_FORMS] = {
        [PESA_EXACT] = "exact", [PESA_BLOCK] = "block", [PESA_NEXT] = "next",
    };

    for (int form = 0; form < PESA_FORMS; form++) {
        if (!strcmp(name, names[form])) {
            cfg->form = form;
            return true;
        }
    }
    return false;
}

/* Properties are the same for all harts; these make harts differ. */
static bool pesa_init_hart(RISCVCPU *cpu)
{
    uint64_t hart = cpu->env.mhartid;
    PESAConfig *cfg = &cpu->pesa_cfg;
    uint64_t bit = hart < 64 ? BIT_ULL(hart) : 0;
    const char *form = hart % 2 && cfg->odd_pc ? cfg->odd_pc : cfg->pc;

    if (cfg->none_harts & bit) {
        cpu->cfg.ext_sspesa = false;
    }
    if ((cfg->none_harts | cfg->late_harts) & bit) {
        cpu->cfg.ext_ssplcofi = false;
    }
    return pesa_parse_form(cfg, form ?: "exact");
}

void pesa_init(RISCVCPU *cpu, Error **errp)
{
    const RISCVCPUConfig *cfg = &cpu->cfg;
    bool parsed = pesa_init_hart(cpu);

    if (cfg->ext_sspesa && !(cfg->ext_sscofpmf && cfg->ext_ssccfg)) {
        error_setg(errp, "Sspesa requires Sscofpmf, Smcdeleg and Ssccfg");
    } else if (cfg->ext_ssplcofi && !cfg->ext_sspesa) {
        error_setg(errp, "Ssplcofi requires Sspesa");
    } else if (!parsed) {
        error_setg(errp, "pesa-pc and pesa-odd-pc must be exact, block or "
                   "next");
    }
}

/* Reset values are left open by the architecture; ours are all 0. */
void pesa_reset(CPURISCVState *env)
{
    memset(&env->pesa, 0, sizeof(env->pesa));
}

static bool pesa_needed(void *opaque)
{
    RISCVCPU *cpu = opaque;

    return cpu->cfg.ext_sspesa;
}

const VMStateDescription vmstate_pesa = {
    .name = "cpu/pesa",
    .version_id = 1,
    .minimum_version_id = 1,
    .needed = pesa_needed,
    .fields = (const VMStateField[]) {
        VMSTATE_UINTTL(env.pesa.spc, RISCVCPU),
        VMSTATE_UINTTL(env.pesa.sdata, RISCVCPU),
        VMSTATE_UINT32(env.pesa.late_ctr, RISCVCPU),
        VMSTATE_UINTTL(env.pesa.late_pc, RISCVCPU),
        VMSTATE_UINTTL(env.pesa.late_next, RISCVCPU),
        VMSTATE_END_OF_LIST()
    }
};
