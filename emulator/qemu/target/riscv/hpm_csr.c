/*
 * RISC-V hardware performance counters: CSR accesses
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A CSR instruction ends its block, so it is the last thing that the block has
 * accounted for. It reads counters as they were before it, and retires under
 * the configuration that was in force before it. Only a counter that it writes,
 * or whose event register it writes, does not count it: the explicit write
 * takes the place of the side effect.
 */

#include "qemu/osdep.h"
#include "qemu/host-utils.h"
#include "cpu.h"
#include "pmu.h"
#include "hpm_internal.h"

/* What a CSR access instruction counts as */
#define HPM_CSR_INSN (HPM_INSN | HPM_CSR | HPM_SYSTEM | HPM_DEC)

/* What a CSR access instruction, which ends its block, has added to a kind */
int hpm_csr_insn(CPURISCVState *env, int kind)
{
    return !env->debugger && (env->hpm.key & BIT_ULL(kind)) &&
           hpm_is_of_kind(kind, HPM_CSR_INSN);
}

/* What has happened since the last fold */
static uint64_t hpm_uncounted(CPURISCVState *env, int ctr)
{
    HPMState *h = &env->hpm;
    int k = h->kind[ctr];

    if (h->clocked[h->mode] & BIT(ctr)) {
        return uarch_clock_cycles(&env->uarch.clock, hpm_unfolded(env) -
                                  hpm_csr_insn(env, HPM_KIND_INSN));
    }
    if (!(hpm_running(env) & BIT(ctr))) {
        return 0;
    }
    return (h->start[k] - h->left[k] - hpm_csr_insn(env, k)) * h->weight[ctr];
}

uint64_t hpm_pdis_uncounted(CPURISCVState *env)
{
    return hpm_uncounted(env, HPM_PDIS);
}

static uint64_t hpm_current(CPURISCVState *env, int ctr)
{
    return (hpm_value(env, ctr) + hpm_uncounted(env, ctr)) &
           hpm_width_mask(env, ctr);
}

bool hpm_read(CPURISCVState *env, int ctr, bool upper, target_ulong *val)
{
    uint64_t now;

    if (!(env->hpm.modelled & BIT(ctr))) {
        return false;
    }
    now = hpm_current(env, ctr);
    if (riscv_cpu_mxl(env) == MXL_RV32) {
        now = upper ? now >> 32 : (uint32_t)now;
    }
    *val = now;
    return true;
}

bool hpm_write(CPURISCVState *env, int ctr, bool upper, target_ulong val)
{
    uint64_t now = val;

    if (BIT(ctr) & HPM_FIXED) {
        hpm_take_fixed(env, BIT(ctr));
    }
    if (!(env->hpm.modelled & BIT(ctr))) {
        return false;
    }
    if (riscv_cpu_mxl(env) == MXL_RV32) {
        now = deposit64(hpm_current(env, ctr), upper ? 32 : 0, 32, val);
    }
    hpm_before_write(env, BIT(ctr));
    hpm_set_value(env, ctr, now & hpm_width_mask(env, ctr));
    if (BIT(ctr) & HPM_FIXED) {
        hpm_configure(env);     /* it may just have become ours */
    } else {
        hpm_arm(env);
    }
    return true;
}

/* S-mode should write what a counter holds, and its event, while it stands. */
static void hpm_check_write(CPURISCVState *env, uint32_t written)
{
    uint32_t early = written & ~env->mcountinhibit & ~BIT(HPM_PDIS);

    if (early && env->priv == PRV_S && !env->debugger) {
        hpm_log_early(env, ctz32(early));
    }
}

/*
 * U-mode may read @ctrs from now on: that, too, should be said while they
 * stand. mcycle and minstret need no event; they may always run.
 */
void hpm_before_open(CPURISCVState *env, uint32_t ctrs)
{
    uint32_t opened = ctrs & ~env->scounteren & env->hpm.modelled & ~HPM_FIXED;

    if (env->priv != PRV_S || env->virt_enabled || env->debugger) {
        return;
    }
    for (; opened; opened &= opened - 1) {
        int ctr = ctz32(opened);

        hpm_log_open_to_user(env, ctr, !(env->mcountinhibit & BIT(ctr)));
    }
}

/* @written: counters that are about to be written, or whose event is */
void hpm_before_write(CPURISCVState *env, uint32_t written)
{
    hpm_check_write(env, written);
    env->hpm.written = written;
    uarch_sync(env);
    hpm_end_cycle(env);
    env->hpm.written = 0;
    env->hpm.next_pc = env->hpm.pc + 4;
    hpm_fold(env, written);
}

bool hpm_owns_fixed(CPURISCVState *env)
{
    return (env->hpm.modelled & HPM_FIXED) == HPM_FIXED;
}

/*
 * mcycle and minstret run from reset on. They are left to the host's clock, at
 * no cost, until software shows that it wants to count with them.
 */
void hpm_take_fixed(CPURISCVState *env, uint32_t ctrs)
{
    const char *policy = env_archcpu(env)->hpm_cfg.fixed;

    ctrs &= HPM_FIXED & ~env->hpm.modelled;
    if (policy && !strcmp(policy, "host")) {
        return;
    }
    for (; ctrs; ctrs &= ctrs - 1) {
        int ctr = ctz32(ctrs);
        target_ulong low = 0, high = 0;

        riscv_pmu_read_ctr(env, &low, false, ctr);
        riscv_pmu_read_ctr(env, &high, true, ctr);
        hpm_set_value(env, ctr, hpm_join(env, low, high));
        env->hpm.modelled |= BIT(ctr);
    }
}

/*
 * mcyclecfg or minstretcfg is about to be written. MINH alone says nothing of
 * what software wants: firmware sets it at boot.
 */
void hpm_before_cfg_write(CPURISCVState *env, int ctr, target_ulong old,
                          target_ulong val)
{
    target_ulong minh = riscv_cpu_mxl(env) == MXL_RV32 ?
                        MHPMEVENTH_BIT_MINH : (target_ulong)MHPMEVENT_BIT_MINH;

    hpm_before_write(env, BIT(ctr));
    if ((old ^ val) & ~minh) {
        hpm_take_fixed(env, BIT(ctr));
    }
}

/*
 * Counters of which software has just set the inhibit bit stop later if
 * hpm-stop-late says so.
 */
static void hpm_note_stops(CPURISCVState *env)
{
    HPMState *h = &env->hpm;
    uint32_t late = env_archcpu(env)->hpm_cfg.stop_late;
    uint32_t stops = env->mcountinhibit & ~h->inhibited & h->modelled;

    h->inhibited = env->mcountinhibit;
    h->stopping &= h->inhibited;
    if (late && stops) {
        h->stopping |= stops;
        h->stop_left = late;
    }
}

static void hpm_drop_bits(CPURISCVState *env, int ctr, uint64_t bits)
{
    if (riscv_cpu_mxl(env) == MXL_RV32) {
        env->mhpmevent_val[ctr] &= ~(uint32_t)bits;
        env->mhpmeventh_val[ctr] &= ~(target_ulong)(bits >> 32);
    } else {
        env->mhpmevent_val[ctr] &= ~(target_ulong)bits;
    }
}

/* Who has event files of a core expects numbers of all events in them. */
static bool hpm_known_only(CPURISCVState *env)
{
    OnOffAuto warl = env_archcpu(env)->hpm_cfg.warl;

    return warl == ON_OFF_AUTO_AUTO ? hpm_xiangshan(env) :
           warl == ON_OFF_AUTO_ON;
}

/* What an event register cannot hold, see the properties */
static uint64_t hpm_read_only_zero(CPURISCVState *env, int ctr)
{
    HPMConfig *cfg = &env_archcpu(env)->hpm_cfg;
    uint64_t bits = cfg->minh ? 0 : MHPMEVENT_BIT_MINH;

    if (hpm_known_only(env) && !hpm_xiangshan(env) &&
        !hpm_event_of(env, ctr)) {
        bits |= MAKE_64BIT_MASK(0, 56);
    }
    if (cfg->unfiltered & BIT(ctr)) {
        bits |= MHPMEVENT_BIT_MINH | MHPMEVENT_BIT_SINH | MHPMEVENT_BIT_UINH |
                MHPMEVENT_BIT_VSINH | MHPMEVENT_BIT_VUINH;
    }
    return cfg->zero & BIT(ctr) ? UINT64_MAX : bits;
}

static void hpm_drop_all(CPURISCVState *env)
{
    HPMConfig *cfg = &env_archcpu(env)->hpm_cfg;

    if (cfg->minh && !hpm_known_only(env) && !cfg->unfiltered && !cfg->zero &&
        !hpm_xiangshan(env)) {
        return;
    }
    for (uint32_t m = env->hpm.modelled & ~HPM_FIXED; m; m &= m - 1) {
        int ctr = ctz32(m);

        if (hpm_xiangshan(env)) {
            env->mhpmevent_val[ctr] =
                hpm_xiangshan_warl(ctr, env->mhpmevent_val[ctr],
                                   hpm_known_only(env));
        }
        hpm_drop_bits(env, ctr, hpm_read_only_zero(env, ctr));
    }
}

/* The CSRs have changed: find out what runs where, and start over. */
void hpm_configure(CPURISCVState *env)
{
    hpm_note_stops(env);
    hpm_drop_all(env);
    hpm_derive(env);
    env->hpm.mode = hpm_mode(env->priv, env->virt_enabled);
    hpm_arm(env);
}
