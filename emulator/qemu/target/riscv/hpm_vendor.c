/*
 * RISC-V counter overflow as some vendors had it before Sscofpmf
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * T-Head's C9xx has interrupt 17, which mideleg delegates. Andes has the local
 * interrupt 18, which mslideleg delegates, and which S-mode then has in slip
 * and slie, with the cause 256 + 18. Both tell in a register with a bit for
 * each counter, the fixed ones included, which has overflowed; another one says
 * which may interrupt. T-Head's interrupt is pending while a counter has both
 * bits, and nothing else changes it; that of Andes is requested when a counter
 * overflows, until software clears it. What the registers do, and their
 * numbers, is taken from the firmware and the kernel that run on these cores
 * (OpenSBI's thead_c9xx_pmu.c and andes_pmu.c, Linux's riscv_pmu_sbi.c), and
 * from the published sources of T-Head's (openc906: aq_hpcp_top.v,
 * aq_cp0_trap_csr.v).
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "cpu.h"
#include "hpm_vendor.h"
#include "migration/cpu.h"
#include "system/device_tree.h"

#define CSR_TH_SCOUNTERINTEN 0x5c4
#define CSR_TH_SCOUNTEROF 0x5c5
#define CSR_TH_MCOUNTERWEN 0x7c9
#define CSR_TH_MCOUNTERINTEN 0x7ca
#define CSR_TH_MCOUNTEROF 0x7cb

#define CSR_ANDES_MCOUNTERWEN 0x7ce
#define CSR_ANDES_MCOUNTERINTEN 0x7cf
#define CSR_ANDES_MCOUNTERMASK_M 0x7d1
#define CSR_ANDES_MCOUNTERMASK_S 0x7d2
#define CSR_ANDES_MCOUNTERMASK_U 0x7d3
#define CSR_ANDES_MCOUNTEROVF 0x7d4
#define CSR_ANDES_MSLIDELEG 0x7d5
#define CSR_ANDES_SLIE 0x9c4
#define CSR_ANDES_SLIP 0x9c5
#define CSR_ANDES_SCOUNTERINTEN 0x9cf
#define CSR_ANDES_SCOUNTEROVF 0x9d4
#define CSR_ANDES_MMSC_CFG 0xfc2

#define ANDES_MMSC_CFG_PMNDS BIT(15)
#define ANDES_CAUSE_BASE 256

#define IRQ_TH_OVERFLOW 17
#define IRQ_ANDES_OVERFLOW 18

#define COUNTERS (UINT32_MAX & ~COUNTEREN_TM)

static bool is_vendor(CPURISCVState *env, const char *name)
{
    return !g_strcmp0(env_archcpu(env)->hpm_cfg.vendor, name);
}

static bool is_thead(CPURISCVState *env)
{
    return is_vendor(env, "thead");
}

static bool is_andes(CPURISCVState *env)
{
    return is_vendor(env, "andes");
}

/* What becomes of an overflow */

bool hpm_vendor_overflow(CPURISCVState *env, int ctr)
{
    HPMVendorState *v = &env->hpm.vendor;
    bool again = v->overflowed & BIT(ctr);

    if (!env_archcpu(env)->hpm_cfg.vendor) {
        return false;
    }
    v->overflowed |= BIT(ctr);
    return !again && (v->interrupting & BIT(ctr));
}

uint64_t hpm_vendor_inhibits(CPURISCVState *env, int ctr)
{
    HPMVendorState *v = &env->hpm.vendor;

    return (v->masked_m & BIT(ctr) ? MHPMEVENT_BIT_MINH : 0) |
           (v->masked_s & BIT(ctr) ? MHPMEVENT_BIT_SINH : 0) |
           (v->masked_u & BIT(ctr) ? MHPMEVENT_BIT_UINH : 0);
}

uint64_t hpm_interrupt(CPURISCVState *env)
{
    return is_thead(env) ? BIT_ULL(IRQ_TH_OVERFLOW) :
           is_andes(env) ? BIT_ULL(IRQ_ANDES_OVERFLOW) : MIP_LCOFIP;
}

uint64_t hpm_interrupt_level(CPURISCVState *env)
{
    HPMVendorState *v = &env->hpm.vendor;

    if (is_thead(env) && !(v->overflowed & v->interrupting)) {
        return 0;
    }
    return hpm_interrupt(env);
}

/* A request that is on its way does not arrive sooner. */
static void thead_update(CPURISCVState *env)
{
    uint64_t level = hpm_interrupt_level(env);

    if (is_thead(env) && !(level && env->hpm.skid_pending)) {
        riscv_cpu_update_mip(env, hpm_interrupt(env), level);
    }
}

uint64_t hpm_vendor_settable(CPURISCVState *env)
{
    return is_andes(env) ? hpm_interrupt(env) : 0;
}

uint64_t hpm_vendor_delegable(CPURISCVState *env)
{
    return is_thead(env) ? BIT_ULL(IRQ_TH_OVERFLOW) : 0;
}

uint64_t hpm_vendor_local(CPURISCVState *env)
{
    return env->hpm.vendor.delegated;
}

uint64_t hpm_vendor_codes(CPURISCVState *env)
{
    return MAKE_64BIT_MASK(0, is_andes(env) ? 9 : 8);
}

int hpm_vendor_cause(void)
{
    return ANDES_CAUSE_BASE + IRQ_ANDES_OVERFLOW;
}

/* Registers */

static RISCVException thead_mmode(CPURISCVState *env, int csrno)
{
    return is_thead(env) ? RISCV_EXCP_NONE : RISCV_EXCP_ILLEGAL_INST;
}

/* Firmware may take a core for one of these that has M-mode's alone. */
static RISCVException thead_smode(CPURISCVState *env, int csrno)
{
    return env_archcpu(env)->hpm_cfg.odd_scounterof ? thead_mmode(env, csrno) :
           RISCV_EXCP_ILLEGAL_INST;
}

static RISCVException andes_mmode(CPURISCVState *env, int csrno)
{
    return is_andes(env) ? RISCV_EXCP_NONE : RISCV_EXCP_ILLEGAL_INST;
}

/* The register of which @csrno is M-mode's or S-mode's view */
static uint32_t *counter_bits(HPMVendorState *v, int csrno)
{
    switch (csrno) {
    case CSR_TH_MCOUNTERWEN:
    case CSR_ANDES_MCOUNTERWEN:
        return &v->writable;
    case CSR_TH_MCOUNTERINTEN:
    case CSR_TH_SCOUNTERINTEN:
    case CSR_ANDES_MCOUNTERINTEN:
    case CSR_ANDES_SCOUNTERINTEN:
        return &v->interrupting;
    case CSR_ANDES_MCOUNTERMASK_M:
        return &v->masked_m;
    case CSR_ANDES_MCOUNTERMASK_S:
        return &v->masked_s;
    case CSR_ANDES_MCOUNTERMASK_U:
        return &v->masked_u;
    default:
        return &v->overflowed;
    }
}

static RISCVException rmw_counter_bits(CPURISCVState *env, int csrno,
                                       target_ulong *ret, target_ulong val,
                                       target_ulong mask)
{
    uint32_t *bits = counter_bits(&env->hpm.vendor, csrno);
    uint32_t seen = COUNTERS;

    /* What S-mode does not own it does not see. Andes' tells of them all. */
    if (csrno == CSR_TH_SCOUNTERINTEN || csrno == CSR_TH_SCOUNTEROF ||
        csrno == CSR_ANDES_SCOUNTERINTEN) {
        seen &= env->hpm.vendor.writable;
    }
    hpm_before_write(env, 0);
    if (ret) {
        *ret = *bits & seen;
    }
    *bits = (*bits & ~(mask & seen)) | (val & mask & seen);
    thead_update(env);
    hpm_configure(env);
    return RISCV_EXCP_NONE;
}

static RISCVException rmw_mslideleg(CPURISCVState *env, int csrno,
                                    target_ulong *ret, target_ulong val,
                                    target_ulong mask)
{
    HPMVendorState *v = &env->hpm.vendor;

    if (ret) {
        *ret = v->delegated;
    }
    mask &= BIT_ULL(IRQ_ANDES_OVERFLOW) &
            ~env_archcpu(env)->hpm_cfg.mideleg_zero;
    v->delegated = (v->delegated & ~mask) | (val & mask);
    return RISCV_EXCP_NONE;
}

static RISCVException rmw_slie(CPURISCVState *env, int csrno,
                               target_ulong *ret, target_ulong val,
                               target_ulong mask)
{
    uint64_t seen = env->hpm.vendor.delegated;

    if (ret) {
        *ret = env->mie & seen;
    }
    mask &= seen;
    env->mie = (env->mie & ~(uint64_t)mask) | (val & mask);
    return RISCV_EXCP_NONE;
}

static RISCVException rmw_slip(CPURISCVState *env, int csrno,
                               target_ulong *ret, target_ulong val,
                               target_ulong mask)
{
    uint64_t seen = env->hpm.vendor.delegated;
    uint64_t old;

    hpm_before_write(env, 0);
    old = riscv_cpu_update_mip(env, mask & seen, val & mask & seen);
    hpm_configure(env);
    if (ret) {
        *ret = old & seen;
    }
    return RISCV_EXCP_NONE;
}

static RISCVException read_mmsc_cfg(CPURISCVState *env, int csrno,
                                    target_ulong *val)
{
    *val = ANDES_MMSC_CFG_PMNDS;
    return RISCV_EXCP_NONE;
}

static const struct {
    int csrno;
    riscv_csr_operations ops;
} vendor_csrs[] = {
    { CSR_TH_SCOUNTERINTEN,
      { "th.scounterinten", thead_smode, NULL, NULL, rmw_counter_bits } },
    { CSR_TH_SCOUNTEROF,
      { "th.scounterof", thead_smode, NULL, NULL, rmw_counter_bits } },
    { CSR_TH_MCOUNTERWEN,
      { "th.mcounterwen", thead_mmode, NULL, NULL, rmw_counter_bits } },
    { CSR_TH_MCOUNTERINTEN,
      { "th.mcounterinten", thead_mmode, NULL, NULL, rmw_counter_bits } },
    { CSR_TH_MCOUNTEROF,
      { "th.mcounterof", thead_mmode, NULL, NULL, rmw_counter_bits } },
    { CSR_ANDES_MCOUNTERWEN,
      { "mcounterwen", andes_mmode, NULL, NULL, rmw_counter_bits } },
    { CSR_ANDES_MCOUNTERINTEN,
      { "mcounterinten", andes_mmode, NULL, NULL, rmw_counter_bits } },
    { CSR_ANDES_MCOUNTERMASK_M,
      { "mcountermask_m", andes_mmode, NULL, NULL, rmw_counter_bits } },
    { CSR_ANDES_MCOUNTERMASK_S,
      { "mcountermask_s", andes_mmode, NULL, NULL, rmw_counter_bits } },
    { CSR_ANDES_MCOUNTERMASK_U,
      { "mcountermask_u", andes_mmode, NULL, NULL, rmw_counter_bits } },
    { CSR_ANDES_MCOUNTEROVF,
      { "mcounterovf", andes_mmode, NULL, NULL, rmw_counter_bits } },
    { CSR_ANDES_MSLIDELEG,
      { "mslideleg", andes_mmode, NULL, NULL, rmw_mslideleg } },
    { CSR_ANDES_SLIE, { "slie", andes_mmode, NULL, NULL, rmw_slie } },
    { CSR_ANDES_SLIP, { "slip", andes_mmode, NULL, NULL, rmw_slip } },
    { CSR_ANDES_SCOUNTERINTEN,
      { "scounterinten", andes_mmode, NULL, NULL, rmw_counter_bits } },
    { CSR_ANDES_SCOUNTEROVF,
      { "scounterovf", andes_mmode, NULL, NULL, rmw_counter_bits } },
    { CSR_ANDES_MMSC_CFG, { "mmsc_cfg", andes_mmode, read_mmsc_cfg } },
};

/* Life */

void hpm_vendor_init(RISCVCPU *cpu, Error **errp)
{
    CPURISCVState *env = &cpu->env;

    if (!cpu->hpm_cfg.vendor) {
        return;
    }
    if (!is_thead(env) && !is_andes(env)) {
        error_setg(errp, "hpm-vendor must be thead or andes");
        return;
    }
    if (cpu->cfg.ext_sscofpmf || cpu->cfg.ext_smcntrpmf) {
        error_setg(errp, "hpm-vendor excludes sscofpmf and smcntrpmf");
        return;
    }
    cpu->cfg.ext_xandespmu = is_andes(env);
    for (int i = 0; i < ARRAY_SIZE(vendor_csrs); i++) {
        riscv_csr_operations ops = vendor_csrs[i].ops;

        if (vendor_csrs[i].ops.predicate(env, vendor_csrs[i].csrno) ==
            RISCV_EXCP_NONE) {
            riscv_set_csr_ops(vendor_csrs[i].csrno, &ops);
        }
    }
}

/*
 * By the name of the board firmware knows what to do, and by that of the
 * interrupt controller Linux where its local interrupts are.
 */
void hpm_vendor_generate_fdt(CPURISCVState *env, void *fdt)
{
    static const char thead[] = "canaan,kendryte-k230\0riscv-virtio";
    static const char andes[] = "andestech,ae350\0riscv-virtio";
    static const char intc[] = "andestech,cpu-intc\0riscv,cpu-intc";
    char **nodes;

    if (is_thead(env)) {
        qemu_fdt_setprop(fdt, "/", "compatible", thead, sizeof(thead));
    }
    if (!is_andes(env)) {
        return;
    }
    qemu_fdt_setprop(fdt, "/", "compatible", andes, sizeof(andes));
    nodes = qemu_fdt_node_path(fdt, "interrupt-controller", "riscv,cpu-intc",
                               &error_abort);
    for (char **node = nodes; *node; node++) {
        qemu_fdt_setprop(fdt, *node, "compatible", intc, sizeof(intc));
    }
    g_strfreev(nodes);
}

static bool vendor_needed(void *opaque)
{
    RISCVCPU *cpu = opaque;

    return cpu->hpm_cfg.vendor;
}

const VMStateDescription vmstate_hpm_vendor = {
    .name = "cpu/hpm/vendor",
    .version_id = 1,
    .minimum_version_id = 1,
    .needed = vendor_needed,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT32(env.hpm.vendor.overflowed, RISCVCPU),
        VMSTATE_UINT32(env.hpm.vendor.interrupting, RISCVCPU),
        VMSTATE_UINT32(env.hpm.vendor.writable, RISCVCPU),
        VMSTATE_UINT32(env.hpm.vendor.masked_m, RISCVCPU),
        VMSTATE_UINT32(env.hpm.vendor.masked_s, RISCVCPU),
        VMSTATE_UINT32(env.hpm.vendor.masked_u, RISCVCPU),
        VMSTATE_UINT64(env.hpm.vendor.delegated, RISCVCPU),
        VMSTATE_END_OF_LIST()
    }
};
