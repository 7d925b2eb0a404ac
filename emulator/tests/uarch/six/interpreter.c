// SPDX-License-Identifier: GPL-2.0-only
/*
 * An interpreter: a loop that calls one of 56 functions, each in a page of its own, by what
 * it reads; a few of them it calls most of the time.
 */
#include "six.h"

#define CODE	8192U
#define MEMORY	16384U
#define STEPS	60000UL
#define HOT	12U

struct machine {
	unsigned long reg[16];
	unsigned int pc, broken;
	unsigned short code[CODE];
	unsigned long memory[MEMORY];
};

static struct machine *const machine = (struct machine *)DATA;

/* What never happens takes a page. */
#define OP(n)								\
static __attribute((noinline)) void op_##n(struct machine *m, unsigned int arg) \
{									\
	unsigned long *dst = &m->reg[arg & 15];				\
	unsigned long src = m->reg[arg >> 4];				\
									\
	if (m->broken)							\
		__asm__ __volatile__(".skip 4096" : : : "memory");	\
	operate(m, 0##n, dst, src);					\
}

static inline __attribute((always_inline))
void operate(struct machine *m, unsigned int op, unsigned long *dst, unsigned long src)
{
	switch (op % 8) {
	case 0:
		*dst += src + op;
		break;
	case 1:
		*dst ^= src >> (op / 8);
		break;
	case 2:
		*dst = *dst * src + 1;
		break;
	case 3:
		*dst = m->memory[(src ^ *dst) % MEMORY];
		break;
	case 4:
		m->memory[src % MEMORY] = *dst;
		break;
	case 5:
		if (*dst & 1)
			m->pc += 1 + (src & 3);
		break;
	case 6:
		*dst = src / (*dst | 1);
		break;
	default:
		*dst = *dst << 1 | *dst >> 63;
	}
}

#define EIGHT(X, n) X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7)
#define ALL(X) EIGHT(X, 0) EIGHT(X, 1) EIGHT(X, 2) EIGHT(X, 3) EIGHT(X, 4) EIGHT(X, 5) EIGHT(X, 6)
#define NAME(n) op_##n,

ALL(OP)

static void (*const ops[])(struct machine *m, unsigned int arg) = { ALL(NAME) };

static void setup(void)
{
	unsigned long seed = 5;
	unsigned int i, op;

	machine->pc = 0;
	machine->broken = 0;
	for (i = 0; i < ARRAY_SIZE(machine->reg); i++)
		machine->reg[i] = six_random(&seed);
	for (i = 0; i < MEMORY; i++)
		machine->memory[i] = six_random(&seed);
	for (i = 0; i < CODE; i++) {
		op = six_random(&seed) % 5 ? six_random(&seed) % HOT :
					     six_random(&seed) % ARRAY_SIZE(ops);
		machine->code[i] = op << 8 | (six_random(&seed) & 0xff);
	}
}

static unsigned long work(unsigned long units)
{
	struct machine *m = machine;
	unsigned long steps = units * STEPS, sum = 0;
	unsigned int i;

	while (steps--) {
		unsigned int code = m->code[m->pc++ % CODE];

		ops[code >> 8](m, code & 0xff);
	}
	for (i = 0; i < ARRAY_SIZE(m->reg); i++)
		sum += m->reg[i];
	return sum;
}

const struct program six_interpreter = { setup, work };
