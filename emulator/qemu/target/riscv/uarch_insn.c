/*
 * RISC-V microarchitecture model: level full
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Each instruction is a block of its own and begins with a call of
 * helper_uarch_insn(). That ends the instruction before it: where it went is
 * where this one is, and it has left behind the outcome of a branch and the
 * address of an access. An instruction that did not complete never gets so far;
 * a trap ends it, or it begins again (uarch.c). Where nobody waits for
 * instructions, because no counter can overflow so soon, and no sampler or log
 * looks at them, a block has several, and begins with a call of
 * helper_uarch_block(), which does the same with those of the block before it,
 * one after the other.
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "exec/exec-all.h"
#include "exec/helper-proto.h"
#include "uarch_internal.h"
#include "uarch_shared.h"

#define UARCH_PREDICTED (HPM_TRANSFER & ~HPM_TRET)

/* The pending instruction ends */

/* Nearly all have one access, which reaches into no other line. */
static inline void uarch_enter_data(CPURISCVState *env, UarchInsn *insn)
{
    uint64_t attrs = insn->attrs & (HPM_LOAD | HPM_STORE);
    UarchModel *m = &env->uarch.model;
    UARCH_UNSET UarchAccess a;

    if (!insn->has_addr || insn->trapped || !attrs) {
        return;
    }
    if ((insn->attrs & HPM_RVV) || !insn->operands.size ||
        uarch_leaves_line(m, insn->addr, insn->operands.size)) {
        uarch_enter_places(env, insn);
        return;
    }
    uarch_access(env, insn->addr, uarch_type(attrs), insn->mmu_idx, &a);
    if (a.valid) {
        uarch_met(env, insn, uarch_enter(env, insn->addr, insn->mmu_idx, &a),
                  &a);
    }
}

/* The accesses of the pending instruction, which has executed */
void uarch_look_up(CPURISCVState *env)
{
    UarchState *u = &env->uarch;

    if (!u->settled) {
        u->settled = true;
        /* Of the others it is known that they have been executed. */
        u->insn.has_addr = u->at ? !u->insn.trapped : u->ea_valid;
        u->insn.addr = u->insn.has_addr ? u->ea[u->at] : 0;
        uarch_enter_data(env, &u->insn);
        uarch_stall(env, (u->insn.attrs | u->others) & ~UARCH_CLOCK_FETCH);
    }
}

/* Where a branch went is known when it has been executed. */
static inline void uarch_note_outcome(UarchState *u)
{
    if (u->insn.attrs & HPM_BRANCH) {
        u->insn.attrs |= u->taken ? HPM_TAKEN : HPM_NOT_TAKEN;
    }
}

/* Predict @insn, unless somebody has, see uarch_transfer(). */
static void uarch_predict_insn(CPURISCVState *env, UarchInsn *insn)
{
    UarchState *u = &env->uarch;

    if (!u->predicted) {
        uarch_predict(&u->model, insn->attrs, insn->pc, insn->pc + insn->len,
                      insn->next_pc, insn->operands.offset, &u->prediction);
        if (u->prediction.wrong) {
            uarch_stall(env, HPM_MISPRED);
        }
    }
    insn->attrs |= u->prediction.wrong ? HPM_MISPRED : 0;
}

/* The pipeline has seen an instruction, while the clock runs. */
static __attribute__((noinline)) void
uarch_clock_tell(CPURISCVState *env, const UarchInsn *insn, uint64_t cycles)
{
    UarchState *u = &env->uarch;

    uarch_clock_saw(&u->clock, &u->model.p, insn, cycles);
    hpm_clock_add(env, cycles << UARCH_CLOCK_BITS);
}

/*
 * The pending instruction has ended; @next_pc is what follows it. The pipeline
 * sees it if that is asked for, and not because a block of level touch, however
 * long it happens to be, goes by instructions to an overflow.
 */
void uarch_commit(CPURISCVState *env, uint64_t next_pc)
{
    UarchState *u = &env->uarch;
    UarchInsn *insn = &u->insn;
    bool rv32 = env->xl == MXL_RV32;
    const UarchPrediction *pred = NULL;
    UarchAmounts *n = &u->amounts;

    u->pending = false;
    insn->next_pc = next_pc;
    if (!insn->trapped) {
        uarch_note_outcome(u);
    }
    uarch_look_up(env);
    if ((u->model.counted & UARCH_ELEMENTS) && !insn->trapped) {
        uarch_tell_elements(env, n);
    }
    if ((insn->attrs & UARCH_PREDICTED) && !insn->trapped) {
        uarch_predict_insn(env, insn);
        pred = &u->prediction;
    }
    if (env->pdis.full) {
        uarch_time(&u->model, insn, pred, rv32, &u->stream, n);
        u->cycles += uarch_amount(n, UARCH_CYCLES);
        if (u->clock.runs) {
            uarch_clock_tell(env, insn, uarch_amount(n, UARCH_CYCLES));
        }
        if (u->model.watched) {
            uarch_decoded(env, insn);
        }
        if (pred && pred->wrong) {
            uarch_wrong_path(&u->model, insn, pred, rv32, &u->stream, n);
        }
    }
    uarch_forget_traffic(&u->model);
    hpm_count_insn(env, insn, n);
    n->some = 0;            /* each adds to what there is, see uarch_tell() */
}

/* An instruction begins */

/*
 * Is what begins now decoded together with the pending instruction? If so it is
 * behind it, in the same line.
 */
bool uarch_is_pair(CPURISCVState *env, uint32_t opcode)
{
    UarchState *u = &env->uarch;
    uint64_t pc = uarch_pc(env);

    if (u->second_pc) {
        bool saved = u->second_pc == pc;

        u->second_pc = 0;
        return saved;
    }
    return u->model.p.fusion && u->pending && !u->undone &&
           !u->insn.second && pc == u->insn.pc + u->insn.len &&
           !uarch_enters_line(&u->model, pc) &&
           uarch_fuses(u->insn.opcode, opcode, env->xl == MXL_RV32);
}

/*
 * An instruction at @pc begins: what is known of it before it is executed, and
 * what is needed of any. Returns what its fetch has met.
 */
static inline uint64_t uarch_decode(CPURISCVState *env, const UarchDecoded *d,
                                    uint64_t pc)
{
    UarchState *u = &env->uarch;
    UarchInsn *insn = &u->insn;
    uint64_t found = uarch_enter_line(env, pc);

    insn->pc = pc;
    insn->operands = d->operands;
    insn->attrs = d->attrs | found;
    insn->mmu_idx = d->info & UARCH_INFO_MMU_IDX;
    if (found & HPM_ITLLMISS) {
        insn->code_walk = u->model.walk_cycles;
    }
    return found;
}

/* And what is needed of one of which all may be asked for */
static inline void uarch_decode_rest(CPURISCVState *env, const UarchDecoded *d)
{
    UarchState *u = &env->uarch;
    UarchInsn *insn = &u->insn;

    u->settled = false;
    u->others = 0;
    insn->opcode = d->opcode;
    insn->len = (d->opcode & 3) == 3 ? 4 : 2;
    insn->partial = d->info & UARCH_INFO_PARTIAL;
    insn->has_pa = insn->had_line = false;
}

/*
 * The next instruction that is executed is the one at env->pc. What its end
 * sets in any case is left as it is: to clear all of it would take longer than
 * the rest.
 */
static inline void uarch_begin(CPURISCVState *env, const UarchDecoded *d)
{
    UarchState *u = &env->uarch;
    UarchInsn *insn = &u->insn;
    uint64_t pc = uarch_pc(env), again = 0;

    if (u->pending && insn->pc == pc) {
        again = insn->attrs & UARCH_FETCH_ATTRS;
    }
    u->pending = true;
    u->undone = u->predicted = false;
    u->at = u->reached = 0;
    u->ea_valid = u->taken = false;
    uarch_stall(env, uarch_decode(env, d, pc));
    uarch_decode_rest(env, d);
    insn->attrs |= again;
    insn->mode = env->hpm.mode;
    insn->trapped = insn->flushed = false;
    insn->flush_pc = insn->pa = insn->gpa = 0;
    insn->flush = 0;
    if (u->model.counted & UARCH_ELEMENTS) {
        uarch_note_elements(env, insn);
    }
}

/* Blocks of plain instructions */

/*
 * A plain instruction ends: it has been executed. The pipeline sees it, and
 * nobody else wants to.
 */
static inline void uarch_commit_plain(CPURISCVState *env,
                                      const UarchPrediction *pred)
{
    UarchState *u = &env->uarch;
    UarchInsn *insn = &u->insn;

    if (insn->attrs & (HPM_LOAD | HPM_STORE)) {
        insn->has_addr = true;
        insn->addr = u->ea[u->at];
        insn->has_pa = insn->had_line = false;
        uarch_enter_data(env, insn);
    }
    uarch_time_plain(&u->model, insn, pred, env->xl == MXL_RV32, &u->stream,
                     &u->amounts);
}

/* Does an instruction, or what it is the reason for, add to attributes? */
static inline bool uarch_counts(CPURISCVState *env, const UarchInsn *insn)
{
    const HPMState *h = &env->hpm;

    return ((insn->attrs | env->uarch.others) & h->attrs[insn->mode]) ||
           h->several || h->has_flushed;
}

/*
 * A block has been executed, or as far as to an instruction that was stopped:
 * all end but the last one, and that has begun. Those that add to nothing but
 * quantities are counted with what follows them.
 */
void uarch_end_plain(CPURISCVState *env)
{
    UarchState *u = &env->uarch;
    UarchPipe *pipe = &u->model.pipe;
    UarchInsn *insn = &u->insn;
    uint64_t before = pipe->retire;
    const UarchDecoded *d;
    uint64_t next_pc;

    do {
        d = &u->block->insn[u->at + 1];
        next_pc = u->block_pc + d->place;
        uarch_commit_plain(env, NULL);
        if (uarch_counts(env, insn)) {
            uarch_add(&u->amounts, UARCH_CYCLES, pipe->retire - before);
            before = pipe->retire;
            insn->next_pc = next_pc;
            uarch_tell(env, insn);
            u->others = 0;
        }
        u->at++;
        uarch_decode(env, d, next_pc);
    } while (u->at != u->reached);
    uarch_decode_rest(env, d);
    uarch_add(&u->amounts, UARCH_CYCLES, pipe->retire - before);
}

/* The last instruction of a block of plain ones ends; @pc is what follows. */
static inline void uarch_commit_last(CPURISCVState *env, uint64_t pc)
{
    UarchState *u = &env->uarch;
    UarchPipe *pipe = &u->model.pipe;
    uint64_t before = pipe->retire;
    const UarchPrediction *pred = NULL;

    u->pending = false;
    u->insn.next_pc = pc;
    if (u->insn.attrs & UARCH_PREDICTED) {
        uarch_note_outcome(u);
        uarch_predict_insn(env, &u->insn);
        pred = &u->prediction;
    }
    uarch_commit_plain(env, pred);
    uarch_add(&u->amounts, UARCH_CYCLES, pipe->retire - before);
    uarch_tell(env, &u->insn);
}

/* What other harts add to, as much as they like */
#define UARCH_OF_OTHERS (1ull << UARCH_L1D_WB | 1ull << UARCH_REMOTE_HIT |   \
                         1ull << UARCH_REMOTE_HITM)

/*
 * There must be a limit to what a block adds to counters: see
 * uarch_most_cycles(). The elements of a vector are known when it begins.
 */
bool uarch_takes_blocks(CPURISCVState *env)
{
    const UarchModel *m = &env->uarch.model;

    if ((m->shared->n > 1 && (m->counted & UARCH_OF_OTHERS)) ||
        (m->counted & UARCH_ELEMENTS)) {
        return false;
    }
    return !uarch_follows_flushed(m) && !env->uarch.clock.runs &&
           !m->p.write_buffer && !m->p.fusion;
}

/* What translated code calls */

/* A block that takes no interrupt would be left for it again and again. */
static inline bool uarch_must_leave(CPUState *cs, uint32_t info)
{
    return !(info & UARCH_INFO_NOIRQ) && cpu_loop_exit_requested(cs);
}

UARCH_OFTEN
void HELPER(uarch_insn)(CPURISCVState *env, uint64_t attrs, uint64_t operands,
                        uint64_t kinds, uint32_t opcode, uint32_t info)
{
    UarchDecoded d = {
        .attrs = attrs, .operands.all = operands, .opcode = opcode,
        .info = info,
    };
    UarchState *u = &env->uarch;
    CPUState *cs = env_cpu(env);
    bool pair;

    uarch_catch_up(env);
    pair = uarch_is_pair(env, opcode);
    u->insn.fused |= pair;
    if (u->pending && !u->undone) {
        uarch_commit(env, uarch_pc(env));
    }
    if (d.operands.kind == UARCH_SERIALIZING) {
        hpm_end_cycle(env);     /* it may read counters */
    }
    if (hpm_insn_due(env, kinds) || uarch_must_leave(cs, info)) {
        cpu_restore_state(cs, GETPC());     /* this one has yet to run */
        u->second_pc = pair ? uarch_pc(env) : 0;
        hpm_insn_stop(env);
        cpu_loop_exit_noexc(cs);
    }
    uarch_begin(env, &d);
    u->plain = false;
    u->insn.fused = u->insn.second = pair;
}

/* A block begins, of one or several instructions. */
UARCH_OFTEN
void HELPER(uarch_block)(CPURISCVState *env, void *block)
{
    UarchState *u = &env->uarch;
    CPUState *cs = env_cpu(env);
    const UarchBlock *b = block;

    uarch_catch_up(env);
    if (u->pending && !u->undone) {
        if (u->plain && !u->settled && env->pdis.full) {
            uarch_commit_last(env, uarch_pc(env));
        } else {
            uarch_commit(env, uarch_pc(env));
        }
    }
    if (hpm_block_due(env, b->weight) ||
        uarch_must_leave(cs, b->insn[0].info)) {
        cpu_restore_state(cs, GETPC());     /* it has yet to run */
        hpm_block_stop(env, b->weight);
    }
    uarch_begin(env, &b->insn[0]);
    u->insn.fused = u->insn.second = false;
    u->block = b;
    u->plain = b->plain;
    u->block_pc = u->insn.pc;
    u->reached = b->n - 1;
}
