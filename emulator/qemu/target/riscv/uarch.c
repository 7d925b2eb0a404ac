/*
 * RISC-V microarchitecture model: one stream of decoded instructions
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * At level full, each instruction is a block of its own and begins with a call
 * of helper_uarch_insn(). That ends the instruction before it: where it went is
 * where this one is, and it has left behind the outcome of a branch and the
 * address of an access. An instruction that did not complete never gets so far;
 * a trap ends it, or it begins again. Where nobody waits for instructions,
 * because no counter can overflow so soon, and no sampler or log looks at them,
 * a block has several, and begins with a call of helper_uarch_block(), which
 * does the same with those of the block before it, one after the other. At
 * level touch, accesses, transfers and new lines of code are looked up as they
 * come, and nothing else is known; of those that would change nothing
 * (uarch_filter.h) nothing is.
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "exec/exec-all.h"
#include "exec/helper-proto.h"
#include "internals.h"
#include "uarch_shared.h"

#define UARCH_FETCH_ATTRS (HPM_FETCH | HPM_ICMISS | HPM_ICLLMISS |           \
                           HPM_ICHITM | HPM_ITLB | HPM_ITMISS | HPM_ITLLMISS)
#define UARCH_PREDICTED (HPM_TRANSFER & ~HPM_TRET)

/* Where XLEN is 32 QEMU extends the sign of some addresses, not of others. */
static uint64_t uarch_address(CPURISCVState *env, target_ulong addr)
{
    return env->xl == MXL_RV32 ? (uint32_t)addr : addr;
}

static uint64_t uarch_pc(CPURISCVState *env)
{
    return uarch_address(env, env->pc);
}

/* Who wants to know of an instruction that has been decoded, and of its end */
static __attribute__((noinline)) void
uarch_decoded(void *opaque, UarchInsn *insn)
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

/* Memory */

/* A number for an address space, never 0; if there are too many, start over. */
static uint32_t uarch_space(UarchState *u, uint64_t satp, uint64_t hgatp)
{
    for (uint32_t i = 0; i < u->spaces; i++) {
        uint32_t n = (u->space + i) % u->spaces;

        if (u->space_satp[n] == satp && u->space_hgatp[n] == hgatp) {
            u->space = n;
            return n + 1;
        }
    }
    if (u->spaces == UARCH_SPACES) {
        uarch_flush_tlbs(&u->model);
        uarch_filter_clear(&u->filter);
        u->spaces = 0;
    }
    u->space = u->spaces++;
    u->space_satp[u->space] = satp;
    u->space_hgatp[u->space] = hgatp;
    return u->space + 1;
}

/* What the TLBs know a page by, 0 if addresses are not translated */
static uint64_t uarch_page(CPURISCVState *env, uint64_t va, int mmu_idx)
{
    bool virt = mmuidx_2stage(mmu_idx);
    uint64_t satp = virt && !env->virt_enabled ? env->vsatp : env->satp;
    uint64_t hgatp = virt ? env->hgatp : 0;
    bool rv32 = riscv_cpu_mxl(env) == MXL_RV32;
    uint64_t mode = rv32 ? SATP32_MODE : SATP64_MODE;

    if (mmuidx_priv(mmu_idx) == PRV_M || !((satp | hgatp) & mode)) {
        return 0;
    }
    return (uint64_t)uarch_space(&env->uarch, satp, hgatp) << 52 |
           extract64(va, TARGET_PAGE_BITS, 52);
}

static __attribute__((noinline)) void
uarch_find_access(CPURISCVState *env, uint64_t va, MMUAccessType type,
                  int mmu_idx, UarchAccess *a)
{
    uint64_t page = uarch_page(env, va, mmu_idx);
    CPUTLBEntryFull *full;
    void *host;
    int flags = probe_access_full_mmu(env, va, 0, type, mmu_idx, &host, &full);

    *a = (UarchAccess) { .page = page, .store = type == MMU_DATA_STORE };
    if (!(flags & TLB_INVALID_MASK)) {
        a->valid = true;
        a->device = flags & TLB_MMIO;
        a->partial = full->lg_page_size < TARGET_PAGE_BITS;
        a->pa = full->phys_addr | (va & ~TARGET_PAGE_MASK);
    }
}

static RARELY void uarch_forget_all(UarchFilter *f)
{
    uarch_filter_clear(f);
}

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

static uint64_t uarch_enter_line(CPURISCVState *env, uint64_t pc)
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

/*
 * The accesses of an instruction, the first one at @first. Of what is
 * contiguous each line is one, and of what has a stride each element.
 */
typedef struct UarchPlaces {
    uint64_t first, second;
    uint64_t step;              /* from the second one on */
    uint32_t n;
} UarchPlaces;

static uint64_t uarch_place(CPURISCVState *env, const UarchPlaces *p,
                            uint32_t i)
{
    return i ? uarch_address(env, p->second + (i - 1) * p->step) : p->first;
}

static inline bool uarch_leaves_line(const UarchModel *m, uint64_t va,
                                     uint64_t size)
{
    return (va & (m->p.line - 1)) + size > m->p.line;
}

static UarchPlaces uarch_contiguous(CPURISCVState *env, uint64_t va,
                                    uint64_t size)
{
    UarchModel *m = &env->uarch.model;
    uint64_t into = va & (m->p.line - 1);
    uint64_t end = into + size;

    return (UarchPlaces) {
        .first = va, .second = va - into + m->p.line, .step = m->p.line,
        .n = size ? ((end - 1) >> m->line_bits) + 1 : 0,
    };
}

/*
 * A vector load or store. Those with a mask, with indices, and those that may
 * end early show only where they begin.
 */
static UarchPlaces uarch_vector(CPURISCVState *env, uint64_t va, uint32_t op)
{
    uint32_t width = extract32(op, 12, 3);
    uint64_t size = (extract32(op, 29, 3) + 1ull) << (width ? width - 4 : 0);
    UarchPlaces p = { .first = va, .n = 1 };

    if (!extract32(op, 25, 1)) {
        return p;
    }
    switch (extract32(op, 26, 2)) {
    case 0:
        switch (extract32(op, 20, 5)) {
        case 0x00:
            return uarch_contiguous(env, va, env->vl * size);
        case 0x08: /* whole registers */
            return uarch_contiguous(env, va, (extract32(op, 29, 3) + 1) *
                                    riscv_cpu_cfg(env)->vlenb);
        case 0x0b: /* a mask */
            return uarch_contiguous(env, va, (env->vl + 7) / 8);
        }
        return p;
    case 2:
        p.step = (int64_t)(target_long)env->gpr[extract32(op, 20, 5)];
        p.second = va + p.step;
        p.n = env->vl;
        return p;
    default:
        return p;
    }
}

static UarchPlaces uarch_places(CPURISCVState *env, const UarchInsn *insn)
{
    if (insn->attrs & HPM_RVV) {
        return uarch_vector(env, insn->addr, insn->opcode);
    }
    return uarch_contiguous(env, insn->addr,
                            insn->partial ? 1 : insn->operands.size);
}

static MMUAccessType uarch_type(uint64_t attrs)
{
    return attrs & HPM_STORE ? MMU_DATA_STORE : MMU_DATA_LOAD;
}

/* What the first access of an instruction met, and where */
static void uarch_met(CPURISCVState *env, UarchInsn *insn, uint64_t found,
                      const UarchAccess *a)
{
    insn->attrs |= found;
    insn->data_walk = env->uarch.model.walk_cycles;
    insn->had_line = (found & HPM_L1DMISS) && env->uarch.model.had_line;
    insn->has_pa = true;
    insn->pa = a->pa;
}

static RARELY void uarch_enter_places(CPURISCVState *env, UarchInsn *insn)
{
    uint64_t attrs = insn->attrs & (HPM_LOAD | HPM_STORE);
    UarchPlaces places = uarch_places(env, insn);

    for (uint32_t i = 0; i < places.n; i++) {
        uint64_t va = uarch_place(env, &places, i);
        UarchAccess a;
        uint64_t found;

        uarch_access(env, va, uarch_type(attrs), insn->mmu_idx, &a);
        if (!a.valid) {
            continue;
        }
        found = uarch_enter(env, va, insn->mmu_idx, &a);
        if (places.n > 1) {
            hpm_count_place(env, insn->mode, attrs | found);
        }
        if (i) {
            env->uarch.others |= found;
        } else {
            uarch_met(env, insn, found, &a);
        }
    }
}

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

bool uarch_translate(CPURISCVState *env, UarchInsn *insn)
{
    bool virt = insn->mode == HPM_MODE_VS || insn->mode == HPM_MODE_VU;

    if (insn->has_pa && virt && !insn->gpa) {
        insn->gpa = riscv_cpu_guest_phys(env, insn->addr, insn->mmu_idx);
    }
    return insn->has_pa;
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
static bool uarch_fetch_insn(void *opaque, UarchInsn *insn)
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

/* The cheap clock */

/*
 * Something with @attrs has happened that takes time, if the pipeline does not
 * see it. Returns whether a counter overflows by it.
 */
static bool uarch_stall(CPURISCVState *env, uint64_t attrs)
{
    UarchState *u = &env->uarch;

    if (!u->clock.runs || !(attrs & UARCH_CLOCK_STALLS) || env->pdis.full) {
        return false;
    }
    return hpm_clock_add(env, uarch_clock_stall(&u->clock, &u->model.p, attrs,
                                                u->model.walk_cycles));
}

/* The pipeline has seen an instruction, while the clock runs. */
static __attribute__((noinline)) void
uarch_clock_tell(CPURISCVState *env, const UarchInsn *insn, uint64_t cycles)
{
    UarchState *u = &env->uarch;

    uarch_clock_saw(&u->clock, &u->model.p, insn, cycles);
    hpm_clock_add(env, cycles << UARCH_CLOCK_BITS);
}

/* Something with @attrs has happened, mostly nothing that is counted: a hit */
static inline void uarch_count(CPURISCVState *env, uint64_t attrs,
                               HPMCounters of)
{
    if (attrs & env->hpm.touched[env->hpm.mode]) {
        hpm_count_touch(env, attrs, of);
    }
}

/* Transfers */

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

/* Level touch */

/* Something with @attrs has happened to an instruction. */
static void uarch_touched(CPURISCVState *env, uint64_t attrs, HPMCounters of)
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

/* Instructions */

/* The accesses of the pending instruction, which has executed */
static void uarch_look_up(CPURISCVState *env)
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

/*
 * The pending instruction has ended; @next_pc is what follows it. The pipeline
 * sees it if that is asked for, and not because a block of level touch, however
 * long it happens to be, goes by instructions to an overflow.
 */
static void uarch_commit(CPURISCVState *env, uint64_t next_pc)
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
}

/* Count the instruction that has ended, with those before it. */
static inline void uarch_tell(CPURISCVState *env, const UarchInsn *insn)
{
    UarchState *u = &env->uarch;

    u->cycles += uarch_amount(&u->amounts, UARCH_CYCLES);
    hpm_count_insn(env, insn, &u->amounts);
    u->amounts.some = 0;
}

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
static void uarch_end_plain(CPURISCVState *env)
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

static inline void uarch_catch_up(CPURISCVState *env)
{
    if (env->uarch.at != env->uarch.reached) {
        uarch_end_plain(env);
    }
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

/*
 * Is what begins now decoded together with the pending instruction? If so it is
 * behind it, in the same line.
 */
static bool uarch_is_pair(CPURISCVState *env, uint32_t opcode)
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

/* What other harts add to, as much as they like */
#define UARCH_OF_OTHERS (1ull << UARCH_L1D_WB | 1ull << UARCH_REMOTE_HIT |   \
                         1ull << UARCH_REMOTE_HITM)

/*
 * There must be a limit to what a block adds to counters: see
 * uarch_most_cycles().
 */
bool uarch_takes_blocks(CPURISCVState *env)
{
    const UarchModel *m = &env->uarch.model;

    if (m->shared->n > 1 && (m->counted & UARCH_OF_OTHERS)) {
        return false;
    }
    return !uarch_follows_flushed(m) && !env->uarch.clock.runs &&
           !m->p.write_buffer && !m->p.fusion;
}

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

void uarch_tlb_flush(CPURISCVState *env)
{
    uarch_sync(env);
    uarch_flush_tlbs(&env->uarch.model);
    uarch_filter_clear(&env->uarch.filter);
}

/* satp, vsatp or hgatp is being written. */
void uarch_new_space(CPURISCVState *env)
{
    uarch_filter_clear(&env->uarch.filter);
}

void uarch_sample(CPURISCVState *env, bool on)
{
    env->hpm.stale |= env->uarch.sampled != on;
    env->uarch.sampled = on;
}

/* Life of the model */

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
