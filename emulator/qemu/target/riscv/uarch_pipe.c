/*
 * RISC-V microarchitecture model: the pipeline
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Instructions go through in program order, once, each when it is known what
 * has become of it. The time of each stage follows from those of instructions
 * before it, so one pass over a few arrays of times is enough.
 */

#include "qemu/osdep.h"
#include "qemu/atomic.h"
#include "qemu/bitops.h"
#include "uarch_pipe.h"
#include "uarch_shared.h"

/* After so many instructions all loads stop to wait for stores. */
#define UARCH_WAIT_AGE 16384

/* What is kept of the last instructions, the @n-th of all among them */
static uint64_t *dispatch_of(UarchPipe *pipe, uint64_t n)
{
    return &pipe->dispatch_of[n % UARCH_WIDTH_MAX];
}

static uint64_t *retire_of(UarchPipe *pipe, uint64_t n)
{
    return &pipe->retire_of[n % UARCH_WINDOW_MAX];
}

static uint8_t *cause_of(UarchPipe *pipe, uint64_t n)
{
    return &pipe->cause_of[n % UARCH_WINDOW_MAX];
}

/* When the @n-th store has been written, and what it was waiting for */
static uint64_t *written_of(UarchPipe *pipe, uint64_t n)
{
    return &pipe->written_of[n % UARCH_BUFFER_MAX];
}

static uint8_t *write_cause_of(UarchPipe *pipe, uint64_t n)
{
    return &pipe->write_cause_of[n % UARCH_BUFFER_MAX];
}

/*
 * At least at @time, in order, and no more than @width in a cycle. Which of
 * both it is the host cannot foresee: it is not to jump.
 */
static inline uint64_t in_order(uint64_t time, uint64_t *last, uint32_t *used,
                                uint32_t width)
{
    uint64_t before = *last, next = before + (*used == width);
    uint32_t more = *used + 1;

    time = MAX(time, next);
    *used = time == before ? more : 1;
    *last = time;
    return time;
}

static uint64_t itlb_latency(const UarchParams *p, const UarchInsn *insn)
{
    return insn->attrs & HPM_ITLLMISS ? insn->code_walk :
           insn->attrs & HPM_ITMISS ? p->lltlb_latency : 0;
}

static uint64_t icache_latency(const UarchParams *p, uint64_t attrs)
{
    return attrs & HPM_ICLLMISS ? p->mem_latency :
           attrs & HPM_ICHITM ? p->hitm_latency :
           attrs & HPM_ICMISS ? p->ll_latency : 0;
}

void uarch_pipe_decode(const UarchParams *p, UarchPipe *pipe, UarchTimes *t,
                       const UarchInsn *insn)
{
    uint64_t time;

    /* A delay begins when it would have been decoded without it. */
    t->translated = t->fetched = MAX(pipe->front, pipe->decode);
    if (insn->attrs & (HPM_ITMISS | HPM_ITLLMISS | HPM_ICMISS | HPM_ICLLMISS |
                       HPM_ICHITM)) {
        t->translated += itlb_latency(p, insn);
        t->fetched = t->translated + icache_latency(p, insn->attrs);
    }
    /* There is 0 for those that have not been: there is room for the most. */
    time = MAX(t->fetched, *dispatch_of(pipe, pipe->insns - p->width));
    t->decode = in_order(time, &pipe->decode, &pipe->decoded, p->width);
}

/* A fence before which memory has been written; PAUSE has nothing behind it */
static bool orders_stores(const UarchInsn *insn)
{
    return (insn->opcode & 0x707f) == 0x000f && insn->opcode & 1 << 24 &&
           insn->opcode & 0xf << 20;
}

/* Not before @serial, as to instructions that nothing may overtake */
static inline void dispatch_behind(const UarchParams *p, UarchPipe *pipe,
                                   UarchTimes *t, uint64_t serial)
{
    uint64_t window = *retire_of(pipe, pipe->insns - p->window);

    t->serial = serial;
    t->window = window;
    t->dispatch = in_order(MAX(t->decode + 1, MAX(serial, window)),
                           &pipe->dispatch, &pipe->dispatched, p->width);
}

void uarch_pipe_dispatch(const UarchParams *p, UarchPipe *pipe, UarchTimes *t,
                         const UarchInsn *insn)
{
    uint64_t serial = pipe->serial;

    if (insn->operands.kind == UARCH_SERIALIZING) {
        serial = MAX(serial, pipe->retire);
    }
    if (pipe->buffered && orders_stores(insn)) {
        serial = MAX(serial, *written_of(pipe, pipe->buffered - 1));
    }
    dispatch_behind(p, pipe, t, serial);
}

/* What an instruction had to wait for, which has not retired yet */
static UarchQuantity stall_of(const UarchParams *p, UarchPipe *pipe,
                              const UarchTimes *t)
{
    return t->serial >= t->window ? UARCH_BE_SERIAL :
           *cause_of(pipe, pipe->insns - p->window);
}

static uint32_t tlb_latency(const UarchParams *p, const UarchInsn *insn)
{
    return insn->attrs & HPM_LLTLBMISS ? insn->data_walk :
           insn->attrs & HPM_L1DTLBMISS ? p->lltlb_latency : 0;
}

/* How long a line that missed L1D is on its way */
uint32_t uarch_line_latency(const UarchParams *p, uint64_t attrs)
{
    return attrs & HPM_LLMISS ? p->mem_latency :
           attrs & HPM_HITM ? p->hitm_latency : p->ll_latency;
}

static uint32_t data_latency(const UarchParams *p, uint64_t attrs)
{
    if (!(attrs & HPM_LOAD)) {
        return 1;               /* the store buffer takes it */
    }
    return attrs & HPM_DEVICE ? p->device_latency :
           attrs & HPM_FORWARDED ? p->l1d_latency :
           attrs & HPM_L1DMISS ? uarch_line_latency(p, attrs) : p->l1d_latency;
}

static uint32_t latency(const UarchParams *p, UarchClass kind, uint64_t attrs)
{
    /* Nearly all are one of these. */
    if (kind == UARCH_ALU) {
        return 1;
    }
    if (kind == UARCH_MEMORY) {
        return data_latency(p, attrs);
    }
    switch (kind) {
    case UARCH_MUL:
        return p->mul_latency;
    case UARCH_DIV:
        return p->div_latency;
    case UARCH_FP:
        return p->fp_latency;
    case UARCH_FDIV:
        return p->fdiv_latency;
    case UARCH_RVV:
        return p->rvv_latency;
    default:
        return 1;
    }
}

/* What an instruction itself makes others wait for */
static UarchQuantity own_cause(const UarchParams *p, UarchClass kind,
                               uint64_t attrs, uint32_t tlb)
{
    if (kind != UARCH_MEMORY) {
        return kind == UARCH_SERIALIZING ? UARCH_BE_SERIAL : UARCH_BE_CORE;
    }
    if (tlb && tlb >= data_latency(p, attrs)) {
        return attrs & HPM_LLTLBMISS ? UARCH_BE_ADDR_LL : UARCH_BE_ADDR_L1;
    }
    if (!(attrs & HPM_LOAD)) {
        return UARCH_BE_CORE;
    }
    return attrs & HPM_FORWARDED ? UARCH_BE_DATA_HIT :
           attrs & HPM_LLMISS ? UARCH_BE_DATA_LL :
           attrs & HPM_L1DMISS ? UARCH_BE_DATA_L1 : UARCH_BE_DATA_HIT;
}

/* If a register is there later than @ready, that is the last one. */
static inline uint64_t later_operand(const UarchPipe *pipe, int reg,
                                     uint64_t ready, UarchQuantity *cause)
{
    bool later = pipe->ready[reg] > ready;

    *cause = later ? pipe->ready_cause[reg] : *cause;
    return later ? pipe->ready[reg] : ready;
}

/* When all operands are there, and which was the last; few have three. */
uint64_t uarch_operands_ready(UarchPipe *pipe, const UarchOperands *o,
                              UarchQuantity *cause)
{
    uint64_t ready = 0;

    ready = later_operand(pipe, o->src[0], ready, cause);
    ready = later_operand(pipe, o->src[1], ready, cause);
    if (o->src[2]) {
        ready = later_operand(pipe, o->src[2], ready, cause);
    }
    return ready;
}

static bool divides(const UarchInsn *insn)
{
    return insn->operands.kind == UARCH_DIV ||
           insn->operands.kind == UARCH_FDIV;
}

void uarch_pipe_issue(const UarchParams *p, UarchPipe *pipe, UarchTimes *t,
                      const UarchInsn *insn)
{
    uint64_t first = t->dispatch + 1, ready;

    t->operand = UARCH_BE_CORE;
    ready = uarch_operands_ready(pipe, &insn->operands, &t->operand);
    t->issue = MAX(MAX(first, ready), divides(insn) ? pipe->divider : 0);
    t->wait = t->issue - first;
    t->issue += tlb_latency(p, insn);
}

void uarch_pipe_execute(const UarchParams *p, UarchPipe *pipe, UarchTimes *t,
                        const UarchInsn *insn)
{
    const UarchOperands *o = &insn->operands;
    uint64_t attrs = insn->attrs;
    uint64_t own;

    t->complete = t->issue + latency(p, o->kind, attrs);
    t->merged = t->fill && t->fill->ready > t->issue;
    if (t->merged && (attrs & HPM_LOAD)) {
        t->complete = MAX(t->complete, t->fill->ready);
        attrs |= t->fill->attrs;
    }
    own = t->complete - t->dispatch - 1 - t->wait;
    t->cause = t->wait > own ? t->operand :
               own_cause(p, o->kind, attrs, tlb_latency(p, insn));
    if (divides(insn)) {
        pipe->divider = t->complete;
    }
    if (o->dst) {
        pipe->ready[o->dst] = t->complete;
        pipe->ready_cause[o->dst] = t->cause;
    }
}

/* An AMO has its line, and writes it at once. */
static bool is_buffered(const UarchParams *p, const UarchInsn *insn)
{
    return p->write_buffer && (insn->attrs & HPM_STORE) &&
           !(insn->attrs & HPM_LOAD) && insn->has_pa && !insn->trapped;
}

/* When a store can go to the write buffer: those before it must make room. */
static RARELY uint64_t buffer_room(const UarchParams *p, UarchPipe *pipe,
                            UarchTimes *t)
{
    uint64_t room;

    if (pipe->buffered < p->write_buffer) {
        return 0;
    }
    room = *written_of(pipe, pipe->buffered - p->write_buffer);
    if (room > t->complete + 1) {
        t->cause = *write_cause_of(pipe, pipe->buffered - p->write_buffer);
    }
    return room;
}

/* A store is written behind the one before, when its line is there. */
static RARELY void write_store(const UarchParams *p, UarchPipe *pipe,
                        const UarchTimes *t, const UarchInsn *insn)
{
    uint64_t n = pipe->buffered++, there = 0;
    uint64_t attrs = insn->attrs;
    uint64_t time = MAX(t->retire, n ? *written_of(pipe, n - 1) : 0) + 1;

    if (attrs & HPM_DEVICE) {
        there = t->issue + p->device_latency;
    } else if (attrs & HPM_L1DMISS) {
        there = t->issue + uarch_line_latency(p, attrs);
    } else if (t->merged) {
        there = t->fill->ready;
        attrs |= t->fill->attrs;
    }
    *written_of(pipe, n) = MAX(time, there);
    *write_cause_of(pipe, n) = there <= time ? UARCH_BE_CORE :
                               attrs & HPM_LLMISS ? UARCH_BE_DATA_LL :
                               attrs & HPM_L1DMISS ? UARCH_BE_DATA_L1 :
                               UARCH_BE_DATA_HIT;
}

/* Not before @ready */
static inline void retire_at(const UarchParams *p, UarchPipe *pipe,
                             UarchTimes *t, uint64_t ready)
{
    uint64_t before = pipe->retire;
    uint64_t n = pipe->insns++;

    t->retire = in_order(ready, &pipe->retire, &pipe->retired, p->width);
    if (ready < before && n) {
        t->cause = *cause_of(pipe, n - 1);
    }
    *dispatch_of(pipe, n) = t->dispatch;
    *retire_of(pipe, n) = t->retire;
    *cause_of(pipe, n) = t->cause;
}

static void pipe_retire(const UarchParams *p, UarchPipe *pipe, UarchTimes *t,
                        const UarchInsn *insn)
{
    bool buffered = is_buffered(p, insn);

    retire_at(p, pipe, t, MAX(t->complete + 1,
                              buffered ? buffer_room(p, pipe, t) : 0));
    if (insn->operands.kind == UARCH_SERIALIZING) {
        pipe->serial = t->retire;
    }
    if (buffered) {
        write_store(p, pipe, t, insn);
    }
}

/* They stay where they are until they are flushed. */
void uarch_pipe_never_retire(UarchPipe *pipe, const UarchTimes *t)
{
    uint64_t n = pipe->insns++;

    *dispatch_of(pipe, n) = t->dispatch;
    *retire_of(pipe, n) = UARCH_NEVER;
    pipe->retire = UARCH_NEVER;
}

/*
 * Cycles in which it was decoded, and nothing was dispatched: something was at
 * @before, and all is flushed at @until.
 */
static uint32_t stalled(const UarchTimes *t, uint64_t before, uint64_t until)
{
    uint64_t from = MAX(before, t->decode) + 1;
    uint64_t end = MIN(t->dispatch, until);

    return end > from ? end - from : 0;
}

/*
 * Cycles in which more than three quarters of the window are in use, and which
 * have not been counted: from when the last instruction was dispatched until
 * one of those before it retires, with which they are just so many.
 */
static uint32_t crowded(const UarchParams *p, UarchPipe *pipe,
                        const UarchTimes *t, uint64_t until)
{
    uint32_t many = p->window * 3 / 4 + 1;
    uint64_t from = MAX(t->dispatch, pipe->crowded);
    uint64_t end = MIN(*retire_of(pipe, pipe->insns - many), until);

    if (end <= from) {
        return 0;
    }
    pipe->crowded = end;
    return end - from;
}

/* The last instruction, behind that which was dispatched at @before */
void uarch_count_waiting(UarchModel *m, UarchPipe *pipe, const UarchTimes *t,
                         uint64_t before, uint64_t until, UarchAmounts *n)
{
    if (m->counted & 1ull << UARCH_STALLS) {
        uarch_add(n, UARCH_STALLS, stalled(t, before, until));
    }
    if (m->counted & 1ull << UARCH_CROWDED) {
        uarch_add(n, UARCH_CROWDED, crowded(&m->p, pipe, t, until));
    }
}

void uarch_redirect(UarchPipe *pipe, uint64_t time, UarchQuantity why)
{
    pipe->front = MAX(pipe->front, time);
    pipe->redirect = why;
}

/* Slots */

static uint64_t take(UarchAmounts *n, UarchQuantity what, uint64_t from,
                     uint64_t end, uint64_t limit)
{
    end = MIN(MAX(end, from), limit);
    uarch_add(n, what, end - from);
    return end;
}

/*
 * The slots from @from on that stayed empty in front of an instruction, which
 * is in @slot. @group is the first one of the cycle after the last dispatch.
 */
static void count_empty(const UarchParams *p, UarchPipe *pipe,
                        const UarchTimes *t, uint64_t from, uint64_t slot,
                        uint64_t group, UarchAmounts *n)
{
    uint64_t fetched = (t->fetched + 1) * p->width;

    if (pipe->redirect != UARCH_FE_REDIRECT) {
        uint64_t flushed = (pipe->front - p->refill + 1) * p->width;
        uint64_t refills = MAX(from, flushed);

        from = take(n, pipe->redirect, from,
                    (pipe->front + 1) * p->width, slot);
        uarch_add(n, UARCH_REFILL, from - MIN(from, refills));
    } else if (fetched > from) {
        from = take(n, UARCH_FE_BANDWIDTH, from, MIN(group, fetched), slot);
        from = take(n, UARCH_FE_REDIRECT, from,
                    (pipe->front + 1) * p->width, slot);
    }
    from = take(n, UARCH_FE_ADDR, from, (t->translated + 1) * p->width, slot);
    from = take(n, UARCH_FE_DATA, from, fetched, slot);
    take(n, stall_of(p, pipe, t), from, slot, slot);
}

/*
 * And its own; @before: when the last one before it was dispatched. Where slots
 * are not counted, those that are counted later still begin behind this one.
 */
static void count_slots(const UarchParams *p, UarchPipe *pipe,
                        const UarchTimes *t, uint64_t before, bool retires,
                        bool counted, UarchAmounts *n)
{
    uint64_t slot = t->dispatch * p->width + pipe->dispatched - 1;
    uint64_t from = pipe->last_slot + 1;

    if (counted) {
        if (slot != from) {
            count_empty(p, pipe, t, from, slot,
                        from ? (before + 1) * p->width : 0, n);
        }
        uarch_add(n, retires ? UARCH_RETIRING : UARCH_BAD_OTHER, 1);
    }
    pipe->last_slot = slot;
    pipe->redirect = UARCH_FE_REDIRECT;
}

/* Stores in flight */

/* An AMO is as if it were there until those before it have been written. */
static void remember_store(UarchPipe *pipe, const UarchInsn *insn,
                           const UarchTimes *t)
{
    uint64_t n = pipe->buffered;

    if ((insn->attrs & HPM_STORE) && insn->has_pa && !insn->trapped) {
        pipe->stores[pipe->store_top++ % UARCH_STORES] = (UarchStore) {
            .pa = insn->pa, .size = insn->operands.size,
            .executed = t->complete,
            .gone = MAX(t->retire, n ? *written_of(pipe, n - 1) : 0),
        };
    }
}

/*
 * The youngest store in flight at @time that @insn, a load, overlaps: one that
 * has not retired, or not left the write buffer. They do so in order.
 */
static const UarchStore *find_store(const UarchPipe *pipe,
                                    const UarchInsn *insn, uint32_t size,
                                    uint64_t time)
{
    for (int i = 1; i <= UARCH_STORES; i++) {
        const UarchStore *s =
            &pipe->stores[(pipe->store_top - i) % UARCH_STORES];

        if (s->gone <= time) {
            return NULL;
        }
        if (insn->pa < s->pa + s->size && s->pa < insn->pa + size) {
            return s;
        }
    }
    return NULL;
}

static uint8_t *wait_entry(UarchModel *m, uint64_t pc)
{
    return &m->wait[(pc >> 1) % UARCH_WAIT_TABLE];
}

static void age_waits(UarchModel *m)
{
    if (++m->wait_age == UARCH_WAIT_AGE) {
        m->wait_age = 0;
        memset(m->wait, 0, sizeof(m->wait));
    }
}

/* Lines on their way */

/* The last one that was asked for */
const UarchFill *uarch_find_fill(const UarchModel *m, const UarchInsn *insn)
{
    uint64_t line = (insn->pa >> m->line_bits) + 1;

    if (!(insn->attrs & HPM_L1DHIT) || (insn->attrs & HPM_FORWARDED) ||
        !insn->has_pa || insn->trapped) {
        return NULL;
    }
    for (int i = 1; i <= UARCH_FILLS; i++) {
        const UarchFill *f = &m->fills[(m->fill_top - i) % UARCH_FILLS];

        if (f->line == line) {
            return f;
        }
    }
    return NULL;
}

/*
 * @begin to @end are some more cycles; return how many of them are new. Later
 * ones do not begin before @decoded, when the last instruction was decoded.
 */
static __attribute__((noinline)) uint32_t
add_span(UarchSpans *s, uint64_t begin, uint64_t end, uint64_t decoded)
{
    UarchSpan all = { begin, end };
    uint64_t n = end - begin;
    uint64_t over = MIN(begin, decoded);
    uint32_t first = 0;

    for (uint32_t i = 0; i < s->n;) {
        UarchSpan *old = &s->span[i];

        if (old->end < over) {
            *old = s->span[--s->n];
            continue;
        }
        if (old->end < begin || old->begin > end) {
            i++;
            continue;
        }
        n -= MIN(old->end, end) - MAX(old->begin, begin);
        all.begin = MIN(all.begin, old->begin);
        all.end = MAX(all.end, old->end);
        *old = s->span[--s->n];
    }
    if (s->n == UARCH_SPANS) {
        for (uint32_t i = 1; i < s->n; i++) {
            first = s->span[i].end < s->span[first].end ? i : first;
        }
        s->span[first] = s->span[--s->n];
    }
    s->span[s->n++] = all;
    return n;
}

static void add_fill(UarchModel *m, uint64_t line, uint64_t attrs,
                     uint64_t issue)
{
    m->fills[m->fill_top++ % UARCH_FILLS] = (UarchFill) {
        .line = line + 1,
        .ready = issue + uarch_line_latency(&m->p, attrs),
        .attrs = attrs & (HPM_L1DMISS | HPM_LLMISS),
    };
    m->filled = MAX(m->filled, issue + uarch_line_latency(&m->p, attrs));
}

/* What has been prefetched for an access is on its way as that is issued. */
static RARELY void add_ahead(UarchModel *m, uint64_t issue)
{
    UarchAhead *a = &m->ahead;

    for (uint32_t i = 0; i < MIN(a->n, UARCH_FILLS); i++) {
        add_fill(m, a->line[i], a->attrs[i], issue);
    }
    a->n = 0;
}

void uarch_remember_miss(UarchModel *m, const UarchInsn *insn,
                         const UarchTimes *t, UarchAmounts *n)
{
    uint64_t attrs = insn->attrs & (HPM_L1DMISS | HPM_LLMISS);

    if (m->ahead.n) {
        add_ahead(m, t->issue);
    }
    if (!attrs || !insn->has_pa || insn->trapped) {
        return;
    }
    if (!insn->had_line) {
        add_fill(m, insn->pa >> m->line_bits, insn->attrs, t->issue);
    }
    if (!(insn->attrs & HPM_LOAD)) {
        return;
    }
    uarch_add(n, UARCH_L1D_MISS_CYCLES,
              add_span(&m->l1d_misses, t->issue, t->complete, t->decode));
    if (attrs & HPM_LLMISS) {
        uarch_add(n, UARCH_LL_MISS_CYCLES,
                  add_span(&m->ll_misses, t->issue, t->complete,
                           t->decode));
    }
}

/*
 * The walk of a fetch ends when that is translated, that of an access begins
 * when the operands are there: a load that waits for a store does so behind it.
 */
static RARELY void count_walks(UarchModel *m, const UarchInsn *insn,
                               const UarchTimes *t, UarchAmounts *n)
{
    uint64_t access = t->dispatch + 1 + t->wait;
    uint32_t cycles = 0;

    if (insn->attrs & HPM_ITLLMISS) {
        cycles += add_span(&m->walks, t->translated - insn->code_walk,
                           t->translated, t->decode);
    }
    if (insn->attrs & HPM_LLTLBMISS) {
        cycles += add_span(&m->walks, access, access + insn->data_walk,
                           t->decode);
    }
    uarch_add(n, UARCH_WALK_CYCLES, cycles);
    if (m->p.walk_loads) {
        uarch_add(n, UARCH_WALK_READ_CYCLES, cycles);
    }
}

/* What caches do besides */

void uarch_take_traffic(UarchModel *m, UarchAmounts *n)
{
    if (qatomic_read(&m->has_remote)) {
        uarch_take_remote(m);
    }
    if (m->has_traffic) {
        for (int i = 0; i < UARCH_TRAFFIC_COUNT; i++) {
            uarch_add(n, UARCH_TRAFFIC + i, m->traffic[i]);
        }
        uarch_forget_traffic(m);
    }
}

/* What is said of an instruction */

void uarch_set_latencies(UarchInsn *insn, const UarchTimes *t, uint64_t end)
{
    insn->cycle = t->decode;
    insn->total = end - t->decode;
    insn->stages = (t->dispatch <= end ? UARCH_DISPATCHED : 0) |
                   (t->issue <= end ? UARCH_ISSUED : 0) |
                   (t->complete <= end ? UARCH_EXECUTED : 0);
    insn->dispatch = t->dispatch <= end ? t->dispatch - t->decode : 0;
    insn->issue = t->issue <= end ? t->issue - t->dispatch : 0;
    insn->execution = t->complete <= end ? t->complete - t->issue : 0;
}

void uarch_set_source(UarchInsn *insn)
{
    uint64_t a = insn->attrs;

    insn->dsrc = a & HPM_FORWARDED ? UARCH_SRC_STORE :
                 a & HPM_DEVICE ? UARCH_SRC_DEVICE :
                 a & HPM_HITM ? UARCH_SRC_HITM :
                 a & HPM_LLMISS ? UARCH_SRC_MEMORY :
                 a & HPM_L1DMISS ? UARCH_SRC_LL :
                 a & HPM_L1DHIT ? UARCH_SRC_L1D : UARCH_SRC_NONE;
}

/* Instructions that count */

/* How far the front end has come */
typedef struct FrontEnd {
    uint64_t decode, dispatch;
    uint32_t decoded, dispatched;
} FrontEnd;

static FrontEnd front_end(const UarchPipe *pipe)
{
    return (FrontEnd) {
        pipe->decode, pipe->dispatch, pipe->decoded, pipe->dispatched,
    };
}

static void set_front_end(UarchPipe *pipe, const FrontEnd *f)
{
    pipe->decode = f->decode;
    pipe->dispatch = f->dispatch;
    pipe->decoded = f->decoded;
    pipe->dispatched = f->dispatched;
}

static void enter(const UarchParams *p, UarchPipe *pipe, UarchTimes *t,
                  const UarchInsn *insn)
{
    uarch_pipe_decode(p, pipe, t, insn);
    uarch_pipe_dispatch(p, pipe, t, insn);
    uarch_pipe_issue(p, pipe, t, insn);
}

static bool reads_memory(const UarchInsn *insn)
{
    return (insn->attrs & HPM_LOAD) && !(insn->attrs & HPM_DEVICE) &&
           insn->has_pa && !insn->trapped;
}

/*
 * A load has been issued before @s is executed, which is older and to the same
 * address: it is flushed, with all that follows it, and comes again.
 */
static RARELY void flush_load(UarchModel *m, UarchInsn *insn,
                              const UarchStore *s, bool rv32,
                              const UarchStream *stream, UarchAmounts *n)
{
    if (uarch_follows_flushed(m)) {
        UarchPipe pipe = m->pipe;
        UarchInsn first = *insn;

        first.flush = UARCH_FLUSH_ORDERING;
        first.flush_pc = insn->pc;
        uarch_speculate(m, &pipe, &first, s->executed, rv32, stream, n);
    }
    uarch_redirect(&m->pipe, s->executed + m->p.refill, UARCH_BAD_ORDERING);
    uarch_add(n, UARCH_FLUSHES, 1);
    uarch_add(n, UARCH_ROLLBACKS, 1);
}

/*
 * A load that would be issued before an older store to the same address has
 * its data: it waits if it has been caught at that before. Otherwise it is
 * flushed, and comes again. @before: the front end, before it came
 */
static void order_load(UarchModel *m, UarchInsn *insn, UarchTimes *t,
                       const FrontEnd *before, bool rv32,
                       const UarchStream *stream, UarchAmounts *n)
{
    UarchPipe *pipe = &m->pipe;
    const UarchStore *s;

    while ((s = find_store(pipe, insn, insn->operands.size, t->issue))) {
        if (s->executed <= t->issue || *wait_entry(m, insn->pc)) {
            insn->attrs |= HPM_FORWARDED;
            t->issue = MAX(t->issue, s->executed);
            return;
        }
        *wait_entry(m, insn->pc) = 1;
        set_front_end(pipe, before);
        flush_load(m, insn, s, rv32, stream, n);
        enter(&m->p, pipe, t, insn);
    }
}

/* Where the front end goes on behind a transfer, and when */
static inline void after_transfer(UarchModel *m, const UarchInsn *insn,
                                  const UarchTimes *t,
                                  const UarchPrediction *pred, UarchAmounts *n)
{
    const UarchParams *p = &m->p;
    bool taken = !(insn->attrs & HPM_NOT_TAKEN);

    if (pred->wrong) {
        uarch_redirect(&m->pipe, t->complete + p->refill, UARCH_BAD_MISPREDICT);
        uarch_add(n, UARCH_FLUSHES, 1);
    } else if (taken) {
        uarch_redirect(&m->pipe, t->decode + 1 + p->bubble, UARCH_FE_REDIRECT);
    }
    if (taken) {
        m->prior_target = insn->next_pc;
    }
}

/* And behind any instruction; a trap return is not predicted. */
static void after(UarchModel *m, const UarchInsn *insn, const UarchTimes *t,
                  const UarchPrediction *pred, UarchAmounts *n)
{
    bool fence_i = insn->operands.kind == UARCH_SERIALIZING &&
                   (insn->opcode & 0x707f) == 0x100f;

    if (insn->trapped || (insn->attrs & HPM_TRET) || fence_i) {
        uarch_redirect(&m->pipe, t->retire + m->p.refill, UARCH_FE_REDIRECT);
        m->line = 0;
        if (fence_i && !insn->trapped) {
            uarch_add(n, UARCH_RESTARTS, 1);
        }
    } else if (pred) {
        after_transfer(m, insn, t, pred, n);
    }
    if ((insn->attrs & HPM_TRET) && !insn->trapped) {
        m->prior_target = insn->next_pc;
    }
}

/* The second one of a pair is where the first one is, in each cycle. */
static void time_second(UarchModel *m, UarchInsn *insn, UarchAmounts *n)
{
    UarchTimes t = { .stages = m->last };

    insn->prior_target = m->prior_target;
    uarch_add(n, UARCH_FUSED, 1);
    uarch_take_traffic(m, n);
    uarch_set_latencies(insn, &t, t.retire);
    uarch_set_source(insn);
    insn->oldest = 0;
    insn->stages |= UARCH_OLDEST;
    m->has_last = false;
}

/* A load may have to wait for a store, and both for lines on their way. */
static inline void access_memory(UarchModel *m, UarchInsn *insn, UarchTimes *t,
                                 const FrontEnd *before, bool rv32,
                                 const UarchStream *stream, UarchAmounts *n)
{
    if (reads_memory(insn)) {
        order_load(m, insn, t, before, rv32, stream, n);
    }
    if (m->filled > t->issue) {
        t->fill = uarch_find_fill(m, insn);
    }
}

static inline void add_fetch_time(UarchAmounts *n, const UarchTimes *t)
{
    if (t->fetched != t->translated) {
        uarch_add(n, UARCH_L1I_MISS_CYCLES, t->fetched - t->translated);
    }
}

UARCH_OFTEN
void uarch_time(UarchModel *m, UarchInsn *insn, const UarchPrediction *pred,
                bool rv32, const UarchStream *stream, UarchAmounts *n)
{
    const UarchParams *p = &m->p;
    UarchPipe *pipe = &m->pipe;
    FrontEnd front = front_end(pipe);
    uint64_t before = pipe->retire;
    bool accesses = insn->attrs & (HPM_LOAD | HPM_STORE);
    UARCH_UNSET UarchTimes t;

    age_waits(m);
    if (insn->second) {
        if (m->has_last && !insn->trapped) {
            time_second(m, insn, n);
            return;
        }
        insn->fused = insn->second = false; /* the first one was not seen */
    }
    t.fill = NULL;
    enter(p, pipe, &t, insn);   /* and sets all the rest */
    if (accesses) {
        access_memory(m, insn, &t, &front, rv32, stream, n);
    }
    uarch_pipe_execute(p, pipe, &t, insn);
    insn->attrs |= t.merged ? HPM_MERGED : 0;
    count_slots(p, pipe, &t, front.dispatch, !insn->trapped,
                m->counted & UARCH_SLOTS, n);
    pipe_retire(p, pipe, &t, insn);
    if (accesses) {
        remember_store(pipe, insn, &t);
        uarch_remember_miss(m, insn, &t, n);
    }
    if (insn->attrs & (HPM_ITLLMISS | HPM_LLTLBMISS)) {
        count_walks(m, insn, &t, n);
    }
    uarch_take_traffic(m, n);

    if (uarch_follows_flushed(m)) {
        uarch_count_waiting(m, pipe, &t, front.dispatch, UARCH_NEVER, n);
        uarch_set_latencies(insn, &t, t.retire);
        uarch_set_source(insn);
        insn->oldest = t.retire - MAX(before, t.decode);
        insn->stages |= UARCH_OLDEST;
        insn->prior_target = m->prior_target;
        uarch_add(n, UARCH_SPECULATIVE, 1);
    }
    uarch_add(n, UARCH_CYCLES, t.retire - before);
    add_fetch_time(n, &t);
    after(m, insn, &t, pred, n);
    m->has_last = insn->fused;
    if (m->has_last) {
        m->last = t.stages;
    }
}

/* As above, but for what there is no need to ask for */
UARCH_OFTEN
void uarch_time_plain(UarchModel *m, UarchInsn *insn,
                      const UarchPrediction *pred, bool rv32,
                      const UarchStream *stream, UarchAmounts *n)
{
    const UarchParams *p = &m->p;
    UarchPipe *pipe = &m->pipe;
    FrontEnd front = front_end(pipe);
    bool accesses = insn->attrs & (HPM_LOAD | HPM_STORE);
    UARCH_UNSET UarchTimes t;

    age_waits(m);
    t.fill = NULL;
    uarch_pipe_decode(p, pipe, &t, insn);
    dispatch_behind(p, pipe, &t, pipe->serial);
    uarch_pipe_issue(p, pipe, &t, insn);
    if (accesses) {
        access_memory(m, insn, &t, &front, rv32, stream, n);
    }
    uarch_pipe_execute(p, pipe, &t, insn);
    count_slots(p, pipe, &t, front.dispatch, true, m->counted & UARCH_SLOTS, n);
    retire_at(p, pipe, &t, t.complete + 1);
    if (accesses) {
        insn->attrs |= t.merged ? HPM_MERGED : 0;
        remember_store(pipe, insn, &t);
        uarch_remember_miss(m, insn, &t, n);
    }
    if (insn->attrs & (HPM_ITLLMISS | HPM_LLTLBMISS)) {
        count_walks(m, insn, &t, n);
    }
    if (insn->attrs & (HPM_LOAD | HPM_STORE | HPM_FETCH)) {
        uarch_take_traffic(m, n);
        add_fetch_time(n, &t);
    }
    if (pred) {
        after_transfer(m, insn, &t, pred, n);
    }
}

/*
 * All that an instruction may have to wait for, one after the other. What those
 * before it are waiting for is over when the last of them retires.
 */
uint64_t uarch_most_cycles(const UarchParams *p)
{
    uint64_t line = MAX(MAX(p->ll_latency, p->mem_latency), p->hitm_latency);
    uint64_t slowest = MAX(MAX(p->mul_latency, p->div_latency),
                           MAX(MAX(p->fp_latency, p->fdiv_latency),
                               MAX(p->rvv_latency, p->device_latency)));
    uint64_t load = MAX(MAX(line, p->l1d_latency), slowest);
    uint64_t walk = MAX(p->lltlb_latency, p->walk_loads ?
                        UARCH_WALK_MAX * MAX(line, p->l1d_latency) :
                        p->walk_latency);

    /* Each stage comes a cycle later; a walk also counts what it loads. */
    return MAX(p->refill, p->bubble + 1) + walk + line + walk + load +
           2 * UARCH_WALK_MAX;
}

void uarch_interrupted(UarchModel *m)
{
    uarch_redirect(&m->pipe, m->pipe.retire + m->p.refill, UARCH_FE_REDIRECT);
    m->line = 0;
}

/*
 * The pipeline sees instructions again. Nobody has seen the last transfer, and
 * what was in flight when it saw some is of elsewhere: it has retired, and what
 * it has stored is written.
 */
void uarch_resume(UarchModel *m)
{
    UarchPipe *pipe = &m->pipe;

    m->prior_target = 0;
    m->has_last = false;
    pipe->buffered = 0;
    for (int i = 0; i < UARCH_STORES; i++) {
        pipe->stores[i].gone = MIN(pipe->stores[i].gone, pipe->retire);
    }
    uarch_redirect(&m->pipe, m->pipe.retire, UARCH_FE_REDIRECT);
}
