/*
 * RISC-V hardware performance counters: reset and migration
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "migration/cpu.h"
#include "system/replay.h"
#include "hpm_internal.h"

/*
 * Reset values are left open by the architecture; ours are all 0. A core may
 * differ.
 */
void hpm_reset(CPURISCVState *env)
{
    RISCVCPU *cpu = env_archcpu(env);
    const char *policy = cpu->hpm_cfg.fixed;

    memset(env->pmu_ctrs, 0, sizeof(env->pmu_ctrs));
    memset(env->mhpmevent_val, 0, sizeof(env->mhpmevent_val));
    memset(env->mhpmeventh_val, 0, sizeof(env->mhpmeventh_val));
    env->mcyclecfg = env->mcyclecfgh = 0;
    env->minstretcfg = env->minstretcfgh = 0;
    env->mcountinhibit = 0;
    env->mcounteren = env->scounteren = env->hcounteren = 0;
    env->siselect = env->vsiselect = env->miselect = 0;

    hpm_xiangshan_reset(env);
    uarch_reset(env);
    memset(&env->hpm, 0, sizeof(env->hpm));
    env->hpm.rng = cpu->hpm_cfg.skid_seed * 0x9e3779b97f4a7c15ull + 1 +
                   env->mhartid;
    env->hpm.modelled = cpu->pmu_avail_ctrs;
    if (policy && !strcmp(policy, "exact")) {
        env->hpm.modelled |= HPM_FIXED;
    }
    hpm_configure(env);
}

/* Migration: the counters themselves are saved with the rest of the hart. */

int hpm_pre_save(void *opaque)
{
    RISCVCPU *cpu = opaque;

    uarch_save(&cpu->env);
    if (cpu->env.hpm.cycle.ctrs && uarch_next_serializes(&cpu->env)) {
        hpm_end_cycle(&cpu->env);
    }
    cpu->env.hpm.next_pc = cpu->env.pc;
    hpm_fold(&cpu->env, 0);
    return 0;
}

/*
 * What overflows by an instruction requests its interrupt when the next one
 * begins. A replay stops before that one, where the interrupt was recorded, and
 * waits for it.
 */
void hpm_replay(RISCVCPU *cpu)
{
    if (replay_mode == REPLAY_MODE_PLAY && cpu->env.hpm.modelled) {
        hpm_pre_save(cpu);
    }
}

static bool hpm_needed(void *opaque)
{
    RISCVCPU *cpu = opaque;

    return cpu->env.hpm.modelled;
}

static bool hpm_stop_needed(void *opaque)
{
    RISCVCPU *cpu = opaque;

    return hpm_needed(opaque) && cpu->hpm_cfg.stop_late;
}

static const VMStateDescription vmstate_hpm_stop = {
    .name = "cpu/hpm/stop",
    .version_id = 1,
    .minimum_version_id = 1,
    .needed = hpm_stop_needed,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT32(env.hpm.inhibited, RISCVCPU),
        VMSTATE_UINT32(env.hpm.stopping, RISCVCPU),
        VMSTATE_INT64(env.hpm.stop_left, RISCVCPU),
        VMSTATE_END_OF_LIST()
    }
};

static bool hpm_cycle_needed(void *opaque)
{
    RISCVCPU *cpu = opaque;

    return cpu->env.hpm.cycle.ctrs;
}

static const VMStateDescription vmstate_hpm_cycle = {
    .name = "cpu/hpm/cycle",
    .version_id = 1,
    .minimum_version_id = 1,
    .needed = hpm_cycle_needed,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT32(env.hpm.cycle.ctrs, RISCVCPU),
        VMSTATE_UINT64_2DARRAY(env.hpm.cycle.amounts, RISCVCPU, HPM_COUNTERS,
                               HPM_SELECTED),
        VMSTATE_UINT64(env.hpm.cycle.time, RISCVCPU),
        VMSTATE_UINT64(env.hpm.cycle.pc, RISCVCPU),
        VMSTATE_UINT64(env.hpm.cycle.next_pc, RISCVCPU),
        VMSTATE_END_OF_LIST()
    }
};

const VMStateDescription vmstate_hpm = {
    .name = "cpu/hpm",
    .version_id = 1,
    .minimum_version_id = 1,
    .needed = hpm_needed,
    .fields = (const VMStateField[]) {
        VMSTATE_UINTTL(env.mcyclecfg, RISCVCPU),
        VMSTATE_UINTTL(env.mcyclecfgh, RISCVCPU),
        VMSTATE_UINTTL(env.minstretcfg, RISCVCPU),
        VMSTATE_UINTTL(env.minstretcfgh, RISCVCPU),
        VMSTATE_UINT32(env.hpm.modelled, RISCVCPU),
        VMSTATE_BOOL(env.hpm.skid_pending, RISCVCPU),
        VMSTATE_INT64(env.hpm.skid_left, RISCVCPU),
        VMSTATE_UINT64(env.hpm.rng, RISCVCPU),
        VMSTATE_UINT64_ARRAY(env.hpm.total, RISCVCPU, HPM_COUNTERS),
        VMSTATE_UINT64_ARRAY(env.hpm.retired, RISCVCPU, HPM_MODES),
        VMSTATE_END_OF_LIST()
    },
    .subsections = (const VMStateDescription * const []) {
        &vmstate_hpm_stop,
        &vmstate_hpm_cycle,
        &vmstate_hpm_vendor,
        NULL
    }
};
