/*
 * RISC-V microarchitecture model: the cheap clock
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * With uarch-cycles=cheap the pipeline sees few instructions, and those take as
 * many cycles as it says. Between such windows an instruction takes a constant
 * time, and each miss and misprediction takes more. The windows tell how far
 * this guess is off, and it is scaled by that: for each program by its own.
 */
#ifndef RISCV_UARCH_CLOCK_H
#define RISCV_UARCH_CLOCK_H

#include "uarch_model.h"

/* Times are cycles with so many bits behind the point. */
#define UARCH_CLOCK_BITS 16
#define UARCH_CLOCK_ONE (1ull << UARCH_CLOCK_BITS)

/* What has one of these may take longer than others. */
#define UARCH_CLOCK_FETCH (HPM_ICMISS | HPM_ICLLMISS | HPM_ICHITM |          \
                           HPM_ITMISS | HPM_ITLLMISS)
#define UARCH_CLOCK_STALLS (UARCH_CLOCK_FETCH | HPM_L1DMISS | HPM_LLMISS |   \
                            HPM_HITM | HPM_L1DTLBMISS | HPM_LLTLBMISS |      \
                            HPM_DEVICE | HPM_MISPRED)

/* The least of uarch-cheap-every, which is a mean distance of windows, but 0 */
#define UARCH_CLOCK_EVERY_MIN 1000

typedef enum UarchClockPhase {
    UARCH_CLOCK_COASTS,         /* between windows */
    UARCH_CLOCK_SETTLES,        /* the pipeline fills, */
    UARCH_CLOCK_MEASURES,       /* and says how far off the guess is */
    UARCH_CLOCK_PHASES
} UarchClockPhase;

/* Whose windows are kept: of the kernel, and of programs that ran last */
#define UARCH_COURSES 8

typedef struct UarchCourse {
    uint64_t whose;             /* see uarch_clock_enter() */
    uint32_t phase;             /* UarchClockPhase */
    int64_t left;               /* instructions to the next one */
    int64_t rest;               /* that are to be measured in this window */
    uint32_t windows;           /* that there have been, up to some */
    uint64_t guess, time;       /* of this window: without pipeline, with it */
    uint64_t guesses, times;    /* of all, the older the less */
    uint64_t scale;             /* their quotient */
} UarchCourse;

typedef struct UarchClock {
    bool runs;                  /* in the current mode */
    uint64_t now;               /* since reset, at the last fold */
    uint64_t ahead;             /* since then, beside @insn for each one */
    uint64_t own;               /* of it, by the CSR access in execution */
    uint64_t insn;              /* 0 while the pipeline says how long */
    uint64_t most;              /* that one thing can stall for */
    uint64_t limit;             /* at which a counter overflows */

    uint64_t random;
    UarchCourse course[UARCH_COURSES];  /* the first is that of what runs */
} UarchClock;

void uarch_clock_reset(UarchClock *c, const UarchParams *p);

/*
 * What comes now is of @whose: an address space in user mode, not 0, or 0 for
 * all that is not user mode.
 */
void uarch_clock_enter(UarchClock *c, const UarchParams *p, uint64_t whose);

/* Whether the pipeline sees what comes now */
void uarch_clock_sees(UarchClock *c, const UarchParams *p, bool sees);

/* Something with @attrs happens that it does not see: what it takes. */
uint64_t uarch_clock_stall(const UarchClock *c, const UarchParams *p,
                           uint64_t attrs, uint32_t walk);

/* Learn from an instruction that the pipeline has seen, for @cycles. */
void uarch_clock_saw(UarchClock *c, const UarchParams *p,
                     const UarchInsn *insn, uint64_t cycles);

/* @n instructions have retired, of those that the phase lasts for. */
void uarch_clock_passed(UarchClock *c, uint64_t n);

/* Is the phase over? Begin the next one. */
void uarch_clock_turn(UarchClock *c, const UarchParams *p);

/* Is the pipeline to see what comes? */
static inline bool uarch_clock_looks(const UarchClock *c)
{
    return c->course[0].phase != UARCH_CLOCK_COASTS;
}

/* For a state that somebody else has made: can it be true? */
bool uarch_clock_good(const UarchClock *c);

/* Whole cycles since the last fold, @insns instructions having retired */
static inline uint64_t uarch_clock_cycles(const UarchClock *c, uint64_t insns)
{
    uint64_t time = c->now + c->ahead + insns * c->insn;

    return (time >> UARCH_CLOCK_BITS) - (c->now >> UARCH_CLOCK_BITS);
}

/* The same, which is a fold */
static inline uint64_t uarch_clock_fold(UarchClock *c, uint64_t insns)
{
    uint64_t cycles = uarch_clock_cycles(c, insns);

    c->now += c->ahead + insns * c->insn;
    c->ahead = c->own = 0;
    return cycles;
}

#endif /* RISCV_UARCH_CLOCK_H */
