/*
 * RISC-V microarchitecture model: accesses that change nothing
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A line that is the last one used of its set of L1, in a page that is the last
 * one used of its set of the L1 TLB: to access it once more leaves both as they
 * are. Translated code of level touch looks here first, and calls nobody if it
 * finds the line and the page; it must not if hits are counted (HPM_KEY_HITS).
 * At level full caches and TLBs need not be looked up.
 *
 * An entry is found by bits of the virtual address that are bits of the set as
 * well. So all that belongs to a set of the cache (or TLB) has one entry, and
 * whatever is used there after a line takes the entry from it. What changes a
 * set in another way must say so: uarch_filter_forget_line(). Entries are
 * those of one address space: uarch_filter_clear() when that changes. When
 * other harts have changed L1D, uarch_filter_clear_lines().
 * Where harts run at the same time none of a line is made.
 */
#ifndef RISCV_UARCH_FILTER_H
#define RISCV_UARCH_FILTER_H

#include "uarch_model.h"

#define UARCH_FILTER_LINES 64
#define UARCH_FILTER_PAGES 64
#define UARCH_FILTER_PLACES 256
#define UARCH_FILTER_NONE  UINT64_MAX
#define UARCH_FILTER_PAGE_BITS 12

/*
 * Where a page is, so that it need not be looked up again, also if it is not
 * the last one used of its set, and at level full
 */
typedef struct UarchFilterPlace {
    uint64_t tag, write;        /* the same, if it may be written */
    uint64_t pa, key;           /* see UarchAccess */
} UarchFilterPlace;

/* Tags are addresses of lines and pages, with the MMU index in the low bits. */
typedef struct UarchFilter {
    uint64_t load[UARCH_FILTER_LINES];
    uint64_t store[UARCH_FILTER_LINES]; /* the same, if it is modified */
    uint64_t code[UARCH_FILTER_LINES];
    uint64_t data_page[UARCH_FILTER_PAGES], code_page[UARCH_FILTER_PAGES];
    UarchFilterPlace data_place[UARCH_FILTER_PLACES];
    UarchFilterPlace code_place[UARCH_FILTER_PLACES];
    uint32_t data_lines_mask, code_lines_mask;
    uint32_t data_pages_mask, code_pages_mask;
    int line_bits;
    bool no_data;               /* other harts change L1D at any time */
    uint64_t flushes;           /* of QEMU's TLB, when pages were entered */
} UarchFilter;

/* What has been used is not known, but where pages are is. */
static inline void uarch_filter_clear_lines(UarchFilter *f)
{
    memset(f->load, 0xff, sizeof(f->load));
    memset(f->store, 0xff, sizeof(f->store));
    memset(f->code, 0xff, sizeof(f->code));
    memset(f->data_page, 0xff, sizeof(f->data_page));
    memset(f->code_page, 0xff, sizeof(f->code_page));
}

static inline void uarch_filter_clear(UarchFilter *f)
{
    uarch_filter_clear_lines(f);
    memset(f->data_place, 0xff, sizeof(f->data_place));
    memset(f->code_place, 0xff, sizeof(f->code_place));
}

static inline void uarch_filter_init(UarchFilter *f, const UarchModel *m)
{
    uint32_t lines = MIN(UARCH_FILTER_LINES,
                         (1u << UARCH_FILTER_PAGE_BITS) / m->p.line);

    f->line_bits = m->line_bits;
    f->data_lines_mask = MIN(lines, m->l1d.sets) - 1;
    f->code_lines_mask = MIN(lines, m->l1i.sets) - 1;
    f->data_pages_mask = MIN(UARCH_FILTER_PAGES, m->dtlb.sets) - 1;
    f->code_pages_mask = MIN(UARCH_FILTER_PAGES, m->itlb.sets) - 1;
    if (m->p.superpages) {      /* of which set they are depends on the size */
        f->data_pages_mask = f->code_pages_mask = 0;
    }
    uarch_filter_clear(f);
}

static inline uint64_t uarch_filter_line_tag(const UarchFilter *f, uint64_t va,
                                             int mmu_idx)
{
    return (va >> f->line_bits << f->line_bits) | mmu_idx;
}

static inline uint64_t uarch_filter_page_tag(uint64_t va, int mmu_idx)
{
    return (va >> UARCH_FILTER_PAGE_BITS << UARCH_FILTER_PAGE_BITS) | mmu_idx;
}

static inline uint32_t uarch_filter_page_index(uint64_t va, uint32_t mask)
{
    return (va >> UARCH_FILTER_PAGE_BITS) & mask;
}

/* Is it known where @va is? Fill in @a if so. */
static inline bool uarch_filter_find(const UarchFilterPlace *places,
                                     uint64_t va, bool store, int mmu_idx,
                                     UarchAccess *a)
{
    const UarchFilterPlace *p =
        &places[uarch_filter_page_index(va, UARCH_FILTER_PLACES - 1)];

    if ((store ? p->write : p->tag) != uarch_filter_page_tag(va, mmu_idx)) {
        return false;
    }
    a->valid = true;
    a->device = a->partial = false;
    a->store = store;
    a->page = p->key;
    a->pa = p->pa | (va & ((1 << UARCH_FILTER_PAGE_BITS) - 1));
    return true;
}

static inline void uarch_filter_enter_place(UarchFilterPlace *places,
                                            uint64_t va, int mmu_idx,
                                            const UarchAccess *a)
{
    UarchFilterPlace *p =
        &places[uarch_filter_page_index(va, UARCH_FILTER_PLACES - 1)];
    uint64_t tag = uarch_filter_page_tag(va, mmu_idx);

    if (a->device || a->partial) {
        p->tag = p->write = UARCH_FILTER_NONE;
        return;
    }
    if (p->tag != tag) {
        p->tag = tag;
        p->write = UARCH_FILTER_NONE;
        p->pa = a->pa >> UARCH_FILTER_PAGE_BITS << UARCH_FILTER_PAGE_BITS;
        p->key = a->page;
    }
    if (a->store) {
        p->write = tag;
    }
}

/* What translated code asks: does an access of @size bytes change nothing? */
static inline bool uarch_filter_same(const UarchFilter *f, uint64_t va,
                                     uint32_t size, bool store, int mmu_idx)
{
    uint32_t i = (va >> f->line_bits) & f->data_lines_mask;
    uint32_t page = uarch_filter_page_index(va, f->data_pages_mask);

    return (store ? f->store[i] : f->load[i]) ==
           uarch_filter_line_tag(f, va + size - 1, mmu_idx) &&
           f->data_page[page] == uarch_filter_page_tag(va, mmu_idx);
}

static inline bool uarch_filter_same_code(const UarchFilter *f, uint64_t pc,
                                          int mmu_idx)
{
    uint32_t page = uarch_filter_page_index(pc, f->code_pages_mask);

    return f->code[(pc >> f->line_bits) & f->code_lines_mask] ==
           uarch_filter_line_tag(f, pc, mmu_idx) &&
           f->code_page[page] == uarch_filter_page_tag(pc, mmu_idx);
}

/*
 * The line at @pa, any address in it, is not what it was in L1D: it is no
 * longer there, not modified any more, or another line has been used after it.
 */
static inline void uarch_filter_forget_line(UarchFilter *f, uint64_t pa)
{
    uint32_t i = (pa >> f->line_bits) & f->data_lines_mask;

    f->load[i] = f->store[i] = UARCH_FILTER_NONE;
}

/* What a walk has read was used before what it was for. */
static inline void uarch_filter_forget_walk(UarchFilter *f, const UarchWalk *w)
{
    for (uint32_t i = 0; i < w->n; i++) {
        uarch_filter_forget_line(f, w->pte[i]);
    }
}

/* What has been prefetched was used after what it was prefetched for. */
static inline void uarch_filter_forget_ahead(UarchFilter *f,
                                             const UarchAhead *ahead)
{
    for (uint32_t i = 0; i < MIN(ahead->n, UARCH_FILLS); i++) {
        uarch_filter_forget_line(f, ahead->line[i] << f->line_bits);
    }
}

/* uarch_data() */
static inline uint64_t uarch_filter_data(UarchFilter *f, UarchModel *m,
                                         uint64_t va, int mmu_idx,
                                         const UarchAccess *a)
{
    uint32_t i = (va >> f->line_bits) & f->data_lines_mask;
    uint32_t page = uarch_filter_page_index(va, f->data_pages_mask);
    uint64_t tag = uarch_filter_line_tag(f, va, mmu_idx);
    uint64_t attrs = uarch_data(m, a);

    if (attrs & HPM_LLTLBMISS) {
        uarch_filter_forget_walk(f, &m->walk);
    }
    uarch_filter_enter_place(f->data_place, va, mmu_idx, a);
    if (a->device || a->partial || f->no_data) {
        f->data_page[page] = UARCH_FILTER_NONE;
        uarch_filter_forget_line(f, a->pa);
        uarch_filter_forget_ahead(f, &m->ahead);
        return attrs;
    }
    f->data_page[page] = uarch_filter_page_tag(va, mmu_idx);
    f->load[i] = tag;
    if (a->store) {
        f->store[i] = tag;
    } else if (f->store[i] != tag) {
        f->store[i] = UARCH_FILTER_NONE;
    }
    uarch_filter_forget_ahead(f, &m->ahead);
    return attrs;
}

/* uarch_fetch(); what L1I misses is looked for in L1D. */
static inline uint64_t uarch_filter_fetch(UarchFilter *f, UarchModel *m,
                                          uint64_t pc, int mmu_idx,
                                          const UarchAccess *a)
{
    uint64_t attrs = uarch_fetch(m, pc, a);
    uint32_t line = (pc >> f->line_bits) & f->code_lines_mask;
    uint32_t page = uarch_filter_page_index(pc, f->code_pages_mask);

    if (attrs & HPM_ITLLMISS) {
        uarch_filter_forget_walk(f, &m->walk);
    }
    if (attrs & HPM_ICMISS) {
        uarch_filter_forget_line(f, a->pa);
    }
    uarch_filter_enter_place(f->code_place, pc, mmu_idx, a);
    if (a->device || a->partial) {
        f->code_page[page] = f->code[line] = UARCH_FILTER_NONE;
    } else {
        f->code_page[page] = uarch_filter_page_tag(pc, mmu_idx);
        f->code[line] = uarch_filter_line_tag(f, pc, mmu_idx);
    }
    return attrs;
}

#endif /* RISCV_UARCH_FILTER_H */
