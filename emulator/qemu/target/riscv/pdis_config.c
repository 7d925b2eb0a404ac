/*
 * RISC-V precise decoded instruction sampling: which of it this hart has
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "cpu.h"

static bool pdis_parse(const char *name, const char *val, PDISHardwired *kind,
                       Error **errp)
{
    if (!val || !strcmp(val, "both")) {
        *kind = PDIS_WRITABLE;
    } else if (!strcmp(val, "off")) {
        *kind = PDIS_HARDWIRED_0;
    } else if (!strcmp(val, "on")) {
        *kind = PDIS_HARDWIRED_1;
    } else {
        error_setg(errp, "%s must be both, off or on", name);
        return false;
    }
    return true;
}

static void pdis_check_extensions(RISCVCPU *cpu, Error **errp)
{
    RISCVCPUConfig *ext = &cpu->cfg;
    bool pdis = ext->ext_smpdis || ext->ext_sspdis;
    PDISHardwired mem = cpu->pdis_cfg.mem_kind;

    if (!pdis) {
        if (ext->ext_ssamb) {
            error_setg(errp, "ssamb needs smpdis or sspdis");
        }
    } else if (!ext->ext_sscofpmf) {
        error_setg(errp, "smpdis and sspdis need sscofpmf");
    } else if (mem != PDIS_HARDWIRED_1 && !ext->ext_sscsrind) {
        error_setg(errp, "smpdis and sspdis need sscsrind, or pdis-mem=on");
    } else if (mem != PDIS_HARDWIRED_0 && !ext->ext_ssamb) {
        error_setg(errp, "smpdis and sspdis need ssamb, or pdis-mem=off");
    } else if (mem == PDIS_HARDWIRED_0 && ext->ext_ssamb) {
        error_setg(errp, "there is no use for ssamb with pdis-mem=off");
    }
}

static void pdis_check_fields(const PDISConfig *cfg, Error **errp)
{
    uint64_t sel = cfg->ctl & PDISCTL_SEL;

    if ((cfg->ctl & ~PDISCTL_OPTIONAL) || (sel && sel != PDISCTL_SEL)) {
        error_setg(errp, "pdis-ctl must be a set of bits of 0x%" PRIx64
                   ", with all of 0x7 or none", (uint64_t)PDISCTL_OPTIONAL);
    } else if (cfg->evmask & ~PDIS_EVMASK) {
        error_setg(errp, "pdis-evmask must be a set of bits of 0x%" PRIx64,
                   (uint64_t)PDIS_EVMASK);
    } else if (cfg->fields & ~PDISHDREV_OPTIONAL) {
        error_setg(errp, "pdis-fields must be a set of bits of 0x%" PRIx64,
                   (uint64_t)PDISHDREV_OPTIONAL);
    } else if (cfg->lat > 0xf || cfg->adr > PDIS_ADR_ALL) {
        error_setg(errp, "pdis-lat must be in 0..15, pdis-adr in 0..%d",
                   PDIS_ADR_ALL);
    } else if (cfg->warmup > 1000000) {
        error_setg(errp, "pdis-warmup must be in 0..1000000");
    } else if (cfg->min_period < 1 || cfg->min_period > INT32_MAX) {
        error_setg(errp, "pdis-min-period must be in 1..%d", INT32_MAX);
    }
}

/* Properties are the same for all harts; these make harts differ. */
static void pdis_init_hart(RISCVCPU *cpu)
{
    uint64_t hart = cpu->env.mhartid;
    PDISConfig *cfg = &cpu->pdis_cfg;

    if (hart < 64 && cfg->none_harts & BIT_ULL(hart)) {
        cpu->cfg.ext_smpdis = false;
        cpu->cfg.ext_sspdis = false;
        cpu->cfg.ext_ssamb = false;
    }
    if (hart % 2) {
        cfg->ctl = cfg->odd_ctl ?: cfg->ctl;
        cfg->evmask = cfg->odd_evmask ?: cfg->evmask;
        cfg->lat = cfg->odd_lat ?: cfg->lat;
        cfg->min_period = cfg->odd_min_period ?: cfg->min_period;
        if (cfg->odd_mem && !strcmp(cfg->odd_mem, "off")) {
            cpu->cfg.ext_ssamb = false;
        }
    }
}

static const char *pdis_mem(RISCVCPU *cpu)
{
    const PDISConfig *cfg = &cpu->pdis_cfg;

    return cpu->env.mhartid % 2 && cfg->odd_mem ? cfg->odd_mem : cfg->mem;
}

void pdis_init(RISCVCPU *cpu, Error **errp)
{
    ERRP_GUARD();
    PDISConfig *cfg = &cpu->pdis_cfg;

    pdis_init_hart(cpu);
    if (!pdis_parse("pdis-mem", pdis_mem(cpu), &cfg->mem_kind, errp) ||
        !pdis_parse("pdis-acc", cfg->acc, &cfg->acc_kind, errp)) {
        return;
    }
    pdis_check_extensions(cpu, errp);
    if (!*errp) {
        pdis_check_fields(cfg, errp);
    }
    if (!*errp) {
        amb_init(cpu, errp);
    }
    if (!*errp) {
        pdis_log_open(cpu, errp);
    }
}
