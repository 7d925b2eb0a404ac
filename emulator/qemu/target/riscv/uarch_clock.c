/*
 * RISC-V microarchitecture model: the cheap clock
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "uarch_clock.h"

/* How long a window is, by the size of that of the pipeline */
#define UARCH_CLOCK_SETTLE 4
#define UARCH_CLOCK_MEASURE 8

/* The first windows come sooner, each after twice as many instructions. */
#define UARCH_CLOCK_FIRST 4096

/* An older window counts less by one of so many. */
#define UARCH_CLOCK_FADE 32

/* As if there had been so many windows that took what was guessed */
#define UARCH_CLOCK_PRIOR 2

/* More, in one window, is this: there is room for the sum of so many. */
#define UARCH_CLOCK_WINDOW_MAX (1ull << 41)

/* The guess is never off by more. */
#define UARCH_CLOCK_SCALE_MIN (UARCH_CLOCK_ONE / 32)
#define UARCH_CLOCK_SCALE_MAX (UARCH_CLOCK_ONE * 32)

/*
 * What is guessed, in 1/256: of an instruction, what the width does not change,
 * and how much of the latency of a miss others wait for. That differs between
 * programs by more than a constant can be good for, and windows correct it; the
 * last column of emulator/tests/uarch/cycles says how far off it is without.
 */
static const struct {
    uint32_t slot, insn;        /* cycles: slot / width + insn */
    uint32_t code, code_tlb;    /* of latencies */
    uint32_t data, data_tlb;
    uint32_t refill;            /* of uarch-refill, for a misprediction, */
    uint32_t resolve;           /* and cycles until it is found */
} part = {
    .slot = 256, .insn = 16,
    .code = 256, .code_tlb = 256,
    .data = 256, .data_tlb = 192,
    .refill = 256, .resolve = 1024,
};

static uint32_t code_latency(const UarchParams *p, uint64_t attrs)
{
    return attrs & HPM_ICLLMISS ? p->mem_latency :
           attrs & HPM_ICHITM ? p->hitm_latency :
           attrs & HPM_ICMISS ? p->ll_latency : 0;
}

/* What a load takes longer than one that hits */
static uint32_t data_latency(const UarchParams *p, uint64_t attrs)
{
    uint32_t latency = attrs & HPM_DEVICE ? p->device_latency :
                       attrs & HPM_LLMISS ? p->mem_latency :
                       attrs & HPM_HITM ? p->hitm_latency :
                       attrs & HPM_L1DMISS ? p->ll_latency : 0;

    return attrs & HPM_LOAD && latency > p->l1d_latency ?
           latency - p->l1d_latency : 0;
}

/* In 1/256 of a cycle, by no more than the table */
static uint64_t stall(const UarchParams *p, uint64_t attrs, uint32_t walk)
{
    uint64_t n = (uint64_t)part.code * code_latency(p, attrs) +
                 (uint64_t)part.data * data_latency(p, attrs);

    if (attrs & HPM_ITMISS) {
        n += (uint64_t)part.code_tlb *
             (attrs & HPM_ITLLMISS ? walk : p->lltlb_latency);
    }
    if (attrs & HPM_L1DTLBMISS) {
        n += (uint64_t)part.data_tlb *
             (attrs & HPM_LLTLBMISS ? walk : p->lltlb_latency);
    }
    if (attrs & HPM_MISPRED) {
        n += (uint64_t)part.refill * p->refill + part.resolve;
    }
    return n << (UARCH_CLOCK_BITS - 8);
}

static uint64_t insn_time(const UarchParams *p)
{
    return (uint64_t)(part.slot / p->width + part.insn) <<
           (UARCH_CLOCK_BITS - 8);
}

/* All that can happen to an instruction at once */
static uint64_t longest(const UarchParams *p)
{
    uint32_t line = MAX(MAX(p->mem_latency, p->hitm_latency),
                        MAX(p->ll_latency, p->l1d_latency));
    uint32_t walk = p->walk_loads ? UARCH_WALK_MAX * line : p->walk_latency;
    uint64_t most = (uint64_t)MAX(line, p->device_latency) +
                    MAX(walk, p->lltlb_latency);

    return (2 * most * 256 + 2ull * 256 * p->refill + 2 * 1024) <<
           (UARCH_CLOCK_BITS - 8);
}

static uint64_t scaled(const UarchClock *c, uint64_t time)
{
    return time * c->scale >> UARCH_CLOCK_BITS;
}

/* The number of instructions to the next window, not always the same */
static int64_t distance(UarchClock *c, const UarchParams *p)
{
    uint64_t first = (uint64_t)UARCH_CLOCK_FIRST << c->windows;

    if (!p->cheap_every) {
        return INT64_MAX;
    }
    if (first < p->cheap_every) {
        c->windows++;
        return first;
    }
    c->random = c->random * 6364136223846793005ull + 1442695040888963407ull;
    return p->cheap_every / 2 + (c->random >> 33) % p->cheap_every;
}

void uarch_clock_reset(UarchClock *c, const UarchParams *p)
{
    uint64_t prior = UARCH_CLOCK_PRIOR * UARCH_CLOCK_MEASURE * p->window;

    memset(c, 0, sizeof(*c));
    c->guesses = c->times = prior * UARCH_CLOCK_ONE;
    c->scale = UARCH_CLOCK_ONE;
    c->phase = UARCH_CLOCK_COASTS;
    c->left = distance(c, p);
    uarch_clock_sees(c, p, false);
}

void uarch_clock_sees(UarchClock *c, const UarchParams *p, bool sees)
{
    c->insn = sees ? 0 : scaled(c, insn_time(p));
    c->most = scaled(c, longest(p));
}

uint64_t uarch_clock_stall(const UarchClock *c, const UarchParams *p,
                           uint64_t attrs, uint32_t walk)
{
    return scaled(c, stall(p, attrs, walk));
}

void uarch_clock_saw(UarchClock *c, const UarchParams *p,
                     const UarchInsn *insn, uint64_t cycles)
{
    if (c->phase == UARCH_CLOCK_MEASURES) {
        c->time += cycles << UARCH_CLOCK_BITS;
        c->guess += insn->trapped ? 0 : insn_time(p);
        c->guess += stall(p, insn->attrs & UARCH_CLOCK_FETCH, insn->code_walk);
        c->guess += stall(p, insn->attrs & ~UARCH_CLOCK_FETCH,
                          insn->data_walk);
    }
}

void uarch_clock_passed(UarchClock *c, uint64_t n)
{
    c->left -= MIN(n, INT64_MAX / 2);
}

/* A window has ended. */
static void learn(UarchClock *c)
{
    c->guess = MIN(c->guess, UARCH_CLOCK_WINDOW_MAX);
    c->time = MIN(c->time, UARCH_CLOCK_WINDOW_MAX);
    c->guesses += c->guess - c->guesses / UARCH_CLOCK_FADE;
    c->times += c->time - c->times / UARCH_CLOCK_FADE;
    c->scale = (c->times << UARCH_CLOCK_BITS) / MAX(c->guesses, 1);
    c->scale = MIN(MAX(c->scale, UARCH_CLOCK_SCALE_MIN), UARCH_CLOCK_SCALE_MAX);
}

void uarch_clock_turn(UarchClock *c, const UarchParams *p)
{
    if (c->left > 0) {
        return;
    }
    switch (c->phase) {
    case UARCH_CLOCK_COASTS:
        c->phase = UARCH_CLOCK_SETTLES;
        c->left = UARCH_CLOCK_SETTLE * p->window;
        break;
    case UARCH_CLOCK_SETTLES:
        c->phase = UARCH_CLOCK_MEASURES;
        c->left = UARCH_CLOCK_MEASURE * p->window;
        c->guess = c->time = 0;
        break;
    default:
        learn(c);
        c->phase = UARCH_CLOCK_COASTS;
        c->left = distance(c, p);
    }
}

bool uarch_clock_good(const UarchClock *c)
{
    return c->phase < UARCH_CLOCK_PHASES && c->windows < 32 &&
           c->scale >= UARCH_CLOCK_SCALE_MIN &&
           c->scale <= UARCH_CLOCK_SCALE_MAX &&
           c->guesses < 1ull << 48 && c->times < 1ull << 48;
}
