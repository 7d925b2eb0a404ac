/*
 * RISC-V hardware performance counters: exact model
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Every counter that runs counts what retires, instruction by instruction, and
 * overflows at the instruction that makes it overflow. Three levels of effort,
 * chosen by hart and mode and carried in the key of the translation block:
 *
 *   off    no counter runs in this mode: no code is emitted
 *   count  the head of a block subtracts, for each kind of thing that is being
 *          counted, how many of them the block holds
 *   step   an overflow is due within the next block: blocks of one instruction,
 *          each of which calls a helper
 *
 * A block is accounted for before it executes. What then does not retire is
 * given back when the block is left by an exception: see hpm_restore().
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/host-utils.h"
#include "cpu.h"
#include "exec/exec-all.h"
#include "exec/helper-proto.h"
#include "migration/cpu.h"
#include "tcg/tcg.h"
#include "pmu.h"
#include "system/cpu-timers.h"
#include "system/device_tree.h"

#include "hpm_events.h.inc"

QEMU_BUILD_BUG_ON(ARRAY_SIZE(hpm_kind_attrs) > HPM_MAX_KINDS);
QEMU_BUILD_BUG_ON(HPM_ATTR_COUNT > 64);

/* The events of the fixed counters, in hpm_events.tsv */
#define HPM_CODE_CYCLE 0x1
#define HPM_CODE_INSTRET 0x2

/* and those which the counter of PDIS can count */
#define HPM_CODE_DEC 0x50
#define HPM_CODE_DEC_CTI 0x51
#define HPM_CODE_DEC_LOAD 0x52
#define HPM_CODE_DEC_STORE 0x53
#define HPM_CODE_DEC_LDST 0x54

#define HPM_FIXED (COUNTEREN_CY | COUNTEREN_IR)

/* What retired instructions can have: the rest is known only when it happens */
#define HPM_INSN_ATTRS (HPM_TAKEN - 1)
#define HPM_EDGE_ATTRS (HPM_TAKEN | HPM_NOT_TAKEN)

/* Only retirement makes these; the rest happens to instructions that trap. */
#define HPM_FETCH_ATTRS (HPM_FETCH | HPM_ICMISS | HPM_ICLLMISS |             \
                         HPM_ICHITM | HPM_ITLB | HPM_ITMISS | HPM_ITLLMISS)

/* What a CSR access instruction counts as */
#define HPM_CSR_INSN (HPM_INSN | HPM_CSR | HPM_SYSTEM | HPM_DEC)
#define HPM_DECODED (HPM_DEC | HPM_DEC_CTI | HPM_DEC_LOAD | HPM_DEC_STORE)

/* No counter is so far from its overflow that this could be missed */
#define HPM_LEFT_MAX (INT64_MAX / 2)

/* What an instruction that is not being translated counts as */
static uint64_t hpm_classify(CPURISCVState *env, uint32_t opcode)
{
    const RISCVCPUConfig *cfg = riscv_cpu_cfg(env);

    return hpm_insn_attrs(opcode, env->xl == MXL_RV32,
                          cfg->ext_zcmp || cfg->ext_zcmt);
}

static bool hpm_has(uint64_t attrs, uint64_t any, uint64_t all, uint64_t none)
{
    return (any & attrs) && !(all & ~attrs) && !(none & attrs);
}

static bool hpm_is_of_kind(int kind, uint64_t attrs)
{
    return hpm_has(attrs, hpm_kind_attrs[kind].any, hpm_kind_attrs[kind].all,
                   hpm_kind_attrs[kind].none);
}

/* Which of @kinds count something that has @attrs? */
uint64_t hpm_match(uint64_t kinds, uint64_t attrs)
{
    uint64_t match = 0;

    for (kinds &= HPM_KEY_KINDS; kinds; kinds &= kinds - 1) {
        int k = ctz64(kinds);

        if (hpm_is_of_kind(k, attrs)) {
            match |= BIT_ULL(k);
        }
    }
    return match;
}

/* The kinds that are about instructions, and those about translated code */
static uint64_t hpm_kinds_of_insns, hpm_kinds_of_code;

static void hpm_init_kinds(void)
{
    for (int k = 0; k < ARRAY_SIZE(hpm_kind_attrs); k++) {
        uint64_t any = hpm_kind_attrs[k].any;

        hpm_kinds_of_insns |= any & HPM_INSN_ATTRS ? BIT_ULL(k) : 0;
        hpm_kinds_of_code |= any & (HPM_INSN_ATTRS | HPM_EDGE_ATTRS) ?
                             BIT_ULL(k) : 0;
    }
}

/* The kinds of which a block can know its number at translation time */
uint64_t hpm_insn_kinds(uint64_t key)
{
    return key & hpm_kinds_of_insns;
}

/*
 * Each insn_start carries, for each of these kinds, how many the block holds
 * from there on. 56 bits are free for that, so the more kinds, the smaller the
 * fields, and the shorter the blocks.
 */
int hpm_field_bits(uint64_t key)
{
    int kinds = ctpop64(hpm_insn_kinds(key));

    return kinds ? MIN(56 / kinds, 10) : 10;
}

/* @event: an event register */
static const HPMEvent *hpm_find_event(uint64_t event)
{
    uint64_t code = event & MAKE_64BIT_MASK(0, 56);

    for (int i = 0; i < ARRAY_SIZE(hpm_events); i++) {
        if (hpm_events[i].code == code) {
            return &hpm_events[i];
        }
    }
    return NULL;
}

/* The event of a counter, one of those that its core has */
static const HPMEvent *hpm_event_of(CPURISCVState *env, int ctr)
{
    uint64_t reg = hpm_event(env, ctr);

    return hpm_core(env) && !(BIT(ctr) & HPM_FIXED) ?
           hpm_core_find(env, reg) : hpm_find_event(reg);
}

HPMMode hpm_mode(target_ulong priv, bool virt)
{
    switch (priv) {
    case PRV_M:
        return HPM_MODE_M;
    case PRV_S:
        return virt ? HPM_MODE_VS : HPM_MODE_S;
    default:
        return virt ? HPM_MODE_VU : HPM_MODE_U;
    }
}

/* The CSRs as 64 bit values, also on RV32 */

static uint64_t hpm_value(CPURISCVState *env, int ctr)
{
    PMUCTRState *c = &env->pmu_ctrs[ctr];

    if (riscv_cpu_mxl(env) == MXL_RV32) {
        return deposit64(c->mhpmcounter_val, 32, 32, c->mhpmcounterh_val);
    }
    return c->mhpmcounter_val;
}

static void hpm_set_value(CPURISCVState *env, int ctr, uint64_t val)
{
    PMUCTRState *c = &env->pmu_ctrs[ctr];

    if (riscv_cpu_mxl(env) == MXL_RV32) {
        c->mhpmcounter_val = (uint32_t)val;
        c->mhpmcounterh_val = val >> 32;
    } else {
        c->mhpmcounter_val = val;
    }
}

static uint64_t hpm_join(CPURISCVState *env, target_ulong low,
                         target_ulong high)
{
    return riscv_cpu_mxl(env) == MXL_RV32 ? deposit64(low, 32, 32, high) : low;
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

static void hpm_set_of(CPURISCVState *env, int ctr)
{
    if (riscv_cpu_mxl(env) == MXL_RV32) {
        env->mhpmeventh_val[ctr] |= MHPMEVENTH_BIT_OF;
    } else {
        env->mhpmevent_val[ctr] |= MHPMEVENT_BIT_OF;
    }
}

static uint64_t hpm_width_mask(CPURISCVState *env, int ctr)
{
    HPMConfig *cfg = &env_archcpu(env)->hpm_cfg;

    if (ctr < 3) {
        return UINT64_MAX;
    }
    if (cfg->zero & BIT(ctr)) {
        return 0;
    }
    return MAKE_64BIT_MASK(0, cfg->odd_narrow & BIT(ctr) ? 32 : cfg->width);
}

/* xorshift64*: small, seeded, the same everywhere */
static uint64_t hpm_random(HPMState *h)
{
    h->rng ^= h->rng >> 12;
    h->rng ^= h->rng << 25;
    h->rng ^= h->rng >> 27;
    return h->rng * 0x2545f4914f6cdd1dull;
}

static uint32_t hpm_draw_skid(CPURISCVState *env)
{
    HPMConfig *cfg = &env_archcpu(env)->hpm_cfg;

    if (cfg->skid_max <= cfg->skid) {
        return cfg->skid;
    }
    return cfg->skid + (hpm_random(&env->hpm) >> 32) %
                       (cfg->skid_max - cfg->skid + 1);
}

static void hpm_interrupt_arrives(CPURISCVState *env)
{
    env->hpm.skid_pending = false;
    pesa_arrive(env);
    riscv_cpu_update_mip(env, hpm_interrupt(env), hpm_interrupt(env));
}

/*
 * One instruction has moved OF of @ctrs from 0 to 1. That is one request, which
 * takes the shortest way that any of them has. A late request, if there is
 * another on its way, merges with it: it is the older one, with what it has to
 * tell, that arrives, at the earlier time of both.
 */
static void hpm_request_interrupt(CPURISCVState *env, uint32_t ctrs)
{
    HPMState *h = &env->hpm;
    int64_t skid = h->skid_pending ? h->skid_left : INT64_MAX;
    bool no_skid = false;

    for (uint32_t m = ctrs; m; m &= m - 1) {
        if (pesa_no_skid(env, ctz32(m))) {
            no_skid = true;
        } else {
            skid = MIN(skid, hpm_draw_skid(env));
        }
    }
    if (no_skid) {
        pesa_capture(env, ctrs);
        riscv_cpu_update_mip(env, MIP_LCOFIP, MIP_LCOFIP);
        return;
    }
    if (!h->skid_pending) {
        pesa_request(env, ctrs);
    }
    h->skid_pending = true;
    h->skid_left = skid;
    if (!skid) {
        hpm_interrupt_arrives(env);
    }
}

/* Is an interrupt to be requested? */
static bool hpm_overflow(CPURISCVState *env, int ctr)
{
    bool set = ctr > 2 && riscv_cpu_cfg(env)->ext_sscofpmf &&
               !(hpm_event(env, ctr) & MHPMEVENT_BIT_OF);
    bool irq = set || hpm_vendor_overflow(env, ctr);

    hpm_log_overflow(env, ctr, irq);
    if (set) {
        hpm_set_of(env, ctr);
    }
    return irq;
}

/* Is an interrupt to be requested? */
static bool hpm_add(CPURISCVState *env, int ctr, uint64_t n)
{
    uint64_t mask = hpm_width_mask(env, ctr);
    uint64_t old = hpm_value(env, ctr);

    if (ctr == HPM_PDIS) {
        pdis_add(env, n);
        return false;
    }
    hpm_set_value(env, ctr, (old + n) & mask);
    env->hpm.total[ctr] += n;
    return n > mask - old && hpm_overflow(env, ctr);
}

/* @n instructions have gone by: what waits for some number comes nearer. */
static void hpm_fold_delays(CPURISCVState *env, uint64_t n)
{
    HPMState *h = &env->hpm;

    if (h->stopping) {
        h->stop_left -= n;
    }
    if (h->skid_pending) {
        h->skid_left -= n;
        if (h->skid_left <= 0) {
            hpm_interrupt_arrives(env);
        }
    }
}

/* What a CSR access instruction, which ends its block, has added to a kind */
static int hpm_csr_insn(CPURISCVState *env, int kind)
{
    return !env->debugger && (env->hpm.key & BIT_ULL(kind)) &&
           hpm_is_of_kind(kind, HPM_CSR_INSN);
}

/* At level full pdis_decoded() counts for PDIS. */
static uint32_t hpm_running(CPURISCVState *env)
{
    uint32_t running = env->hpm.running[env->hpm.mode];

    return env->pdis.full ? running & ~BIT(HPM_PDIS) : running;
}

/*
 * Carry what has been counted since the last fold into the counters, and do
 * what follows from it. @written: counters which the CSR instruction that is
 * being executed writes, or whose event it writes.
 */
void hpm_fold(CPURISCVState *env, uint32_t written)
{
    HPMState *h = &env->hpm;
    uint64_t pending = env->mip & MIP_LCOFIP;
    uint32_t irqs = h->irqs;

    if (!h->armed && !irqs) {
        return;
    }
    h->irqs = 0;
    if (h->armed & BIT_ULL(HPM_KIND_INSN)) {
        uint64_t n = h->start[HPM_KIND_INSN] - h->left[HPM_KIND_INSN];

        h->retired[h->mode] += n;
        if (!env_archcpu(env)->uarch_cfg.cycles) {
            ctr_add_cycles(env, n * env_archcpu(env)->hpm_cfg.cpi);
        }
        hpm_fold_delays(env, n);
        amb_elapsed(env, &env->pdis.amb, n);
    }
    for (uint32_t m = hpm_running(env); m; m &= m - 1) {
        int ctr = ctz32(m);
        int k = h->kind[ctr];
        uint64_t n = h->start[k] - h->left[k];

        if (written & BIT(ctr)) {
            n -= hpm_csr_insn(env, k);
        }
        if (n && hpm_add(env, ctr, n * h->weight[ctr])) {
            irqs |= BIT(ctr);
        }
    }
    if (irqs) {
        hpm_request_interrupt(env, irqs);
    }
    for (uint64_t m = h->armed; m; m &= m - 1) {
        h->start[ctz64(m)] = h->left[ctz64(m)];
    }
    if (env->ctr.log && !pending && (env->mip & MIP_LCOFIP)) {
        ctr_log_lcofip(env);
    }
}

/* How much may a counter still count before it overflows? */
static uint64_t hpm_room(CPURISCVState *env, int ctr)
{
    return ctr == HPM_PDIS ? pdis_room(env) :
           hpm_width_mask(env, ctr) - hpm_value(env, ctr);
}

/* After how many instructions is there something to do that is no overflow? */
static int64_t hpm_insns_due(CPURISCVState *env)
{
    HPMState *h = &env->hpm;
    int64_t due = amb_due(&env->pdis.amb);

    if (h->skid_pending) {
        due = MIN(due, h->skid_left);
    }
    if (h->stopping) {
        due = MIN(due, h->stop_left);
    }
    return due;
}

/* How often may each kind happen before a counter that runs here overflows? */
static void hpm_set_deadlines(CPURISCVState *env)
{
    HPMState *h = &env->hpm;

    for (uint64_t m = h->armed; m; m &= m - 1) {
        h->left[ctz64(m)] = HPM_LEFT_MAX;
    }
    if (h->armed & BIT_ULL(HPM_KIND_INSN)) {
        h->left[HPM_KIND_INSN] = MIN(hpm_insns_due(env) - 1, HPM_LEFT_MAX);
    }
    for (uint32_t m = hpm_running(env); m; m &= m - 1) {
        int ctr = ctz32(m);
        int k = h->kind[ctr];
        uint64_t room = hpm_room(env, ctr);

        h->left[k] = MIN(h->left[k],
                         MIN(room / h->weight[ctr], HPM_LEFT_MAX));
    }
    for (uint64_t m = h->armed; m; m &= m - 1) {
        h->start[ctz64(m)] = h->left[ctz64(m)];
    }
}

void hpm_rearm(CPURISCVState *env)
{
    env->hpm.stale = true;
}

uint64_t hpm_unfolded(CPURISCVState *env)
{
    HPMState *h = &env->hpm;

    return h->armed & BIT_ULL(HPM_KIND_INSN) ?
           h->start[HPM_KIND_INSN] - h->left[HPM_KIND_INSN] : 0;
}

/* How much the current mode needs to know of each instruction */
static uint64_t hpm_level(CPURISCVState *env)
{
    uint64_t level = env->hpm.level[env->hpm.mode];

    if (env_archcpu(env)->uarch_cfg.log || env->uarch.sampled) {
        level = HPM_KEY_FULL;
    }
    return level & HPM_KEY_FULL ? HPM_KEY_FULL : level;
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

/* What an event of the model needs to be known */
static uint64_t hpm_event_level(const HPMEvent *event)
{
    uint64_t attrs = event->any | event->all | event->none;

    /* At level touch nobody sees a transfer that is predicted right. */
    if (event->quantities || (event->none & HPM_MISPRED) ||
        (attrs & (HPM_FORWARDED | HPM_MERGED | HPM_RVV_IDX | HPM_RVV_STRD))) {
        return HPM_KEY_FULL;
    }
    return attrs & HPM_MISPRED ? HPM_KEY_PREDICT :
           HPM_KEY_TOUCH | (hpm_counts_hits(event) ? HPM_KEY_HITS : 0);
}

static const uint64_t hpm_inhibit[HPM_MODES] = {
    [HPM_MODE_M] = MHPMEVENT_BIT_MINH,
    [HPM_MODE_S] = MHPMEVENT_BIT_SINH,
    [HPM_MODE_U] = MHPMEVENT_BIT_UINH,
    [HPM_MODE_VS] = MHPMEVENT_BIT_VSINH,
    [HPM_MODE_VU] = MHPMEVENT_BIT_VUINH,
};

/* What an event of the model's adds for something that has @attrs */
static uint64_t hpm_amount(const HPMEvent *event, uint64_t attrs,
                           const UarchAmounts *n)
{
    uint64_t amount = hpm_incurred(event, attrs & HPM_FETCH_ATTRS) +
                      hpm_incurred(event, attrs & ~HPM_FETCH_ATTRS);

    for (uint32_t m = event->quantities; m; m &= m - 1) {
        amount += n->n[ctz32(m)];
    }
    return amount;
}

static uint64_t hpm_selected_amount(const HPMSelection *sel, uint64_t attrs,
                                    const UarchAmounts *n)
{
    uint64_t amounts[ARRAY_SIZE(sel->event)] = {};

    if (!sel->combined) {
        return hpm_amount(sel->event[0], attrs, n);
    }
    for (int i = 0; i < ARRAY_SIZE(amounts); i++) {
        amounts[i] = sel->event[i] ? hpm_amount(sel->event[i], attrs, n) : 0;
    }
    return hpm_xiangshan_combine(sel, amounts);
}

bool hpm_counter_incurred(CPURISCVState *env, int ctr, HPMMode mode,
                          uint64_t attrs)
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
           hpm_incurred(sel.event[0], attrs);
}

uint64_t hpm_retired_attrs(void)
{
    return (HPM_INSN_ATTRS | HPM_EDGE_ATTRS) & ~HPM_DECODED;
}

/* Cycles are counted as instructions, or by the pipeline. */
static uint8_t hpm_kind(CPURISCVState *env, const HPMEvent *event)
{
    return event->cycle && env_archcpu(env)->uarch_cfg.cycles ?
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
    h->kind[ctr] = hpm_kind(env, event);
    h->weight[ctr] = event->cycle ? env_archcpu(env)->hpm_cfg.cpi : 1;
    h->accesses |= event->access ? BIT(ctr) : 0;
    for (int mode = 0; mode < HPM_MODES; mode++) {
        if (reg & hpm_inhibit[mode]) {
            continue;
        }
        if (h->kind[ctr] == HPM_KIND_MODEL) {
            h->modelled_by_uarch[mode] |= BIT(ctr);
            h->level[mode] |= hpm_event_level(event);
            h->touched[mode] |= event->all ?: event->any;
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
 * Counters of which software has just set the inhibit bit stop later if
 * hpm-stop-late says so.
 */
static void hpm_note_stops(CPURISCVState *env)
{
    HPMState *h = &env->hpm;
    uint32_t late = env_archcpu(env)->hpm_cfg.stop_late;
    uint32_t stops = env->mcountinhibit & ~h->inhibited & h->modelled;

    h->inhibited = env->mcountinhibit;
    h->stopping &= h->inhibited;
    if (late && stops) {
        h->stopping |= stops;
        h->stop_left = late;
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

/* What runs where, by the CSRs */
static void hpm_derive(CPURISCVState *env)
{
    HPMState *h = &env->hpm;
    bool always = env_archcpu(env)->hpm_cfg.marker || env->ctr.log;

    h->combined = h->accesses = 0;
    for (int mode = 0; mode < HPM_MODES; mode++) {
        h->running[mode] = 0;
        h->modelled_by_uarch[mode] = h->touched[mode] = 0;
        h->level[mode] = env_archcpu(env)->uarch_cfg.cycles &&
                         (always || ctr_counts(env, mode)) ? HPM_KEY_FULL : 0;
        h->kinds[mode] = always || ctr_counts(env, mode) ?
                         BIT_ULL(HPM_KIND_INSN) : 0;
    }
    for (uint32_t m = h->modelled & ~(h->inhibited & ~h->stopping); m;
         m &= m - 1) {
        hpm_configure_counter(env, ctz32(m));
    }
    hpm_configure_pdis(env);
    hpm_warm(env);
    if (env_archcpu(env)->uarch_cfg.params.wrong_path) {
        hpm_follow_wrong_paths(env);
    }
}

/* Start to count in the current mode; everything has been folded. */
static void hpm_arm(CPURISCVState *env)
{
    HPMState *h = &env->hpm;

    if (h->stopping && h->stop_left <= 0) {
        h->stopping = 0;
        hpm_derive(env);
    }
    pdis_arm(env);
    h->armed = h->kinds[h->mode];
    if (hpm_insns_due(env) != INT64_MAX) {
        h->armed |= BIT_ULL(HPM_KIND_INSN);
    }
    h->key = (h->armed & hpm_kinds_of_code) | hpm_level(env);
    if ((h->key & HPM_KEY_FULL) && !env->pdis.full) {
        env->uarch.model.prior_target = 0;  /* nobody has seen the last one */
    }
    env->pdis.full = h->key & HPM_KEY_FULL;
    qatomic_set(&env->uarch.model.full, env->pdis.full);
    if (h->key & HPM_KEY_FULL) {
        uarch_filter_clear(&env->uarch.filter);
    }
    h->stale = false;
    h->touches = HPM_LEFT_MAX;
    for (uint32_t m = h->modelled_by_uarch[h->mode]; m; m &= m - 1) {
        h->touches = MIN(h->touches, MIN(hpm_room(env, ctz32(m)),
                                         HPM_LEFT_MAX));
    }
    if (h->armed) {
        hpm_set_deadlines(env);
    }
}

static void hpm_drop_bits(CPURISCVState *env, int ctr, uint64_t bits)
{
    if (riscv_cpu_mxl(env) == MXL_RV32) {
        env->mhpmevent_val[ctr] &= ~(uint32_t)bits;
        env->mhpmeventh_val[ctr] &= ~(target_ulong)(bits >> 32);
    } else {
        env->mhpmevent_val[ctr] &= ~(target_ulong)bits;
    }
}

/* What an event register cannot hold, see the properties */
static uint64_t hpm_read_only_zero(CPURISCVState *env, int ctr)
{
    HPMConfig *cfg = &env_archcpu(env)->hpm_cfg;
    uint64_t bits = cfg->minh ? 0 : MHPMEVENT_BIT_MINH;

    if (cfg->warl && !hpm_xiangshan(env) &&
        !hpm_event_of(env, ctr)) {
        bits |= MAKE_64BIT_MASK(0, 56);
    }
    if (cfg->unfiltered & BIT(ctr)) {
        bits |= MHPMEVENT_BIT_MINH | MHPMEVENT_BIT_SINH | MHPMEVENT_BIT_UINH |
                MHPMEVENT_BIT_VSINH | MHPMEVENT_BIT_VUINH;
    }
    return cfg->zero & BIT(ctr) ? UINT64_MAX : bits;
}

static void hpm_drop_all(CPURISCVState *env)
{
    HPMConfig *cfg = &env_archcpu(env)->hpm_cfg;

    if (cfg->minh && !cfg->warl && !cfg->unfiltered && !cfg->zero &&
        !hpm_xiangshan(env)) {
        return;
    }
    for (uint32_t m = env->hpm.modelled & ~HPM_FIXED; m; m &= m - 1) {
        int ctr = ctz32(m);

        if (hpm_xiangshan(env)) {
            env->mhpmevent_val[ctr] =
                hpm_xiangshan_warl(ctr, env->mhpmevent_val[ctr]);
        }
        hpm_drop_bits(env, ctr, hpm_read_only_zero(env, ctr));
    }
}

/* The CSRs have changed: find out what runs where, and start over. */
void hpm_configure(CPURISCVState *env)
{
    hpm_note_stops(env);
    hpm_drop_all(env);
    hpm_derive(env);
    env->hpm.mode = hpm_mode(env->priv, env->virt_enabled);
    hpm_arm(env);
}

/*
 * Cycles since reset, in every mode, inhibited or not. For the log of control
 * transfers, which has instructions counted all the time.
 */
uint64_t hpm_cycles(CPURISCVState *env)
{
    HPMState *h = &env->hpm;
    uint64_t insns = h->start[HPM_KIND_INSN] - h->left[HPM_KIND_INSN];

    if (env_archcpu(env)->uarch_cfg.cycles) {
        return env->uarch.cycles;
    }
    for (int mode = 0; mode < HPM_MODES; mode++) {
        insns += h->retired[mode];
    }
    return insns * env_archcpu(env)->hpm_cfg.cpi;
}

/*
 * CSR accesses
 *
 * A CSR instruction ends its block, so it is the last thing that the block has
 * accounted for. It reads counters as they were before it, and retires under
 * the configuration that was in force before it. Only a counter that it writes,
 * or whose event register it writes, does not count it: the explicit write
 * takes the place of the side effect.
 */

/* What has happened since the last fold */
static uint64_t hpm_uncounted(CPURISCVState *env, int ctr)
{
    HPMState *h = &env->hpm;
    int k = h->kind[ctr];

    if (!(hpm_running(env) & BIT(ctr))) {
        return 0;
    }
    return (h->start[k] - h->left[k] - hpm_csr_insn(env, k)) * h->weight[ctr];
}

uint64_t hpm_pdis_uncounted(CPURISCVState *env)
{
    return hpm_uncounted(env, HPM_PDIS);
}

static uint64_t hpm_current(CPURISCVState *env, int ctr)
{
    return (hpm_value(env, ctr) + hpm_uncounted(env, ctr)) &
           hpm_width_mask(env, ctr);
}

bool hpm_read(CPURISCVState *env, int ctr, bool upper, target_ulong *val)
{
    uint64_t now;

    if (!(env->hpm.modelled & BIT(ctr))) {
        return false;
    }
    now = hpm_current(env, ctr);
    if (riscv_cpu_mxl(env) == MXL_RV32) {
        now = upper ? now >> 32 : (uint32_t)now;
    }
    *val = now;
    return true;
}

bool hpm_write(CPURISCVState *env, int ctr, bool upper, target_ulong val)
{
    uint64_t now = val;

    if (BIT(ctr) & HPM_FIXED) {
        hpm_take_fixed(env, BIT(ctr));
    }
    if (!(env->hpm.modelled & BIT(ctr))) {
        return false;
    }
    if (riscv_cpu_mxl(env) == MXL_RV32) {
        now = deposit64(hpm_current(env, ctr), upper ? 32 : 0, 32, val);
    }
    hpm_before_write(env, BIT(ctr));
    hpm_set_value(env, ctr, now & hpm_width_mask(env, ctr));
    if (BIT(ctr) & HPM_FIXED) {
        hpm_configure(env);     /* it may just have become ours */
    } else {
        hpm_arm(env);
    }
    return true;
}

/* @written: counters that are about to be written, or whose event is */
void hpm_before_write(CPURISCVState *env, uint32_t written)
{
    env->hpm.written = written;
    uarch_sync(env);
    env->hpm.written = 0;
    env->hpm.next_pc = env->hpm.pc + 4;
    hpm_fold(env, written);
}

bool hpm_owns_fixed(CPURISCVState *env)
{
    return (env->hpm.modelled & HPM_FIXED) == HPM_FIXED;
}

/*
 * mcycle and minstret run from reset on. They are left to the host's clock, at
 * no cost, until software shows that it wants to count with them.
 */
void hpm_take_fixed(CPURISCVState *env, uint32_t ctrs)
{
    const char *policy = env_archcpu(env)->hpm_cfg.fixed;

    ctrs &= HPM_FIXED & ~env->hpm.modelled;
    if (policy && !strcmp(policy, "host")) {
        return;
    }
    for (; ctrs; ctrs &= ctrs - 1) {
        int ctr = ctz32(ctrs);
        target_ulong low = 0, high = 0;

        riscv_pmu_read_ctr(env, &low, false, ctr);
        riscv_pmu_read_ctr(env, &high, true, ctr);
        hpm_set_value(env, ctr, hpm_join(env, low, high));
        env->hpm.modelled |= BIT(ctr);
    }
}

/*
 * mcyclecfg or minstretcfg is about to be written. MINH alone says nothing of
 * what software wants: firmware sets it at boot.
 */
void hpm_before_cfg_write(CPURISCVState *env, int ctr, target_ulong old,
                          target_ulong val)
{
    target_ulong minh = riscv_cpu_mxl(env) == MXL_RV32 ?
                        MHPMEVENTH_BIT_MINH : (target_ulong)MHPMEVENT_BIT_MINH;

    hpm_before_write(env, BIT(ctr));
    if ((old ^ val) & ~minh) {
        hpm_take_fixed(env, BIT(ctr));
    }
}

/* Is there a counter that has overflowed since the last fold? */
static bool hpm_due(HPMState *h)
{
    for (uint64_t m = h->armed; m; m &= m - 1) {
        if (h->left[ctz64(m)] < 0) {
            return true;
        }
    }
    return false;
}

/* Changes of mode, and traps */

void hpm_leave_mode(CPURISCVState *env, bool to_virt)
{
    HPMState *h = &env->hpm;
    target_ulong next_pc = h->trapping ? env->pc : h->return_pc;

    /* If V changes, the registers of both worlds have been swapped by now. */
    env->pdis.amb.swapped = to_virt != env->virt_enabled;
    if (!h->trapping && !env->uarch.pending) {
        env->uarch.model.prior_target = next_pc;
    }
    uarch_leave_mode(env, next_pc);
    env->uarch.model.line = 0;
    if (h->armed) {
        h->next_pc = next_pc;
        hpm_fold(env, 0);
    }
    env->pdis.amb.swapped = false;
}

void hpm_enter_mode(CPURISCVState *env)
{
    uint64_t prior_target = env->uarch.model.prior_target;

    env->hpm.trapping = false;
    env->hpm.mode = hpm_mode(env->priv, env->virt_enabled);
    hpm_arm(env);
    env->uarch.model.prior_target = prior_target;   /* of the trap return */
}

static uint64_t hpm_exception_attrs(uint32_t cause)
{
    switch (cause) {
    case RISCV_EXCP_LOAD_PAGE_FAULT:
    case RISCV_EXCP_STORE_PAGE_FAULT:
    case RISCV_EXCP_LOAD_GUEST_ACCESS_FAULT:
    case RISCV_EXCP_STORE_GUEST_AMO_ACCESS_FAULT:
        return HPM_EXCEPTION | HPM_PGFLT_DATA;
    case RISCV_EXCP_INST_PAGE_FAULT:
    case RISCV_EXCP_INST_GUEST_PAGE_FAULT:
        return HPM_EXCEPTION | HPM_PGFLT_CODE;
    case RISCV_EXCP_LOAD_ADDR_MIS:
        return HPM_EXCEPTION | HPM_MISALIGNED_LOAD;
    case RISCV_EXCP_STORE_AMO_ADDR_MIS:
        return HPM_EXCEPTION | HPM_MISALIGNED_STORE;
    case RISCV_EXCP_INST_ACCESS_FAULT:
        return HPM_EXCEPTION | HPM_FETCH_ACCESS;
    case RISCV_EXCP_ILLEGAL_INST:
    case RISCV_EXCP_VIRT_INSTRUCTION_FAULT:
        return HPM_EXCEPTION | HPM_ILLEGAL;
    case RISCV_EXCP_U_ECALL:
    case RISCV_EXCP_S_ECALL:
    case RISCV_EXCP_VS_ECALL:
    case RISCV_EXCP_M_ECALL:
        return HPM_EXCEPTION | HPM_ECALL;
    default:
        return HPM_EXCEPTION;
    }
}

/*
 * An instruction that causes an exception does not retire, but it has been
 * decoded, unless it could not be fetched. What was counted of it has been
 * given back.
 */
static uint64_t hpm_decoded_attrs(CPURISCVState *env, uint32_t cause)
{
    target_ulong pc = env->xl == MXL_RV32 ? (uint32_t)env->pc : env->pc;
    CPUState *cs = env_cpu(env);
    uint16_t half[2] = {};

    if (!hpm_match(env->hpm.armed, HPM_DECODED) || env->pdis.amb.faulting ||
        cause == RISCV_EXCP_INST_ACCESS_FAULT ||
        cause == RISCV_EXCP_INST_PAGE_FAULT ||
        cause == RISCV_EXCP_INST_GUEST_PAGE_FAULT) {
        return 0;
    }
    if (cpu_memory_rw_debug(cs, pc, &half[0], 2, false) < 0 ||
        ((half[0] & 3) == 3 &&
         cpu_memory_rw_debug(cs, pc + 2, &half[1], 2, false) < 0)) {
        return 0;
    }
    return hpm_decoding(hpm_classify(env, lduw_le_p(&half[0]) |
                                          lduw_le_p(&half[1]) << 16));
}

static uint32_t hpm_combined_here(HPMState *h)
{
    return h->modelled_by_uarch[h->mode] & h->combined;
}

void hpm_happen(CPURISCVState *env, uint64_t attrs)
{
    static const UarchAmounts none;
    HPMState *h = &env->hpm;

    for (uint64_t m = hpm_match(h->armed, attrs); m; m &= m - 1) {
        h->left[ctz64(m)]--;
    }
    for (uint32_t m = hpm_combined_here(h); m; m &= m - 1) {
        int ctr = ctz32(m);
        uint64_t amount = hpm_selected_amount(&h->selection[ctr], attrs, &none);

        if (amount && hpm_add(env, ctr, amount)) {
            h->irqs |= BIT(ctr);
        }
    }
}

/* A trap is about to be taken. It belongs to the mode that it interrupts. */
void hpm_trap(CPURISCVState *env, uint32_t cause, bool async)
{
    HPMState *h = &env->hpm;

    h->trapping = true;
    if (!env->uarch.pending) {
        env->uarch.model.prior_target = 0;  /* nobody has seen the last one */
    }
    uarch_trap(env, async);
    if (!h->armed && !hpm_combined_here(h)) {
        return;
    }
    if (hpm_due(h)) {           /* by the instruction before the trap */
        h->next_pc = env->pc;
        hpm_fold(env, 0);
        hpm_arm(env);
    }
    hpm_happen(env, async ? HPM_INTERRUPT :
               hpm_exception_attrs(cause) | hpm_decoded_attrs(env, cause));
    if (hpm_due(h) || h->irqs) {
        h->pc = h->next_pc = env->pc;
        hpm_fold(env, 0);
        hpm_arm(env);
    }
}

/* Instructions that were accounted for but do not retire */

/* @data: by kind, what the block holds from the instruction that stops it on */
void hpm_restore(CPURISCVState *env, uint64_t key, uint64_t data)
{
    int bits = hpm_field_bits(key);

    for (uint64_t m = hpm_insn_kinds(key); m; m &= m - 1) {
        env->hpm.left[ctz64(m)] += extract64(data, 0, bits);
        data >>= bits;
    }
    if (key & HPM_KEY_FULL) {
        uarch_restore(env);
    }
}

/* For an exception which is raised without unwinding the block */
void hpm_undo(CPURISCVState *env, uintptr_t ra)
{
    if (env->hpm.key) {
        target_ulong bins = env->bins;

        cpu_restore_state(env_cpu(env), ra);
        env->bins = bins;
    }
}

/* Helpers, called by translated code */

/*
 * The block holds, or may hold, an instruction at which a counter overflows.
 * It has not been entered, and env->pc is where it begins.
 */
void HELPER(hpm_slow)(CPURISCVState *env, uint32_t insns)
{
    CPUState *cs = env_cpu(env);

    if (icount_enabled()) {
        cs->neg.icount_decr.u16.low += insns;
    }
    if (env->hpm.key & HPM_KEY_LEVEL) {
        env->hpm.key &= ~(HPM_KEY_LEVEL | HPM_KEY_HITS);
        env->hpm.key |= HPM_KEY_FULL;
        uarch_filter_clear(&env->uarch.filter);
    } else {
        env->hpm.key |= HPM_KEY_STEP;
    }
    env->hpm.steps = insns;
    cpu_loop_exit_noexc(cs);
}

/* Called before each instruction in step mode; @kinds: what it counts as. */
void HELPER(hpm_step)(CPURISCVState *env, uint64_t kinds)
{
    HPMState *h = &env->hpm;
    CPUState *cs = env_cpu(env);
    bool due = hpm_due(h);

    for (; kinds; kinds &= kinds - 1) {
        h->left[ctz64(kinds)]--;
    }
    if (!due && h->steps) {
        h->steps--;
        h->pc = env->pc;
        return;
    }
    cpu_restore_state(cs, GETPC());     /* this instruction has yet to run */
    h->next_pc = env->pc;
    hpm_fold(env, 0);
    hpm_arm(env);
    cpu_loop_exit_noexc(cs);
}

/*
 * At level full: @kinds is what the next instruction counts as. Return whether
 * an overflow is due, in which case hpm_insn_stop() deals with it, the
 * instruction having been given back.
 */
bool hpm_insn_due(CPURISCVState *env, uint64_t kinds)
{
    HPMState *h = &env->hpm;
    bool due = hpm_due(h) || h->stale;

    if (hpm_level(env) != HPM_KEY_FULL) {
        due |= !h->steps--;             /* see helper_hpm_slow() */
    }
    for (; kinds; kinds &= kinds - 1) {
        h->left[ctz64(kinds)]--;
    }
    if (!due) {
        h->pc = env->pc;
    }
    return due;
}

bool hpm_incurred(const HPMEvent *event, uint64_t attrs)
{
    return hpm_has(attrs, event->any, event->all, event->none);
}

void hpm_count_place(CPURISCVState *env, HPMMode mode, uint64_t attrs)
{
    HPMState *h = &env->hpm;

    h->several = true;
    for (uint32_t m = h->modelled_by_uarch[mode] & h->accesses; m; m &= m - 1) {
        int ctr = ctz32(m);

        h->more[ctr] += hpm_incurred(h->selection[ctr].event[0], attrs);
    }
}

void hpm_count_flushed(CPURISCVState *env, HPMMode mode, uint64_t attrs)
{
    HPMState *h = &env->hpm;

    h->has_flushed = true;
    for (uint32_t m = h->modelled_by_uarch[mode] & h->accesses; m; m &= m - 1) {
        int ctr = ctz32(m);

        h->flushed[ctr] += hpm_incurred(h->selection[ctr].event[0], attrs);
    }
}

/* What an instruction with several accesses adds to a counter of accesses */
static uint64_t hpm_place_amount(HPMState *h, int ctr, uint64_t attrs,
                                 const UarchAmounts *n)
{
    return hpm_amount(h->selection[ctr].event[0], attrs & HPM_FETCH_ATTRS, n) +
           h->more[ctr];
}

/* The model has seen the end of an instruction. */
void hpm_count_insn(CPURISCVState *env, const UarchInsn *insn,
                    const UarchAmounts *n)
{
    HPMState *h = &env->hpm;
    uint64_t attrs = insn->attrs | env->uarch.others;

    if (env_archcpu(env)->uarch_cfg.cycles) {
        ctr_add_cycles(env, n->n[UARCH_CYCLES]);
    }
    if (insn->trapped) {
        attrs &= HPM_FETCH_ATTRS;
    }
    h->pc = insn->pc;
    h->next_pc = insn->next_pc;
    for (uint32_t m = h->modelled_by_uarch[insn->mode] & ~h->written; m;
         m &= m - 1) {
        int ctr = ctz32(m);
        uint64_t amount = h->several && (h->accesses & BIT(ctr)) ?
            hpm_place_amount(h, ctr, attrs, n) :
            hpm_selected_amount(&h->selection[ctr], attrs, n);

        amount += h->flushed[ctr];
        if (amount && hpm_add(env, ctr, amount)) {
            h->irqs |= BIT(ctr);
        }
    }
    if (h->has_flushed) {
        h->has_flushed = false;
        memset(h->flushed, 0, sizeof(h->flushed));
    }
    if (h->several) {
        h->several = false;
        memset(h->more, 0, sizeof(h->more));
    }
    if (h->irqs) {
        hpm_fold(env, h->written);      /* with what else overflows by it */
        h->stale = true;
    }
}

void hpm_count_touch(CPURISCVState *env, uint64_t attrs, HPMCounters of)
{
    HPMState *h = &env->hpm;
    uint32_t ctrs = (of & HPM_ACCESSES ? h->accesses : 0) |
                    (of & HPM_INSNS ? ~h->accesses : 0);
    bool counted = false;

    if (!(attrs & h->touched[h->mode])) {
        return;                 /* it is what most accesses are: a hit */
    }
    for (uint32_t m = h->modelled_by_uarch[h->mode] & ctrs; m; m &= m - 1) {
        int ctr = ctz32(m);

        if (hpm_incurred(h->selection[ctr].event[0], attrs)) {
            hpm_add(env, ctr, 1);
            counted = true;
        }
    }
    h->touches -= counted;
}

/* To go on with the instruction at env->pc, which has been given back */
void hpm_insn_stop(CPURISCVState *env)
{
    env->hpm.next_pc = env->pc;
    hpm_fold(env, 0);
    hpm_arm(env);
}

void HELPER(hpm_marker)(CPURISCVState *env, uint32_t id)
{
    hpm_before_write(env, 0);
    hpm_arm(env);
    hpm_log_marker(env, id);
}

/* Life of the model */

/* Properties are the same for all harts; these make harts differ. */
static void hpm_init_hart(RISCVCPU *cpu)
{
    HPMConfig *cfg = &cpu->hpm_cfg;

    if (cpu->env.mhartid % 2 == 0) {
        cfg->odd_narrow = cfg->odd_undelegated = 0;
        return;
    }
    if (cfg->odd_marchid) {
        cpu->cfg.marchid = cfg->odd_marchid;
    }
    cfg->zero |= cfg->odd_zero;
    cfg->unfiltered |= cfg->odd_unfiltered;
}

void hpm_init(RISCVCPU *cpu, Error **errp)
{
    ERRP_GUARD();
    HPMConfig *cfg = &cpu->hpm_cfg;

    if (cfg->core && !hpm_xiangshan(&cpu->env) && !hpm_core(&cpu->env)) {
        error_setg(errp, "hpm-core must be xiangshan-kunminghu, sifive-u74 or "
                   "spacemit-x60");
        return;
    }
    hpm_core_init(cpu);
    hpm_xiangshan_init(cpu, errp);
    if (*errp) {
        return;
    }
    hpm_init_hart(cpu);
    if (cfg->width < 32 || cfg->width > 64) {
        error_setg(errp, "hpm-width must be in 32..64");
    } else if (cfg->cpi < 1 || cfg->cpi > 1000) {
        error_setg(errp, "hpm-cpi must be in 1..1000");
    } else if (cfg->fixed && strcmp(cfg->fixed, "auto") &&
               strcmp(cfg->fixed, "exact") && strcmp(cfg->fixed, "host")) {
        error_setg(errp, "hpm-fixed must be auto, exact or host");
    } else if (cfg->marker && !cfg->log) {
        error_setg(errp, "hpm-marker needs hpm-log");
    } else {
        hpm_init_kinds();
        hpm_vendor_init(cpu, errp);
        if (*errp) {
            return;
        }
        cpu->hpm_insns = g_new(HPMInsn, TCG_MAX_INSNS);
        hpm_log_open(cpu, errp);
        if (!*errp) {
            uarch_init(cpu, errp);
        }
    }
}

/*
 * Reset values are left open by the architecture; ours are all 0. A core may
 * differ.
 */
void hpm_reset(CPURISCVState *env)
{
    RISCVCPU *cpu = env_archcpu(env);
    const char *policy = cpu->hpm_cfg.fixed;

    memset(env->pmu_ctrs, 0, sizeof(env->pmu_ctrs));
    memset(env->mhpmevent_val, 0, sizeof(env->mhpmevent_val));
    memset(env->mhpmeventh_val, 0, sizeof(env->mhpmeventh_val));
    env->mcyclecfg = env->mcyclecfgh = 0;
    env->minstretcfg = env->minstretcfgh = 0;
    env->mcountinhibit = 0;
    env->mcounteren = env->scounteren = env->hcounteren = 0;
    env->siselect = env->vsiselect = env->miselect = 0;

    hpm_xiangshan_reset(env);
    uarch_reset(env);
    memset(&env->hpm, 0, sizeof(env->hpm));
    env->hpm.rng = cpu->hpm_cfg.skid_seed * 0x9e3779b97f4a7c15ull + 1 +
                   env->mhartid;
    env->hpm.modelled = cpu->pmu_avail_ctrs;
    if (policy && !strcmp(policy, "exact")) {
        env->hpm.modelled |= HPM_FIXED;
    }
    hpm_configure(env);
}

/* Migration: the counters themselves are saved with the rest of the hart. */

int hpm_pre_save(void *opaque)
{
    RISCVCPU *cpu = opaque;

    uarch_stop(&cpu->env);
    cpu->env.hpm.next_pc = cpu->env.pc;
    hpm_fold(&cpu->env, 0);
    return 0;
}

static bool hpm_needed(void *opaque)
{
    RISCVCPU *cpu = opaque;

    return cpu->env.hpm.modelled;
}

static bool hpm_stop_needed(void *opaque)
{
    RISCVCPU *cpu = opaque;

    return hpm_needed(opaque) && cpu->hpm_cfg.stop_late;
}

static const VMStateDescription vmstate_hpm_stop = {
    .name = "cpu/hpm/stop",
    .version_id = 1,
    .minimum_version_id = 1,
    .needed = hpm_stop_needed,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT32(env.hpm.inhibited, RISCVCPU),
        VMSTATE_UINT32(env.hpm.stopping, RISCVCPU),
        VMSTATE_INT64(env.hpm.stop_left, RISCVCPU),
        VMSTATE_END_OF_LIST()
    }
};

const VMStateDescription vmstate_hpm = {
    .name = "cpu/hpm",
    .version_id = 1,
    .minimum_version_id = 1,
    .needed = hpm_needed,
    .fields = (const VMStateField[]) {
        VMSTATE_UINTTL(env.mcyclecfg, RISCVCPU),
        VMSTATE_UINTTL(env.mcyclecfgh, RISCVCPU),
        VMSTATE_UINTTL(env.minstretcfg, RISCVCPU),
        VMSTATE_UINTTL(env.minstretcfgh, RISCVCPU),
        VMSTATE_UINT32(env.hpm.modelled, RISCVCPU),
        VMSTATE_BOOL(env.hpm.skid_pending, RISCVCPU),
        VMSTATE_INT64(env.hpm.skid_left, RISCVCPU),
        VMSTATE_UINT64(env.hpm.rng, RISCVCPU),
        VMSTATE_UINT64_ARRAY(env.hpm.total, RISCVCPU, HPM_COUNTERS),
        VMSTATE_UINT64_ARRAY(env.hpm.retired, RISCVCPU, HPM_MODES),
        VMSTATE_END_OF_LIST()
    },
    .subsections = (const VMStateDescription * const []) {
        &vmstate_hpm_stop,
        &vmstate_hpm_vendor,
        NULL
    }
};

/*
 * What firmware needs to serve the SBI PMU extension: which value selects each
 * generic event, and that every counter can count every event. Raw events are
 * the codes of hpm_events.tsv.
 */
void hpm_generate_fdt_node(void *fdt, RISCVCPU *cpu, const char *node)
{
    uint32_t counters = cpu->pmu_avail_ctrs;
    g_autoptr(GArray) select = g_array_new(false, false, sizeof(uint32_t));
    g_autoptr(GArray) map = g_array_new(false, false, sizeof(uint32_t));
    uint32_t raw[] = { 0, 0, cpu_to_be32(UINT32_MAX), cpu_to_be32(~0xffu),
                       cpu_to_be32(counters) };

    if (hpm_xiangshan(&cpu->env)) {
        hpm_xiangshan_generate_fdt(cpu, fdt, node);
        return;
    }
    if (hpm_core(&cpu->env)) {
        hpm_core_generate_fdt(cpu, fdt, node);
        return;
    }
    for (int i = 0; i < ARRAY_SIZE(hpm_events); i++) {
        const HPMEvent *e = &hpm_events[i];
        uint32_t fixed = e->code == HPM_CODE_CYCLE ? COUNTEREN_CY :
                         e->code == HPM_CODE_INSTRET ? COUNTEREN_IR : 0;
        uint32_t cells[] = {
            cpu_to_be32(e->sbi), cpu_to_be32(e->code >> 32),
            cpu_to_be32((uint32_t)e->code),
            cpu_to_be32(e->sbi), cpu_to_be32(e->sbi),
            cpu_to_be32(counters | fixed),
        };

        if (e->sbi) {
            g_array_append_vals(select, cells, 3);
            g_array_append_vals(map, cells + 3, 3);
        }
    }
    qemu_fdt_setprop(fdt, node, "riscv,event-to-mhpmevent",
                     select->data, select->len * sizeof(uint32_t));
    qemu_fdt_setprop(fdt, node, "riscv,event-to-mhpmcounters",
                     map->data, map->len * sizeof(uint32_t));
    qemu_fdt_setprop(fdt, node, "riscv,raw-event-to-mhpmcounters",
                     raw, sizeof(raw));
}
