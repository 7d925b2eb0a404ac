/*
 * RISC-V microarchitecture model: level touch
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Accesses, transfers and new lines of code are looked up as they come, and
 * nothing else is known; of those that would change nothing (uarch_filter.h)
 * nothing is. Transfers that are recorded come here at level full, too.
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "exec/exec-all.h"
#include "exec/helper-proto.h"
#include "uarch_internal.h"

/* Accesses, and lines of code */

/* Something with @attrs has happened to an instruction. */
static inline void uarch_touched(CPURISCVState *env, uint64_t attrs,
                                 HPMCounters of)
{
    uarch_stall(env, attrs);
    uarch_count(env, attrs, of);
}

/* May a stall be within a block? */
static inline void uarch_check_clock(CPURISCVState *env, uintptr_t ra)
{
    if (env->uarch.clock.runs) {
        hpm_clock_check(env, ra);
    }
}

static uint64_t uarch_touch_data(CPURISCVState *env, uint64_t va, int mmu_idx,
                                 const UarchAccess *a)
{
    UarchState *u = &env->uarch;
    uint64_t attrs = uarch_filter_data(&u->filter, &u->model, va, mmu_idx, a);

    uarch_forget_traffic(&u->model);
    return attrs;
}

/* Execution enters a line. */
void HELPER(uarch_fetch)(CPURISCVState *env)
{
    UarchModel *m = &env->uarch.model;
    UarchFilter *f = &env->uarch.filter;
    uint64_t pc = uarch_pc(env), attrs;
    int mmu_idx = riscv_env_mmu_index(env, true);
    UARCH_UNSET UarchAccess a;

    if (!uarch_enters_line(m, pc)) {
        return;
    }
    uarch_check_clock(env, GETPC());
    uarch_access(env, pc, MMU_INST_FETCH, mmu_idx, &a);
    if (!a.valid) {
        return;
    }
    attrs = uarch_filter_fetch(f, m, pc, mmu_idx, &a);
    uarch_forget_traffic(m);
    uarch_touched(env, attrs, HPM_ALL);
}

/*
 * An instruction with several accesses. Each is looked up, and counted as such,
 * and what any of them met is counted once, of the instruction. If one is going
 * to fault, or comes again because a device is accessed, none is.
 */
static void uarch_touch_places(CPURISCVState *env, const UarchPlaces *places,
                               uint64_t attrs, int mmu_idx)
{
    MMUAccessType type = uarch_type(attrs);
    uint64_t all = attrs, found, va;
    UarchAccess a;

    for (uint32_t i = 0; i < places->n; i++) {
        uarch_access(env, uarch_place(env, places, i), type, mmu_idx, &a);
        if (!a.valid || (a.device && !env_cpu(env)->neg.can_do_io)) {
            return;
        }
    }
    for (uint32_t i = 0; i < places->n; i++) {
        va = uarch_place(env, places, i);
        uarch_access(env, va, type, mmu_idx, &a);
        found = attrs | uarch_touch_data(env, va, mmu_idx, &a);
        uarch_count(env, found, HPM_ACCESSES);
        all |= found;
    }
    if (places->n) {
        uarch_touched(env, all, HPM_INSNS);
    }
}

static uint64_t uarch_info_attrs(uint32_t info)
{
    return (info & UARCH_INFO_LOAD ? HPM_LOAD : 0) |
           (info & UARCH_INFO_STORE ? HPM_STORE : 0);
}

void HELPER(uarch_touch_vector)(CPURISCVState *env, target_ulong va,
                                uint32_t info, uint32_t opcode)
{
    UarchPlaces places = uarch_vector(env, uarch_address(env, va), opcode);

    uarch_check_clock(env, GETPC());
    uarch_touch_places(env, &places, uarch_info_attrs(info) | HPM_RVV,
                       info & UARCH_INFO_MMU_IDX);
}

/* A data access is about to be made; if it is going to fault, it is not. */
void HELPER(uarch_touch)(CPURISCVState *env, target_ulong va, uint32_t info)
{
    uint32_t align = extract32(info, UARCH_INFO_ALIGN_SHIFT, 8);
    uint32_t size = info >> UARCH_INFO_SIZE_SHIFT;
    uint64_t attrs = uarch_info_attrs(info);
    int mmu_idx = info & UARCH_INFO_MMU_IDX;
    UARCH_UNSET UarchAccess a;

    if (align && (va & (align - 1))) {
        return;
    }
    uarch_check_clock(env, GETPC());
    if (uarch_leaves_line(&env->uarch.model, va, size)) {
        UarchPlaces places = uarch_contiguous(env, uarch_address(env, va),
                                              size);

        uarch_touch_places(env, &places, attrs, mmu_idx);
        return;
    }
    uarch_access(env, va, uarch_type(attrs), mmu_idx, &a);
    /* A device is accessed at the end of a block only: QEMU comes again. */
    if (a.device && !env_cpu(env)->neg.can_do_io) {
        return;
    }
    if (a.valid) {
        attrs |= uarch_touch_data(env, va, mmu_idx, &a);
        uarch_touched(env, attrs, HPM_ALL);
    }
}

/* Transfers */

bool uarch_transfer(CPURISCVState *env, uint64_t pc, uint64_t behind,
                    uint64_t target, uint32_t type)
{
    UarchState *u = &env->uarch;
    uint64_t attrs = uarch_type_attrs(type);
    int32_t offset = 0;

    if (u->pending && !u->predicted) {
        offset = u->insn.operands.offset;
    }
    uarch_predict(&u->model, attrs, pc, behind, target, offset, &u->prediction);
    u->predicted = u->pending;
    if (u->prediction.wrong && uarch_stall(env, HPM_MISPRED)) {
        env->hpm.pc = pc;
    }
    if (u->prediction.wrong && (env->hpm.key & HPM_KEY_PREDICT)) {
        uarch_count(env, attrs | HPM_MISPRED, HPM_ALL);
    }
    return u->prediction.wrong;
}
