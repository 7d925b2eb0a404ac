/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A session for libFuzzer: what its file is made of, and what is to be told of it.
 *
 * The input is struct setup, so many bytes of an info header as that says, and then what
 * happens: a struct step each, and behind that of a buffer its data.
 */
#ifndef RISCV_PDIS_FUZZ_H
#define RISCV_PDIS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/perf_event.h>

#include "auxtrace.h"
#include "data.h"
#include "session.h"
#include "time-utils.h"
#include "tool.h"
#include "tsc.h"

#if __has_include("riscv-pdis-compat.h")
#include "riscv-pdis-compat.h"
#endif

struct evsel;
struct machine;
struct perf_sample;

#define PMU_TYPE	10
#define COUNTER_TYPE	PERF_TYPE_RAW
#define PERIOD		1000

/* A file that is longer has nothing new. */
#define MAX_SIZE	4096
#define MAX_ITEMS	512
#define QUEUES		4
#define CPUS		4
#define TIDS		8
#define NR_COUNTERS	32

/* The event that samples, that of a counter, and one that is not there. */
#define FIRST_ID	100
#define NR_IDS		3

enum how {
	OPTION_PIPE	= 1 << 0,	/* the file is one */
	OPTION_DUMP	= 1 << 1,	/* perf script -D */
	OPTION_QUICK	= 1 << 2,
	OPTION_INJECT	= 1 << 3,
	OPTION_SILENT	= 1 << 4,	/* no errors */
	OPTION_NO_LOSS	= 1 << 5,	/* no errors that records are lost */
	OPTION_RANGES	= 1 << 6,	/* --time */
	OPTION_ODD	= 1 << 7,	/* a clock that the input makes */
};

/* Kinds of events, in their order, and what changes one of them. */
enum asked {
	ASKED_L1	= 1 << 0,
	ASKED_LLC	= 1 << 1,
	ASKED_TLB	= 1 << 2,
	ASKED_BRANCHES	= 1 << 3,
	ASKED_MEMORY	= 1 << 4,
	ASKED_DONE	= 1 << 5,
	ASKED_CALLS	= 1 << 6,
	ASKED_RETURNS	= 1 << 7,
};

enum more {
	MORE_COUNTERS	= 1 << 0,	/* samples of what counters count */
	MORE_THREADS	= 1 << 1,	/* which is another event for each thread */
	MORE_CYCLES	= 1 << 2,	/* events of cycles, by stage */
	MORE_PIECES	= 1 << 3,	/* branch stacks that are pieces of a way */
};

/**
 * struct setup - how perf is called, and what is the same for all of a file
 * @options: enum how
 * @asked: enum asked; none if it is 0
 * @info: how long the info header is
 * @mult: of the clock
 * @shift: of the clock
 * @start: of the first range, in units of 256 ticks
 * @length: of each range
 * @gap: between two
 * @more: enum more
 */
struct setup {
	uint8_t options;
	uint8_t asked;
	uint16_t info;
	uint32_t mult;
	uint8_t shift;
	uint8_t start;
	uint8_t length;
	uint8_t gap;
	uint8_t more;
} __attribute__((packed));

enum what {
	STEP_BUFFER,
	STEP_SWITCH,
	STEP_START,
	STEP_AUX,
	STEP_TIME,
	STEP_COUNTER,
	NR_STEPS,
};

/**
 * struct step - what happens next
 * @what: enum what
 * @cpu: where, and in which queue
 * @tid: who
 * @flags: of PERF_RECORD_AUX; a switch is one out if it is odd; which counter
 * @time: when, in units of 256 ticks
 * @size: of a buffer
 * @claimed: that the buffer is longer than it is; what a counter counts
 */
struct step {
	uint8_t what;
	uint8_t cpu;
	int8_t tid;
	uint8_t flags;
	uint16_t time;
	uint16_t size;
	uint8_t claimed;
} __attribute__((packed));

/**
 * struct item - what is to be told
 * @error: its number, or 0 for a record
 * @at: the record
 * @time: no record from here on is older
 * @own_time: of the record
 */
struct item {
	int error;
	const uint8_t *at;
	uint64_t time;
	uint64_t own_time;
};

/**
 * struct queue - what is to be told of a queue
 * @cpu: the CPU, or -1
 * @tid: the thread, or -1
 * @rv32: it is one with 32-bit registers
 * @has: which bits of hdrev it has
 * @core: it is the one whose codes are known
 * @time: of the last record
 * @reference: of the buffer
 * @sorted: none is older than the one before, or makes no sense
 * @set: there has been a buffer
 * @nr: how many there are
 * @next: the first that has not been told
 * @begun: one of its kinds has been told
 * @kinds: those of the next that have not been
 * @item: each
 */
struct queue {
	int cpu;
	int tid;
	bool rv32;
	uint64_t has;
	bool core;
	uint64_t time;
	uint64_t reference;
	bool sorted;
	bool set;
	unsigned int nr;
	unsigned int next;
	bool begun;
	uint64_t kinds;
	struct item *item;
};

/**
 * struct fuzz - all of it
 * @setup: how
 * @header: the info header
 * @words: how long it is
 * @session: perf's
 * @tool: who is told
 * @data: the file
 * @opts: --itrace
 * @range: --time
 * @timed: there is a clock
 * @tc: this one
 * @queue: each
 * @running: who runs on each CPU
 * @known: threads that have been
 * @counted: what counters count: of a CPU, or any, and of a thread, or any
 * @until: what is older than this is told now
 * @last: the time of what was told last
 * @errors: that events are to tell now
 * @file: the data
 * @size: of that
 */
struct fuzz {
	struct setup setup;
	const uint8_t *header;
	uint64_t words;
	struct perf_session session;
	struct perf_tool tool;
	struct perf_data data;
	struct itrace_synth_opts opts;
	struct perf_time_interval range[2];
	bool timed;
	struct perf_tsc_conversion tc;
	struct queue queue[QUEUES];
	int running[CPUS];
	bool known[TIDS];
	uint8_t counted[CPUS + 1][TIDS + 1][NR_COUNTERS];
	uint64_t until;
	uint64_t last;
	unsigned int errors;
	uint8_t *file;
	size_t size;
};

extern struct fuzz fuzz;

uint64_t fuzz_word(uint64_t nr);
bool fuzz_header_holds(void);
uint64_t fuzz_block(int cpu);
uint32_t fuzz_type_of(unsigned int id);
int fuzz_pid_of(int tid);
void fuzz_add_buffer(struct queue *q, const uint8_t *at, size_t size, bool beyond);
int fuzz_on_error(const struct perf_tool *tool, struct perf_session *session,
		  union perf_event *event);
int fuzz_on_sample(const struct perf_tool *tool, union perf_event *event,
		   struct perf_sample *sample, struct machine *machine);
void fuzz_check_told(void);

#endif /* RISCV_PDIS_FUZZ_H */
