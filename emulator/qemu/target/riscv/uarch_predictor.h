/*
 * RISC-V microarchitecture model: branch predictors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * For uarch_predict(), and for records of control transfers: most of what they
 * take is to look these up.
 */
#ifndef RISCV_UARCH_PREDICTOR_H
#define RISCV_UARCH_PREDICTOR_H

#include "uarch_model.h"

/* @i modulo @size, which nearly always is a power of 2: divisions are slow. */
static inline uint32_t entry_of(uint64_t i, uint32_t size)
{
    return size & (size - 1) ? i % size : i & (size - 1);
}

static inline uint8_t *branch_counter(UarchModel *m, uint64_t pc)
{
    return &m->pred.bimodal[entry_of((pc >> 1) ^ m->pred.history,
                                     m->p.bimodal)];
}

static inline void predict_branch(UarchModel *m, uint64_t pc, bool taken,
                                  uint64_t behind, int32_t offset,
                                  UarchPrediction *p)
{
    uint8_t *counter = branch_counter(m, pc);
    bool predicted = *counter >= 2;

    if (taken) {
        *counter = MIN(*counter + 1, 3);
    } else if (*counter) {
        --*counter;
    }
    m->pred.history = (m->pred.history << 1 | taken) &
                      ((1u << m->p.history) - 1);
    p->wrong = taken != predicted;
    p->has_target = true;
    p->target = predicted ? pc + offset : behind;
}

static inline void predict_jump(UarchModel *m, uint64_t pc, uint64_t target,
                                UarchPrediction *p)
{
    UarchPredictor *b = &m->pred;
    int i = entry_of(pc >> 1, m->p.btb);

    p->has_target = b->btb_pc[i] == pc;
    p->target = b->btb_target[i];
    p->wrong = !p->has_target || p->target != target;
    b->btb_pc[i] = pc;
    b->btb_target[i] = target;
}

static inline void predict_return(UarchModel *m, uint64_t target,
                                  UarchPrediction *p)
{
    UarchPredictor *b = &m->pred;

    p->wrong = true;
    if (b->ras_used) {
        b->ras_used--;
        b->ras_top = entry_of(b->ras_top + m->p.ras - 1, m->p.ras);
        p->has_target = true;
        p->target = b->ras[b->ras_top];
        p->wrong = p->target != target;
    }
}

static inline void push_return(UarchModel *m, uint64_t behind)
{
    UarchPredictor *b = &m->pred;

    b->ras[b->ras_top] = behind;
    b->ras_top = entry_of(b->ras_top + 1, m->p.ras);
    b->ras_used = MIN(b->ras_used + 1, m->p.ras);
}

/* uarch_predict(), inline: CTR has the type at hand */
static inline void predict_transfer(UarchModel *m, uint64_t attrs, uint64_t pc,
                                    uint64_t behind, uint64_t target,
                                    int32_t offset, UarchPrediction *p)
{
    p->wrong = p->has_target = false;
    if (attrs & HPM_BRANCH) {
        predict_branch(m, pc, attrs & HPM_TAKEN, behind, offset, p);
        return;
    }
    if (attrs & (HPM_RETURN | HPM_CORSWAP)) {
        predict_return(m, target, p);
    }
    if (attrs & (HPM_DIR_CALL | HPM_IND_CALL | HPM_CORSWAP)) {
        push_return(m, behind);
    }
    if (attrs & (HPM_IND_CALL | HPM_IND_JUMP | HPM_IND_LJUMP)) {
        predict_jump(m, pc, target, p);
    }
}

#endif /* RISCV_UARCH_PREDICTOR_H */
