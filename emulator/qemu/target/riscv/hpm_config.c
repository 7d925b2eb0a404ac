/*
 * RISC-V hardware performance counters: which of it this hart has
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "cpu.h"
#include "tcg/tcg.h"
#include "hpm_internal.h"

/* Properties are the same for all harts; these make harts differ. */
static void hpm_init_hart(RISCVCPU *cpu)
{
    HPMConfig *cfg = &cpu->hpm_cfg;

    if (cpu->env.mhartid % 2 == 0) {
        cfg->odd_narrow = cfg->odd_undelegated = 0;
        cfg->odd_scounterof = true;
        return;
    }
    if (cfg->odd_marchid) {
        cpu->cfg.marchid = cfg->odd_marchid;
    }
    cfg->zero |= cfg->odd_zero;
    cfg->unfiltered |= cfg->odd_unfiltered;
    cfg->mideleg_zero |= cfg->odd_mideleg_zero;
    cpu->cfg.ext_smcntrpmf &= cfg->odd_smcntrpmf;
}

void hpm_init(RISCVCPU *cpu, Error **errp)
{
    ERRP_GUARD();
    HPMConfig *cfg = &cpu->hpm_cfg;

    if (cfg->core && !hpm_xiangshan(&cpu->env) && !hpm_core(&cpu->env)) {
        error_setg(errp, "hpm-core must be xiangshan-kunminghu, sifive-u74 or "
                   "spacemit-x60");
        return;
    }
    hpm_core_init(cpu);
    hpm_xiangshan_init(cpu, errp);
    if (*errp) {
        return;
    }
    hpm_init_hart(cpu);
    if (cfg->width < 32 || cfg->width > 64) {
        error_setg(errp, "hpm-width must be in 32..64");
    } else if (cfg->cpi < 1 || cfg->cpi > 1000) {
        error_setg(errp, "hpm-cpi must be in 1..1000");
    } else if (cfg->fixed && strcmp(cfg->fixed, "auto") &&
               strcmp(cfg->fixed, "exact") && strcmp(cfg->fixed, "host")) {
        error_setg(errp, "hpm-fixed must be auto, exact or host");
    } else if (cfg->marker && !cfg->log) {
        error_setg(errp, "hpm-marker needs hpm-log");
    } else {
        hpm_init_kinds();
        hpm_vendor_init(cpu, errp);
        if (*errp) {
            return;
        }
        cpu->hpm_insns = g_new(HPMInsn, TCG_MAX_INSNS);
        hpm_log_open(cpu, errp);
        if (!*errp) {
            uarch_init(cpu, errp);
        }
    }
}
