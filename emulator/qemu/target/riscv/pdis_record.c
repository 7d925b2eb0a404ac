/*
 * RISC-V precise decoded instruction sampling: records
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "cpu.h"
#include "pdis_internal.h"

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
            hpm_counter_incurred(env, ctr, insn->mode, attrs,
                                 !insn->trapped && !insn->flushed)) {
            val |= BIT_ULL(ctr);
        }
    }
    return val;
}

static uint64_t pdis_hdrev(CPURISCVState *env, const UarchInsn *insn,
                           PDISType type)
{
    uint64_t optional = pdis_cfg(env)->fields;
    uint64_t val = (insn->partial ? PDISHDREV_PARTIAL : 0) |
                   (insn->fused ? PDISHDREV_FUSED : 0);

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

void pdis_fill(CPURISCVState *env, UarchInsn *insn, PDISRecord *r)
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

static bool pdis_has_data_registers(CPURISCVState *env)
{
    return pdis_present(env) && pdis_cfg(env)->mem_kind != PDIS_HARDWIRED_1;
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

/* A record in memory is an array of the words of the data registers. */
AMBResult pdis_store(CPURISCVState *env, const PDISRecord *r, uint64_t *addr)
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
