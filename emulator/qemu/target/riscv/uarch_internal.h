/*
 * RISC-V microarchitecture model: what the files that know QEMU have in common
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What is done for each access, or each instruction, is here: who does it makes
 * no call.
 */
#ifndef RISCV_UARCH_INTERNAL_H
#define RISCV_UARCH_INTERNAL_H

#define UARCH_FETCH_ATTRS (HPM_FETCH | HPM_ICMISS | HPM_ICLLMISS |           \
                           HPM_ICHITM | HPM_ITLB | HPM_ITMISS | HPM_ITLLMISS)

/*
 * The accesses of an instruction, the first one at @first. Of what is
 * contiguous each line is one, and of what has a stride each element.
 */
typedef struct UarchPlaces {
    uint64_t first, second;
    uint64_t step;              /* from the second one on */
    uint32_t n;
} UarchPlaces;

/* uarch_access.c */
void uarch_find_access(CPURISCVState *env, uint64_t va, MMUAccessType type,
                       int mmu_idx, UarchAccess *a);
RARELY void uarch_forget_all(UarchFilter *f);
UarchPlaces uarch_contiguous(CPURISCVState *env, uint64_t va, uint64_t size);
UarchPlaces uarch_vector(CPURISCVState *env, uint64_t va, uint32_t op);
UarchPlaces uarch_places(CPURISCVState *env, const UarchInsn *insn);
RARELY void uarch_enter_places(CPURISCVState *env, UarchInsn *insn);

/* uarch_insn.c: the pending instruction */
void uarch_look_up(CPURISCVState *env);
void uarch_commit(CPURISCVState *env, uint64_t next_pc);
void uarch_end_plain(CPURISCVState *env);
bool uarch_is_pair(CPURISCVState *env, uint32_t opcode);

/* uarch_elements.c */
RARELY void uarch_note_elements(CPURISCVState *env, const UarchInsn *insn);
RARELY void uarch_tell_elements(CPURISCVState *env, UarchAmounts *n);

/* uarch_stream.c */
bool uarch_fetch_insn(void *opaque, UarchInsn *insn);
void uarch_decoded(void *opaque, UarchInsn *insn);

/* Where XLEN is 32 QEMU extends the sign of some addresses, not of others. */
static inline uint64_t uarch_address(CPURISCVState *env, target_ulong addr)
{
    return env->xl == MXL_RV32 ? (uint32_t)addr : addr;
}

static inline uint64_t uarch_pc(CPURISCVState *env)
{
    return uarch_address(env, env->pc);
}

/* Accesses */

/*
 * What may be done to a page changes with more registers than where it is. QEMU
 * empties its own TLB then.
 */
static inline void uarch_check_filter(CPURISCVState *env)
{
    const CPUTLBCommon *c = &env_cpu(env)->neg.tlb.c;
    UarchFilter *f = &env->uarch.filter;
    uint64_t flushes = c->full_flush_count + c->part_flush_count;

    if (unlikely(f->flushes != flushes)) {
        f->flushes = flushes;
        uarch_forget_all(f);
    }
}

/* Where an access goes: mostly to a page where one has been */
static inline void uarch_access(CPURISCVState *env, uint64_t va,
                                MMUAccessType type, int mmu_idx,
                                UarchAccess *a)
{
    UarchFilter *f = &env->uarch.filter;
    UarchFilterPlace *places = type == MMU_INST_FETCH ? f->code_place :
                                                        f->data_place;

    uarch_check_filter(env);
    if (!uarch_filter_find(places, va, type == MMU_DATA_STORE, mmu_idx, a)) {
        uarch_find_access(env, va, type, mmu_idx, a);
        if (a->valid) {
            uarch_filter_enter_place(places, va, mmu_idx, a);
        }
    }
}

static inline uint64_t uarch_enter_line(CPURISCVState *env, uint64_t pc)
{
    UarchModel *m = &env->uarch.model;
    UARCH_UNSET UarchAccess a;
    int mmu_idx;

    if (!uarch_enters_line(m, pc)) {
        return 0;
    }
    mmu_idx = riscv_env_mmu_index(env, true);
    uarch_access(env, pc, MMU_INST_FETCH, mmu_idx, &a);
    return a.valid ? uarch_filter_fetch(&env->uarch.filter, m, pc, mmu_idx,
                                        &a) : 0;
}

/* An access at level full; most leave all as it is. */
static inline uint64_t uarch_enter(CPURISCVState *env, uint64_t va,
                                   int mmu_idx, const UarchAccess *a)
{
    UarchState *u = &env->uarch;

    if (uarch_filter_same(&u->filter, va, 1, a->store, mmu_idx)) {
        return HPM_L1DHIT | (a->page ? HPM_L1DTLBHIT : 0);
    }
    return uarch_filter_data(&u->filter, &u->model, va, mmu_idx, a);
}

static inline uint64_t uarch_place(CPURISCVState *env, const UarchPlaces *p,
                                   uint32_t i)
{
    return i ? uarch_address(env, p->second + (i - 1) * p->step) : p->first;
}

static inline bool uarch_leaves_line(const UarchModel *m, uint64_t va,
                                     uint64_t size)
{
    return (va & (m->p.line - 1)) + size > m->p.line;
}

static inline MMUAccessType uarch_type(uint64_t attrs)
{
    return attrs & HPM_STORE ? MMU_DATA_STORE : MMU_DATA_LOAD;
}

/* What the first access of an instruction met, and where */
static inline void uarch_met(CPURISCVState *env, UarchInsn *insn,
                             uint64_t found, const UarchAccess *a)
{
    insn->attrs |= found;
    insn->data_walk = env->uarch.model.walk_cycles;
    insn->had_line = (found & HPM_L1DMISS) && env->uarch.model.had_line;
    insn->has_pa = true;
    insn->pa = a->pa;
}

/* What it takes, and what is counted */

/*
 * Something with @attrs has happened that takes time, if the pipeline does not
 * see it. Returns whether a counter overflows by it.
 */
static inline bool uarch_stall(CPURISCVState *env, uint64_t attrs)
{
    UarchState *u = &env->uarch;

    if (!u->clock.runs || !(attrs & UARCH_CLOCK_STALLS) || env->pdis.full) {
        return false;
    }
    return hpm_clock_add(env, uarch_clock_stall(&u->clock, &u->model.p, attrs,
                                                u->model.walk_cycles));
}

/* Something with @attrs has happened, mostly nothing that is counted: a hit */
static inline void uarch_count(CPURISCVState *env, uint64_t attrs,
                               HPMCounters of)
{
    if (attrs & env->hpm.touched[env->hpm.mode]) {
        hpm_count_touch(env, attrs, of);
    }
}

/* Instructions */

/* Count the one that has ended, with those before it. */
static inline void uarch_tell(CPURISCVState *env, const UarchInsn *insn)
{
    UarchState *u = &env->uarch;

    u->cycles += uarch_amount(&u->amounts, UARCH_CYCLES);
    hpm_count_insn(env, insn, &u->amounts);
    u->amounts.some = 0;
}

/* Of a block, those that have been executed and have not ended do. */
static inline void uarch_catch_up(CPURISCVState *env)
{
    if (env->uarch.at != env->uarch.reached) {
        uarch_end_plain(env);
    }
}

#endif /* RISCV_UARCH_INTERNAL_H */
