/*
 * RISC-V microarchitecture model: what harts have in common
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The L1Ds are kept coherent by MESI. The directory at the last level knows
 * which of them have a line, and which one has modified it: it is what their
 * tags say, so that there is nothing besides to be kept, or saved.
 *
 * With a thread for each hart L1D has a lock, which its hart takes for each
 * access, and whoever has the directory for a moment. The directory has one for
 * what misses. While a hart waits for that it does not hold its own, so what it
 * had may have been taken from it; nobody but itself can give it anything.
 */

#include "qemu/osdep.h"
#include "qemu/atomic.h"
#include "uarch_cache.h"
#include "uarch_shared.h"

/* Locks */

static inline void lock_directory(UarchShared *s)
{
    if (s->n > 1) {
        qemu_mutex_lock(&s->lock);
    }
}

static inline void unlock_directory(UarchShared *s)
{
    if (s->n > 1) {
        qemu_mutex_unlock(&s->lock);
    }
}

/* What other harts do */

/* Its L1D is locked. */
static void note_remote(UarchModel *of, UarchQuantity what)
{
    if (qatomic_read(&of->full)) {
        of->remote[what - UARCH_TRAFFIC]++;
        qatomic_set(&of->has_remote, true);
    }
}

void uarch_take_remote(UarchModel *m)
{
    uarch_lock_l1d(m);
    for (int i = 0; i < UARCH_TRAFFIC_COUNT; i++) {
        m->traffic[i] += m->remote[i];
        m->remote[i] = 0;
    }
    qatomic_set(&m->has_remote, false);
    uarch_unlock_l1d(m);
    m->has_traffic = true;
}

/* What @of has got of a line, at @tag, is what the answer depends on. */
static void answer_one(UarchModel *of, uint64_t *tag, UarchAnswer *a)
{
    bool modified = *tag & UARCH_DIRTY;
    bool alone = !(*tag & UARCH_COMMON);

    if (modified) {
        a->modified = true;
        a->owner = of->number;
    }
    if (a->ask == UARCH_ASK_STORE) {
        cache_drop(&of->l1d, a->line, tag);
    } else {
        a->held = true;
        if (!modified && (a->ask == UARCH_ASK_FETCH || !alone)) {
            return;
        }
        *tag &= ~UARCH_DIRTY;
        *tag |= a->ask == UARCH_ASK_FETCH ? 0 : UARCH_COMMON;
        if (modified) {
            note_remote(of, UARCH_L1D_WB);
        }
    }
    note_remote(of, modified ? UARCH_REMOTE_HITM : UARCH_REMOTE_HIT);
    qatomic_set(&of->changed, true);
    a->snooped++;
}

static UarchAnswer ask_others(UarchModel *m, uint64_t line, UarchAsk ask)
{
    UarchShared *s = m->shared;
    UarchAnswer a = { .ask = ask, .line = line };

    for (uint32_t i = 0; i < s->n; i++) {
        UarchModel *of = s->models[i];
        uint64_t *tag;

        if (of == m) {
            continue;
        }
        uarch_lock_l1d(of);
        tag = cache_find(&of->l1d, line);
        if (tag) {
            answer_one(of, tag, &a);
        }
        uarch_unlock_l1d(of);
    }
    if (a.snooped && s->snooped) {
        s->snooped(m, &a);
    }
    return a;
}

/* The last level */

/* Whoever brings the next line in has to do with what must go for it. */
static bool ll_line(UarchModel *m, uint64_t line, bool written_back)
{
    UarchCache *ll = &m->shared->ll;
    uint64_t victim = 0;
    bool hit = cache_access(ll, line, line + 1, &victim);

    if (victim & UARCH_DIRTY) {
        uarch_note(m, UARCH_LL_WB);
    }
    if (written_back) {
        *cache_set(ll, line) |= UARCH_DIRTY;
    }
    return hit;
}

/* From this L1D to the last level, if the line is there, or else to memory */
static void write_back(UarchModel *m, uint64_t line)
{
    uint64_t *tag = cache_find(&m->shared->ll, line);

    uarch_note(m, UARCH_L1D_WB);
    if (tag) {
        *tag |= UARCH_DIRTY;
    }
}

/* L1D */

bool uarch_l1d_has(UarchModel *m, uint64_t line)
{
    bool has;

    uarch_lock_l1d(m);
    has = cache_find(&m->l1d, line);
    uarch_unlock_l1d(m);
    return has;
}

/* It may be there already, but not as it is needed. */
static void bring_in(UarchModel *m, uint64_t line, uint64_t state)
{
    uint64_t victim = 0;

    uarch_lock_l1d(m);
    m->had_line = cache_access(&m->l1d, line, line + 1, &victim);
    *cache_set(&m->l1d, line) = (line + 1) | state;
    uarch_unlock_l1d(m);
    if (victim & UARCH_DIRTY) {
        write_back(m, (victim & ~UARCH_STATE) - 1);
    }
}

uint64_t uarch_l1d_miss(UarchModel *m, uint64_t line, UarchAsk ask)
{
    bool hit, store = ask == UARCH_ASK_STORE;
    bool unused = ask == UARCH_ASK_PREFETCH &&
                  (m->p.prefetch & UARCH_PREFETCH_STRIDE);
    UarchAnswer a = {};

    lock_directory(m->shared);
    if (m->shared->n > 1) {
        a = ask_others(m, line, ask);
    }
    bring_in(m, line, (store ? UARCH_DIRTY : a.held ? UARCH_COMMON : 0) |
                      (unused ? UARCH_UNUSED : 0));
    hit = ll_line(m, line, a.modified && !store);
    unlock_directory(m->shared);
    return a.modified ? HPM_HITM : hit ? HPM_LLHIT : HPM_LLMISS;
}

/* The hart's own L1D may have the line, and a newer one than memory. */
static bool snoop_own(UarchModel *m, uint64_t line)
{
    bool modified = false;
    uint64_t *tag;

    uarch_lock_l1d(m);
    tag = cache_find(&m->l1d, line);
    if (tag) {
        modified = *tag & UARCH_DIRTY;
        *tag &= ~UARCH_DIRTY;
    }
    uarch_unlock_l1d(m);
    uarch_note(m, !tag ? UARCH_SNOOP_MISS :
                  modified ? UARCH_SNOOP_HITM : UARCH_SNOOP_HIT);
    if (modified) {
        write_back(m, line);
    }
    return tag;
}

uint64_t uarch_l1i_miss(UarchModel *m, uint64_t line)
{
    UarchAnswer a = {};
    bool hit;

    lock_directory(m->shared);
    if (!snoop_own(m, line) && m->shared->n > 1) {
        a = ask_others(m, line, UARCH_ASK_FETCH);
    }
    hit = ll_line(m, line, a.modified);
    unlock_directory(m->shared);
    return a.modified ? HPM_ICHITM : hit ? 0 : HPM_ICLLMISS;
}

/* Life */

UarchShared *uarch_shared_new(const UarchParams *p)
{
    UarchShared *s = g_new0(UarchShared, 1);

    s->p = *p;
    qemu_mutex_init(&s->lock);
    cache_init(&s->ll, p->ll_size / p->line, p->ll_ways);
    return s;
}

/* Does a hart with @p look at lines and the last level as the others do? */
bool uarch_shared_fits(const UarchShared *s, const UarchParams *p)
{
    return p->line == s->p.line && p->ll_size == s->p.ll_size &&
           p->ll_ways == s->p.ll_ways;
}

void uarch_shared_join(UarchShared *s, UarchModel *m)
{
    m->shared = s;
    m->number = s->n;
    qemu_spin_init(&m->lock);
    s->models = g_renew(UarchModel *, s->models, s->n + 1);
    s->models[s->n++] = m;
}

/* A hart is reset when all are. */
void uarch_shared_reset(UarchModel *m)
{
    cache_clear(&m->shared->ll);
    memset(m->remote, 0, sizeof(m->remote));
    m->has_remote = false;
    m->changed = false;
}

void uarch_shared_free(UarchShared *s)
{
    qemu_mutex_destroy(&s->lock);
    g_free(s->ll.tags);
    g_free(s->models);
    g_free(s);
}
