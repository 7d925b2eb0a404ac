/*
 * RISC-V microarchitecture model: the pipeline, for what goes through it
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef RISCV_UARCH_PIPE_H
#define RISCV_UARCH_PIPE_H

#include "uarch_model.h"

/* When an instruction reached each stage, and what held it up */
typedef struct UarchTimes {
    uint64_t translated, fetched;   /* could be decoded from then */
    union {
        UarchStages stages;
        struct {
            uint64_t decode, dispatch, issue, complete, retire;
        };
    };
    uint64_t serial, window;    /* could be dispatched, as to these */
    uint64_t wait;              /* cycles, for operands or the divider, */
    UarchQuantity operand;      /* and what those were waiting for */
    UarchQuantity cause;        /* what completion waited for */
    const UarchFill *fill;      /* of the line that it accesses, if any */
    bool merged;                /* it has waited for that */
} UarchTimes;

/* uarch_parts.c */
bool uarch_follow(UarchModel *m, const UarchInsn *insn, uint32_t *ras,
                  uint64_t *next, bool *taken);

/* uarch_pipe.c: the stages, */
void uarch_pipe_decode(const UarchParams *p, UarchPipe *pipe, UarchTimes *t,
                       const UarchInsn *insn);
void uarch_pipe_dispatch(const UarchParams *p, UarchPipe *pipe, UarchTimes *t,
                         const UarchInsn *insn);
uint64_t uarch_operands_ready(UarchPipe *pipe, const UarchOperands *o,
                              UarchQuantity *cause);
void uarch_pipe_issue(const UarchParams *p, UarchPipe *pipe, UarchTimes *t,
                      const UarchInsn *insn);
void uarch_pipe_execute(const UarchParams *p, UarchPipe *pipe, UarchTimes *t,
                        const UarchInsn *insn);
void uarch_pipe_never_retire(UarchPipe *pipe, const UarchTimes *t);
void uarch_count_waiting(UarchModel *m, UarchPipe *pipe, const UarchTimes *t,
                         uint64_t before, uint64_t until, UarchAmounts *n);
void uarch_redirect(UarchPipe *pipe, uint64_t time, UarchQuantity why);

/* how long a line is on its way, by where it comes from; */
uint32_t uarch_line_latency(const UarchParams *p, uint64_t attrs);

/* lines on their way, and what is said of an instruction at its end */
const UarchFill *uarch_find_fill(const UarchModel *m, const UarchInsn *insn);
void uarch_remember_miss(UarchModel *m, const UarchInsn *insn,
                         const UarchTimes *t, UarchAmounts *n);
void uarch_set_latencies(UarchInsn *insn, const UarchTimes *t, uint64_t end);
void uarch_set_source(UarchInsn *insn);

/* uarch_flushed.c */
void uarch_speculate(UarchModel *m, UarchPipe *pipe, const UarchInsn *first,
                     uint64_t until, bool rv32, const UarchStream *stream,
                     UarchAmounts *n);

#endif /* RISCV_UARCH_PIPE_H */
