/*
 * RISC-V hardware performance counters: selection
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What each counter counts, and what runs where, by the CSRs.
 */

#include "qemu/osdep.h"
#include "qemu/host-utils.h"
#include "cpu.h"
#include "hpm_internal.h"

/* The events which the counter of PDIS can count, in hpm_events.tsv */
#define HPM_CODE_DEC 0x50
#define HPM_CODE_DEC_CTI 0x51
#define HPM_CODE_DEC_LOAD 0x52
#define HPM_CODE_DEC_STORE 0x53
#define HPM_CODE_DEC_LDST 0x54

/* The event of a counter, one of those that its core has */
const HPMEvent *hpm_event_of(CPURISCVState *env, int ctr)
{
    uint64_t reg = hpm_event(env, ctr);

    return hpm_core(env) && !(BIT(ctr) & HPM_FIXED) ?
           hpm_core_find(env, reg) : hpm_find_event(reg);
}

/* The event register; for a fixed counter one made up from its filter */
uint64_t hpm_event(CPURISCVState *env, int ctr)
{
    uint64_t masked = hpm_vendor_inhibits(env, ctr);
    uint64_t reg;

    switch (ctr) {
    case 0:
        reg = hpm_join(env, env->mcyclecfg, env->mcyclecfgh);
        return (reg & MHPMEVENT_FILTER_MASK) | masked | HPM_CODE_CYCLE;
    case 2:
        reg = hpm_join(env, env->minstretcfg, env->minstretcfgh);
        return (reg & MHPMEVENT_FILTER_MASK) | masked | HPM_CODE_INSTRET;
    default:
        reg = hpm_join(env, env->mhpmevent_val[ctr], env->mhpmeventh_val[ctr]);
        return reg | masked | hpm_core_inhibits(env, reg);
    }
}

/* What a counter counts */
void hpm_select(CPURISCVState *env, int ctr, HPMSelection *sel)
{
    uint64_t reg = hpm_event(env, ctr);

    if (hpm_xiangshan(env) && !(BIT(ctr) & HPM_FIXED)) {
        hpm_xiangshan_select(reg, sel);
    } else {
        *sel = (HPMSelection) { .event = { hpm_event_of(env, ctr) } };
    }
}

/* Does an event of level touch count accesses that change nothing? */
static bool hpm_counts_hits(const HPMEvent *event)
{
    static const uint64_t hits[] = {
        HPM_L1DHIT,
        HPM_L1DHIT | HPM_L1DTLBHIT,
    };
    static const uint64_t accesses[] = {
        HPM_LOAD, HPM_STORE, HPM_LOAD | HPM_STORE,
    };
    bool counts = hpm_incurred(event, HPM_FETCH) ||
                  hpm_incurred(event, HPM_FETCH | HPM_ITLB);

    for (int i = 0; i < ARRAY_SIZE(hits); i++) {
        for (int k = 0; k < ARRAY_SIZE(accesses); k++) {
            counts |= hpm_incurred(event, hits[i] | accesses[k]);
        }
    }
    return counts;
}

/* What is never there without prefetches */
#define HPM_OF_PREFETCHES                                                   \
    (1ull << UARCH_PREFETCH | 1ull << UARCH_PREF_HIT |                      \
     1ull << UARCH_PREF_MISS)

/* And what is not there while walks load nothing */
#define HPM_OF_WALKS                                                        \
    (1ull << UARCH_WALK_HIT | 1ull << UARCH_WALK_MISS |                     \
     1ull << UARCH_WALK_LL_HIT | 1ull << UARCH_WALK_LL_MISS |           \
     1ull << UARCH_WALK_READ_CYCLES)

/* What an event of the model needs to be known */
static uint64_t hpm_event_level(CPURISCVState *env, const HPMEvent *event)
{
    const HPMAttrs *a = &event->counted[0], *b = &event->counted[1];
    uint64_t none = a->none | b->none;
    uint64_t attrs = none | a->any | a->all | b->any | b->all;
    const UarchParams *p = &env_archcpu(env)->uarch_cfg.params;
    uint64_t quantities = event->quantities;

    if (!p->prefetch) {
        quantities &= ~HPM_OF_PREFETCHES;
    }
    if (!p->walk_loads) {
        quantities &= ~HPM_OF_WALKS;
    }
    /* At level touch nobody sees a transfer that is predicted right. */
    if (quantities || (none & HPM_MISPRED) ||
        (attrs & (HPM_FORWARDED | HPM_MERGED | HPM_RVV_IDX | HPM_RVV_STRD))) {
        return HPM_KEY_FULL;
    }
    return attrs & HPM_MISPRED ? HPM_KEY_PREDICT :
           HPM_KEY_TOUCH | (hpm_counts_hits(event) ? HPM_KEY_HITS : 0);
}

/* What has none of these an event does not count. */
static uint64_t hpm_event_touches(const HPMEvent *event)
{
    const HPMAttrs *a = &event->counted[0], *b = &event->counted[1];

    return (a->all ?: a->any) | (b->all ?: b->any);
}

static const uint64_t hpm_inhibit[HPM_MODES] = {
    [HPM_MODE_M] = MHPMEVENT_BIT_MINH,
    [HPM_MODE_S] = MHPMEVENT_BIT_SINH,
    [HPM_MODE_U] = MHPMEVENT_BIT_UINH,
    [HPM_MODE_VS] = MHPMEVENT_BIT_VSINH,
    [HPM_MODE_VU] = MHPMEVENT_BIT_VUINH,
};

bool hpm_counter_incurred(CPURISCVState *env, int ctr, HPMMode mode,
                          uint64_t attrs, bool retired)
{
    static const UarchAmounts none;
    HPMSelection sel;

    if (hpm_event(env, ctr) & hpm_inhibit[mode]) {
        return false;
    }
    hpm_select(env, ctr, &sel);
    if (sel.combined) {
        return hpm_selected_amount(&sel, attrs, &none);
    }
    return sel.event[0] && !sel.event[0]->cycle &&
           (retired || !sel.event[0]->retired) &&
           hpm_incurred(sel.event[0], attrs);
}

/* Cycles are counted as instructions, or by the pipeline. */
static uint8_t hpm_kind(CPURISCVState *env, const HPMEvent *event)
{
    return event->cycle &&
           env_archcpu(env)->uarch_cfg.cycles == UARCH_CYCLES_EXACT ?
           HPM_KIND_MODEL : event->kind;
}

/* Of several events at once each instruction has to be seen. */
static void hpm_configure_combined(CPURISCVState *env, int ctr, uint64_t reg)
{
    HPMState *h = &env->hpm;

    h->kind[ctr] = HPM_KIND_MODEL;
    h->combined |= BIT(ctr);
    for (int mode = 0; mode < HPM_MODES; mode++) {
        if (!(reg & hpm_inhibit[mode])) {
            h->modelled_by_uarch[mode] |= BIT(ctr);
            h->level[mode] |= HPM_KEY_FULL;
        }
    }
}

/* Nobody waits for these, see hpm_recorded(). */
static void hpm_configure_records(CPURISCVState *env, int ctr, uint64_t reg)
{
    HPMState *h = &env->hpm;

    h->kind[ctr] = HPM_KIND_MODEL;
    for (int mode = 0; mode < HPM_MODES; mode++) {
        h->records[mode] |= reg & hpm_inhibit[mode] ? 0 : BIT(ctr);
    }
}

static void hpm_configure_counter(CPURISCVState *env, int ctr)
{
    HPMState *h = &env->hpm;
    uint64_t reg = hpm_event(env, ctr);
    const HPMEvent *event;

    hpm_select(env, ctr, &h->selection[ctr]);
    if (h->selection[ctr].combined) {
        hpm_configure_combined(env, ctr, reg);
        return;
    }
    event = h->selection[ctr].event[0];
    if (!event) {
        return;                 /* unknown events, and 0, never happen */
    }
    if (event->record) {
        hpm_configure_records(env, ctr, reg);
        return;
    }
    h->kind[ctr] = hpm_kind(env, event);
    h->weight[ctr] = event->cycle ? env_archcpu(env)->hpm_cfg.cpi : 1;
    h->accesses |= event->access ? BIT(ctr) : 0;
    for (int mode = 0; mode < HPM_MODES; mode++) {
        if (reg & hpm_inhibit[mode]) {
            continue;
        }
        if (event->cycle &&
            env_archcpu(env)->uarch_cfg.cycles == UARCH_CYCLES_CHEAP) {
            h->clocked[mode] |= BIT(ctr);
            h->clock_modes |= BIT(mode);
        } else if (h->kind[ctr] == HPM_KIND_MODEL) {
            h->modelled_by_uarch[mode] |= BIT(ctr);
            h->level[mode] |= hpm_event_level(env, event);
            h->touched[mode] |= hpm_event_touches(event);
            h->attrs[mode] |= hpm_counted_attrs(event);
        } else {
            h->running[mode] |= BIT(ctr);
            h->kinds[mode] |= BIT_ULL(event->kind);
        }
    }
}

/* What PDIS counts, by SEL */
static void hpm_configure_pdis(CPURISCVState *env)
{
    static const uint64_t events[PDIS_SELS] = {
        [PDIS_SEL_ALL] = HPM_CODE_DEC, [PDIS_SEL_CTI] = HPM_CODE_DEC_CTI,
        [PDIS_SEL_LOAD] = HPM_CODE_DEC_LOAD,
        [PDIS_SEL_STORE] = HPM_CODE_DEC_STORE,
        [PDIS_SEL_LDST] = HPM_CODE_DEC_LDST,
    };
    HPMState *h = &env->hpm;

    h->kind[HPM_PDIS] =
        hpm_find_event(events[env->pdis.ctl & PDISCTL_SEL])->kind;
    h->weight[HPM_PDIS] = 1;
    for (int mode = 0; mode < HPM_MODES; mode++) {
        if (pdis_counts(env, mode)) {
            h->running[mode] |= BIT(HPM_PDIS);
            h->kinds[mode] |= BIT_ULL(h->kind[HPM_PDIS]);
        }
    }
}

/*
 * Where the cheap clock runs: in all modes, if in any, so that what one takes
 * another one sees. It goes by instructions, misses and mispredictions.
 */
static void hpm_start_clock(CPURISCVState *env)
{
    HPMState *h = &env->hpm;

    if (h->clock_modes && env_archcpu(env)->uarch_cfg.warm) {
        h->clock_modes = MAKE_64BIT_MASK(0, HPM_MODES);
    }
    for (uint32_t m = h->clock_modes; m; m &= m - 1) {
        h->kinds[ctz32(m)] |= BIT_ULL(HPM_KIND_INSN);
        h->level[ctz32(m)] |= HPM_KEY_TOUCH | HPM_KEY_PREDICT;
    }
}

/*
 * What is looked at anywhere follows all modes: what it says must not depend on
 * where one looks. The pipeline does not, it is soon in a steady state.
 */
static void hpm_warm(CPURISCVState *env)
{
    HPMState *h = &env->hpm;
    uint64_t level = pdis_enabled(env) ? HPM_KEY_FULL : 0;

    if (!env_archcpu(env)->uarch_cfg.warm) {
        return;
    }
    for (int mode = 0; mode < HPM_MODES; mode++) {
        level |= h->level[mode];
    }
    if (level & HPM_KEY_FULL) {
        level |= HPM_KEY_TOUCH | HPM_KEY_PREDICT;
    }
    level &= HPM_KEY_TOUCH | HPM_KEY_PREDICT;
    for (int mode = 0; mode < HPM_MODES; mode++) {
        h->level[mode] |= level;
    }
}

/* How far they are followed depends on time: that is there at level full. */
static void hpm_follow_wrong_paths(CPURISCVState *env)
{
    HPMState *h = &env->hpm;

    for (int mode = 0; mode < HPM_MODES; mode++) {
        if (h->level[mode] & HPM_KEY_TOUCH) {
            h->level[mode] |= HPM_KEY_FULL;
        }
    }
}

/*
 * How much an instruction adds at most. Slots are those since the last one was
 * dispatched, which may be as long ago as the window is full: as if there had
 * been so many instructions more. Some of them are two quantities, REFILL too.
 */
static void hpm_tally_most(CPURISCVState *env, const HPMEvent *event,
                           HPMTally *tally)
{
    const UarchParams *p = &env_archcpu(env)->uarch_cfg.params;
    uint64_t cycles = uarch_most_cycles(p);

    tally->most = cycles * (1 + ctpop64(event->quantities & ~UARCH_SLOTS));
    if (event->quantities & UARCH_SLOTS) {
        tally->most += cycles * p->width * 2;
        tally->ahead = p->window;
    }
    if (event->quantities & UARCH_ELEMENTS) {
        tally->most += riscv_cpu_cfg(env)->vlenb * 8;
    }
}

static HPMTally hpm_tally(CPURISCVState *env, int ctr)
{
    const HPMEvent *event = env->hpm.selection[ctr].event[0];
    HPMTally tally = {};

    if (env->hpm.combined & BIT(ctr)) {
        return tally;
    }
    hpm_tally_most(env, event, &tally);
    if (riscv_cpu_mxl(env) == MXL_RV32) {
        return tally;
    }
    tally.attrs = hpm_counted_attrs(event);
    tally.quantities = event->quantities;
    tally.max = hpm_width_mask(env, ctr);
    return tally;
}

/* What the pipeline is to tell counters, in whatever mode they count */
static void hpm_derive_tallies(CPURISCVState *env)
{
    HPMState *h = &env->hpm;
    uint32_t ctrs = 0;

    for (int mode = 0; mode < HPM_MODES; mode++) {
        ctrs |= h->modelled_by_uarch[mode];
    }
    h->quantities = 0;
    for (; ctrs; ctrs &= ctrs - 1) {
        int ctr = ctz32(ctrs);
        const HPMSelection *sel = &h->selection[ctr];

        h->tally[ctr] = hpm_tally(env, ctr);
        for (int i = 0; i < ARRAY_SIZE(sel->event); i++) {
            h->quantities |= sel->event[i] ? sel->event[i]->quantities : 0;
        }
    }
}

/* What runs where, by the CSRs */
void hpm_derive(CPURISCVState *env)
{
    HPMState *h = &env->hpm;
    bool always = env_archcpu(env)->hpm_cfg.marker || env->ctr.log;
    UarchCycles cycles = env_archcpu(env)->uarch_cfg.cycles;

    h->combined = h->accesses = 0;
    h->clock_modes = 0;
    for (int mode = 0; mode < HPM_MODES; mode++) {
        h->running[mode] = 0;
        h->modelled_by_uarch[mode] = h->touched[mode] = 0;
        h->attrs[mode] = 0;
        h->records[mode] = h->clocked[mode] = 0;
        h->level[mode] = h->kinds[mode] = 0;
        if (always || ctr_counts(env, mode)) {
            h->level[mode] = cycles == UARCH_CYCLES_EXACT ? HPM_KEY_FULL : 0;
            h->kinds[mode] = BIT_ULL(HPM_KIND_INSN);
            h->clock_modes |= cycles == UARCH_CYCLES_CHEAP ? BIT(mode) : 0;
        }
    }
    for (uint32_t m = h->modelled & ~(h->inhibited & ~h->stopping); m;
         m &= m - 1) {
        hpm_configure_counter(env, ctz32(m));
    }
    hpm_configure_pdis(env);
    hpm_start_clock(env);
    hpm_warm(env);
    if (env_archcpu(env)->uarch_cfg.params.wrong_path) {
        hpm_follow_wrong_paths(env);
    }
    hpm_derive_tallies(env);
}
