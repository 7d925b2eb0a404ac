/*
 * RISC-V precise decoded instruction sampling (Smpdis, Sspdis)
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "cpu.h"
#include "migration/cpu.h"

static const PDISConfig *pdis_cfg(CPURISCVState *env)
{
    return &env_archcpu(env)->pdis_cfg;
}

static bool pdis_rv32(CPURISCVState *env)
{
    return riscv_cpu_mxl(env) == MXL_RV32;
}

/* What there is */

bool pdis_present(CPURISCVState *env)
{
    return riscv_cpu_cfg(env)->ext_smpdis || riscv_cpu_cfg(env)->ext_sspdis;
}

bool pdis_has_buffer(CPURISCVState *env)
{
    return pdis_present(env) && pdis_cfg(env)->mem_kind != PDIS_HARDWIRED_0;
}

static bool pdis_has_data_registers(CPURISCVState *env)
{
    return pdis_present(env) && pdis_cfg(env)->mem_kind != PDIS_HARDWIRED_1;
}

/* Without Smstateen everything is accessible. */
static bool pdis_stateen(CPURISCVState *env)
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

static uint64_t pdis_legal_ctl(CPURISCVState *env, uint64_t val)
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
        break;
    case CSR_SPDISAMBADDR:
        amb_write_addr(env, &p->amb, val);
        break;
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
    }
    if (mask) {
        hpm_before_write(env, reg == CSR_SPDISCOUNTER ? BIT(HPM_PDIS) : 0);
        if (reg != CSR_SPDISCOUNTER) {
            old = pdis_get(env, reg);   /* that instruction may have changed it */
        }
        pdis_set(env, reg, (old & ~mask) | (((uint64_t)new_val << shift) & mask));
        hpm_configure(env);
    }
    return RISCV_EXCP_NONE;
}

/* The data registers, 64 or 32 bits each, in the order of a record */

static uint64_t pdis_word64(const PDISRecord *r, int i)
{
    const uint64_t words[] = { r->hdrev, r->pc, r->time, r->lat, r->adr1,
                               r->adr2 };

    return i < ARRAY_SIZE(words) ? words[i] : 0;
}

static uint32_t pdis_word32(const PDISRecord *r, int i)
{
    const uint32_t words[] = { r->hdrev, r->hdrev >> 32, r->pc, r->time,
                               r->lat, r->lat >> 32, r->adr1, r->adr2 };

    return i < ARRAY_SIZE(words) ? words[i] : 0;
}

/* @csrno: sireg or vsireg, or one of those that belong to it */
RISCVException pdis_rmw_data(CPURISCVState *env, int csrno, target_ulong isel,
                             target_ulong *ret_val)
{
    int reg = csrno & 7;        /* 1, 2, 3, 5, 6, 7 */
    int i = (isel - ISELECT_PDIS_FIRST) * 6 + (reg < 4 ? reg - 1 : reg - 2);
    RISCVException ret;

    if (!pdis_has_data_registers(env)) {
        return RISCV_EXCP_ILLEGAL_INST;
    }
    ret = env->debugger ? RISCV_EXCP_NONE :
          smstateen_acc_ok(env, 0, SMSTATEEN0_PDIS);
    if (ret == RISCV_EXCP_NONE && ret_val) {
        *ret_val = pdis_rv32(env) ? pdis_word32(&env->pdis.record, i) :
                                    pdis_word64(&env->pdis.record, i);
    }
    return ret;
}

/* The counter */

bool pdis_counts(CPURISCVState *env, HPMMode mode)
{
    static const uint64_t enable[HPM_MODES] = {
        [HPM_MODE_M] = PDISCTL_M,
        [HPM_MODE_S] = PDISCTL_S, [HPM_MODE_U] = PDISCTL_U,
        [HPM_MODE_VS] = PDISCTL_S, [HPM_MODE_VU] = PDISCTL_U,
    };
    bool virt = mode == HPM_MODE_VS || mode == HPM_MODE_VU;
    uint64_t ctl = virt ? env->pdis.vsctl : env->pdis.ctl;

    return pdis_present(env) && (ctl & enable[mode]) &&
           !(env->mcountinhibit & BIT(HPM_PDIS));
}

/* How many more instructions may be counted before the one that overflows? */
uint64_t pdis_room(CPURISCVState *env)
{
    return UINT32_MAX - env->pdis.count;
}

void pdis_add(CPURISCVState *env, uint64_t n)
{
    PDISState *p = &env->pdis;

    if (n > pdis_room(env)) {
        p->count = p->initval;
    } else {
        p->count += n;
    }
}

/* Life of the model */

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
    } else if (cfg->lat > 0xf) {
        error_setg(errp, "pdis-lat must be in 0..15");
    } else if (cfg->min_period < 1 || cfg->min_period > INT32_MAX) {
        error_setg(errp, "pdis-min-period must be in 1..%d", INT32_MAX);
    }
}

void pdis_init(RISCVCPU *cpu, Error **errp)
{
    ERRP_GUARD();
    PDISConfig *cfg = &cpu->pdis_cfg;

    if (!pdis_parse("pdis-mem", cfg->mem, &cfg->mem_kind, errp) ||
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
}

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

const VMStateDescription vmstate_pdis = {
    .name = "cpu/pdis",
    .version_id = 1,
    .minimum_version_id = 1,
    .needed = pdis_needed,
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
        VMSTATE_STRUCT(env.pdis.amb, RISCVCPU, 1, vmstate_amb, AMBState),
        VMSTATE_END_OF_LIST()
    }
};
