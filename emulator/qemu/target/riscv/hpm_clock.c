/*
 * RISC-V hardware performance counters: cycles by the cheap clock
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Each instruction takes some time, and what happens to it takes more (see
 * uarch_clock.h); counters of cycles add whole ones. A counter must overflow at
 * the instruction by which it is due, whatever the blocks are. So instructions
 * count down to the overflow, a stall brings it nearer, and if an access could
 * stall for so long that it would be within a block, the hart goes on
 * instruction by instruction.
 */

#include "qemu/osdep.h"
#include "qemu/host-utils.h"
#include "cpu.h"
#include "exec/exec-all.h"
#include "hpm_internal.h"

/* Further than this no overflow is looked for: sums have room. */
#define HPM_CLOCK_MAX (1ll << 40)

/* When one is near, go so far before looking again whether it still is. */
#define HPM_CLOCK_STEPS 64

/* Instructions since the last fold */
static uint64_t hpm_clock_insns(const HPMState *h)
{
    return h->start[HPM_KIND_INSN] - h->left[HPM_KIND_INSN];
}

/* How many instructions may retire until a counter of cycles overflows? */
static int64_t hpm_clock_room(const UarchClock *c)
{
    uint64_t at = c->now + c->ahead;

    if (at >= c->limit) {
        return -1;
    }
    return c->insn ? MIN((c->limit - at - 1) / c->insn, HPM_CLOCK_MAX) :
                     HPM_CLOCK_MAX;
}

/* Instructions count down from what is nearer. */
static void hpm_clock_set(CPURISCVState *env)
{
    HPMState *h = &env->hpm;
    uint64_t insns = hpm_clock_insns(h);

    h->start[HPM_KIND_INSN] = MIN(h->unclocked,
                                  hpm_clock_room(&env->uarch.clock));
    h->left[HPM_KIND_INSN] = h->start[HPM_KIND_INSN] - insns;
}

bool hpm_clock_add(CPURISCVState *env, uint64_t time)
{
    HPMState *h = &env->hpm;
    UarchClock *c = &env->uarch.clock;
    int64_t start = h->start[HPM_KIND_INSN];

    c->ahead += time;
    if (h->written) {
        c->own += time;
    }
    if (start >= 0 && c->now + c->ahead + start * c->insn < c->limit) {
        return false;           /* it is something else that comes first */
    }
    hpm_clock_set(env);
    return h->left[HPM_KIND_INSN] < 0;
}

void hpm_clock_check(CPURISCVState *env, uintptr_t ra)
{
    UarchClock *c = &env->uarch.clock;

    if (c->now + c->ahead + hpm_clock_insns(&env->hpm) * c->insn + c->most >=
        c->limit) {
        cpu_restore_state(env_cpu(env), ra);
        hpm_go_slowly(env, HPM_CLOCK_STEPS);
    }
}

/* The counters are about to run in the current mode, all having been folded. */
void hpm_clock_turn(CPURISCVState *env)
{
    UarchClock *c = &env->uarch.clock;

    c->runs = env->hpm.clock_modes & BIT(env->hpm.mode);
    if (c->runs) {
        /* QEMU swaps satp and vsatp when V changes. */
        uarch_clock_enter(c, &env->uarch.model.p,
                          env->priv == PRV_U ? env->satp + 1ull : 0);
        uarch_clock_turn(c, &env->uarch.model.p);
    }
}

/* And when does one of them overflow? */
void hpm_clock_arm(CPURISCVState *env)
{
    HPMState *h = &env->hpm;
    UarchClock *c = &env->uarch.clock;
    uint64_t room = HPM_CLOCK_MAX;

    for (uint32_t m = h->clocked[h->mode]; m; m &= m - 1) {
        room = MIN(room, hpm_room(env, ctz32(m)));
    }
    c->limit = ((c->now >> UARCH_CLOCK_BITS) + room + 1) << UARCH_CLOCK_BITS;
    h->unclocked = MIN(h->left[HPM_KIND_INSN], HPM_CLOCK_MAX);
    hpm_clock_set(env);
}

/* @insns have retired, see hpm_fold(). Returns counters that interrupt. */
uint32_t hpm_clock_fold(CPURISCVState *env, uint64_t insns, uint32_t written)
{
    HPMState *h = &env->hpm;
    UarchClock *c = &env->uarch.clock;
    UarchClock others = *c;     /* than the CSR access in execution */
    uint64_t cycles, less = 0;
    uint32_t irqs = 0;

    if (written & h->clocked[h->mode]) {
        others.ahead -= c->own;
        less = uarch_clock_cycles(&others, insns -
                                  hpm_csr_insn(env, HPM_KIND_INSN));
    }
    cycles = uarch_clock_fold(c, insns);
    uarch_clock_passed(c, insns);
    h->unclocked -= insns;
    ctr_add_cycles(env, cycles);
    for (uint32_t m = h->clocked[h->mode]; m; m &= m - 1) {
        int ctr = ctz32(m);
        uint64_t n = written & BIT(ctr) ? less : cycles;

        if (n && hpm_add(env, ctr, n)) {
            irqs |= BIT(ctr);
        }
    }
    return irqs;
}
