/*
 * RISC-V precise decoded instruction sampling (Smpdis, Sspdis)
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Far from its overflow the counter counts like any other (hpm.c). When there
 * are some instructions to go (pdis_warmup()), each is modelled (uarch_insn.c)
 * and comes to pdis_decoded() once all is known of it, in the order in which
 * they were decoded. So a sample is taken in one go: selected, filtered and
 * recorded. That it was on its way in between shows in the collisions only: it
 * ends at the model time at which the instruction retires, traps or is flushed.
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "pdis_internal.h"

/* What there is */

bool pdis_present(CPURISCVState *env)
{
    return riscv_cpu_cfg(env)->ext_smpdis || riscv_cpu_cfg(env)->ext_sspdis;
}

bool pdis_looks(CPURISCVState *env)
{
    return pdis_enabled(env) || env->pdis.now < env->pdis.busy_until;
}

bool pdis_has_buffer(CPURISCVState *env)
{
    return pdis_present(env) && pdis_cfg(env)->mem_kind != PDIS_HARDWIRED_0;
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

/*
 * Is the overflow as near as pdis_warmup()? That is a division, and this asked
 * for each instruction.
 */
static bool pdis_overflows_soon(CPURISCVState *env)
{
    uint64_t left = pdis_to_overflow(&env->pdis);
    uint64_t least = pdis_cfg(env)->warmup;

    return left <= least || (left < 2 * least && left <= pdis_warmup(env));
}

/* Must each instruction be seen? Until a sample has ended: collisions. */
static bool pdis_needs_model(CPURISCVState *env)
{
    PDISState *p = &env->pdis;

    return pdis_counts(env, env->hpm.mode) &&
           (p->again || p->now < p->busy_until || pdis_overflows_soon(env));
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

/*
 * What is flushed between samples nobody sees, and COUNT has not counted it. An
 * instruction that is selected and flushed stands for these: they have been as
 * many as there are left, but for a warm-up. So each one that is decoded is as
 * likely to be selected as any other: those that come so many after one that
 * is first seen and retires, or after one that is selected and flushed. It is
 * not done where a whole period has not yet passed: software wants one sample.
 */
static void pdis_catch_up(CPURISCVState *env)
{
    uint64_t left = pdis_to_overflow(&env->pdis), warmup = pdis_warmup(env);

    if (warmup && left >= warmup) {
        pdis_add(env, left - (warmup - 1));
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
    p->reloaded = true;
    return true;
}

void pdis_decoded(CPURISCVState *env, UarchInsn *insn)
{
    PDISState *p = &env->pdis;
    bool overflow, reloaded, active = insn->cycle < p->busy_until;

    if (insn->flushed) {        /* hpm.c does not know of it */
        hpm_happen(env, hpm_decoding(insn->attrs));
    }
    p->now = insn->cycle;
    if (p->full && !p->uncounted && pdis_counts(env, insn->mode) &&
        pdis_selects(p, insn)) {
        reloaded = p->reloaded;
        overflow = pdis_tick(p);
        if (active && overflow) {
            pdis_end(env, insn, &(PDISOutcome) { .fate = PDIS_COLLISION });
        } else if (!active && (overflow || p->again)) {
            pdis_sample(env, insn);
        }
        if (overflow && reloaded && insn->flushed) {
            pdis_catch_up(env);
        }
    }
    if (p->full && !pdis_needs_model(env)) {
        uarch_sample(env, false);
    }
}
