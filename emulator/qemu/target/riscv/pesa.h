/*
 * RISC-V precise event sample attribution (Sspesa), precise LCOFI (Ssplcofi)
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef RISCV_PESA_H
#define RISCV_PESA_H

#include "hpm_csr_numbers.h"

/* What shpmspc has to do with the instruction that caused the overflow */
typedef enum PESAForm {
    PESA_EXACT, PESA_BLOCK, PESA_NEXT, PESA_FORMS
} PESAForm;

typedef struct PESAState {
    target_ulong spc, sdata;        /* shpmspc, shpmsdata */

    /*
     * An interrupt request that is on its way: what it captures if LCOFIP is
     * 0 when it arrives. All of it is of the moment of the overflow. The
     * counter is 0 if there is nothing to capture.
     */
    uint32_t late_ctr;
    target_ulong late_pc, late_next;
} PESAState;

typedef struct PESAConfig {
    char *pc, *odd_pc;
    uint64_t none_harts;            /* set of harts without Sspesa, */
    uint64_t late_harts;            /* and of those without Ssplcofi */

    /* Worked out from the properties */
    PESAForm form;
} PESAConfig;

#define PESA_PROPERTIES                                                     \
    DEFINE_PROP_STRING("pesa-pc", RISCVCPU, pesa_cfg.pc),                   \
    DEFINE_PROP_STRING("pesa-odd-pc", RISCVCPU, pesa_cfg.odd_pc),           \
    DEFINE_PROP_UINT64("pesa-none-harts", RISCVCPU, pesa_cfg.none_harts,    \
                       0),                                                  \
    DEFINE_PROP_UINT64("pesa-late-harts", RISCVCPU, pesa_cfg.late_harts, 0)

/* Life of the model */
void pesa_init(RISCVCPU *cpu, Error **errp);
void pesa_reset(CPURISCVState *env);
extern const VMStateDescription vmstate_pesa;

/* CSR accesses; pesa_before_delegation(): menvcfg, mcounteren change */
RISCVException pesa_access(CPURISCVState *env, int csrno);
RISCVException pesa_read(CPURISCVState *env, int csrno, target_ulong *val);
RISCVException pesa_write(CPURISCVState *env, int csrno, target_ulong val);
void pesa_before_delegation(CPURISCVState *env);

/*
 * For the counters. @ctrs: those whose OF has just gone from 0 to 1. The
 * interrupt follows at once (pesa_capture()), or it is requested now
 * (pesa_request()) and arrives later (pesa_arrive()); each of them comes before
 * LCOFIP is set.
 */
bool pesa_no_skid(CPURISCVState *env, int ctr);
void pesa_capture(CPURISCVState *env, uint32_t ctrs);
void pesa_request(CPURISCVState *env, uint32_t ctrs);
void pesa_arrive(CPURISCVState *env);

#endif /* RISCV_PESA_H */
