/*
 * RISC-V microarchitecture model: life of a model
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "uarch_cache.h"
#include "uarch_clock.h"
#include "uarch_shared.h"

static bool power_of_2(uint32_t n)
{
    return n && !(n & (n - 1));
}

static bool good_cache(uint32_t entries, uint32_t ways)
{
    return ways && ways <= 64 && entries % ways == 0 &&
           power_of_2(entries / ways);
}

/* Returns what is wrong with @p, or NULL. */
const char *uarch_model_check(const UarchParams *p)
{
    if (!power_of_2(p->line) || p->line < 16 || p->line > 4096) {
        return "uarch-line must be a power of 2, 16 to 4096";
    }
    if (!good_cache(p->l1i_size / p->line, p->l1i_ways) ||
        !good_cache(p->l1d_size / p->line, p->l1d_ways) ||
        !good_cache(p->ll_size / p->line, p->ll_ways)) {
        return "a cache must have 1 to 64 ways, and a power of 2 of sets";
    }
    if (!good_cache(p->itlb_size, p->itlb_ways) ||
        !good_cache(p->dtlb_size, p->dtlb_ways) ||
        !good_cache(p->lltlb_size, p->lltlb_ways)) {
        return "a TLB must have 1 to 64 ways, and a power of 2 of sets";
    }
    if (p->prefetch > 3) {
        return "uarch-prefetch must be in 0..3";
    }
    if (p->wrong_path > 1 || p->superpages > 1 || p->walk_loads > 1 ||
        p->fusion > 1) {
        return "uarch-wrong-path, uarch-superpages, uarch-walk-loads and "
               "uarch-fusion must be 0 or 1";
    }
    if (!p->bimodal || p->bimodal > UARCH_BIMODAL_MAX ||
        !p->btb || p->btb > UARCH_BTB_MAX || !p->ras ||
        p->ras > UARCH_RAS_MAX || p->history > UARCH_HISTORY_MAX) {
        return "uarch-bimodal must be in 1..8192, uarch-btb in 1..1024, "
               "uarch-ras in 1..32, uarch-history in 0..13";
    }
    if (!p->width || p->width > UARCH_WIDTH_MAX || p->window < p->width ||
        p->window > UARCH_WINDOW_MAX) {
        return "uarch-width must be in 1..8, uarch-window in uarch-width..256";
    }
    if (p->cheap_every && (p->cheap_every < UARCH_CLOCK_EVERY_MIN ||
                           p->cheap_every > INT32_MAX)) {
        return "uarch-cheap-every must be 0, or 1000 to 2147483647";
    }
    if (p->write_buffer > UARCH_BUFFER_MAX) {
        return "uarch-write-buffer must be in 0..64";
    }
    return NULL;
}

void uarch_model_init(UarchModel *m, const UarchParams *p, UarchShared *shared)
{
    m->p = *p;
    m->line_bits = __builtin_ctz(p->line);
    cache_init(&m->l1i, p->l1i_size / p->line, p->l1i_ways);
    cache_init(&m->l1d, p->l1d_size / p->line, p->l1d_ways);
    cache_init(&m->itlb, p->itlb_size, p->itlb_ways);
    cache_init(&m->dtlb, p->dtlb_size, p->dtlb_ways);
    cache_init(&m->lltlb, p->lltlb_size, p->lltlb_ways);
    m->watched = true;
    m->counted = UINT64_MAX;
    uarch_shared_join(shared, m);
    uarch_model_reset(m);
}

void uarch_model_reset(UarchModel *m)
{
    cache_clear(&m->l1i);
    cache_clear(&m->l1d);
    uarch_shared_reset(m);
    uarch_flush_tlbs(m);
    memset(&m->pred, 0, sizeof(m->pred));
    memset(&m->pipe, 0, sizeof(m->pipe));
    m->pipe.redirect = UARCH_FE_REDIRECT;
    m->pipe.last_slot = UINT64_MAX;
    memset(m->fills, 0, sizeof(m->fills));
    m->fill_top = m->l1d_misses.n = m->ll_misses.n = m->walks.n = 0;
    m->filled = 0;
    memset(m->strides, 0, sizeof(m->strides));
    m->ahead.n = 0;
    memset(m->wait, 0, sizeof(m->wait));
    m->wait_age = 0;
    m->prior_target = 0;
    m->has_last = false;
    uarch_forget_traffic(m);
}

void uarch_model_free(UarchModel *m)
{
    g_free(m->l1i.tags);
    g_free(m->l1d.tags);
    g_free(m->itlb.tags);
    g_free(m->dtlb.tags);
    g_free(m->lltlb.tags);
}
