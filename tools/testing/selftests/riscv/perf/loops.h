/* SPDX-License-Identifier: GPL-2.0-only */
/* Code whose every event is known; see loops.S and loops.c. */
#ifndef LOOPS_H
#define LOOPS_H

#include <stddef.h>
#include <stdint.h>

/* What executing one instruction makes happen. */
enum class {
	INSN		= 1 << 0,	/* it retires; implied unless it traps */
	LOAD		= 1 << 1,
	STORE		= 1 << 2,
	AMO		= 1 << 3,
	FENCE		= 1 << 4,
	INT		= 1 << 5,	/* integer computation */
	FP		= 1 << 6,
	RVC		= 1 << 7,
	BRANCH		= 1 << 8,	/* conditional, and how it goes: */
	TAKEN		= 1 << 9,
	NOT_TAKEN	= 1 << 10,
	BACK		= 1 << 11,	/* taken except in the last iteration */
	DIR_CALL	= 1 << 12,
	DIR_JUMP	= 1 << 13,
	IND_CALL	= 1 << 14,
	IND_JUMP	= 1 << 15,
	RETURN		= 1 << 16,
	SYSTEM		= 1 << 17,
	CSR		= 1 << 18,
	ECALL		= 1 << 19,	/* traps, so it does not retire */
	FAULT		= 1 << 20,	/* traps, and is then executed again */
	CYCLE		= 1 << 21,	/* as INSN, but weighs CPI */
	FAR		= 1 << 22,	/* indirect, but what AUIPC said before */
};

#define TRAP	(ECALL | FAULT)

/* One executed instruction: how far from the loop's symbol, and its classes. */
struct step {
	uint32_t offset;
	uint32_t classes;
};

typedef void loop_fn(unsigned long n, void *buf);

struct loop {
	const char *name;
	loop_fn *fn;
	const struct step *enter;	/* before the first iteration */
	const struct step *body;	/* one iteration */
	const struct step *leave;	/* after the last, with the ret */
	unsigned int nr_enter;
	unsigned int nr_body;
	unsigned int nr_leave;
	size_t buf_per_iteration;	/* fresh memory the loop wants */
};

extern const struct loop loops[];
extern const unsigned int nr_loops;

const struct loop *loop_named(const char *name);
/* NULL if it is not written down. */
const struct loop *loop_of(loop_fn *fn);

/*
 * What counted() executes in user space: walk it one instruction at a time.
 * n is the number of iterations.
 */
struct walk {
	const struct loop *loop;
	unsigned long n;
	unsigned long iteration;
	unsigned int index;
	unsigned int part;
};

void walk_start(struct walk *w, const struct loop *loop, unsigned long n);
/* The next instruction's address and classes; 0 at the end. */
uintptr_t walk_next(struct walk *w, unsigned int *classes);

/*
 * How much an instruction counts for an event of these classes: 1 or 0, but
 * cycles as many as the machine takes for each instruction, which is what CPI
 * in the environment says, and 1 without it.
 */
unsigned int weight(unsigned int classes, unsigned int any);

/* What all of these weigh together. */
uint64_t walk_count(const struct loop *loop, unsigned long n,
		    unsigned int any);

/*
 * Where sample after sample must point: to the instruction that makes the count a
 * multiple of the period if they are precise, else to the one after it, which is
 * where the interrupt stops the program; if it comes late, that many instructions
 * further.
 */
struct prophet {
	struct walk walk;
	unsigned int any;
	uint64_t period;
	uint64_t count;			/* in this period */
	uintptr_t cause;		/* what ended the last one */
	uintptr_t ip;			/* the next instruction, */
	unsigned int classes;		/* and its classes */
};

void prophet_start(struct prophet *p, const struct loop *loop, unsigned long n,
		   unsigned int any, uint64_t period);
/* Go to the next sample, and say where it points. */
uintptr_t prophet_next(struct prophet *p);
/* Where it points if the interrupt is late by so many instructions. */
uintptr_t prophet_late(const struct prophet *p, unsigned int instructions);

/* What the program exact executes; see exact.S. */
#define EXACT_INSTRUCTIONS	2000004

extern loop_fn loop_alu, loop_load, loop_store, loop_memory, loop_amo,
	loop_lrsc, loop_branch, loop_jump, loop_call, loop_far, loop_fence, loop_csr,
	loop_ecall, loop_fault, loop_misaligned, loop_rvc, loop_long;
/* Not written down: loads that miss the caches, here and there in so many bytes. */
#define SCATTERED	(1 << 20)
loop_fn loop_scattered;

extern const char counted_begin[], counted_end[], counted_after[];

long counted(int fd, unsigned long flags, loop_fn *fn, unsigned long n,
	     void *buf);

#endif
