/*
 * RISC-V microarchitecture model: instructions that will be flushed
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the model asks of the hart when it follows a path that was predicted:
 * UarchStream. uarch_flushed.c is what it does then.
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "exec/exec-all.h"
#include "uarch_internal.h"

/* Who wants to know of an instruction that has been decoded, and of its end */
void uarch_decoded(void *opaque, UarchInsn *insn)
{
    CPURISCVState *env = opaque;

    if (insn->flushed && insn->has_pa) {
        hpm_count_flushed(env, insn->mode, insn->attrs & ~UARCH_FETCH_ATTRS);
    }
    if (env_archcpu(env)->uarch_cfg.log) {
        uarch_log_insn(env, insn);
    }
    pdis_decoded(env, insn);
}

/* @va may be anything. */
static const void *uarch_code(CPURISCVState *env, uint64_t va)
{
    CPUTLBEntryFull *full;
    void *host;
    int flags = probe_access_full_mmu(env, va, 0, MMU_INST_FETCH,
                                      riscv_env_mmu_index(env, true),
                                      &host, &full);

    return flags & (TLB_INVALID_MASK | TLB_MMIO) ? NULL : host;
}

/* An instruction on a path that was predicted, as far as there is one */
bool uarch_fetch_insn(void *opaque, UarchInsn *insn)
{
    CPURISCVState *env = opaque;
    const RISCVCPUConfig *cfg = riscv_cpu_cfg(env);
    const void *low = uarch_code(env, insn->pc);
    const void *high;

    if (!low || insn->pc & 1) {
        return false;
    }
    insn->opcode = lduw_le_p(low);
    insn->len = 2;
    if ((insn->opcode & 3) == 3) {
        high = uarch_code(env, insn->pc + 2);
        if (!high) {
            return false;
        }
        insn->opcode |= (uint32_t)lduw_le_p(high) << 16;
        insn->len = 4;
    }
    insn->attrs = hpm_insn_attrs(insn->opcode, env->xl == MXL_RV32,
                                 cfg->ext_zcmp || cfg->ext_zcmt);
    return true;
}

/* The line of an instruction that will be flushed */
static void uarch_enter_flushed(void *opaque, UarchInsn *insn)
{
    CPURISCVState *env = opaque;
    uint64_t found = uarch_enter_line(env, insn->pc);

    insn->attrs |= found;
    insn->code_walk = env->uarch.model.walk_cycles;
    hpm_count_flushed(env, insn->mode, found);
}

/*
 * A load that will be flushed: what is not cached it does not access. Its first
 * access is counted when it is known whether that has merged with another.
 */
static void uarch_load_flushed(void *opaque, UarchInsn *insn)
{
    CPURISCVState *env = opaque;
    target_ulong base = env->gpr[insn->operands.src[0]];
    uint64_t found;
    UarchPlaces places;
    UarchAccess a;

    insn->has_addr = true;
    insn->addr = uarch_address(env, base + uarch_load_offset(insn));
    places = uarch_places(env, insn);
    for (uint32_t i = 0; i < places.n; i++) {
        uint64_t va = uarch_place(env, &places, i);

        uarch_access(env, va, MMU_DATA_LOAD, insn->mmu_idx, &a);
        if (!a.valid || a.device) {
            return;
        }
        found = uarch_enter(env, va, insn->mmu_idx, &a);
        if (i) {
            hpm_count_flushed(env, insn->mode, HPM_LOAD | found);
        } else {
            uarch_met(env, insn, found, &a);
        }
    }
}

void uarch_connect(CPURISCVState *env)
{
    UarchState *u = &env->uarch;

    u->model.walk_page = uarch_walk_page;
    u->model.opaque = env;
    u->stream = (UarchStream) {
        .fetch = uarch_fetch_insn, .enter = uarch_enter_flushed,
        .load = uarch_load_flushed, .decoded = uarch_decoded, .opaque = env,
    };
}
