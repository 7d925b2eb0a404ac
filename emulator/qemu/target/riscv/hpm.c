/*
 * RISC-V hardware performance counters: exact model
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Every counter that runs counts what retires, instruction by instruction, and
 * overflows at the instruction that makes it overflow. Three levels of effort,
 * chosen by hart and mode and carried in the key of the translation block:
 *
 *   off    no counter runs in this mode: no code is emitted
 *   count  the head of a block subtracts, for each kind of thing that is being
 *          counted, how many of them the block holds
 *   step   an overflow is due within the next block: blocks of one instruction,
 *          each of which calls a helper
 *
 * And whether each instruction is modelled (uarch_insn.c), or some of what it
 * does (uarch_touch.c)
 *
 * A block is accounted for before it executes. What then does not retire is
 * given back when the block is left by an exception: see hpm_restore().
 */

#include "qemu/osdep.h"
#include "qemu/host-utils.h"
#include "cpu.h"
#include "exec/exec-all.h"
#include "exec/helper-proto.h"
#include "hpm_internal.h"

/* No counter is so far from its overflow that this could be missed */
#define HPM_LEFT_MAX (INT64_MAX / 2)

static void hpm_set_of(CPURISCVState *env, int ctr)
{
    if (riscv_cpu_mxl(env) == MXL_RV32) {
        env->mhpmeventh_val[ctr] |= MHPMEVENTH_BIT_OF;
    } else {
        env->mhpmevent_val[ctr] |= MHPMEVENT_BIT_OF;
    }
}

/* xorshift64*: small, seeded, the same everywhere */
static uint64_t hpm_random(HPMState *h)
{
    h->rng ^= h->rng >> 12;
    h->rng ^= h->rng << 25;
    h->rng ^= h->rng >> 27;
    return h->rng * 0x2545f4914f6cdd1dull;
}

static uint32_t hpm_draw_skid(CPURISCVState *env)
{
    HPMConfig *cfg = &env_archcpu(env)->hpm_cfg;

    if (cfg->skid_max <= cfg->skid) {
        return cfg->skid;
    }
    return cfg->skid + (hpm_random(&env->hpm) >> 32) %
                       (cfg->skid_max - cfg->skid + 1);
}

static void hpm_interrupt_arrives(CPURISCVState *env)
{
    env->hpm.skid_pending = false;
    pesa_arrive(env);
    riscv_cpu_update_mip(env, hpm_interrupt(env), hpm_interrupt_level(env));
}

/*
 * One instruction has moved OF of @ctrs from 0 to 1. That is one request, which
 * takes the shortest way that any of them has. A late request, if there is
 * another on its way, merges with it: it is the older one, with what it has to
 * tell, that arrives, at the earlier time of both.
 */
static void hpm_request_interrupt(CPURISCVState *env, uint32_t ctrs)
{
    HPMState *h = &env->hpm;
    int64_t skid = h->skid_pending ? h->skid_left : INT64_MAX;
    bool no_skid = false;

    for (uint32_t m = ctrs; m; m &= m - 1) {
        if (pesa_no_skid(env, ctz32(m))) {
            no_skid = true;
        } else {
            skid = MIN(skid, hpm_draw_skid(env));
        }
    }
    if (no_skid) {
        pesa_capture(env, ctrs);
        riscv_cpu_update_mip(env, MIP_LCOFIP, MIP_LCOFIP);
        return;
    }
    if (!h->skid_pending) {
        pesa_request(env, ctrs);
    }
    h->skid_pending = true;
    h->skid_left = skid;
    if (!skid) {
        hpm_interrupt_arrives(env);
    }
}

/* Is an interrupt to be requested? */
static bool hpm_overflow(CPURISCVState *env, int ctr)
{
    bool set = ctr > 2 && riscv_cpu_cfg(env)->ext_sscofpmf &&
               !(hpm_event(env, ctr) & MHPMEVENT_BIT_OF);
    bool irq = set || hpm_vendor_overflow(env, ctr);

    hpm_log_overflow(env, ctr, irq);
    if (set) {
        hpm_set_of(env, ctr);
    }
    return irq;
}

/* Is an interrupt to be requested? */
bool hpm_add(CPURISCVState *env, int ctr, uint64_t n)
{
    uint64_t mask = hpm_width_mask(env, ctr);
    uint64_t old = hpm_value(env, ctr);

    if (ctr == HPM_PDIS) {
        pdis_add(env, n);
        return false;
    }
    hpm_set_value(env, ctr, (old + n) & mask);
    env->hpm.total[ctr] += n;
    return n > mask - old && hpm_overflow(env, ctr);
}

/* @n instructions have gone by: what waits for some number comes nearer. */
static void hpm_fold_delays(CPURISCVState *env, uint64_t n)
{
    HPMState *h = &env->hpm;

    if (h->stopping) {
        h->stop_left -= n;
    }
    if (h->skid_pending) {
        h->skid_left -= n;
        if (h->skid_left <= 0) {
            hpm_interrupt_arrives(env);
        }
    }
}

/* From here on each instruction is a block, up to @insns of them. */
void hpm_go_slowly(CPURISCVState *env, uint32_t insns)
{
    if (env->hpm.key & (HPM_KEY_TOUCH | HPM_KEY_PREDICT)) {
        env->hpm.key &= ~(HPM_KEY_LEVEL | HPM_KEY_HITS);
        env->hpm.key |= HPM_KEY_FULL;
    }
    env->hpm.key |= HPM_KEY_STEP;
    env->hpm.steps = insns;
    cpu_loop_exit_noexc(env_cpu(env));
}

/*
 * Carry what has been counted since the last fold into the counters, and do
 * what follows from it. @written: counters which the CSR instruction that is
 * being executed writes, or whose event it writes.
 */
void hpm_fold(CPURISCVState *env, uint32_t written)
{
    HPMState *h = &env->hpm;
    uint64_t pending = env->mip & MIP_LCOFIP;
    uint32_t irqs = h->irqs;

    if (!h->armed && !irqs) {
        return;
    }
    h->irqs = 0;
    if (h->armed & BIT_ULL(HPM_KIND_INSN)) {
        uint64_t n = h->start[HPM_KIND_INSN] - h->left[HPM_KIND_INSN];

        h->retired[h->mode] += n;
        if (env->uarch.clock.runs) {
            irqs |= hpm_clock_fold(env, n, written);
        } else if (env_archcpu(env)->uarch_cfg.cycles == UARCH_CYCLES_OFF) {
            ctr_add_cycles(env, n * env_archcpu(env)->hpm_cfg.cpi);
        }
        hpm_fold_delays(env, n);
        amb_elapsed(env, &env->pdis.amb, n);
    }
    for (uint32_t m = hpm_running(env); m; m &= m - 1) {
        int ctr = ctz32(m);
        int k = h->kind[ctr];
        uint64_t n = h->start[k] - h->left[k];

        if (written & BIT(ctr)) {
            n -= hpm_csr_insn(env, k);
        }
        if (n && hpm_add(env, ctr, n * h->weight[ctr])) {
            irqs |= BIT(ctr);
        }
    }
    if (irqs) {
        hpm_request_interrupt(env, irqs);
    }
    for (uint64_t m = h->armed; m; m &= m - 1) {
        h->start[ctz64(m)] = h->left[ctz64(m)];
    }
    if (env->ctr.log && !pending && (env->mip & MIP_LCOFIP)) {
        ctr_log_lcofip(env);
    }
}

/* After how many instructions is there something to do that is no overflow? */
static int64_t hpm_insns_due(CPURISCVState *env)
{
    HPMState *h = &env->hpm;
    int64_t due = amb_due(&env->pdis.amb);

    if (h->skid_pending) {
        due = MIN(due, h->skid_left);
    }
    if (h->stopping) {
        due = MIN(due, h->stop_left);
    }
    if (env->uarch.clock.runs) {
        due = MIN(due, env->uarch.clock.course[0].left);
    }
    return due;
}

/* How often may each kind happen before a counter that runs here overflows? */
static void hpm_set_deadlines(CPURISCVState *env)
{
    HPMState *h = &env->hpm;

    for (uint64_t m = h->armed; m; m &= m - 1) {
        h->left[ctz64(m)] = HPM_LEFT_MAX;
    }
    if (h->armed & BIT_ULL(HPM_KIND_INSN)) {
        h->left[HPM_KIND_INSN] = MIN(hpm_insns_due(env) - 1, HPM_LEFT_MAX);
    }
    for (uint32_t m = hpm_running(env); m; m &= m - 1) {
        int ctr = ctz32(m);
        int k = h->kind[ctr];
        uint64_t room = hpm_room(env, ctr);

        h->left[k] = MIN(h->left[k],
                         MIN(room / h->weight[ctr], HPM_LEFT_MAX));
    }
    for (uint64_t m = h->armed; m; m &= m - 1) {
        h->start[ctz64(m)] = h->left[ctz64(m)];
    }
    if (env->uarch.clock.runs) {
        hpm_clock_arm(env);
    }
}

void hpm_rearm(CPURISCVState *env)
{
    env->hpm.stale = true;
}

uint64_t hpm_unfolded(CPURISCVState *env)
{
    HPMState *h = &env->hpm;

    return h->armed & BIT_ULL(HPM_KIND_INSN) ?
           h->start[HPM_KIND_INSN] - h->left[HPM_KIND_INSN] : 0;
}

/*
 * What does anybody want to know of the pipeline? Of what is flushed PDIS may
 * take a sample, and counters count how much is decoded.
 */
static void hpm_look(CPURISCVState *env)
{
    HPMState *h = &env->hpm;

    env->uarch.model.counted = h->quantities;
    env->uarch.model.watched = env_archcpu(env)->uarch_cfg.log ||
                               pdis_looks(env) || h->combined ||
                               hpm_match(h->armed, HPM_DECODED);
}

/* Start to count in the current mode; everything has been folded. */
void hpm_arm(CPURISCVState *env)
{
    HPMState *h = &env->hpm;

    if (h->stopping && h->stop_left <= 0) {
        h->stopping = 0;
        hpm_end_cycle(env);
        hpm_fold(env, 0);       /* nothing may look for it any more */
        hpm_derive(env);
    }
    pdis_arm(env);
    hpm_clock_turn(env);
    h->armed = h->kinds[h->mode];
    if (hpm_insns_due(env) != INT64_MAX) {
        h->armed |= BIT_ULL(HPM_KIND_INSN);
    }
    h->key = (h->armed & hpm_kinds_of_code) | hpm_level(env);
    if ((h->key & HPM_KEY_FULL) && !env->pdis.full) {
        uarch_resume(&env->uarch.model);
    }
    env->pdis.full = h->key & HPM_KEY_FULL;
    qatomic_set(&env->uarch.model.full, env->pdis.full);
    if (env->uarch.clock.runs) {
        uarch_clock_sees(&env->uarch.clock, &env->uarch.model.p,
                         env->pdis.full);
    }
    if (h->key & HPM_KEY_FULL) {
        hpm_look(env);
        h->blocks = uarch_takes_blocks(env);
        h->clear = 0;
        h->key |= h->blocks ? 0 : HPM_KEY_STEP;
    }
    h->stale = false;
    h->touches = HPM_LEFT_MAX;
    for (uint32_t m = h->modelled_by_uarch[h->mode]; m; m &= m - 1) {
        h->touches = MIN(h->touches, MIN(hpm_room(env, ctz32(m)),
                                         HPM_LEFT_MAX));
    }
    if (h->armed) {
        hpm_set_deadlines(env);
    }
}

/*
 * Cycles since reset, in every mode, inhibited or not. For the log of control
 * transfers, which has instructions counted all the time.
 */
uint64_t hpm_cycles(CPURISCVState *env)
{
    HPMState *h = &env->hpm;
    uint64_t insns = h->start[HPM_KIND_INSN] - h->left[HPM_KIND_INSN];

    switch (env_archcpu(env)->uarch_cfg.cycles) {
    case UARCH_CYCLES_EXACT:
        return env->uarch.cycles;
    case UARCH_CYCLES_CHEAP:
        return (env->uarch.clock.now >> UARCH_CLOCK_BITS) +
               uarch_clock_cycles(&env->uarch.clock, insns);
    default:
        break;
    }
    for (int mode = 0; mode < HPM_MODES; mode++) {
        insns += h->retired[mode];
    }
    return insns * env_archcpu(env)->hpm_cfg.cpi;
}

/* Instructions that were accounted for but do not retire */

/* @data: by kind, what the block holds from the instruction that stops it on */
void hpm_restore(CPURISCVState *env, uint64_t key, uint64_t data)
{
    int bits = hpm_field_bits(key);

    for (uint64_t m = hpm_insn_kinds(key); m; m &= m - 1) {
        env->hpm.left[ctz64(m)] += extract64(data, 0, bits);
        data >>= bits;
    }
    if (key & HPM_KEY_FULL) {
        uarch_restore(env);
    }
}

/* For an exception which is raised without unwinding the block */
void hpm_undo(CPURISCVState *env, uintptr_t ra)
{
    if (env->hpm.key) {
        target_ulong bins = env->bins;

        cpu_restore_state(env_cpu(env), ra);
        env->bins = bins;
    }
}

/* Helpers, called by translated code */

/*
 * The block holds, or may hold, an instruction at which a counter overflows.
 * It has not been entered, and env->pc is where it begins. @insns: how many it
 * has; @charged: how many of these -icount has taken for executed
 */
void HELPER(hpm_slow)(CPURISCVState *env, uint32_t insns, uint32_t charged)
{
    env_cpu(env)->neg.icount_decr.u16.low += charged;
    hpm_go_slowly(env, insns);
}

/* Called before each instruction in step mode; @kinds: what it counts as. */
void HELPER(hpm_step)(CPURISCVState *env, uint64_t kinds)
{
    HPMState *h = &env->hpm;
    CPUState *cs = env_cpu(env);
    bool due = hpm_due(h);

    for (; kinds; kinds &= kinds - 1) {
        h->left[ctz64(kinds)]--;
    }
    if (!due && h->steps) {
        h->steps--;
        h->pc = env->pc;
        return;
    }
    cpu_restore_state(cs, GETPC());     /* this instruction has yet to run */
    h->next_pc = env->pc;
    hpm_fold(env, 0);
    hpm_arm(env);
    cpu_loop_exit_noexc(cs);
}

void HELPER(hpm_marker)(CPURISCVState *env, uint32_t id)
{
    uarch_sync(env);
    env->hpm.next_pc = env->hpm.pc + 4;
    hpm_fold(env, 0);
    hpm_arm(env);
    hpm_log_marker(env, id);
}
