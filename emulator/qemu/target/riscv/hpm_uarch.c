/*
 * RISC-V hardware performance counters: what the microarchitecture counts
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * At level touch uarch_touch.c calls this for what happens, at level full
 * uarch_insn.c for each instruction.
 */

#include "qemu/osdep.h"
#include "qemu/host-utils.h"
#include "cpu.h"
#include "exec/exec-all.h"
#include "hpm_internal.h"

/* Look again after so many instructions how far counters have come. */
#define HPM_CLEAR_MAX (1u << 30)

/* When an overflow is near, go so far before looking whether it still is. */
#define HPM_SLOW_STEPS 64

/* Only retirement makes these; the rest happens to instructions that trap. */
#define HPM_FETCH_ATTRS (HPM_FETCH | HPM_ICMISS | HPM_ICLLMISS |             \
                         HPM_ICHITM | HPM_ITLB | HPM_ITMISS | HPM_ITLLMISS)

bool hpm_incurred(const HPMEvent *event, uint64_t attrs)
{
    return hpm_is_of(attrs, &event->counted[0]) ||
           hpm_is_of(attrs, &event->counted[1]);
}

/* Of several quantities, which are bits numbered by UarchQuantity */
static inline uint64_t hpm_sum(const UarchAmounts *n, uint64_t quantities)
{
    uint64_t sum = 0;

    for (uint64_t m = quantities & n->some; m; m &= m - 1) {
        sum += n->n[ctz64(m)];
    }
    return sum;
}

/*
 * What an event of the model's adds for something that has @attrs: the fetch of
 * an instruction, and what it does then
 */
static uint64_t hpm_amount(const HPMEvent *event, uint64_t attrs,
                           const UarchAmounts *n)
{
    uint64_t amount = 0;

    if (attrs & hpm_counted_attrs(event)) {
        amount = hpm_incurred(event, attrs & HPM_FETCH_ATTRS) +
                 hpm_incurred(event, attrs & ~HPM_FETCH_ATTRS);
    }
    return amount + hpm_sum(n, event->quantities);
}

/* Add to what there is of each of several events. */
static void hpm_add_amounts(const HPMSelection *sel, uint64_t attrs,
                            const UarchAmounts *n, uint64_t *amounts)
{
    for (int i = 0; i < HPM_SELECTED; i++) {
        amounts[i] += sel->event[i] ? hpm_amount(sel->event[i], attrs, n) : 0;
    }
}

static __attribute__((noinline)) uint64_t
hpm_combined_amount(const HPMSelection *sel, uint64_t attrs,
                    const UarchAmounts *n)
{
    uint64_t amounts[HPM_SELECTED] = {};

    hpm_add_amounts(sel, attrs, n, amounts);
    return hpm_xiangshan_combine(sel, amounts);
}

uint64_t hpm_selected_amount(const HPMSelection *sel, uint64_t attrs,
                             const UarchAmounts *n)
{
    return sel->combined ? hpm_combined_amount(sel, attrs, n) :
                           hpm_amount(sel->event[0], attrs, n);
}

/*
 * At level full: @kinds is what the next instruction counts as. Return whether
 * an overflow is due, in which case hpm_insn_stop() deals with it, the
 * instruction having been given back.
 */
bool hpm_insn_due(CPURISCVState *env, uint64_t kinds)
{
    HPMState *h = &env->hpm;
    bool due = hpm_due(h) || h->stale;

    if (hpm_level(env) != HPM_KEY_FULL || h->blocks) {
        due |= !h->steps--;             /* see helper_hpm_slow() */
    }
    for (; kinds; kinds &= kinds - 1) {
        h->left[ctz64(kinds)]--;
    }
    if (!due) {
        h->pc = env->pc;
    }
    return due;
}

/* An access, with @attrs: by counter of accesses, what it adds */
static void hpm_add_access(HPMState *h, HPMMode mode, uint64_t attrs,
                           bool flushed, uint32_t *amounts)
{
    for (uint32_t m = h->modelled_by_uarch[mode] & h->accesses; m; m &= m - 1) {
        int ctr = ctz32(m);
        const HPMEvent *event = h->selection[ctr].event[0];

        if (!(flushed && event->retired)) {
            amounts[ctr] += hpm_incurred(event, attrs);
        }
    }
}

void hpm_count_place(CPURISCVState *env, HPMMode mode, uint64_t attrs)
{
    env->hpm.several = true;
    hpm_add_access(&env->hpm, mode, attrs, false, env->hpm.more);
}

void hpm_count_flushed(CPURISCVState *env, HPMMode mode, uint64_t attrs)
{
    env->hpm.has_flushed = true;
    hpm_add_access(&env->hpm, mode, attrs, true, env->hpm.flushed);
}

/* What an instruction with several accesses adds to a counter of accesses */
static uint64_t hpm_place_amount(HPMState *h, int ctr, uint64_t attrs,
                                 const UarchAmounts *n)
{
    return hpm_amount(h->selection[ctr].event[0], attrs & HPM_FETCH_ATTRS, n) +
           h->more[ctr];
}

/*
 * Most instructions have nothing that the counter counts but quantities, and
 * make nothing overflow. Returns false if it is not so.
 */
static inline bool hpm_count_quantities(CPURISCVState *env, int ctr,
                                        uint64_t attrs, const UarchAmounts *n)
{
    const HPMTally *tally = &env->hpm.tally[ctr];
    target_ulong *value = &env->pmu_ctrs[ctr].mhpmcounter_val;
    uint64_t amount;

    if (!tally->max || (attrs & tally->attrs)) {
        return false;
    }
    amount = hpm_sum(n, tally->quantities);
    if (*value > tally->max || amount > tally->max - *value) {
        return false;
    }
    *value += amount;
    env->hpm.total[ctr] += amount;
    return true;
}

static __attribute__((noinline)) void
hpm_count_attrs(CPURISCVState *env, int ctr, uint64_t attrs,
                const UarchAmounts *n)
{
    HPMState *h = &env->hpm;
    uint64_t amount = h->several && (h->accesses & BIT(ctr)) ?
        hpm_place_amount(h, ctr, attrs, n) :
        hpm_selected_amount(&h->selection[ctr], attrs, n);

    amount += h->flushed[ctr];
    if (amount && hpm_add(env, ctr, amount)) {
        h->irqs |= BIT(ctr);
    }
}

/*
 * Counters of several events count when a cycle is over: with what comes later
 * in it there may be less that the operators let through. If a counter
 * overflows by it, that is due to the last instruction of the cycle.
 */
void hpm_end_cycle(CPURISCVState *env)
{
    HPMState *h = &env->hpm;
    HPMCycle *c = &h->cycle;
    target_ulong pc = h->pc, next_pc = h->next_pc;
    uint32_t ctrs = c->ctrs;

    c->ctrs = 0;
    h->pc = c->pc;
    h->next_pc = c->next_pc;
    for (; ctrs; ctrs &= ctrs - 1) {
        int ctr = ctz32(ctrs);
        uint64_t amount = hpm_xiangshan_combine(&h->selection[ctr],
                                                c->amounts[ctr]);

        memset(c->amounts[ctr], 0, sizeof(c->amounts[ctr]));
        if (amount && hpm_add(env, ctr, amount)) {
            h->irqs |= BIT(ctr);
            h->stale = true;
        }
    }
    h->pc = pc;
    h->next_pc = next_pc;
}

/* An instruction has ended, in the last cycle in which any has. */
static __attribute__((noinline)) void
hpm_count_in_cycle(CPURISCVState *env, uint32_t ctrs, uint64_t attrs,
                   const UarchAmounts *n)
{
    HPMState *h = &env->hpm;
    HPMCycle *c = &h->cycle;

    if (c->time != env->uarch.model.pipe.retire) {
        hpm_end_cycle(env);
    }
    for (uint32_t m = ctrs; m; m &= m - 1) {
        int ctr = ctz32(m);

        hpm_add_amounts(&h->selection[ctr], attrs, n, c->amounts[ctr]);
    }
    c->ctrs |= ctrs;
    c->time = env->uarch.model.pipe.retire;
    c->pc = h->pc;
    c->next_pc = h->next_pc;
    if (uarch_cycle_is_full(&env->uarch.model)) {
        hpm_end_cycle(env);
    }
}

/* The model has seen the end of an instruction. */
void hpm_count_insn(CPURISCVState *env, const UarchInsn *insn,
                    const UarchAmounts *n)
{
    HPMState *h = &env->hpm;
    uint64_t attrs = insn->attrs | env->uarch.others;
    bool simple = !h->several && !h->has_flushed;
    uint32_t ctrs = h->modelled_by_uarch[insn->mode] & ~h->written;

    if (env->ctr_key &&
        env_archcpu(env)->uarch_cfg.cycles == UARCH_CYCLES_EXACT) {
        ctr_add_cycles(env, uarch_amount(n, UARCH_CYCLES));
    }
    if (insn->trapped) {
        attrs &= HPM_FETCH_ATTRS;
    }
    h->pc = insn->pc;
    h->next_pc = insn->next_pc;
    if (ctrs & h->combined) {
        hpm_count_in_cycle(env, ctrs & h->combined, attrs, n);
    }
    for (uint32_t m = ctrs & ~h->combined; m; m &= m - 1) {
        int ctr = ctz32(m);

        if (!simple || !hpm_count_quantities(env, ctr, attrs, n)) {
            hpm_count_attrs(env, ctr, attrs, n);
        }
    }
    if (h->has_flushed) {
        h->has_flushed = false;
        memset(h->flushed, 0, sizeof(h->flushed));
    }
    if (h->several) {
        h->several = false;
        memset(h->more, 0, sizeof(h->more));
    }
    if (h->irqs) {
        hpm_fold(env, h->written);      /* with what else overflows by it */
        h->stale = true;
    }
}

void hpm_count_touch(CPURISCVState *env, uint64_t attrs, HPMCounters of)
{
    HPMState *h = &env->hpm;
    uint32_t ctrs = (of & HPM_ACCESSES ? h->accesses : 0) |
                    (of & HPM_INSNS ? ~h->accesses : 0);
    bool counted = false;

    for (uint32_t m = h->modelled_by_uarch[h->mode] & ctrs; m; m &= m - 1) {
        int ctr = ctz32(m);

        if (hpm_incurred(h->selection[ctr].event[0], attrs)) {
            hpm_add(env, ctr, 1);
            counted = true;
        }
    }
    h->touches -= counted;
}

/* To go on with the instruction at env->pc, which has been given back */
void hpm_insn_stop(CPURISCVState *env)
{
    env->hpm.next_pc = env->pc;
    hpm_fold(env, 0);
    hpm_arm(env);
}

/* At level full: so many instructions do not make a counter overflow. */
static uint64_t hpm_insns_to_overflow(CPURISCVState *env, int ctr)
{
    const HPMTally *tally = &env->hpm.tally[ctr];
    uint64_t insns = hpm_room(env, ctr) / tally->most;

    return insns - MIN(insns, tally->ahead);
}

static RARELY bool hpm_look_ahead(CPURISCVState *env, uint32_t insns)
{
    HPMState *h = &env->hpm;

    h->clear = HPM_CLEAR_MAX;
    for (uint32_t m = h->modelled_by_uarch[h->mode]; m; m &= m - 1) {
        h->clear = MIN(h->clear, hpm_insns_to_overflow(env, ctz32(m)));
    }
    return h->clear < insns;
}

/*
 * At level full: @insns instructions are about to be executed, and nobody looks
 * what they do until all of them have. Return whether that must not be, in
 * which case hpm_block_stop() deals with it.
 */
bool hpm_block_due(CPURISCVState *env, uint32_t insns)
{
    HPMState *h = &env->hpm;

    if (unlikely(h->stale ||
                 (h->clear < insns && hpm_look_ahead(env, insns)))) {
        return true;
    }
    h->clear -= insns;
    return false;
}

void hpm_block_stop(CPURISCVState *env, uint32_t insns)
{
    if (env->hpm.clear < insns && !env->hpm.stale) {
        hpm_go_slowly(env, MAX(insns, HPM_SLOW_STEPS));
    }
    hpm_insn_stop(env);
    cpu_loop_exit_noexc(env_cpu(env));
}
