/*
 * RISC-V control transfer records (Smctr, Ssctr): what QEMU's own model lacks
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * QEMU decides which transfers are recorded, and where. From here come the
 * cycle counts, the mispredictions, and a choice of what is implemented.
 *
 * Cycles are counted with instructions, by the counters' machinery (hpm.c): the
 * head of a block counts the whole block, a transfer is the last instruction of
 * its block, so when a record is made the transfer has been counted and nothing
 * that follows it has.
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/host-utils.h"
#include "cpu.h"
#include "exec/helper-proto.h"
#include "migration/cpu.h"
#include "uarch_predictor.h"

/* Bits 47:32 of xctrctl: one for each transfer type that exists */
#define CTR_FILTERS 0xff3e
/* Those of transfers within a mode */
#define CTR_TRANSFERS 0xff30
/* Of its four custom bits one */
#define XCTRCTL_CUSTOM BIT_ULL(60)
#define CTR_DEPTHS MAKE_64BIT_MASK(SCTRDEPTH_MIN, SCTRDEPTH_MAX + 1)

#define CTR_CCE_SHIFT 28

static const CTRConfig *ctr_cfg(CPURISCVState *env)
{
    return &env_archcpu(env)->ctr_cfg;
}

/* What is implemented */

/* All that there is of the field Custom */
uint64_t ctr_custom_mask(CPURISCVState *env)
{
    return ctr_cfg(env)->custom ? XCTRCTL_CUSTOM : 0;
}

/* Does the current mode's control register switch the custom extension on? */
static bool ctr_custom_on(CPURISCVState *env)
{
    return (env->virt_enabled ? env->vsctrctl : env->mctrctl) & XCTRCTL_CUSTOM;
}

uint64_t ctr_ctl_mask(CPURISCVState *env)
{
    const CTRConfig *cfg = ctr_cfg(env);
    uint64_t mask = MCTRCTL_M | XCTRCTL_S | XCTRCTL_U | XCTRCTL_BPFRZ;

    if (riscv_cpu_cfg(env)->ext_sscofpmf) {
        mask |= XCTRCTL_LCOFIFRZ;
    }
    if (cfg->rasemu) {
        mask |= XCTRCTL_RASEMU;
    }
    if (cfg->xte) {
        mask |= MCTRCTL_MTE | XCTRCTL_STE;
    }
    mask |= ctr_custom_mask(env);
    return mask | (uint64_t)cfg->filters << XCTRCTL_INH_START;
}

uint64_t ctr_target_mask(CPURISCVState *env)
{
    return ctr_cfg(env)->misp ? UINT64_MAX : ~(uint64_t)CTRTARGET_MISP;
}

uint64_t ctr_data_mask(CPURISCVState *env)
{
    const CTRConfig *cfg = ctr_cfg(env);
    uint64_t mask = cfg->type ? CTRDATA_TYPE_MASK : 0;

    if (cfg->ccv) {
        mask |= CTRDATA_CCV | CTRDATA_CCM_MASK |
                ((1ull << cfg->cce_bits) - 1) << CTR_CCE_SHIFT;
    }
    return mask;
}

uint32_t ctr_status_mask(CPURISCVState *env)
{
    bool off = ctr_cfg(env)->custom && !ctr_custom_on(env);

    return SCTRSTATUS_MASK | (off ? 0 : ctr_cfg(env)->status);
}

/* What a hypervisor may do to its guest, on a machine that has no hypervisor */
bool ctr_depth_denied(CPURISCVState *env)
{
    return ctr_cfg(env)->depth_denied && env->priv != PRV_M;
}

static uint32_t ctr_depths(CPURISCVState *env)
{
    const CTRConfig *cfg = ctr_cfg(env);

    return env->mhartid % 2 && cfg->odd_depths ? cfg->odd_depths : cfg->depths;
}

/* The next smaller depth that is supported, or else the smallest */
uint32_t ctr_legal_depth(CPURISCVState *env, uint32_t depth)
{
    uint32_t depths = ctr_depths(env);
    uint32_t smaller = depths & MAKE_64BIT_MASK(0, depth + 1);

    return smaller ? 31 - clz32(smaller) : ctz32(depths);
}

/* The cycle counter */

/* Cycles of the instructions that have retired since the last fold */
static uint64_t ctr_unfolded(CPURISCVState *env)
{
    UarchCycles cycles = env_archcpu(env)->uarch_cfg.cycles;
    HPMState *h = &env->hpm;
    uint64_t insns = h->start[HPM_KIND_INSN] - h->left[HPM_KIND_INSN];

    if (!env->ctr_key || !ctr_cfg(env)->ccv || cycles == UARCH_CYCLES_EXACT) {
        return 0;
    }
    return cycles == UARCH_CYCLES_CHEAP ?
           uarch_clock_cycles(&env->uarch.clock, insns) :
           insns * env_archcpu(env)->hpm_cfg.cpi;
}

/* @cycles have passed in the current mode. */
void ctr_add_cycles(CPURISCVState *env, uint64_t cycles)
{
    if (env->ctr_key) {
        env->ctr.elapsed += cycles;
    }
}

void ctr_reset_cycles(CPURISCVState *env)
{
    env->ctr.elapsed = 0;
    env->ctr.counted = false;
}

static uint64_t ctr_cc_max(CPURISCVState *env)
{
    int cce = (1 << ctr_cfg(env)->cce_bits) - 1;
    uint64_t ccm = MAKE_64BIT_MASK(0, CTR_CCM_BITS);

    return cce ? ((1ull << CTR_CCM_BITS) + ccm) << (cce - 1) : ccm;
}

static uint64_t ctr_encode_cc(CPURISCVState *env, uint64_t cycles)
{
    uint64_t cce = 0;

    cycles = MIN(cycles, ctr_cc_max(env));
    if (cycles >> CTR_CCM_BITS) {
        cce = 63 - clz64(cycles) - (CTR_CCM_BITS - 1);
        cycles = extract64(cycles, cce - 1, CTR_CCM_BITS);
    }
    return cce << CTR_CCE_SHIFT | cycles << CTR_CCM_SHIFT;
}

static uint64_t ctr_decode_cc(uint64_t data)
{
    int cce = get_field(data, CTRDATA_CCE_MASK);
    uint64_t ccm = get_field(data, CTRDATA_CCM_MASK);

    return cce ? ((1ull << CTR_CCM_BITS) + ccm) << (cce - 1) : ccm;
}

/* A transfer of @type is being recorded: its ctrdata. The counter restarts. */
uint64_t ctr_new_data(CPURISCVState *env, uint64_t type)
{
    CTRState *c = &env->ctr;
    uint64_t unfolded = ctr_unfolded(env);
    uint64_t data = ctr_encode_cc(env, c->elapsed + unfolded);

    if (c->counted) {
        data |= CTRDATA_CCV;
    }
    c->elapsed = -unfolded;
    c->counted = true;
    return (data | type) & c->data_mask;
}

/*
 * With RASEMU a record goes away: what it had counted becomes part of what the
 * next one counts, which is the time since the call that is left. If that is
 * not known of this one, it is not known of the next.
 */
void ctr_pop(CPURISCVState *env, uint64_t source, uint64_t data)
{
    CTRState *c = &env->ctr;

    if (!(source & CTRSOURCE_VALID) || !(data & CTRDATA_CCV)) {
        c->counted = false;
    }
    c->elapsed += ctr_decode_cc(data);
}

bool ctr_counts(CPURISCVState *env, HPMMode mode)
{
    static const uint64_t enable[HPM_MODES] = {
        [HPM_MODE_M] = MCTRCTL_M,
        [HPM_MODE_S] = XCTRCTL_S,
        [HPM_MODE_U] = XCTRCTL_U,
        [HPM_MODE_VS] = XCTRCTL_S,
        [HPM_MODE_VU] = XCTRCTL_U,
    };
    const RISCVCPUConfig *cfg = riscv_cpu_cfg(env);
    bool virt = mode == HPM_MODE_VS || mode == HPM_MODE_VU;
    uint64_t ctl = virt ? env->vsctrctl : env->mctrctl;

    return (cfg->ext_smctr || cfg->ext_ssctr) && ctr_cfg(env)->ccv &&
           (ctl & enable[mode]) && !(env->sctrstatus & SCTRSTATUS_FROZEN);
}

/*
 * CSR accesses. As with the counters, an instruction retires under the
 * configuration that was in force before it.
 */

void ctr_before_write(CPURISCVState *env)
{
    hpm_before_write(env, 0);
}

void ctr_after_write(CPURISCVState *env)
{
    riscv_ctr_update(env);
    hpm_configure(env);
}

/* CSRRS and CSRRC without a bit to change: a write with its side effects */
void ctr_write_nothing(CPURISCVState *env, int csrno)
{
    bool virt = csrno == CSR_VSCTRCTL || env->virt_enabled;
    uint64_t ctl = virt ? env->vsctrctl : env->mctrctl;

    if (csrno == CSR_MCTRCTL || csrno == CSR_SCTRCTL || csrno == CSR_VSCTRCTL) {
        ctr_before_write(env);
        ctr_reset_cycles(env);
        ctr_after_write(env);
        ctr_log_csr(env, virt ? CSR_VSCTRCTL : CSR_MCTRCTL, ctl, ctl);
    }
}

/*
 * riscv_ctr_add_entry() asks for each transfer whether it is recorded. Within a
 * mode only its type matters, until a CSR or the mode changes.
 */
void ctr_decide(CPURISCVState *env)
{
    uint64_t ctl = env->virt_enabled ? env->vsctrctl : env->mctrctl;
    uint32_t calls = BIT(CTRDATA_TYPE_DIRECT_CALL) |
                     BIT(CTRDATA_TYPE_INDIRECT_CALL);
    uint32_t pops = BIT(CTRDATA_TYPE_RETURN) |
                    BIT(CTRDATA_TYPE_CO_ROUTINE_SWAP);
    CTRState *c = &env->ctr;
    uint32_t dropped;

    if (ctl & XCTRCTL_RASEMU) {
        dropped = ~(calls | pops);
    } else {
        /* The filter of branches that are not taken lets them pass. */
        dropped = (ctl >> XCTRCTL_INH_START) ^
                  BIT(CTRDATA_TYPE_NONTAKEN_BRANCH);
        pops = 0;
    }
    if (ctr_custom_on(env)) {   /* which is not interested in them */
        dropped |= BIT(CTRDATA_TYPE_DIRECT_JUMP);
    }
    if (!env->ctr_key) {
        dropped = CTR_TRANSFERS;
    }
    c->dropped = dropped & CTR_TRANSFERS;
    c->special = (dropped | pops) & CTR_TRANSFERS;
    c->wrap = (16 << get_field(env->sctrdepth, SCTRDEPTH_MASK)) - 1;
}

/* What riscv_ctr_add_entry() does in the end */
static void ctr_add_plain(CPURISCVState *env, target_ulong src,
                          target_ulong dst, uint64_t type)
{
    uint32_t head = env->sctrstatus & SCTRSTATUS_WRPTR_MASK;

    env->ctr_src[head] = src | CTRSOURCE_VALID;
    env->ctr_dst[head] = dst;
    env->ctr_data[head] = ctr_new_data(env, type);
    env->sctrstatus += ((head + 1) & env->ctr.wrap) - head;
}

/* A transfer has been predicted. Is that all, but for ctr_add_plain()? */
static bool ctr_is_plain(CPURISCVState *env, target_ulong type)
{
    return !(env->ctr.special & BIT(type)) && env->xl != MXL_RV32 &&
           !env->hpm.records[env->hpm.mode];
}

/* uarch_predict() for a transfer of this type: is that wrong? */
static inline bool ctr_predict(UarchModel *m, uint64_t pc, uint64_t behind,
                               uint64_t target, uint32_t type)
{
    UarchPrediction p;

    predict_transfer(m, uarch_type_attrs(type), pc, behind, target, 0, &p);
    return p.wrong;
}

/* Does anybody but CTR want to know of it? See uarch_transfer(). */
static bool ctr_predicts_alone(CPURISCVState *env)
{
    return !env->uarch.pending && !env->uarch.clock.runs &&
           !(env->hpm.key & HPM_KEY_PREDICT);
}

/*
 * A transfer within the current mode is about to retire. @info: the size of the
 * instruction, and its type as the log has it, see gen_ctr_transfer().
 */
void HELPER(ctr_transfer)(CPURISCVState *env, target_ulong src,
                          target_ulong dst, target_ulong type, uint32_t info)
{
    target_ulong behind = src + (info >> 8);
    uint32_t opcode_type = info & 0xff;
    int misp = -1;

    if ((env->ctr_key && ctr_cfg(env)->misp) ||
        (env->hpm.key & HPM_KEY_PREDICT)) {
        misp = ctr_predicts_alone(env) ?
               ctr_predict(&env->uarch.model, src, behind, dst, opcode_type) :
               uarch_transfer(env, src, behind, dst, opcode_type);
    }
    if (env->ctr.log) {
        ctr_log_transfer(env, src, dst, opcode_type, misp);
    }
    if (env->ctr.dropped & BIT(type)) {
        return;
    }
    if (misp > 0 && ctr_cfg(env)->misp) {
        dst |= CTRTARGET_MISP;
    }
    if (ctr_is_plain(env, type)) {
        ctr_add_plain(env, src, dst, type);
    } else {
        riscv_ctr_add_entry(env, src, dst, type, env->priv, env->virt_enabled);
    }
}

/* The same of one that is recorded by translated code: it was foreseen. */
void HELPER(ctr_log)(CPURISCVState *env, target_ulong src, target_ulong dst,
                     uint32_t info)
{
    ctr_log_transfer(env, src, dst, info & 0xff, 0);
}

/* Life of the model */

static bool ctr_in_set(RISCVCPU *cpu, uint64_t harts)
{
    return cpu->env.mhartid < 64 && harts & BIT_ULL(cpu->env.mhartid);
}

/* Properties are the same for all harts; these make harts differ. */
static void ctr_init_hart(RISCVCPU *cpu)
{
    CTRConfig *cfg = &cpu->ctr_cfg;

    if (ctr_in_set(cpu, cfg->none_harts)) {
        cpu->cfg.ext_smctr = false;
        cpu->cfg.ext_ssctr = false;
    }
    if (ctr_in_set(cpu, cfg->plain_harts)) {
        cfg->filters = 0;
        cfg->rasemu = cfg->xte = cfg->type = cfg->misp = cfg->ccv = false;
    }
}

void ctr_init(RISCVCPU *cpu, Error **errp)
{
    CTRConfig *cfg = &cpu->ctr_cfg;

    ctr_init_hart(cpu);
    if (!cfg->depths || ((cfg->depths | cfg->odd_depths) & ~CTR_DEPTHS)) {
        error_setg(errp, "ctr-depths and ctr-odd-depths must be sets of bits "
                   "of 0x%x", (int)CTR_DEPTHS);
    } else if (cfg->status & SCTRSTATUS_MASK) {
        error_setg(errp, "ctr-status must be without WRPTR and FROZEN");
    } else if (cfg->filters & ~CTR_FILTERS) {
        error_setg(errp, "ctr-filters must be a set of bits of 0x%x",
                   CTR_FILTERS);
    } else if (cfg->cce_bits > 4) {
        error_setg(errp, "ctr-cce-bits must be in 0..4");
    } else if (cfg->log && !cpu->cfg.ext_smctr && !cpu->cfg.ext_ssctr) {
        error_setg(errp, "ctr-log needs smctr or ssctr");
    } else if (cfg->log) {
        ctr_log_open(cpu, errp);
    }
}

/* Reset values are left open by the architecture; what can be 0 is. */
void ctr_reset(CPURISCVState *env)
{
    struct CTRLog *log = env->ctr.log;

    memset(&env->ctr, 0, sizeof(env->ctr));
    env->ctr.log = log;
    env->ctr.data_mask = ctr_data_mask(env);
    env->sctrdepth = ctr_legal_depth(env, 0);
    env->sctrstatus = ctr_cfg(env)->status;
    if (log) {
        ctr_log_reset(env);
    }
}

static bool ctr_model_needed(void *opaque)
{
    RISCVCPU *cpu = opaque;

    return cpu->cfg.ext_smctr || cpu->cfg.ext_ssctr;
}

const VMStateDescription vmstate_ctr_model = {
    .name = "cpu/ctr-model",
    .version_id = 3,
    .minimum_version_id = 3,
    .needed = ctr_model_needed,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT64(env.ctr.elapsed, RISCVCPU),
        VMSTATE_BOOL(env.ctr.counted, RISCVCPU),
        VMSTATE_END_OF_LIST()
    }
};
