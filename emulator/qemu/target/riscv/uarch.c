/*
 * RISC-V microarchitecture model: one stream of decoded instructions
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Its beginning, and where it is interrupted: what is pending then has been
 * executed and ends, or has not, and takes a trap or begins again.
 * Instructions are in uarch_insn.c at level full, and in uarch_touch.c what is
 * known of them at level touch.
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "uarch_internal.h"
#include "uarch_shared.h"

/* Ends of instructions */

void uarch_sync(CPURISCVState *env)
{
    UarchState *u = &env->uarch;

    uarch_catch_up(env);
    if (u->pending && !u->undone) {
        uarch_commit(env, u->insn.pc + u->insn.len);
    }
}

/*
 * No instruction is pending that could count what others have asked for, or
 * what those in front of one have added that has not completed.
 */
static void uarch_count_rest(CPURISCVState *env)
{
    UarchState *u = &env->uarch;
    UarchInsn none = {
        .pc = uarch_pc(env), .next_pc = uarch_pc(env), .mode = env->hpm.mode,
    };

    if (env->pdis.full && qatomic_read(&u->model.has_remote)) {
        uarch_take_traffic(&u->model, &u->amounts);
    }
    if (u->amounts.some) {
        u->others = 0;
        uarch_tell(env, &none);
    }
}

/* The hart stops between two instructions. */
void uarch_stop(CPURISCVState *env)
{
    UarchState *u = &env->uarch;

    uarch_catch_up(env);
    if (u->pending && !u->undone) {
        uarch_commit(env, uarch_pc(env));
    }
    u->pending = false;
    uarch_count_rest(env);
}

/*
 * Nothing is pending in a snapshot. Whether the instruction that is pending is
 * the first one of a pair is told by what will begin next.
 */
void uarch_save(CPURISCVState *env)
{
    UarchState *u = &env->uarch;
    UarchInsn next = { .pc = uarch_pc(env) };

    if (u->model.p.fusion && u->pending &&
        uarch_fetch_insn(env, &next) && uarch_is_pair(env, next.opcode)) {
        u->insn.fused = true;
        uarch_stop(env);
        u->second_pc = next.pc;
        return;
    }
    uarch_stop(env);
}

/* Is no instruction before the one at env->pc in the same cycle as that one? */
bool uarch_next_serializes(CPURISCVState *env)
{
    UarchInsn next = { .pc = uarch_pc(env) };

    return uarch_fetch_insn(env, &next) &&
           uarch_operands(next.opcode, next.attrs,
                          env->xl == MXL_RV32).kind == UARCH_SERIALIZING;
}

/*
 * The instruction at env->pc does not complete: it takes a trap, or begins
 * again. Of a block it is the last one that is looked at.
 */
void uarch_restore(CPURISCVState *env)
{
    UarchState *u = &env->uarch;
    uint64_t place = uarch_pc(env) - u->block_pc;

    u->undone = true;
    while (u->reached > u->at && u->block->insn[u->reached].place != place) {
        u->reached--;
    }
}

/*
 * A trap is about to be taken. If an instruction was stopped by it, where it
 * goes on is known when the mode changes. What is looked up meanwhile must not
 * change what is known of the trap.
 */
void uarch_trap(CPURISCVState *env, bool async)
{
    UarchState *u = &env->uarch;
    hwaddr guest_phys = env->guest_phys_fault_addr;
    bool two_stage = env->two_stage_lookup;
    bool indirect = env->two_stage_indirect_lookup;

    u->second_pc = 0;
    uarch_catch_up(env);
    if (u->pending && u->undone && !async && u->insn.pc == uarch_pc(env)) {
        u->insn.trapped = true;
    } else {
        uarch_stop(env);
        uarch_interrupted(&u->model);
    }
    env->guest_phys_fault_addr = guest_phys;
    env->two_stage_lookup = two_stage;
    env->two_stage_indirect_lookup = indirect;
}

/* @return_pc: where it leads to, if this is a trap return */
void uarch_leave_mode(CPURISCVState *env, target_ulong return_pc)
{
    UarchState *u = &env->uarch;

    if (!u->pending) {
        return;
    }
    uarch_catch_up(env);
    if (u->insn.trapped) {
        uarch_commit(env, uarch_pc(env));
    } else if (u->insn.attrs & HPM_TRET) {
        uarch_commit(env, uarch_address(env, return_pc));
    } else {
        uarch_sync(env);
    }
}

/* Other harts, and samplers */

/* Harts that take turns do not find what others have changed unless told. */
static void uarch_forget_changed(void)
{
    CPUState *cs;

    CPU_FOREACH(cs) {
        UarchState *u = &cpu_env(cs)->uarch;

        if (u->model.changed) {
            u->model.changed = false;
            uarch_filter_clear_lines(&u->filter);
        }
    }
}

void uarch_settle(CPURISCVState *env)
{
    UarchState *u = &env->uarch;

    uarch_catch_up(env);
    if (u->pending && !u->undone) {
        uarch_look_up(env);
    }
    if (u->model.shared->n > 1 && !qemu_tcg_mttcg_enabled()) {
        uarch_forget_changed();
    }
}

void uarch_sample(CPURISCVState *env, bool on)
{
    env->hpm.stale |= env->uarch.sampled != on;
    env->uarch.sampled = on;
}

/* Life of the model */

void uarch_reset(CPURISCVState *env)
{
    UarchState *u = &env->uarch;

    u->pending = u->sampled = false;
    u->at = u->reached = 0;
    u->amounts.some = 0;
    u->cycles = u->second_pc = 0;
    u->spaces = u->space = 0;
    uarch_model_reset(&u->model);
    uarch_clock_reset(&u->clock, &u->model.p);
    uarch_filter_clear(&u->filter);
    u->filter.no_data = u->model.shared->n > 1 && qemu_tcg_mttcg_enabled();
}
