/*
 * RISC-V precise decoded instruction sampling: registers
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "pdis_internal.h"

/* Bits in other registers */

/* Without Smstateen everything is accessible. */
bool pdis_stateen(CPURISCVState *env)
{
    return !riscv_cpu_cfg(env)->ext_smstateen ||
           (env->mstateen[0] & SMSTATEEN0_PDIS);
}

uint64_t pdis_stateen_bit(CPURISCVState *env)
{
    return pdis_present(env) ? SMSTATEEN0_PDIS : 0;
}

uint64_t pdis_envcfg_bit(CPURISCVState *env)
{
    return pdis_has_buffer(env) ? ENVCFG_PDIS : 0;
}

uint32_t pdis_inhibit_bit(CPURISCVState *env)
{
    return pdis_present(env) ? BIT(HPM_PDIS) : 0;
}

/* In scountinhibit: bit 1 of mcounteren is about something else. */
uint32_t pdis_delegated_bit(CPURISCVState *env)
{
    return pdis_present(env) && pdis_stateen(env) ? BIT(HPM_PDIS) : 0;
}

/* In scountovf, as the current mode sees it */
uint32_t pdis_overflow_bit(CPURISCVState *env)
{
    if (!pdis_present(env) || !(env->pdis.ctl & PDISCTL_OF) ||
        smstateen_acc_ok(env, 0, SMSTATEEN0_PDIS) != RISCV_EXCP_NONE) {
        return 0;
    }
    return BIT(HPM_PDIS);
}

/* Control registers: what software may write */

static uint64_t pdis_hardwired(PDISHardwired kind, uint64_t bit, uint64_t val)
{
    switch (kind) {
    case PDIS_HARDWIRED_0:
        return 0;
    case PDIS_HARDWIRED_1:
        return bit;
    default:
        return val & bit;
    }
}

uint64_t pdis_legal_ctl(CPURISCVState *env, uint64_t val)
{
    const PDISConfig *cfg = pdis_cfg(env);
    uint32_t counters = env_archcpu(env)->pmu_avail_ctrs;
    uint64_t mask = PDISCTL_OF | PDISCTL_M;

    mask |= cfg->ctl & ~(PDISCTL_HPM & ~(uint64_t)counters);
    mask |= riscv_has_ext(env, RVS) ? PDISCTL_S : 0;
    mask |= riscv_has_ext(env, RVU) ? PDISCTL_U : 0;
    if ((val & PDISCTL_SEL) >= PDIS_SELS) {
        val = (val & ~PDISCTL_SEL) | (env->pdis.ctl & PDISCTL_SEL);
    }
    return (val & mask) |
           pdis_hardwired(cfg->mem_kind, PDISCTL_MEM, val) |
           pdis_hardwired(cfg->acc_kind, PDISCTL_ACC, val);
}

static uint64_t pdis_legal_vsctl(CPURISCVState *env, uint64_t val)
{
    uint64_t mask = PDISCTL_S | PDISCTL_U | (pdis_cfg(env)->ctl & PDISCTL_PA);

    return val & mask;
}

/* A period that is too short becomes the shortest. */
static uint32_t pdis_legal_initval(CPURISCVState *env, uint32_t val)
{
    return MIN(val, -pdis_cfg(env)->min_period);
}

static bool pdis_has_latsel(CPURISCVState *env, int latsel)
{
    const PDISConfig *cfg = pdis_cfg(env);

    return !latsel || (cfg->latsel && latsel <= 4 &&
                       extract32(cfg->lat, latsel - 1, 1));
}

static uint64_t pdis_legal_filter(CPURISCVState *env, uint64_t val)
{
    int latsel = extract64(val, PDISFILTER_LATSEL_SHIFT,
                           PDISFILTER_LATSEL_BITS);

    if (!pdis_cfg(env)->filter) {
        return 0;
    }
    if (!pdis_has_latsel(env, latsel)) {
        latsel = extract64(env->pdis.filter, PDISFILTER_LATSEL_SHIFT,
                           PDISFILTER_LATSEL_BITS);
    }
    return (val & (PDISFILTER_THRESH | PDISFILTER_INV)) |
           (uint64_t)latsel << PDISFILTER_LATSEL_SHIFT;
}

/* CSR accesses */

RISCVException pdis_mmode(CPURISCVState *env, int csrno)
{
    return riscv_cpu_cfg(env)->ext_smpdis ? RISCV_EXCP_NONE :
                                            RISCV_EXCP_ILLEGAL_INST;
}

RISCVException pdis_smode(CPURISCVState *env, int csrno)
{
    switch (csrno) {
    case CSR_VSPDISCTL:
    case CSR_VSPDISCTLH:
        if (!riscv_has_ext(env, RVH)) {
            return RISCV_EXCP_ILLEGAL_INST;
        }
        break;
    case CSR_SPDISAMBCS:
    case CSR_SPDISAMBCSH:
    case CSR_SPDISAMBADDR:
        if (!pdis_has_buffer(env)) {
            return RISCV_EXCP_ILLEGAL_INST;
        }
        break;
    }
    if (!pdis_present(env)) {
        return RISCV_EXCP_ILLEGAL_INST;
    }
    return env->debugger ? RISCV_EXCP_NONE :
           smstateen_acc_ok(env, 0, SMSTATEEN0_PDIS);
}

RISCVException pdis_mmode32(CPURISCVState *env, int csrno)
{
    return pdis_rv32(env) ? pdis_mmode(env, csrno) : RISCV_EXCP_ILLEGAL_INST;
}

RISCVException pdis_smode32(CPURISCVState *env, int csrno)
{
    return pdis_rv32(env) ? pdis_smode(env, csrno) : RISCV_EXCP_ILLEGAL_INST;
}

/* A register as it is now: 64 bits, also on RV32 */
static uint64_t pdis_get(CPURISCVState *env, int csrno)
{
    PDISState *p = &env->pdis;

    switch (csrno) {
    case CSR_MPDISCTL:
        return p->ctl;
    case CSR_SPDISCTL:
        return p->ctl & ~PDISCTL_M;
    case CSR_VSPDISCTL:
        return (p->ctl & ~(PDISCTL_M | VSPDISCTL_OWN)) | p->vsctl;
    case CSR_SPDISCOUNTER:
        return deposit64(p->count + hpm_pdis_uncounted(env), 32, 32,
                         p->initval);
    case CSR_SPDISEVMASK:
        return p->evmask;
    case CSR_SPDISEVMATCH:
        return p->evmatch;
    case CSR_SPDISFILTER:
        return p->filter;
    case CSR_SPDISAMBCS:
        return amb_read_cs(env, &p->amb);
    case CSR_SPDISAMBADDR:
        return amb_read_addr(env, &p->amb);
    default:
        g_assert_not_reached();
    }
}

static void pdis_set(CPURISCVState *env, int csrno, uint64_t val)
{
    PDISState *p = &env->pdis;

    switch (csrno) {
    case CSR_MPDISCTL:
        p->ctl = pdis_legal_ctl(env, val);
        break;
    case CSR_SPDISCTL:
        val = (val & ~PDISCTL_M) | (p->ctl & PDISCTL_M);
        p->ctl = pdis_legal_ctl(env, val);
        break;
    case CSR_VSPDISCTL:
        p->vsctl = pdis_legal_vsctl(env, val);
        val = (val & ~(PDISCTL_M | VSPDISCTL_OWN)) |
              (p->ctl & (PDISCTL_M | VSPDISCTL_OWN));
        p->ctl = pdis_legal_ctl(env, val);
        break;
    case CSR_SPDISCOUNTER:
        p->count = val;
        p->reloaded = false;
        p->initval = pdis_legal_initval(env, val >> 32);
        break;
    case CSR_SPDISEVMASK:
        p->evmask = val & pdis_cfg(env)->evmask;
        break;
    case CSR_SPDISEVMATCH:
        p->evmatch = val & pdis_cfg(env)->evmask;
        break;
    case CSR_SPDISFILTER:
        p->filter = pdis_legal_filter(env, val);
        break;
    case CSR_SPDISAMBCS:
        amb_write_cs(env, &p->amb, val);
        return;
    case CSR_SPDISAMBADDR:
        amb_write_addr(env, &p->amb, val);
        return;
    }
    /* Whatever was selected before is not what is wanted now. */
    p->again = false;
    p->busy_until = 0;
}

static void pdis_write(CPURISCVState *env, int csrno, uint64_t val)
{
    bool was_enabled = pdis_enabled(env);

    pdis_check_write(env, csrno, val);
    pdis_set(env, csrno, val);
    if (!was_enabled && pdis_enabled(env)) {
        pdis_check_start(env);
        pdis_log_start(env);
    }
}

/*
 * Any of the registers, or on RV32 half of it. As with the counters, the
 * instruction retires under the configuration that was in force before it, and
 * one that writes spdiscounter is not counted by it.
 */
RISCVException pdis_rmw(CPURISCVState *env, int csrno, target_ulong *ret_val,
                        target_ulong new_val, target_ulong wr_mask)
{
    bool high = pdis_rv32(env) && (csrno & 0x10);
    int reg = high ? csrno & ~0x10 : csrno;
    int shift = high ? 32 : 0, bits = pdis_rv32(env) ? 32 : 64;
    uint64_t mask = ((uint64_t)wr_mask & MAKE_64BIT_MASK(0, bits)) << shift;
    uint64_t old;

    if (reg == CSR_SPDISCTL && env->virt_enabled) {
        reg = CSR_VSPDISCTL;
    }
    old = pdis_get(env, reg);
    if (ret_val) {
        *ret_val = extract64(old, shift, bits);
        pdis_check_read(env, reg, old);
    }
    if (mask) {
        env->pdis.uncounted = reg == CSR_SPDISCOUNTER;
        hpm_before_write(env, reg == CSR_SPDISCOUNTER ? BIT(HPM_PDIS) : 0);
        env->pdis.uncounted = false;
        if (reg != CSR_SPDISCOUNTER) {
            /* That instruction may have changed it. */
            old = pdis_get(env, reg);
        }
        pdis_write(env, reg, (old & ~mask) |
                             (((uint64_t)new_val << shift) & mask));
        hpm_configure(env);
    }
    return RISCV_EXCP_NONE;
}
