// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any info header and any AUX data, for libFuzzer: perf's own session is given them, with
 * threads that come and go in between, and all samples and errors that it makes of them
 * are those that the model expects, in this order.
 *
 * The input is struct setup, so many bytes of an info header as that says, and then what
 * happens: a struct step each, and behind that of a buffer its data.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <internal/lib.h>
#include <linux/kernel.h>
#include <linux/perf_event.h>
#include <linux/zalloc.h>

#include "auxtrace.h"
#include "branch.h"
#include "data.h"
#include "debug.h"
#include "event.h"
#include "evlist.h"
#include "evsel.h"
#include "header.h"
#include "machine.h"
#include "model.h"
#include "riscv-pdis.h"
#include "session.h"
#include "time-utils.h"
#include "tool.h"
#include "tsc.h"

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
static struct fuzz {
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
} fuzz;

static struct item items[QUEUES][MAX_ITEMS];

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The model of the info header. */

static uint64_t word(uint64_t nr)
{
	return model_number(fuzz.header + 8 * nr, 8);
}

/* Does all that it speaks of fit in? */
static bool header_holds(void)
{
	unsigned __int128 end;

	if (fuzz.words < 6 || word(0) != 1 || word(1) < 6 || word(1) > fuzz.words)
		return false;
	if (!word(2))
		return true;
	end = (unsigned __int128)word(2) * word(3) + word(1);
	return word(3) >= 7 && end <= fuzz.words && word(3) <= fuzz.words;
}

/* The block of a CPU; the first one's if it has none; 0 if there is none. */
static uint64_t find_block(int cpu)
{
	uint64_t i;

	for (i = 0; i < word(2); i++) {
		if ((int)word(word(1) + i * word(3)) == cpu)
			return word(1) + i * word(3);
	}
	return word(2) ? word(1) : 0;
}

/* Whom does which kind of events interest? */

static const char *const kind_name[] = {
	"l1d-miss", "l1d-access", "llc-miss", "llc-access", "tlb-miss", "tlb-access",
	"branches", "memory", "instructions", "pdis",
};

static uint32_t type_of(unsigned int id)
{
	return id == FIRST_ID ? PMU_TYPE : COUNTER_TYPE;
}

/* It may be said of an event that is not there. */
static bool has_event(void)
{
	uint32_t type = word(4);

	return type == type_of(FIRST_ID) || type == type_of(FIRST_ID + 1);
}

static uint64_t all_kinds(void)
{
	unsigned int asked = fuzz.setup.asked;
	uint64_t kinds = 0;

	if (!has_event())
		return 0;
	kinds |= asked & ASKED_L1 ? 3 << 0 : 0;
	kinds |= asked & ASKED_LLC ? 3 << 2 : 0;
	kinds |= asked & ASKED_TLB ? 3 << 4 : 0;
	kinds |= asked & ASKED_BRANCHES ? 1 << 6 : 0;
	kinds |= asked & ASKED_MEMORY ? 1 << 7 : 0;
	kinds |= asked & ASKED_DONE ? 1 << 8 : 0;
	if (!kinds && !(fuzz.opts.set && fuzz.opts.other_events))
		kinds = 1 << 9;
	return kinds;
}

/* Who runs on the CPU; without one, whose records they are. */
static int runs(const struct queue *q)
{
	int tid = q->cpu >= 0 ? fuzz.running[q->cpu] : -1;

	return tid == -1 ? q->tid : tid;
}

/* What this thread's counter counts there, or the last one's did. */
static uint8_t counted(const struct queue *q, unsigned int nr)
{
	return fuzz.counted[q->cpu + 1][runs(q) + 1][nr] ?: fuzz.counted[q->cpu + 1][0][nr];
}

#define COUNTER_KIND	16

static uint64_t counter_kinds(const struct model *model, const struct queue *q)
{
	uint64_t kinds = 0;
	unsigned int nr;

	if (fuzz.opts.set && !fuzz.opts.other_events)
		return 0;
	for (nr = 3; nr < NR_COUNTERS; nr++) {
		if (model_bits(model->hdrev, nr, 1) && counted(q, nr))
			kinds |= 1ULL << (COUNTER_KIND + nr);
	}
	return kinds;
}

static bool is_branch(const struct model *model)
{
	bool calls = fuzz.setup.asked & ASKED_CALLS, returns = fuzz.setup.asked & ASKED_RETURNS;

	if (!calls && !returns)
		return model->ip_flags;
	return (calls && model->ip_flags & 2) || (returns && model->ip_flags & 4);
}

static uint64_t kinds_of(const struct model *model, const struct queue *q)
{
	bool access = model->access && !model->flushed;
	bool l1 = access && model_bits(model->hdrev, 39, 1);
	uint64_t kinds = 1 << 9;

	kinds |= access ? 1 << 1 | 1 << 5 | 1 << 7 : 0;
	kinds |= l1 ? 1 << 0 : 0;
	kinds |= access && model_bits(model->hdrev, 40, 1) ? 1 << 2 : 0;
	kinds |= l1 && model_bits(q->has, 40, 1) ? 1 << 3 : 0;
	kinds |= access && model_bits(model->hdrev, 45, 1) ? 1 << 4 : 0;
	kinds |= is_branch(model) ? 1 << 6 : 0;
	kinds |= model->flushed ? 0 : 1 << 8;
	return (kinds & all_kinds()) | counter_kinds(model, q);
}

/* The model of AUX data. */

/* A number with these low bits, as near as there is. */
static uint64_t nearest(uint64_t to, uint32_t low)
{
	uint64_t up = (uint32_t)(low - (uint32_t)to);

	return up < 1ULL << 31 ? to + up : to + up - (1ULL << 32);
}

static void add_item(struct queue *q, int error, const uint8_t *at)
{
	must(q->nr < MAX_ITEMS);
	q->item[q->nr++] = (struct item) { .error = error, .at = at, .time = q->time };
}

static void add_record(struct queue *q, const uint8_t *at)
{
	struct item *item = &q->item[q->nr];
	struct model model;

	model_read(&model, at, q->rv32, q->has);
	if (!model.known) {
		q->sorted = false;
		add_item(q, 1, at);
		return;
	}
	if (q->rv32)
		model.time = nearest(q->time ?: q->reference, model.time);
	if (model.time < q->time || model.time > 1ULL << 40)
		q->sorted = false;
	if (model.time > q->time)
		q->time = model.time < ULLONG_MAX ? model.time : ULLONG_MAX - 1;
	add_item(q, 0, at);
	item->own_time = model.time;
}

static void add_buffer(struct queue *q, const uint8_t *at, size_t size, bool beyond)
{
	size_t step = q->rv32 ? 32 : 64;

	if (beyond) {
		add_item(q, 3, NULL);
		return;
	}
	for (; size >= step; size -= step, at += step)
		add_record(q, at);
	if (size)
		add_item(q, 2, NULL);
}

static uint64_t in_ns(uint64_t ticks)
{
	return fuzz.timed ? tsc_to_perf_time(ticks, &fuzz.tc) : 0;
}

static bool is_wanted(uint64_t ns)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		if (ns >= fuzz.range[i].start && ns <= fuzz.range[i].end)
			return true;
	}
	return false;
}

static void pass(struct queue *q)
{
	q->next++;
	q->begun = false;
	q->kinds = 0;
}

/* What counters count may change until it is told. */
static void find_kinds(struct queue *q)
{
	struct model model;

	if (q->begun)
		return;
	model_read(&model, q->item[q->next].at, q->rv32, q->has);
	q->kinds = kinds_of(&model, q);
}

/* What is there no sample of, and no error? */
static void skip_untold(struct queue *q)
{
	for (; q->next < q->nr; pass(q)) {
		const struct item *item = &q->item[q->next];

		if (item->error && fuzz.setup.options & OPTION_SILENT)
			continue;
		if (item->error)
			return;
		if (item->time >= fuzz.until && !(fuzz.setup.options & OPTION_RANGES))
			return;
		find_kinds(q);
		if (q->kinds)
			return;
	}
}

/* With ranges some are left out: those that are outside if all are in order. */
static bool skip_unwanted(struct queue *q)
{
	const struct item *item = &q->item[q->next];

	if (!(fuzz.setup.options & OPTION_RANGES) || q->next == q->nr)
		return false;
	must(item->error || !q->sorted || fuzz.setup.options & OPTION_ODD ||
	     !is_wanted(in_ns(item->own_time)));
	pass(q);
	skip_untold(q);
	return true;
}

static bool is_next_error(const struct queue *q, int error)
{
	return q->next < q->nr && q->item[q->next].error == error;
}

static bool has_raw(void)
{
	return !(fuzz.setup.options & OPTION_QUICK) && has_event();
}

static bool is_next_sample(const struct queue *q, const struct perf_sample *sample)
{
	const struct item *item = &q->item[q->next];

	if (q->next == q->nr || item->error || sample->time != in_ns(item->own_time))
		return false;
	return !has_raw() ||
		!memcmp((uint8_t *)sample->raw_data + 4, item->at, q->rv32 ? 32 : 64);
}

static struct queue *find_queue(int cpu, int tid)
{
	unsigned int i;

	for (i = 0; i < QUEUES; i++) {
		struct queue *q = &fuzz.queue[i];

		if (q->set && q->cpu == cpu && (cpu >= 0 || q->tid == tid))
			return q;
	}
	return NULL;
}

/* What perf tells. */

static int on_error(struct perf_session *session, union perf_event *event)
{
	const struct perf_record_auxtrace_error *error = &event->auxtrace_error;
	struct queue *q;

	must(session == &fuzz.session);
	must(!(fuzz.setup.options & OPTION_SILENT));
	must(error->code >= 1 && error->code <= 6);
	if (error->code >= 4) {
		must(fuzz.errors & 1U << error->code);
		fuzz.errors &= ~(1U << error->code);
		return 0;
	}
	q = find_queue(error->cpu, error->tid);
	must(q);
	skip_untold(q);
	while (!is_next_error(q, error->code))
		must(skip_unwanted(q));
	pass(q);
	return 0;
}

static void check_stack(const struct perf_sample *sample, const struct model *model)
{
	bool is = model->transfer && !model->flushed;
	bool went = is && model->adr1 && !model_bits(model->hdrev, 40, 1);
	const struct branch_stack *stack = sample->branch_stack;
	const struct branch_entry *entry = stack->entries;

	must(stack->nr == (uint64_t)went + (is && model->adr2));
	if (went) {
		must(entry->from == model->pc && entry->to == model->adr1);
		must(entry->flags.value == model->branch_flags);
		entry++;
	}
	if (is && model->adr2)
		must(!entry->from && entry->to == model->adr2 && !entry->flags.value);
}

static void check_raw(const struct perf_sample *sample, const uint8_t *at, size_t size)
{
	must(sample->raw_size == size + 4);
	must(model_number(sample->raw_data, 4) == size);
	must(!memcmp((uint8_t *)sample->raw_data + 4, at, size));
}

static void check_meaning(const struct perf_sample *sample, const struct model *model, bool rv32)
{
	must(sample->ip == model->pc);
	must(sample->addr == model->addr);
	must(sample->phys_addr == model->phys_addr);
	must(sample->data_src == model->data_src);
	must(sample->weight == model->total);
	must(sample->ins_lat == model->issue);
	must(sample->retire_lat == model->execution);
	must(sample->flags == model->ip_flags);
	must(sample->period == (has_event() ? PERIOD : 0));
	must(sample->cpumode == (model->pc >> 63 && !rv32 ? PERF_RECORD_MISC_KERNEL :
							    PERF_RECORD_MISC_USER));
}

static int pid_of(int tid)
{
	if (tid <= 0)
		return tid;
	return 1000 + tid / 2;
}

static void check_thread(const struct perf_sample *sample, const struct queue *q)
{
	int tid = runs(q);

	must((int)sample->tid == tid);
	if (tid >= 0 && fuzz.known[tid])
		must((int)sample->pid == pid_of(tid));
	else
		must((int)sample->pid == (tid ? -1 : 0));
}

/* Those that are left out because of ranges may have been later. */
static void check_order(const struct item *item)
{
	if (fuzz.setup.options & OPTION_RANGES)
		return;
	must(item->time < fuzz.until);
	must(item->time >= fuzz.last);
	fuzz.last = item->time;
}

/* The first of those that are to be told. */
static void check_event(const struct perf_sample *sample, struct queue *q, struct evsel *evsel)
{
	unsigned int kind;

	must(q->kinds);
	kind = __builtin_ctzll(q->kinds);
	if (kind < COUNTER_KIND) {
		must(!strcmp(evsel__name(evsel), kind_name[kind]));
	} else {
		must(sample->id == counted(q, kind - COUNTER_KIND));
		must(evsel->core.attr.type == type_of(sample->id));
	}
	q->begun = true;
	q->kinds &= q->kinds - 1;
	if (!q->kinds)
		pass(q);
}

static int on_sample(const struct perf_tool *tool, union perf_event *event,
		     struct perf_sample *sample, struct evsel *evsel, struct machine *machine)
{
	struct queue *q = find_queue(sample->cpu, sample->tid);
	const struct item *item;
	struct model model;

	must(tool == &fuzz.tool && machine == &fuzz.session.machines.host);
	must(event->header.type == PERF_RECORD_SAMPLE);
	must(q);
	skip_untold(q);
	while (!is_next_sample(q, sample))
		must(skip_unwanted(q));
	item = &q->item[q->next];
	model_read(&model, item->at, q->rv32, q->has);
	check_meaning(sample, &model, q->rv32);
	check_thread(sample, q);
	check_order(item);
	if (has_raw()) {
		check_stack(sample, &model);
		check_raw(sample, item->at, q->rv32 ? 32 : 64);
	}
	find_kinds(q);
	check_event(sample, q, evsel);
	return 0;
}

/* All that is older has been told. */
static void check_told(void)
{
	unsigned int i;

	must(!fuzz.errors);
	if (fuzz.setup.options & OPTION_DUMP)
		return;
	for (i = 0; i < QUEUES; i++) {
		struct queue *q = &fuzz.queue[i];

		skip_untold(q);
		while (fuzz.until == ULLONG_MAX && skip_unwanted(q))
			;
		must(q->next == q->nr || q->item[q->next].time >= fuzz.until ||
		     fuzz.setup.options & OPTION_RANGES);
		must(q->next == q->nr || fuzz.until != ULLONG_MAX);
	}
}

/* A session. */

static void set_clock(void)
{
	struct perf_record_time_conv *conv = &fuzz.session.time_conv;
	bool odd = fuzz.setup.options & OPTION_ODD;

	*conv = (struct perf_record_time_conv) {
		.header.size	= offsetof(struct perf_record_time_conv, time_cycles),
		.time_shift	= odd ? fuzz.setup.shift : 20,
		.time_mult	= odd ? fuzz.setup.mult : 100 << 20,
		.time_zero	= 5000000000,
	};
	fuzz.timed = word(5) & 1 && conv->time_mult && conv->time_shift <= 32;
	/* Times are wanted only if there are any. */
	if (!fuzz.timed)
		fuzz.setup.options &= ~OPTION_RANGES;
	fuzz.tc = (struct perf_tsc_conversion) {
		.time_shift	= conv->time_shift,
		.time_mult	= conv->time_mult,
		.time_zero	= conv->time_zero,
	};
}

static void set_ranges(void)
{
	uint64_t at = fuzz.tc.time_zero + fuzz.setup.start * 25600ULL;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		fuzz.range[i].start = at;
		at += fuzz.setup.length * 25600ULL;
		fuzz.range[i].end = at;
		at += (fuzz.setup.gap + 1) * 25600ULL;
	}
	fuzz.opts.ptime_range = fuzz.range;
	fuzz.opts.range_num = 2;
}

static void set_options(void)
{
	unsigned int asked = fuzz.setup.asked, options = fuzz.setup.options;

	fuzz.opts = (struct itrace_synth_opts) {
		.set		= asked || options & (OPTION_QUICK | OPTION_SILENT |
						      OPTION_NO_LOSS | OPTION_RANGES),
		/* What is left out would have to be known when they change. */
		.other_events	= fuzz.setup.more & MORE_COUNTERS &&
				  !(options & OPTION_RANGES),
		.inject		= options & OPTION_INJECT,
		.quick		= options & OPTION_QUICK,
		.errors		= !(options & OPTION_SILENT),
		.error_minus_flags = options & OPTION_NO_LOSS ? AUXTRACE_ERR_FLG_DATA_LOST : 0,
		.flc		= asked & ASKED_L1,
		.llc		= asked & ASKED_LLC,
		.tlb		= asked & ASKED_TLB,
		.branches	= asked & ASKED_BRANCHES,
		.mem		= asked & ASKED_MEMORY,
		.instructions	= asked & ASKED_DONE,
		.calls		= asked & ASKED_CALLS,
		.returns	= asked & ASKED_RETURNS,
		.period_type	= PERF_ITRACE_PERIOD_NANOSECS,
	};
	dump_trace = options & OPTION_DUMP;
	if (options & OPTION_RANGES)
		set_ranges();
}

static void add_attr(unsigned int id)
{
	struct perf_sample_id *sid;
	struct {
		struct perf_record_header_attr attr;
		u64 id;
	} event = {
		.attr.header = {
			.type = PERF_RECORD_HEADER_ATTR,
			.size = sizeof(event),
		},
		.attr.attr = {
			.type		= type_of(id),
			.size		= sizeof(struct perf_event_attr),
			.sample_period	= PERIOD,
			.sample_type	= PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP |
					  PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU,
			.sample_id_all	= 1,
		},
		.id = id,
	};

	must(!fuzz.tool.attr(&fuzz.tool, (union perf_event *)&event, &fuzz.session.evlist));
	sid = evlist__id2sid(fuzz.session.evlist, id);
	must(sid);
	sid->tid = fuzz.setup.more & MORE_THREADS ? 1 : -1;
}

static void begin(void)
{
	struct perf_session *session = &fuzz.session;

	perf_tool__init(&fuzz.tool, true);
	fuzz.tool.sample = on_sample;
	fuzz.tool.auxtrace_error = on_error;
	fuzz.tool.attr = perf_event__process_attr;
	fuzz.data.mode = PERF_DATA_MODE_READ;
	fuzz.data.is_pipe = fuzz.setup.options & OPTION_PIPE;
	session->tool = &fuzz.tool;
	session->data = &fuzz.data;
	session->itrace_synth_opts = &fuzz.opts;
	INIT_LIST_HEAD(&session->auxtrace_index);
	perf_env__init(&session->header.env);
	session->header.env.arch = (char *)"riscv64";
	machines__init(&session->machines);
	session->machines.host.env = &session->header.env;
	session->evlist = evlist__new();
	must(session->evlist);
	session->evlist->env = &session->header.env;
	add_attr(FIRST_ID);
	add_attr(FIRST_ID + 1);
}

static void end(void)
{
	struct perf_session *session = &fuzz.session;

	if (session->auxtrace)
		session->auxtrace->free(session);
	must(!session->auxtrace);
	evlist__delete(session->evlist);
	machines__exit(&session->machines);
	free(fuzz.file);
}

/* The event must be one that is understood, if and only if the model does. */
static bool give_info(void)
{
	size_t size = sizeof(struct perf_record_auxtrace_info) + fuzz.setup.info;
	union perf_event *event = malloc(size);
	int err;

	memset(event, 0, sizeof(struct perf_record_auxtrace_info));
	event->auxtrace_info.header.type = PERF_RECORD_AUXTRACE_INFO;
	event->auxtrace_info.header.size = size;
	event->auxtrace_info.type = PERF_AUXTRACE_RISCV_PDIS;
	memcpy(event->auxtrace_info.priv, fuzz.header, fuzz.setup.info);
	err = perf_event__process_auxtrace_info(&fuzz.session, event);
	free(event);
	must(err == (header_holds() ? 0 : -EINVAL));
	must(!err == !!fuzz.session.auxtrace);
	return !err;
}

/* What happens. */

static void give(const struct step *step, union perf_event *event)
{
	const struct auxtrace *auxtrace = fuzz.session.auxtrace;
	struct perf_sample sample = {
		.cpu	= step->cpu,
		.tid	= step->tid,
		.pid	= pid_of(step->tid),
		.time	= fuzz.timed ? tsc_to_perf_time(step->time * 256ULL, &fuzz.tc) : 0,
		.id	= FIRST_ID + step->claimed % NR_IDS,
	};

	fuzz.until = 0;
	if (fuzz.timed && sample.time && sample.time != ULLONG_MAX)
		fuzz.until = perf_time_to_tsc(sample.time, &fuzz.tc);
	must(!auxtrace->process_event(&fuzz.session, event, &sample, &fuzz.tool));
	check_told();
}

static void now_runs(const struct step *step)
{
	if (fuzz.setup.options & OPTION_DUMP || step->tid < 0)
		return;
	fuzz.running[step->cpu] = step->tid;
	fuzz.known[step->tid] = true;
}

static void give_switch(const struct step *step)
{
	union perf_event event = { .header.type = PERF_RECORD_SWITCH };

	if (step->flags & 1)
		event.header.misc = PERF_RECORD_MISC_SWITCH_OUT;
	give(step, &event);
	if (!(step->flags & 1))
		now_runs(step);
}

static void give_start(const struct step *step)
{
	union perf_event event = { .header.type = PERF_RECORD_ITRACE_START };

	event.itrace_start.pid = pid_of(step->tid);
	event.itrace_start.tid = step->tid;
	give(step, &event);
	now_runs(step);
}

/* Each of these flags is told as an error of its own. */
static void give_aux(const struct step *step)
{
	union perf_event event = { .header.type = PERF_RECORD_AUX };

	event.aux.flags = step->flags;
	if (!(fuzz.setup.options & (OPTION_SILENT | OPTION_NO_LOSS | OPTION_DUMP))) {
		fuzz.errors |= step->flags & 1 ? 1 << 4 : 0;
		fuzz.errors |= step->flags & 4 ? 1 << 5 : 0;
		fuzz.errors |= step->flags & 8 ? 1 << 6 : 0;
	}
	give(step, &event);
}

static void give_time(const struct step *step)
{
	union perf_event event = { .header.type = PERF_RECORD_COMM };

	give(step, &event);
}

static void now_counts(const struct step *step, unsigned int id)
{
	unsigned int nr = step->flags;

	if (nr >= NR_COUNTERS || id == FIRST_ID + NR_IDS - 1 || type_of(id) == (uint32_t)word(4) ||
	    fuzz.setup.options & OPTION_DUMP)
		return;
	fuzz.counted[step->cpu + 1][0][nr] = id;
	if (!(fuzz.setup.more & MORE_THREADS))
		return;
	fuzz.counted[step->cpu + 1][step->tid + 1][nr] = id;
	fuzz.counted[0][step->tid + 1][nr] = id;
}

static void give_counter(const struct step *step)
{
	union perf_event event = { .header.type = PERF_RECORD_AUX_OUTPUT_HW_ID };

	event.aux_output_hw_id.hw_id = step->flags;
	give(step, &event);
	now_counts(step, FIRST_ID + step->claimed % NR_IDS);
}

static struct queue *set_queue(const struct step *step, unsigned int nr)
{
	struct queue *q = &fuzz.queue[nr];
	uint64_t block;

	if (q->set)
		return q;
	q->set = true;
	q->item = items[nr];
	q->sorted = true;
	/* The last one is of a thread. */
	q->cpu = nr < CPUS - 1 ? (int)nr : -1;
	q->tid = q->cpu < 0 ? step->tid : -1;
	block = find_block(q->cpu);
	q->rv32 = block && word(block + 5) & 1;
	q->has = block ? word(block + 6) : 0;
	return q;
}

/* How long a buffer says that it is. */
static uint64_t claimed_size(const struct step *step, size_t at)
{
	static const uint64_t huge[] = { 1ULL << 63, ~0ULL, ~0ULL >> 1, 1ULL << 32 };

	if (!step->claimed || fuzz.data.is_pipe)
		return step->size;
	if (step->claimed <= 4)
		return huge[step->claimed - 1];
	return fuzz.size - at + step->claimed - 4;
}

static void give_buffer(const struct step *step, size_t at)
{
	union perf_event event = { .header.type = PERF_RECORD_AUXTRACE };
	struct queue *q = set_queue(step, step->cpu);
	uint64_t size = claimed_size(step, at);
	int err;

	event.auxtrace.size = size;
	event.auxtrace.reference = (uint64_t)step->time << 24;
	event.auxtrace.idx = step->cpu;
	event.auxtrace.cpu = q->cpu;
	event.auxtrace.tid = q->tid;
	must(lseek(fuzz.data.file.fd, at, SEEK_SET) == (off_t)at);
	err = fuzz.session.auxtrace->process_auxtrace_event(&fuzz.session, &event, &fuzz.tool);
	must(err == (size >> 63 ? -EINVAL : 0));
	if (err)
		return;
	q->reference = event.auxtrace.reference;
	add_buffer(q, fuzz.file + at, step->size, size != step->size);
	fuzz.last = 0;
}

static void take_step(struct step *step, size_t *at)
{
	step->cpu %= CPUS;
	/* One is nobody. */
	step->tid = (step->tid & TIDS) ? -1 : step->tid & (TIDS - 1);
	switch (step->what % NR_STEPS) {
	case STEP_BUFFER:
		if (step->size > fuzz.size - *at)
			step->size = fuzz.size - *at;
		give_buffer(step, *at);
		*at += step->size;
		break;
	case STEP_SWITCH:
		give_switch(step);
		break;
	case STEP_START:
		give_start(step);
		break;
	case STEP_AUX:
		give_aux(step);
		break;
	case STEP_TIME:
		give_time(step);
		break;
	case STEP_COUNTER:
		give_counter(step);
		break;
	}
}

static void take_steps(size_t at)
{
	struct step step;

	while (fuzz.size - at >= sizeof(step)) {
		memcpy(&step, fuzz.file + at, sizeof(step));
		at += sizeof(step);
		take_step(&step, &at);
	}
	fuzz.until = ULLONG_MAX;
	must(!fuzz.session.auxtrace->flush_events(&fuzz.session, &fuzz.tool));
	check_told();
}

/* As perf maps a file, but no longer than it is. */
static void set_file(const uint8_t *data, size_t size)
{
	fuzz.file = malloc(size);
	fuzz.size = size;
	memcpy(fuzz.file, data, size);
	fuzz.header = fuzz.file + sizeof(fuzz.setup);
	fuzz.words = fuzz.setup.info / 8;
	fuzz.session.one_mmap = !(fuzz.setup.options & OPTION_PIPE);
	fuzz.session.one_mmap_addr = fuzz.file;
	fuzz.data.file.size = size;
	if (fuzz.setup.options & OPTION_PIPE)
		must(pwrite(fuzz.data.file.fd, data, size, 0) == (ssize_t)size);
}

/**
 * LLVMFuzzerInitialize() - once
 * @argc: not used
 * @argv: not used
 *
 * Return: 0.
 */
int LLVMFuzzerInitialize(int *argc __maybe_unused, char ***argv __maybe_unused)
{
	page_size = sysconf(_SC_PAGE_SIZE);
	fuzz.data.file.fd = memfd_create("fuzz", 0);
	must(fuzz.data.file.fd >= 0);
	/* What is wrong with an info header is not of interest. */
	verbose = -1;
	return 0;
}

/**
 * LLVMFuzzerTestOneInput() - one file
 * @data: any bytes
 * @size: how many
 *
 * Return: 0.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = fuzz.data.file.fd;

	if (size < sizeof(fuzz.setup) || size > MAX_SIZE)
		return 0;
	memset(&fuzz, 0, sizeof(fuzz));
	memset(fuzz.running, -1, sizeof(fuzz.running));
	fuzz.data.file.fd = fd;
	memcpy(&fuzz.setup, data, sizeof(fuzz.setup));
	if (fuzz.setup.info > size - sizeof(fuzz.setup))
		fuzz.setup.info = size - sizeof(fuzz.setup);
	set_file(data, size);
	if (fuzz.words > 5)
		set_clock();
	set_options();
	begin();
	if (give_info())
		take_steps(sizeof(fuzz.setup) + fuzz.setup.info);
	end();
	return 0;
}
