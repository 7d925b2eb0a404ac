/*
 * RISC-V microarchitecture model: one stream of decoded instructions
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * At level full, each instruction is a block of its own and begins with a call
 * of helper_uarch_insn(). That ends the instruction before it: whether a branch
 * was taken is seen from where this one is, and the address of an access has
 * been left behind by it. An instruction that did not complete never gets so
 * far; a trap ends it, or it begins again.
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "cpu.h"
#include "exec/exec-all.h"
#include "exec/helper-proto.h"

/* Who wants to know of an instruction that has been decoded, and of its end */
static void uarch_decoded(CPURISCVState *env, UarchInsn *insn)
{
    if (env_archcpu(env)->uarch_cfg.log) {
        uarch_log_insn(env, insn);
    }
    pdis_decoded(env, insn);
}

static bool uarch_is_transfer(uint64_t attrs)
{
    return attrs & (HPM_BRANCH | HPM_DIR_CALL | HPM_DIR_JUMP | HPM_DIR_LJUMP |
                    HPM_IND_CALL | HPM_IND_JUMP | HPM_IND_LJUMP |
                    HPM_CORSWAP | HPM_RETURN | HPM_TRET);
}

static void uarch_set_outcome(UarchInsn *insn)
{
    if ((insn->attrs & HPM_BRANCH) && !insn->trapped) {
        insn->attrs |= insn->next_pc == insn->pc + insn->len ?
                       HPM_NOT_TAKEN : HPM_TAKEN;
    }
}

static void uarch_set_latencies(UarchState *u, UarchInsn *insn)
{
    insn->cycle = u->cycle++;
    insn->total = insn->oldest = 1;
    insn->stages = UARCH_OLDEST;
    insn->prior_target = u->prior_target;
    if (uarch_is_transfer(insn->attrs) && !insn->trapped &&
        !(insn->attrs & HPM_NOT_TAKEN)) {
        u->prior_target = insn->next_pc;
    }
}

/* The pending instruction has ended; @next_pc is what follows it. */
static void uarch_commit(CPURISCVState *env, target_ulong next_pc)
{
    UarchState *u = &env->uarch;
    UarchInsn *insn = &u->insn;

    u->pending = false;
    insn->next_pc = next_pc;
    insn->has_addr = u->ea_valid;
    insn->addr = u->ea_valid ? u->ea : 0;
    uarch_set_outcome(insn);
    uarch_set_latencies(u, insn);
    uarch_decoded(env, insn);
}

static void uarch_begin(CPURISCVState *env, uint64_t attrs, uint32_t opcode,
                        uint32_t info)
{
    UarchState *u = &env->uarch;

    u->pending = true;
    u->undone = false;
    u->ea_valid = false;
    u->insn = (UarchInsn) {
        .pc = env->pc,
        .opcode = opcode,
        .len = (opcode & 3) == 3 ? 4 : 2,
        .mode = env->hpm.mode,
        .attrs = attrs,
        .mmu_idx = info & UARCH_INFO_MMU_IDX,
        .partial = info & UARCH_INFO_PARTIAL,
    };
}

void HELPER(uarch_insn)(CPURISCVState *env, uint64_t attrs, uint64_t kinds,
                        uint32_t opcode, uint32_t info)
{
    UarchState *u = &env->uarch;
    CPUState *cs = env_cpu(env);

    if (u->pending && !u->undone) {
        uarch_commit(env, env->pc);
    }
    u->pending = false;
    if (hpm_insn_due(env, kinds) || !uarch_level(env) ||
        cpu_loop_exit_requested(cs)) {
        cpu_restore_state(cs, GETPC());     /* this one has yet to run */
        hpm_insn_stop(env);
        cpu_loop_exit_noexc(cs);
    }
    uarch_begin(env, attrs, opcode, info);
}

void uarch_sync(CPURISCVState *env)
{
    UarchState *u = &env->uarch;

    if (u->pending && !u->undone) {
        uarch_commit(env, u->insn.pc + u->insn.len);
    }
}

/* The hart stops between two instructions. */
void uarch_stop(CPURISCVState *env)
{
    UarchState *u = &env->uarch;

    if (u->pending && !u->undone) {
        uarch_commit(env, env->pc);
    }
    u->pending = false;
}

/* The instruction does not complete: it takes a trap, or begins again. */
void uarch_restore(CPURISCVState *env)
{
    env->uarch.undone = true;
}

/*
 * A trap is about to be taken. If an instruction was stopped by it, where it
 * goes on is known when the mode changes.
 */
void uarch_trap(CPURISCVState *env, bool async)
{
    UarchState *u = &env->uarch;

    if (u->pending && u->undone && !async && u->insn.pc == env->pc) {
        u->insn.trapped = true;
    } else {
        uarch_stop(env);
    }
}

/* @return_pc: where it leads to, if this is a trap return */
void uarch_leave_mode(CPURISCVState *env, target_ulong return_pc)
{
    UarchState *u = &env->uarch;

    if (!u->pending) {
        return;
    }
    if (u->insn.trapped) {
        uarch_commit(env, env->pc);
    } else if (u->insn.attrs & HPM_TRET) {
        uarch_commit(env, return_pc);
    } else {
        uarch_sync(env);
    }
}

uint64_t uarch_level(CPURISCVState *env)
{
    return env_archcpu(env)->uarch_cfg.log || env->uarch.sampled ?
           HPM_KEY_FULL : 0;
}

void uarch_sample(CPURISCVState *env, bool on)
{
    env->uarch.sampled = on;
}

bool uarch_translate(CPURISCVState *env, UarchInsn *insn)
{
    MMUAccessType access = insn->attrs & HPM_STORE ? MMU_DATA_STORE :
                                                     MMU_DATA_LOAD;
    CPUTLBEntryFull *full;
    void *host;
    int flags;

    if (insn->has_pa || !insn->has_addr) {
        return insn->has_pa;
    }
    flags = probe_access_full_mmu(env, insn->addr, 0, access, insn->mmu_idx,
                                  &host, &full);
    if (flags & TLB_INVALID_MASK) {
        return false;
    }
    insn->pa = full->phys_addr | (insn->addr & ~TARGET_PAGE_MASK);
    insn->has_pa = true;
    return true;
}

void uarch_init(RISCVCPU *cpu, Error **errp)
{
    uarch_log_open(cpu, errp);
}

void uarch_reset(CPURISCVState *env)
{
    memset(&env->uarch, 0, sizeof(env->uarch));
}
