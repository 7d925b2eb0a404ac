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

/*
 * An older window counts less by one of so many. Each counts for as long in the
 * end, so few add no noise to what is counted, and phases differ.
 */
#define UARCH_CLOCK_FADE 8

/* As if there had been so many windows that took what was guessed */
#define UARCH_CLOCK_PRIOR 1

/* More, in one window, is this: there is room for the sum of so many. */
#define UARCH_CLOCK_WINDOW_MAX (1ull << 41)

/* Of a course that nobody has; no address space is so. */
#define UARCH_CLOCK_NOBODY UINT64_MAX

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
    return time * c->course[0].scale >> UARCH_CLOCK_BITS;
}

/* The number of instructions to the next window, not always the same */
static int64_t distance(UarchClock *c, const UarchParams *p)
{
    UarchCourse *of = &c->course[0];
    uint64_t first = (uint64_t)UARCH_CLOCK_FIRST << of->windows;

    if (!p->cheap_every) {
        return INT64_MAX;
    }
    if (first < p->cheap_every) {
        of->windows++;
        return first;
    }
    c->random = c->random * 6364136223846793005ull + 1442695040888963407ull;
    return p->cheap_every / 2 + (c->random >> 33) % p->cheap_every;
}

/* Nothing is known of it yet. */
static void begin(UarchClock *c, const UarchParams *p, uint64_t whose)
{
    uint64_t prior = UARCH_CLOCK_PRIOR * UARCH_CLOCK_MEASURE * p->window;
    UarchCourse *of = &c->course[0];

    memset(of, 0, sizeof(*of));
    of->whose = whose;
    of->guesses = of->times = prior * UARCH_CLOCK_ONE;
    of->scale = UARCH_CLOCK_ONE;
    of->phase = UARCH_CLOCK_COASTS;
    of->left = distance(c, p);
}

void uarch_clock_reset(UarchClock *c, const UarchParams *p)
{
    memset(c, 0, sizeof(*c));
    for (int i = 0; i < UARCH_COURSES; i++) {
        c->course[i].whose = UARCH_CLOCK_NOBODY;
    }
    begin(c, p, 0);
    uarch_clock_sees(c, p, false);
}

/* Something else runs meanwhile, which the pipeline may not see. */
static void interrupt_window(UarchCourse *of, const UarchParams *p)
{
    if (of->phase == UARCH_CLOCK_MEASURES) {
        of->rest = MAX(of->left, 1);
    }
    if (of->phase != UARCH_CLOCK_COASTS) {
        of->phase = UARCH_CLOCK_SETTLES;
        of->left = UARCH_CLOCK_SETTLE * p->window;
    }
}

/* The one that runs is first, and last the one that has not for longest. */
void uarch_clock_enter(UarchClock *c, const UarchParams *p, uint64_t whose)
{
    UarchCourse of;
    int i;

    if (c->course[0].whose == whose) {
        return;
    }
    interrupt_window(&c->course[0], p);
    for (i = 1; i < UARCH_COURSES - 1 && c->course[i].whose != whose; i++) {
        continue;
    }
    of = c->course[i];
    memmove(&c->course[1], &c->course[0], i * sizeof(of));
    c->course[0] = of;
    if (of.whose != whose) {
        begin(c, p, whose);
    }
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
    UarchCourse *of = &c->course[0];

    if (of->phase == UARCH_CLOCK_MEASURES) {
        of->time += cycles << UARCH_CLOCK_BITS;
        of->guess += insn->trapped ? 0 : insn_time(p);
        of->guess += stall(p, insn->attrs & UARCH_CLOCK_FETCH,
                           insn->code_walk);
        of->guess += stall(p, insn->attrs & ~UARCH_CLOCK_FETCH,
                           insn->data_walk);
    }
}

void uarch_clock_passed(UarchClock *c, uint64_t n)
{
    c->course[0].left -= MIN(n, INT64_MAX / 2);
}

/* A window has ended. */
static void learn(UarchCourse *of)
{
    of->guess = MIN(of->guess, UARCH_CLOCK_WINDOW_MAX);
    of->time = MIN(of->time, UARCH_CLOCK_WINDOW_MAX);
    of->guesses += of->guess - of->guesses / UARCH_CLOCK_FADE;
    of->times += of->time - of->times / UARCH_CLOCK_FADE;
    of->scale = (of->times << UARCH_CLOCK_BITS) / MAX(of->guesses, 1);
    of->scale = MIN(MAX(of->scale, UARCH_CLOCK_SCALE_MIN),
                    UARCH_CLOCK_SCALE_MAX);
}

void uarch_clock_turn(UarchClock *c, const UarchParams *p)
{
    UarchCourse *of = &c->course[0];

    if (of->left > 0) {
        return;
    }
    switch (of->phase) {
    case UARCH_CLOCK_COASTS:
        of->phase = UARCH_CLOCK_SETTLES;
        of->left = UARCH_CLOCK_SETTLE * p->window;
        of->rest = UARCH_CLOCK_MEASURE * p->window;
        of->guess = of->time = 0;
        break;
    case UARCH_CLOCK_SETTLES:
        of->phase = UARCH_CLOCK_MEASURES;
        of->left = of->rest;
        break;
    default:
        learn(of);
        of->phase = UARCH_CLOCK_COASTS;
        of->left = distance(c, p);
    }
}

static bool good(const UarchCourse *of)
{
    return of->phase < UARCH_CLOCK_PHASES && of->windows < 32 &&
           of->rest >= 0 && of->rest < UINT32_MAX &&
           of->scale >= UARCH_CLOCK_SCALE_MIN &&
           of->scale <= UARCH_CLOCK_SCALE_MAX &&
           of->guesses < 1ull << 48 && of->times < 1ull << 48;
}

bool uarch_clock_good(const UarchClock *c)
{
    for (int i = 0; i < UARCH_COURSES; i++) {
        if (c->course[i].whose != UARCH_CLOCK_NOBODY && !good(&c->course[i])) {
            return false;
        }
    }
    return c->course[0].whose != UARCH_CLOCK_NOBODY;
}
