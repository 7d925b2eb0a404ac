/*
 * RISC-V hardware performance counters: what their files have in common
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef RISCV_HPM_INTERNAL_H
#define RISCV_HPM_INTERNAL_H

/* The events of the fixed counters, in hpm_events.tsv */
#define HPM_CODE_CYCLE 0x1
#define HPM_CODE_INSTRET 0x2

#define HPM_FIXED (COUNTEREN_CY | COUNTEREN_IR)

#define HPM_DECODED (HPM_DEC | HPM_DEC_CTI | HPM_DEC_LOAD | HPM_DEC_STORE)

/* hpm_events.c */
extern uint64_t hpm_kinds_of_code;      /* those about translated code */
void hpm_init_kinds(void);
bool hpm_is_of_kind(int kind, uint64_t attrs);
const HPMEvent *hpm_find_event(uint64_t event);

/* hpm_select.c */
const HPMEvent *hpm_event_of(CPURISCVState *env, int ctr);
void hpm_derive(CPURISCVState *env);

/* hpm_csr.c */
int hpm_csr_insn(CPURISCVState *env, int kind);

/* hpm_uarch.c: what a counter adds for something that has @attrs */
uint64_t hpm_selected_amount(const HPMSelection *sel, uint64_t attrs,
                             const UarchAmounts *n);

/* hpm_clock.c */
void hpm_clock_turn(CPURISCVState *env);
void hpm_clock_arm(CPURISCVState *env);
uint32_t hpm_clock_fold(CPURISCVState *env, uint64_t insns, uint32_t written);

/* hpm.c */
bool hpm_add(CPURISCVState *env, int ctr, uint64_t n);
void hpm_arm(CPURISCVState *env);
G_NORETURN void hpm_go_slowly(CPURISCVState *env, uint32_t insns);

/* Nothing without any of these is what @event counts, but quantities are. */
static inline uint64_t hpm_counted_attrs(const HPMEvent *event)
{
    return event->counted[0].any | event->counted[1].any;
}

static inline bool hpm_is_of(uint64_t attrs, const HPMAttrs *what)
{
    return (what->any & attrs) && !(what->all & ~attrs) &&
           !(what->none & attrs);
}

/* The CSRs as 64 bit values, also on RV32 */

static inline uint64_t hpm_value(CPURISCVState *env, int ctr)
{
    PMUCTRState *c = &env->pmu_ctrs[ctr];

    if (riscv_cpu_mxl(env) == MXL_RV32) {
        return deposit64(c->mhpmcounter_val, 32, 32, c->mhpmcounterh_val);
    }
    return c->mhpmcounter_val;
}

static inline void hpm_set_value(CPURISCVState *env, int ctr, uint64_t val)
{
    PMUCTRState *c = &env->pmu_ctrs[ctr];

    if (riscv_cpu_mxl(env) == MXL_RV32) {
        c->mhpmcounter_val = (uint32_t)val;
        c->mhpmcounterh_val = val >> 32;
    } else {
        c->mhpmcounter_val = val;
    }
}

static inline uint64_t hpm_join(CPURISCVState *env, target_ulong low,
                                target_ulong high)
{
    return riscv_cpu_mxl(env) == MXL_RV32 ? deposit64(low, 32, 32, high) : low;
}

static inline uint64_t hpm_width_mask(CPURISCVState *env, int ctr)
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

/* How much may a counter still count before it overflows? */
static inline uint64_t hpm_room(CPURISCVState *env, int ctr)
{
    return ctr == HPM_PDIS ? pdis_room(env) :
           hpm_width_mask(env, ctr) - hpm_value(env, ctr);
}

/* At level full pdis_decoded() counts for PDIS. */
static inline uint32_t hpm_running(CPURISCVState *env)
{
    uint32_t running = env->hpm.running[env->hpm.mode];

    return env->pdis.full ? running & ~BIT(HPM_PDIS) : running;
}

/* How much the current mode needs to know of each instruction */
static inline uint64_t hpm_level(CPURISCVState *env)
{
    uint64_t level = env->hpm.level[env->hpm.mode];

    if (env_archcpu(env)->uarch_cfg.log || env->uarch.sampled ||
        (env->uarch.clock.runs &&
         uarch_clock_looks(&env->uarch.clock))) {
        level = HPM_KEY_FULL;
    }
    return level & HPM_KEY_FULL ? HPM_KEY_FULL : level;
}

/* Is there a counter that has overflowed since the last fold? */
static inline bool hpm_due(HPMState *h)
{
    for (uint64_t m = h->armed; m; m &= m - 1) {
        if (h->left[ctz64(m)] < 0) {
            return true;
        }
    }
    return false;
}

#endif /* RISCV_HPM_INTERNAL_H */
