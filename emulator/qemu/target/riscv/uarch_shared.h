/*
 * RISC-V microarchitecture model: what harts have in common
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The last level, its directory, and the L1Ds as far as others see them.
 */
#ifndef RISCV_UARCH_SHARED_H
#define RISCV_UARCH_SHARED_H

#include "uarch_cache.h"

typedef enum UarchAsk {
    UARCH_ASK_LOAD,
    UARCH_ASK_PREFETCH,
    UARCH_ASK_STORE,            /* to have the line alone */
    UARCH_ASK_FETCH,            /* of code, into L1I */
} UarchAsk;

/* What the directory has done for one hart with the L1Ds of others */
typedef struct UarchAnswer {
    UarchAsk ask;
    uint64_t line;              /* address divided by the size of a line */
    bool held;                  /* others have it, and keep it */
    bool modified;              /* one of them, @owner, had modified it */
    uint32_t owner;
    uint32_t snooped;           /* how many of them have had to change */
} UarchAnswer;

struct UarchShared {
    UarchParams p;
    QemuMutex lock;             /* of all of this; before the locks of L1Ds */
    UarchCache ll;
    UarchModel **models;
    uint32_t n;
    /* Told of what changed in other L1Ds than that of @m, if it is not NULL */
    void (*snooped)(const UarchModel *m, const UarchAnswer *a);
};

/* Life: all harts join before any of them runs. */
UarchShared *uarch_shared_new(const UarchParams *p);
bool uarch_shared_fits(const UarchShared *s, const UarchParams *p);
void uarch_shared_join(UarchShared *s, UarchModel *m);
void uarch_shared_reset(UarchModel *m);
void uarch_shared_free(UarchShared *s);

/* A hart that is alone needs no lock. */
static inline void uarch_lock_l1d(UarchModel *m)
{
    if (m->shared->n > 1) {
        qemu_spin_lock(&m->lock);
    }
}

static inline void uarch_unlock_l1d(UarchModel *m)
{
    if (m->shared->n > 1) {
        qemu_spin_unlock(&m->lock);
    }
}

/*
 * uarch_l1d_hit() - does L1D have a line as it is needed?
 * @store: alone, to write it
 *
 * If so, it has been used, and written.
 */
static inline bool uarch_l1d_hit(UarchModel *m, uint64_t line, bool store)
{
    uint64_t *tag;
    bool hit;

    uarch_lock_l1d(m);
    tag = cache_find(&m->l1d, line);
    hit = tag && !(store && (*tag & UARCH_COMMON));
    if (hit) {
        tag = cache_use(&m->l1d, line, tag);
        m->first_use = *tag & UARCH_UNUSED;
        *tag &= ~UARCH_UNUSED;
        *tag |= store ? UARCH_DIRTY : 0;
    }
    uarch_unlock_l1d(m);
    return hit;
}

/* Is it there, in whatever state? Nothing is changed. */
bool uarch_l1d_has(UarchModel *m, uint64_t line);

/*
 * uarch_l1d_miss() - bring a line into L1D, as it is needed
 *
 * Returns where it came from: HPM_LLHIT, HPM_LLMISS, HPM_HITM.
 */
uint64_t uarch_l1d_miss(UarchModel *m, uint64_t line, UarchAsk ask);

/* The same for L1I: 0, HPM_ICLLMISS, HPM_ICHITM */
uint64_t uarch_l1i_miss(UarchModel *m, uint64_t line);

/* What is counted of this hart's accesses */
static inline void uarch_note(UarchModel *m, UarchQuantity what)
{
    m->traffic[what - UARCH_TRAFFIC]++;
    m->has_traffic = true;
}

/* Let what other harts have left behind (has_remote) be counted as well. */
void uarch_take_remote(UarchModel *m);

#endif /* RISCV_UARCH_SHARED_H */
