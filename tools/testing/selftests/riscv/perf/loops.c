// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the loops of loops.S execute, written down by hand.
 */
#include <stdlib.h>
#include <string.h>

#include "loops.h"
#include "perf.h"

#define NR(a)		(sizeof(a) / sizeof((a)[0]))

#define LOOPS		(BRANCH | BACK)
#define RET		RETURN

/* counted(), around the loop */
static const struct step before[] = { {0, INT}, {4, INT}, {8, IND_CALL} };
static const struct step after[] = {
	{0, INT}, {4, INT}, {8, INT}, {12, INT}, {16, ECALL},
};

static const struct step alu[] = {
	{0, INT}, {4, INT}, {8, INT}, {12, INT}, {16, INT}, {20, LOOPS},
};
static const struct step alu_end[] = { {24, RET} };

static const struct step load[] = {
	{0, LOAD}, {4, LOAD}, {8, LOAD}, {12, INT}, {16, INT}, {20, LOOPS},
};
static const struct step load_end[] = { {24, RET} };

static const struct step store[] = {
	{0, STORE}, {4, STORE}, {8, STORE}, {12, STORE}, {16, INT}, {20, LOOPS},
};
static const struct step store_end[] = { {24, RET} };

static const struct step memory[] = {
	{0, LOAD}, {4, INT}, {8, STORE}, {12, LOAD | FP}, {16, STORE | FP},
	{20, INT}, {24, LOOPS},
};
static const struct step memory_end[] = { {28, RET} };

#define RMW		(LOAD | STORE | AMO | INT)
static const struct step amo[] = {
	{0, INT}, {4, RMW}, {8, RMW}, {12, INT}, {16, LOOPS},
};
static const struct step amo_end[] = { {20, RET} };

static const struct step lrsc[] = {
	{0, LOAD}, {4, STORE}, {8, INT}, {12, LOOPS},
};
static const struct step lrsc_end[] = { {16, RET} };

static const struct step branch[] = {
	{0, BRANCH | NOT_TAKEN}, {4, BRANCH | TAKEN}, {12, INT},
	{16, BRANCH | NOT_TAKEN}, {20, BRANCH | TAKEN}, {28, INT}, {32, LOOPS},
};
static const struct step branch_end[] = { {36, RET} };

static const struct step jump[] = {
	{0, DIR_JUMP}, {8, DIR_JUMP}, {4, DIR_JUMP}, {12, INT}, {16, INT},
	{20, IND_JUMP}, {28, INT}, {32, LOOPS},
};
static const struct step jump_end[] = { {36, RET} };

static const struct step call_enter[] = {
	{0, INT}, {4, INT}, {8, INT}, {12, INT},
};
static const struct step call[] = {
	{16, DIR_CALL}, {40, INT}, {44, RET},
	{20, IND_CALL}, {40, INT}, {44, RET},
	{24, INT}, {28, LOOPS},
};
static const struct step call_end[] = { {32, INT}, {36, RET} };

static const struct step far_enter[] = { {0, INT}, {4, INT} };
static const struct step far[] = {
	{8, INT}, {12, IND_CALL | FAR}, {44, INT}, {48, RET},
	{16, INT}, {20, IND_JUMP | FAR}, {28, INT}, {32, LOOPS},
};
static const struct step far_end[] = { {36, INT}, {40, RET} };

static const struct step fence[] = {
	{0, FENCE}, {4, FENCE}, {8, FENCE}, {12, INSN}, {16, INT}, {20, LOOPS},
};
static const struct step fence_end[] = { {24, RET} };

#define CSRS		(CSR | SYSTEM)
static const struct step csr[] = {
	{0, CSRS}, {4, CSRS}, {8, CSRS}, {12, INT}, {16, LOOPS},
};
static const struct step csr_end[] = { {20, RET} };

static const struct step ecall_enter[] = { {0, INT}, {4, INT} };
static const struct step ecall[] = { {8, ECALL}, {12, INT}, {16, LOOPS} };
static const struct step ecall_end[] = { {20, RET} };

static const struct step fault_enter[] = { {0, INT} };
static const struct step fault[] = {
	{4, FAULT}, {4, STORE}, {8, INT}, {12, INT}, {16, LOOPS},
};
static const struct step fault_end[] = { {20, RET} };

static const struct step misaligned_enter[] = { {0, INT}, {4, INT} };
static const struct step misaligned[] = {
	{8, LOAD}, {12, STORE}, {16, INT}, {20, LOOPS},
};
static const struct step misaligned_end[] = { {24, RET} };

static const struct step rvc[] = {
	{0, LOAD | RVC}, {2, INT | RVC}, {4, STORE | RVC}, {6, INT},
	{10, INT | RVC}, {12, LOOPS | RVC},
};
static const struct step rvc_end[] = { {14, RET} };

#define S10(o) {(o), INT}, {(o) + 4, INT}, {(o) + 8, INT}, {(o) + 12, INT}, \
	{(o) + 16, INT}, {(o) + 20, INT}, {(o) + 24, INT}, {(o) + 28, INT}, \
	{(o) + 32, INT}, {(o) + 36, INT}
static const struct step flat[] = {
	S10(0), S10(40), S10(80), S10(120), S10(160), S10(200), {240, INT},
	{244, LOOPS},
};
static const struct step flat_end[] = { {248, RET} };

#define LOOP(_name, _body, ...) {					\
	.name = #_name, .fn = loop_##_name,				\
	.body = _body, .nr_body = NR(_body),				\
	.leave = _body##_end, .nr_leave = NR(_body##_end),		\
	##__VA_ARGS__							\
}
#define ENTER(_enter)	.enter = _enter, .nr_enter = NR(_enter)

const struct loop loops[] = {
	LOOP(alu, alu),
	LOOP(load, load),
	LOOP(store, store),
	LOOP(memory, memory),
	LOOP(amo, amo),
	LOOP(lrsc, lrsc),
	LOOP(branch, branch),
	LOOP(jump, jump),
	LOOP(call, call, ENTER(call_enter)),
	LOOP(far, far, ENTER(far_enter)),
	LOOP(fence, fence),
	LOOP(csr, csr),
	LOOP(ecall, ecall, ENTER(ecall_enter)),
	LOOP(fault, fault, ENTER(fault_enter), .buf_per_iteration = 4096),
	LOOP(misaligned, misaligned, ENTER(misaligned_enter)),
	LOOP(rvc, rvc),
	LOOP(long, flat),
};

const unsigned int nr_loops = NR(loops);

const struct loop *loop_named(const char *name)
{
	for (unsigned int i = 0; i < nr_loops; i++)
		if (!strcmp(loops[i].name, name))
			return &loops[i];
	abort();
}

const struct loop *loop_of(loop_fn *fn)
{
	for (unsigned int i = 0; i < nr_loops; i++)
		if (loops[i].fn == fn)
			return &loops[i];
	return NULL;
}

enum part { BEFORE, INTO, BODY, OUT, AFTER, END };

static const struct step *part_steps(const struct loop *l, enum part which,
				     unsigned int *nr)
{
	switch (which) {
	case BEFORE:
		*nr = NR(before);
		return before;
	case INTO:
		*nr = l->nr_enter;
		return l->enter;
	case BODY:
		*nr = l->nr_body;
		return l->body;
	case OUT:
		*nr = l->nr_leave;
		return l->leave;
	case AFTER:
		*nr = NR(after);
		return after;
	default:
		*nr = 0;
		return NULL;
	}
}

static uintptr_t part_base(const struct loop *l, enum part which)
{
	if (which == BEFORE)
		return (uintptr_t)counted_begin;
	if (which == AFTER)
		return (uintptr_t)counted_end;
	return (uintptr_t)l->fn;
}

static unsigned int step_classes(const struct step *s, int last)
{
	unsigned int classes = s->classes;

	if (!(classes & TRAP))
		classes |= INSN | CYCLE;
	if (classes & BACK)
		classes |= last ? NOT_TAKEN : TAKEN;
	return classes & ~BACK;
}

void walk_start(struct walk *w, const struct loop *loop, unsigned long n)
{
	*w = (struct walk){ .loop = loop, .n = n };
}

uintptr_t walk_next(struct walk *w, unsigned int *classes)
{
	while (w->part != END) {
		unsigned int nr;
		const struct step *s = part_steps(w->loop, w->part, &nr);

		if (w->index < nr) {
			s += w->index++;
			*classes = step_classes(s, w->iteration + 1 == w->n);
			return part_base(w->loop, w->part) + s->offset;
		}
		w->index = 0;
		if (w->part != BODY || ++w->iteration == w->n)
			w->part++;
	}
	return 0;
}

unsigned int weight(unsigned int classes, unsigned int any)
{
	static unsigned int cpi;

	if (!(classes & any))
		return 0;
	if (!(any & CYCLE))
		return 1;
	if (!cpi)
		cpi = number("CPI", 1);
	return cpi;
}

static uint64_t count_part(const struct loop *loop, enum part which, int last,
			   unsigned int any)
{
	unsigned int nr;
	const struct step *s = part_steps(loop, which, &nr);
	uint64_t count = 0;

	for (; nr; nr--, s++)
		count += weight(step_classes(s, last), any);
	return count;
}

uint64_t walk_count(const struct loop *loop, unsigned long n, unsigned int any)
{
	uint64_t count = 0;

	for (enum part part = BEFORE; part != END; part++) {
		if (part == BODY)
			count += (n - 1) * count_part(loop, part, 0, any);
		count += count_part(loop, part, 1, any);
	}
	return count;
}

void prophet_start(struct prophet *p, const struct loop *loop, unsigned long n,
		   unsigned int any, uint64_t period)
{
	p->any = any;
	p->period = period;
	p->count = 0;
	walk_start(&p->walk, loop, n);
	p->ip = walk_next(&p->walk, &p->classes);
}

uintptr_t prophet_next(struct prophet *p)
{
	while (p->ip && p->count < p->period) {
		p->count += weight(p->classes, p->any);
		p->cause = p->ip;
		p->ip = walk_next(&p->walk, &p->classes);
	}
	p->count -= p->period;
	return p->ip;
}

uintptr_t prophet_late(const struct prophet *p, unsigned int instructions)
{
	struct walk ahead = p->walk;
	unsigned int classes;
	uintptr_t ip = p->ip;

	while (instructions--)
		ip = walk_next(&ahead, &classes);
	return ip;
}

void loop_scattered(unsigned long n, void *buf)
{
	unsigned int at = 1;

	while (n--) {
		at = at * 1103515245 + 12345;
		(void)*((volatile char *)buf + (at >> 12) % SCATTERED);
	}
}
