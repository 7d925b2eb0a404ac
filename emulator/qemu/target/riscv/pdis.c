/*
 * RISC-V precise decoded instruction sampling (Smpdis, Sspdis)
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Far from its overflow the counter counts like any other (hpm.c). When there
 * are some instructions to go (pdis_warmup()), each is modelled (uarch.c)
 * and comes to pdis_decoded() once all is known of it, in the order in which
 * they were decoded. So a sample is taken in one go: selected, filtered and
 * recorded. That it was on its way in between shows in the collisions only: it
 * ends at the model time at which the instruction retires, traps or is flushed.
 */

#include "qemu/osdep.h"
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

/* The data registers, 64 or 32 bits each, in the order of a record */

static uint64_t pdis_word64(CPURISCVState *env, const PDISRecord *r, int i)
{
    const uint64_t words[] = { r->hdrev, r->pc, r->time, r->lat, r->adr1,
                               r->adr2, pdis_cfg(env)->rubbish,
                               pdis_cfg(env)->rubbish };

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
        pdis_check_data(env);
        *ret_val = pdis_rv32(env) ? pdis_word32(&env->pdis.record, i) :
                                    pdis_word64(env, &env->pdis.record, i);
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
static uint64_t pdis_to_overflow(const PDISState *p)
{
    return UINT32_MAX - p->count;
}

/*
 * How many instructions before an overflow is the first that the pipeline sees?
 * pdis-warmup, or up to twice as many: it always is one that retires, and what
 * comes a fixed number of instructions after one that retires, flushed ones
 * counted, is not any instruction alike. The number follows from where the
 * overflow will be, whoever asks when.
 */
static uint64_t pdis_warmup(CPURISCVState *env)
{
    const PDISState *p = &env->pdis;
    uint64_t least = pdis_cfg(env)->warmup;
    uint64_t end = p->total + pdis_to_overflow(p);

    return least ? least + (end * 0x9e3779b97f4a7c15ull >> 32) % least : 0;
}

/*
 * For hpm.c: how many until the one after which pdis_needs_model()? The same as
 * there, or it would depend on who arms the counters when.
 */
uint64_t pdis_room(CPURISCVState *env)
{
    uint64_t n = pdis_to_overflow(&env->pdis);
    uint64_t warmup = pdis_warmup(env);

    return n > warmup ? n - warmup - 1 : 0;
}

void pdis_add(CPURISCVState *env, uint64_t n)
{
    env->pdis.count += n;
    env->pdis.total += n;
}

/* Must each instruction be seen? Until a sample has ended: collisions. */
static bool pdis_needs_model(CPURISCVState *env)
{
    PDISState *p = &env->pdis;

    return pdis_counts(env, env->hpm.mode) &&
           (p->again || p->now < p->busy_until ||
            pdis_to_overflow(p) <= pdis_warmup(env));
}

/* The counters are about to run in the current mode, all having been folded. */
void pdis_arm(CPURISCVState *env)
{
    if (pdis_present(env)) {
        if (env->mcountinhibit & BIT(HPM_PDIS)) {
            env->pdis.again = false;
        }
        uarch_sample(env, pdis_needs_model(env));
    }
}

/* Records */

static PDISType pdis_type(CPURISCVState *env, const UarchInsn *insn)
{
    uint64_t access = insn->attrs & (HPM_LOAD | HPM_STORE);
    bool transfer = insn->attrs & HPM_TRANSFER;

    /* CM.POPRET is both: the operation that SEL asks for is sampled. */
    if (transfer &&
        (!access || (env->pdis.ctl & PDISCTL_SEL) == PDIS_SEL_CTI)) {
        return PDIS_TYPE_CTI;
    }
    return (access & HPM_LOAD ? PDIS_TYPE_LOAD : 0) |
           (access & HPM_STORE ? PDIS_TYPE_STORE : 0);
}

static bool pdis_is_access(PDISType type)
{
    return type != PDIS_TYPE_OTHER && type != PDIS_TYPE_CTI;
}

/* Bits of pdishdrev for attributes; those for one TYPE share their places. */
typedef struct PDISField {
    uint64_t attrs;
    int bit;
} PDISField;

static uint64_t pdis_fields(const PDISField *field, int n, uint64_t attrs)
{
    uint64_t val = 0;

    for (int i = 0; i < n; i++) {
        if (field[i].attrs & attrs) {
            val |= BIT_ULL(field[i].bit);
        }
    }
    return val;
}

/* One bit for each type of transfer, at 36 + TYPE as in ctrdata, and MISPRED */
static uint64_t pdis_transfer_fields(uint64_t attrs)
{
    const PDISField field[] = {
        { HPM_TRET, 39 }, { HPM_NOT_TAKEN, 40 }, { HPM_TAKEN, 41 },
        { HPM_IND_CALL, 44 }, { HPM_DIR_CALL, 45 }, { HPM_IND_JUMP, 46 },
        { HPM_DIR_JUMP, 47 }, { HPM_CORSWAP, 48 }, { HPM_RETURN, 49 },
        { HPM_IND_LJUMP, 50 }, { HPM_DIR_LJUMP, 51 }, { HPM_MISPRED, 52 },
    };

    return pdis_fields(field, ARRAY_SIZE(field), attrs);
}

static uint64_t pdis_access_fields(const UarchInsn *insn)
{
    const PDISField field[] = {
        { HPM_L1DMISS, 39 }, { HPM_LLMISS, 40 }, { HPM_L1DTLBMISS, 45 },
        { HPM_LLTLBMISS, 46 },
    };

    return pdis_fields(field, ARRAY_SIZE(field), insn->attrs) |
           (uint64_t)(insn->dsrc & 0xf) << PDISHDREV_DSRC_SHIFT;
}

static uint64_t pdis_fetch_fields(uint64_t attrs)
{
    const PDISField field[] = { { HPM_ITMISS, 37 }, { HPM_ICMISS, 38 } };

    return pdis_fields(field, ARRAY_SIZE(field), attrs);
}

/* Who is PDIS delegated to? */
static HPMMode pdis_owner(CPURISCVState *env)
{
    if (!pdis_stateen(env)) {
        return HPM_MODE_M;
    }
    return riscv_cpu_cfg(env)->ext_smstateen && riscv_has_ext(env, RVH) &&
           (env->hstateen[0] & SMSTATEEN0_PDIS) ? HPM_MODE_VS : HPM_MODE_S;
}

/* and counter @ctr? */
static HPMMode pdis_counter_owner(CPURISCVState *env, int ctr)
{
    return riscv_cpu_cfg(env)->ext_smcdeleg && (env->menvcfg & MENVCFG_CDE) &&
           (env->mcounteren & BIT(ctr)) ? HPM_MODE_S : HPM_MODE_M;
}

/*
 * What the instruction has incurred: an instruction that did not retire has
 * been decoded, and may have missed caches, and nothing else.
 */
static uint64_t pdis_incurred(const UarchInsn *insn)
{
    uint64_t attrs = insn->attrs;

    if (insn->trapped || insn->flushed) {
        attrs &= ~hpm_retired_attrs();
    }
    return attrs | hpm_decoding(insn->attrs);
}

static uint64_t pdis_hpm_fields(CPURISCVState *env, const UarchInsn *insn)
{
    HPMMode owner = pdis_owner(env);
    uint64_t attrs = pdis_incurred(insn), val = 0;

    for (uint64_t m = env->pdis.ctl & PDISCTL_HPM; m; m &= m - 1) {
        int ctr = ctz64(m);

        if (pdis_counter_owner(env, ctr) == owner &&
            hpm_counter_incurred(env, ctr, insn->mode, attrs)) {
            val |= BIT_ULL(ctr);
        }
    }
    return val;
}

static uint64_t pdis_hdrev(CPURISCVState *env, const UarchInsn *insn,
                           PDISType type)
{
    uint64_t optional = pdis_cfg(env)->fields;
    uint64_t val = insn->partial ? PDISHDREV_PARTIAL : 0;

    val |= pdis_fetch_fields(insn->attrs);
    if (pdis_is_access(type)) {
        val |= pdis_access_fields(insn);
        optional |= PDISHDREV_L1MISS | PDISHDREV_L1TLBMISS;
    } else if (type == PDIS_TYPE_CTI) {
        val |= pdis_transfer_fields(insn->attrs);
    }
    if (insn->flushed) {
        val |= (uint64_t)(insn->flush & 3) << PDISHDREV_FLUSH_SHIFT;
    }
    return (val & optional) | type | pdis_hpm_fields(env, insn) |
           (insn->flushed ? PDISHDREV_FLUSHED : 0);
}

static uint64_t pdis_latencies(CPURISCVState *env, const UarchInsn *insn)
{
    const uint32_t part[] = { insn->dispatch, insn->issue, insn->execution,
                              insn->oldest };
    uint32_t valid = insn->stages & pdis_cfg(env)->lat;
    uint64_t rubbish = pdis_cfg(env)->rubbish & PDISLAT_MAX;
    uint64_t val = MIN(insn->total, PDISLAT_MAX);

    if (insn->trapped || insn->flushed) {
        valid &= ~UARCH_OLDEST;
    }
    for (int i = 0; i < ARRAY_SIZE(part); i++) {
        if (valid & BIT(i)) {
            val |= (uint64_t)MIN(part[i], PDISLAT_MAX) <<
                   (i + 1) * PDISLAT_BITS;
            val |= BIT_ULL(PDISLAT_VALID_SHIFT + i);
        } else if (pdis_cfg(env)->lat & BIT(i)) {
            val |= rubbish << (i + 1) * PDISLAT_BITS;
        }
    }
    return val;
}

static uint64_t pdis_time(CPURISCVState *env)
{
    HPMMode owner = pdis_owner(env);
    uint64_t now;

    if (!(env->pdis.ctl & PDISCTL_TS) || !env->rdtime_fn ||
        (owner != HPM_MODE_M && !(env->mcounteren & COUNTEREN_TM)) ||
        (owner == HPM_MODE_VS && !(env->hcounteren & COUNTEREN_TM))) {
        return 0;
    }
    now = env->rdtime_fn(env->rdtime_fn_arg);
    return owner == HPM_MODE_VS ? now + env->htimedelta : now;
}

static uint64_t pdis_target(CPURISCVState *env, const UarchInsn *insn)
{
    uint64_t direct = HPM_DIR_CALL | HPM_DIR_JUMP | HPM_DIR_LJUMP | HPM_TAKEN;
    uint32_t adr = pdis_cfg(env)->adr;

    if (insn->trapped || insn->attrs & HPM_NOT_TAKEN) {
        return 0;
    }
    return adr & (insn->attrs & direct ? PDIS_ADR_DIRECT : PDIS_ADR_INDIRECT) ?
           insn->next_pc : 0;
}

static uint64_t pdis_physical(CPURISCVState *env, UarchInsn *insn)
{
    bool virt = insn->mode == HPM_MODE_VS || insn->mode == HPM_MODE_VU;
    bool guest = virt && (env->pdis.vsctl & PDISCTL_PA);

    if ((!guest && !(env->pdis.ctl & PDISCTL_PA)) || insn->trapped ||
        !uarch_translate(env, insn)) {
        return 0;
    }
    return guest ? insn->gpa : insn->pa;
}

/*
 * An address that the record of an instruction has of another one. With
 * pdis-cross the other one of an instruction of U-mode is the kernel's, as if
 * it had been decoded before the return; stvec stands for it.
 */
static uint64_t pdis_of_other(CPURISCVState *env, const UarchInsn *insn,
                              uint64_t addr)
{
    return pdis_cfg(env)->cross && insn->mode == HPM_MODE_U ? env->stvec : addr;
}

static void pdis_addresses(CPURISCVState *env, UarchInsn *insn, PDISType type,
                           PDISRecord *r)
{
    uint32_t adr = pdis_cfg(env)->adr;
    bool access = pdis_is_access(type) && insn->has_addr;

    if (insn->flushed) {
        r->adr1 = adr & PDIS_ADR_FLUSH ?
                  pdis_of_other(env, insn, insn->flush_pc) : 0;
        r->adr2 = access && adr & PDIS_ADR_FLUSHED ? insn->addr : 0;
    } else if (access && adr & PDIS_ADR_DATA) {
        r->adr1 = insn->addr;
        r->adr2 = pdis_physical(env, insn);
    } else if (type == PDIS_TYPE_CTI) {
        r->adr1 = pdis_target(env, insn);
        r->adr2 = env->pdis.ctl & PDISCTL_EPT ?
                  pdis_of_other(env, insn, insn->prior_target) : 0;
    }
}

static void pdis_fill(CPURISCVState *env, UarchInsn *insn, PDISRecord *r)
{
    PDISType type = pdis_type(env, insn);

    *r = (PDISRecord) {
        .hdrev = pdis_hdrev(env, insn, type),
        .pc = insn->pc,
        .time = pdis_time(env),
        .lat = pdis_latencies(env, insn),
    };
    pdis_addresses(env, insn, type, r);
}

/* Samples */

static bool pdis_qualifies(const PDISState *p, const PDISRecord *r)
{
    int latsel = extract64(p->filter, PDISFILTER_LATSEL_SHIFT,
                           PDISFILTER_LATSEL_BITS);
    uint32_t latency = extract64(r->lat, latsel * PDISLAT_BITS, PDISLAT_BITS);
    bool below = latency < (p->filter & PDISFILTER_THRESH);

    return (p->evmatch & p->evmask) == (r->hdrev & p->evmask) &&
           below == !!(p->filter & PDISFILTER_INV);
}

/* A record in memory is an array of the words of the data registers. */
static AMBResult pdis_store(CPURISCVState *env, const PDISRecord *r,
                            uint64_t *addr)
{
    uint8_t data[AMB_RECORD_MAX];
    int words = 8, size = pdis_rv32(env) ? 4 : 8;

    for (int i = 0; i < words; i++) {
        if (size == 4) {
            stl_le_p(data + i * size, pdis_word32(r, i));
        } else {
            stq_le_p(data + i * size, pdis_word64(env, r, i));
        }
    }
    return amb_put(env, &env->pdis.amb, data, words * size, addr);
}

static void pdis_record(CPURISCVState *env, PDISOutcome *o)
{
    PDISState *p = &env->pdis;
    uint32_t drop = pdis_cfg(env)->drop;

    o->by_rule = drop && ++p->qualified % drop == 0;
    if (o->by_rule) {
        o->fate = PDIS_DROPPED;
    } else if (p->ctl & PDISCTL_MEM) {
        o->result = pdis_store(env, o->record, &o->addr);
        o->fate = o->result == AMB_STORED ? PDIS_RECORDED : PDIS_DROPPED;
    } else {
        p->record = *o->record;
        o->fate = PDIS_RECORDED;
    }
}

/* OF follows the qualification, even if there was no room for the record. */
static void pdis_interrupt(CPURISCVState *env, PDISOutcome *o)
{
    o->irq = !(env->pdis.ctl & PDISCTL_OF);
    if (o->irq) {
        env->pdis.ctl |= PDISCTL_OF;
        if (env->ctr.log && !(env->mip & MIP_LCOFIP)) {
            ctr_log_lcofip(env);
        }
        riscv_cpu_update_mip(env, MIP_LCOFIP, MIP_LCOFIP);
    }
}

static void pdis_end(CPURISCVState *env, const UarchInsn *insn,
                     const PDISOutcome *o)
{
    const uint64_t attrs[] = {
        [PDIS_RECORDED] = HPM_PDIS_SAMPLE, [PDIS_FILTERED] = HPM_PDIS_FILTERED,
        [PDIS_DROPPED] = HPM_PDIS_DROPPED,
        [PDIS_COLLISION] = HPM_PDIS_COLLISION,
    };

    hpm_happen(env, attrs[o->fate]);
    pdis_log_outcome(env, insn, o);
}

static void pdis_sample(CPURISCVState *env, UarchInsn *insn)
{
    PDISState *p = &env->pdis;
    PDISRecord record;
    PDISOutcome o = { .record = &record, .again = p->again };

    p->busy_until = insn->cycle + insn->total;
    pdis_fill(env, insn, &record);
    if (pdis_qualifies(p, &record)) {
        pdis_record(env, &o);
        pdis_interrupt(env, &o);
    } else {
        o.fate = PDIS_FILTERED;
    }
    p->again = (p->ctl & PDISCTL_ACC) && o.fate != PDIS_RECORDED;
    pdis_end(env, insn, &o);
}

static bool pdis_selects(const PDISState *p, const UarchInsn *insn)
{
    switch (p->ctl & PDISCTL_SEL) {
    case PDIS_SEL_LOAD:
        return insn->attrs & HPM_LOAD;
    case PDIS_SEL_STORE:
        return insn->attrs & HPM_STORE;
    case PDIS_SEL_LDST:
        return insn->attrs & (HPM_LOAD | HPM_STORE);
    case PDIS_SEL_CTI:
        return insn->attrs & HPM_TRANSFER;
    default:
        return true;
    }
}

/* Count one instruction; has the counter overflowed, and been reloaded? */
static bool pdis_tick(PDISState *p)
{
    p->total++;
    if (++p->count) {
        return false;
    }
    p->count = p->initval;
    return true;
}

void pdis_decoded(CPURISCVState *env, UarchInsn *insn)
{
    PDISState *p = &env->pdis;
    bool overflow, active = insn->cycle < p->busy_until;

    if (insn->flushed) {        /* hpm.c does not know of it */
        hpm_happen(env, hpm_decoding(insn->attrs));
    }
    p->now = insn->cycle;
    if (p->full && !p->uncounted && pdis_counts(env, insn->mode) &&
        pdis_selects(p, insn)) {
        overflow = pdis_tick(p);
        if (active && overflow) {
            pdis_end(env, insn, &(PDISOutcome) { .fate = PDIS_COLLISION });
        } else if (!active && (overflow || p->again)) {
            pdis_sample(env, insn);
        }
    }
    if (p->full && !pdis_needs_model(env)) {
        uarch_sample(env, false);
    }
}

/* Life of the model */

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
    .version_id = 2,
    .minimum_version_id = 2,
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
        VMSTATE_BOOL(env.pdis.full, RISCVCPU),
        VMSTATE_BOOL(env.pdis.again, RISCVCPU),
        VMSTATE_UINT64(env.pdis.busy_until, RISCVCPU),
        VMSTATE_UINT64(env.pdis.now, RISCVCPU),
        VMSTATE_UINT64(env.pdis.total, RISCVCPU),
        VMSTATE_UINT64(env.pdis.qualified, RISCVCPU),
        VMSTATE_STRUCT(env.pdis.amb, RISCVCPU, 1, vmstate_amb, AMBState),
        VMSTATE_END_OF_LIST()
    }
};
