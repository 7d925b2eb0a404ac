/*
 * RISC-V microarchitecture model: caches, TLBs, predictors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bitops.h"
#include "uarch_cache.h"
#include "uarch_pipe.h"
#include "uarch_predictor.h"
#include "uarch_shared.h"

#define UARCH_PAGE_BITS 12

/* Caches */

static bool code_line(UarchModel *m, uint64_t pa)
{
    uint64_t line = pa >> m->line_bits, victim;

    return cache_access(&m->l1i, line, line + 1, &victim);
}

/* Bring a line to L1D for a load of @pa, unless it is in another page. */
static RARELY void prefetch(UarchModel *m, uint64_t pa, uint64_t line)
{
    uint32_t i = m->ahead.n % UARCH_FILLS;
    uint64_t attrs;

    if (line << m->line_bits >> UARCH_PAGE_BITS != pa >> UARCH_PAGE_BITS ||
        uarch_l1d_has(m, line)) {
        return;
    }
    uarch_note(m, UARCH_PREFETCH);
    attrs = uarch_l1d_miss(m, line, UARCH_ASK_PREFETCH);
    uarch_note(m, attrs & HPM_LLMISS ? UARCH_PREF_MISS : UARCH_PREF_HIT);
    m->ahead.line[i] = line;
    m->ahead.attrs[i] = attrs | HPM_L1DMISS;
    m->ahead.n++;
}

/*
 * Loads of a page that go on by as many lines each time: the second step that
 * is like the one before brings what the next one needs. What it brings must
 * not make that forget it, so the first use of a line that was prefetched is
 * seen as a miss here.
 */
static void follow_stride(UarchModel *m, uint64_t pa)
{
    uint64_t page = (pa >> UARCH_PAGE_BITS) + 1, line = pa >> m->line_bits;
    UarchStride *s = &m->strides[page % UARCH_STRIDES];
    int64_t step = line - s->line;

    if (s->page != page) {
        *s = (UarchStride) { .page = page, .line = line };
        return;
    }
    if (step && step == s->step) {
        prefetch(m, pa, line + step);
    }
    s->line = line;
    s->step = step ?: s->step;
}

/* A load has missed L1D, or would have without a prefetch. */
static void prefetch_for(UarchModel *m, uint64_t pa, bool missed)
{
    if (missed && (m->p.prefetch & UARCH_PREFETCH_NEXT)) {
        prefetch(m, pa, (pa >> m->line_bits) + 1);
    }
    if (m->p.prefetch & UARCH_PREFETCH_STRIDE) {
        follow_stride(m, pa);
    }
}

/* TLBs */

typedef enum TLBFound { TLB_L1, TLB_LL, TLB_WALKED } TLBFound;

/* The sizes that there may be entries for, the smallest first */
static const uint8_t page_sizes[] = { UARCH_PAGE_BITS, 16, 21, 22, 30, 39, 48 };

static bool tlb_page(UarchCache *c, uint64_t page)
{
    uint64_t victim;

    return cache_access(c, page, page + 1, &victim);
}

/*
 * What the entry of a page is known by that @page is a part of. Bits 51:49 are
 * equal to each other in a @page, and not in what is larger.
 */
static uint64_t tlb_entry(uint64_t page, uint32_t size)
{
    uint64_t space = page >> 52 << 52;

    return !size ? page : space | (uint64_t)size << 49 |
           (page - space) >> (page_sizes[size] - UARCH_PAGE_BITS);
}

/* Use the entry that @page is in, of whatever size; 0 if there is none. */
static uint64_t tlb_use(UarchCache *c, uint64_t page)
{
    for (int size = 0; size < ARRAY_SIZE(page_sizes); size++) {
        uint64_t entry = tlb_entry(page, size);
        uint64_t *tag = cache_find(c, entry);

        if (tag) {
            cache_use(c, entry, tag);
            return entry;
        }
    }
    return 0;
}

/* A table is read as data is; nothing is written there. */
static uint32_t load_pte(UarchModel *m, uint64_t pa)
{
    uint64_t line = pa >> m->line_bits, attrs;

    if (uarch_l1d_hit(m, line, false)) {
        uarch_note(m, UARCH_WALK_HIT);
        return m->p.l1d_latency;
    }
    attrs = uarch_l1d_miss(m, line, UARCH_ASK_LOAD);
    uarch_note(m, UARCH_WALK_MISS);
    uarch_note(m, attrs & HPM_LLMISS ? UARCH_WALK_LL_MISS : UARCH_WALK_LL_HIT);
    return uarch_line_latency(&m->p, attrs);
}

/* No TLB has @page. Returns what the one that it is in will be known by. */
static __attribute__((noinline)) uint64_t walk(UarchModel *m, uint64_t page)
{
    UarchWalk *w = &m->walk;
    int size = 0;

    m->walk_cycles = m->p.walk_latency;
    w->n = 0;
    if (!m->p.walk_loads && !m->p.superpages) {
        return page;
    }
    m->walk_page(m->opaque, page, w);
    if (m->p.walk_loads) {
        m->walk_cycles = 0;
        for (uint32_t i = 0; i < w->n; i++) {
            m->walk_cycles += load_pte(m, w->pte[i]);
        }
    } else {
        w->n = 0;
    }
    while (m->p.superpages && size + 1 < ARRAY_SIZE(page_sizes) &&
           page_sizes[size + 1] <= w->page_bits) {
        size++;
    }
    return tlb_entry(page, size);
}

static RARELY TLBFound tlb_look_up_sizes(UarchModel *m, UarchCache *l1,
                                         uint64_t page)
{
    TLBFound found = TLB_LL;
    uint64_t entry;

    if (tlb_use(l1, page)) {
        return TLB_L1;
    }
    entry = tlb_use(&m->lltlb, page);
    if (!entry) {
        entry = walk(m, page);
        tlb_page(&m->lltlb, entry);
        found = TLB_WALKED;
    }
    tlb_page(l1, entry);
    return found;
}

static TLBFound tlb_look_up(UarchModel *m, UarchCache *l1, uint64_t page)
{
    if (m->p.superpages) {
        return tlb_look_up_sizes(m, l1, page);
    }
    if (tlb_page(l1, page)) {
        return TLB_L1;
    }
    if (tlb_page(&m->lltlb, page)) {
        return TLB_LL;
    }
    walk(m, page);
    return TLB_WALKED;
}

uint64_t uarch_fetch(UarchModel *m, uint64_t pc, const UarchAccess *a)
{
    uint64_t attrs = HPM_FETCH;

    m->line = (pc >> m->line_bits) + 1;
    if (a->page) {
        TLBFound found = tlb_look_up(m, &m->itlb, a->page);

        attrs |= HPM_ITLB | (found != TLB_L1 ? HPM_ITMISS : 0) |
                 (found == TLB_WALKED ? HPM_ITLLMISS : 0);
    }
    if (!a->device && !code_line(m, a->pa)) {
        attrs |= HPM_ICMISS | uarch_l1i_miss(m, a->pa >> m->line_bits);
    }
    return attrs;
}

UARCH_OFTEN
uint64_t uarch_data(UarchModel *m, const UarchAccess *a)
{
    uint64_t line = a->pa >> m->line_bits;
    uint64_t attrs = 0;

    if (a->page) {
        TLBFound found = tlb_look_up(m, &m->dtlb, a->page);

        attrs |= found == TLB_L1 ? HPM_L1DTLBHIT : HPM_L1DTLBMISS |
                 (found == TLB_LL ? HPM_LLTLBHIT : HPM_LLTLBMISS);
    }
    if (a->device) {
        return attrs | HPM_DEVICE;
    }
    if (uarch_l1d_hit(m, line, a->store)) {
        if (m->first_use && !a->store) {
            prefetch_for(m, a->pa, false);
        }
        return attrs | HPM_L1DHIT;
    }
    attrs |= HPM_L1DMISS;
    attrs |= uarch_l1d_miss(m, line, a->store ? UARCH_ASK_STORE :
                                                UARCH_ASK_LOAD);
    if (m->p.prefetch && !a->store) {
        prefetch_for(m, a->pa, true);
    }
    return attrs;
}

void uarch_flush_tlbs(UarchModel *m)
{
    cache_clear(&m->itlb);
    cache_clear(&m->dtlb);
    cache_clear(&m->lltlb);
    m->line = 0;
}

/* Predictors */

/**
 * uarch_predict() - predict a transfer, and learn what it did
 * @attrs: what it is; TAKEN if it is a branch that was
 * @behind: address of the instruction behind it
 * @offset: of a branch, from @pc
 * @p: what was predicted
 */
void uarch_predict(UarchModel *m, uint64_t attrs, uint64_t pc, uint64_t behind,
                   uint64_t target, int32_t offset, UarchPrediction *p)
{
    predict_transfer(m, attrs, pc, behind, target, offset, p);
}

/*
 * Where fetching goes on behind an instruction whose outcome nobody knows.
 * Returns false if that is not predicted. @ras: how many returns were there.
 */
bool uarch_follow(UarchModel *m, const UarchInsn *insn, uint32_t *ras,
                  uint64_t *next, bool *taken)
{
    UarchPredictor *b = &m->pred;
    int i = entry_of(insn->pc >> 1, m->p.btb);

    *taken = true;
    if (insn->attrs & (HPM_DIR_CALL | HPM_DIR_JUMP | HPM_DIR_LJUMP)) {
        *next = insn->pc + uarch_jump_offset(insn->opcode);
        return true;
    }
    if (insn->attrs & (HPM_IND_CALL | HPM_IND_JUMP | HPM_IND_LJUMP)) {
        *next = b->btb_target[i];
        return b->btb_pc[i] == insn->pc;
    }
    if (insn->attrs & (HPM_RETURN | HPM_CORSWAP)) {
        if (*ras >= b->ras_used) {
            return false;
        }
        ++*ras;
        *next = b->ras[entry_of(b->ras_top + m->p.ras - *ras, m->p.ras)];
        return true;
    }
    *taken = (insn->attrs & HPM_BRANCH) && *branch_counter(m, insn->pc) >= 2;
    *next = insn->pc + (*taken ? insn->operands.offset : insn->len);
    return !(insn->attrs & HPM_TRET);
}
