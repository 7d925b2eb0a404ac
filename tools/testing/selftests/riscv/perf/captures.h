/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the machine writes down of overflows, and samples held against it. TRUTH
 * in the environment names the file.
 */
#ifndef CAPTURES_H
#define CAPTURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "perf.h"

/* An overflow that has requested an interrupt. */
struct overflow {
	uint64_t pc;		/* the causal instruction */
	uint64_t next;		/* what followed it */
	uint64_t total;		/* of this counter, ever */
	uint64_t spc;		/* what was captured, if anything was */
	uint64_t sdata;
	size_t order;		/* among those captured, by when */
	int hart;
	int counter;
	bool captured;
	bool ahead;		/* the interrupt came behind another trap */
	char mode;		/* U, S, M */
	char event[35];
};

struct truth {
	FILE *file;
	size_t captures;	/* so far */
	struct overflow *at;
	size_t nr;
};

/* Look at what is written from now on. */
bool truth_begin(struct truth *t);
/* What has been written since, added to what is there. */
void truth_take(struct truth *t);
void truth_clear(struct truth *t);
void truth_end(struct truth *t);

/* Which overflows: -1 or NULL is any. */
struct which {
	int hart;
	int counter;
	const char *event;
};

/* These alone, to be freed by truth_clear(). */
struct truth truth_only(const struct truth *t, struct which which);

/*
 * How the samples of an event compare. Each is one of precise, raw, none, kept and
 * wrong.
 */
struct verdict {
	const char *name;	/* for what is printed, or NULL */
	size_t samples;
	size_t precise;		/* presented as precise, and so they are */
	size_t kernel;		/* of these, in the kernel */
	size_t led;		/* of these, those followed by another place */
	size_t raw;		/* not so, but with what was captured */
	size_t transfers;	/* of these, those followed by another place */
	size_t none;		/* of overflows of which nothing was captured */
	size_t kept;		/* something was, but the sample is without it */
	size_t late;		/* of these three, not of what followed; in user space */
	size_t unexplained;	/* raw or late, though no trap was ahead of the interrupt */
	size_t wrong;		/* not what the machine says */
	size_t overflows;
};

/* Sample for sample, which is of which overflow, is known by the event's count. */
struct place {
	bool known;
	uint64_t before;	/* the counter's total when the event began */
	/* An overflow at its end is a sample when the event comes back. */
	bool owed;
	struct overflow last;
};

void judge_by_count(struct verdict *v, const struct samples *s,
		    const struct truth *t, uint64_t period, struct place *place);
/*
 * Without: the samples of an event on one hart must be of its overflows there in
 * their order, each of another one. But an event that has left before the interrupt
 * came has its sample when it is back, and others have had theirs meanwhile.
 */
void judge_by_order(struct verdict *v, const struct samples *s,
		    const struct truth *t);
void verdict_print(const struct verdict *v);

/* An event whose samples have all that is compared. */
struct perf_event_attr attr_precise(uint32_t type, uint64_t config,
				    uint64_t period, int precise_ip);

/* What a sample says of what was captured: false if nothing. */
struct capture {
	uint64_t spc;
	uint64_t sdata;
	uint64_t flags;
};

#define CAPTURE_EXACT	1	/* the IP is the causal instruction's */

bool sample_capture(const struct sample *s, struct capture *c);

/* What follows the causal instruction is captured, not the instruction. */
bool captures_next(void);

/* Something irregular: sorting numbers that look random, and system calls. */
void work(unsigned long n, void *unused);

#endif
