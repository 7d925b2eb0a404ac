// SPDX-License-Identifier: GPL-2.0-only
/*
 * A session for libFuzzer: the model of what perf tells of it.
 */
#include <limits.h>
#include <string.h>

#include <linux/kernel.h>
#include <linux/perf_event.h>

#include "branch.h"
#include "event.h"
#include "evlist.h"
#include "evsel.h"
#include "fuzz.h"
#include "model.h"
#include "sample.h"

/* The model of the info header. */

/**
 * fuzz_word() - a word of the info header
 * @nr: which
 *
 * Return: the word.
 */
uint64_t fuzz_word(uint64_t nr)
{
	return model_number(fuzz.header + 8 * nr, 8);
}

/**
 * fuzz_header_holds() - does all that the info header speaks of fit in?
 *
 * Return: whether it does.
 */
bool fuzz_header_holds(void)
{
	unsigned __int128 end;

	if (fuzz.words < 6 || fuzz_word(0) != 1 || fuzz_word(1) < 6 || fuzz_word(1) > fuzz.words)
		return false;
	if (!fuzz_word(2))
		return true;
	end = (unsigned __int128)fuzz_word(2) * fuzz_word(3) + fuzz_word(1);
	return fuzz_word(3) >= 7 && end <= fuzz.words && fuzz_word(3) <= fuzz.words;
}

/**
 * fuzz_block() - the block of a CPU in the info header
 * @cpu: the CPU
 *
 * Return: its first word; the first one's if it has none; 0 if there is none.
 */
uint64_t fuzz_block(int cpu)
{
	uint64_t i;

	for (i = 0; i < fuzz_word(2); i++) {
		if ((int)fuzz_word(fuzz_word(1) + i * fuzz_word(3)) == cpu)
			return fuzz_word(1) + i * fuzz_word(3);
	}
	return fuzz_word(2) ? fuzz_word(1) : 0;
}

/* Whom does which kind of events interest? */

static const char *const kind_name[] = {
	"l1d-miss", "l1d-access", "llc-miss", "llc-access", "tlb-miss", "tlb-access",
	"branches", "memory", "instructions", "oldest-cycles", "total-cycles",
	"dispatch-cycles", "issue-cycles", "execution-cycles", "retire-cycles", "pdis",
};

#define CYCLES_KIND	9
#define PDIS_KIND	(CYCLES_KIND + MODEL_CYCLES)
#define COUNTER_KIND	(PDIS_KIND + 1)

/**
 * fuzz_type_of() - the type of an event
 * @id: by which it is known
 *
 * Return: the type.
 */
uint32_t fuzz_type_of(unsigned int id)
{
	return id == FIRST_ID ? PMU_TYPE : COUNTER_TYPE;
}

/* It may be said of an event that is not there. */
static bool has_event(void)
{
	uint32_t type = fuzz_word(4);

	return type == fuzz_type_of(FIRST_ID) || type == fuzz_type_of(FIRST_ID + 1);
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
	kinds |= fuzz.setup.more & MORE_CYCLES ? 63 << CYCLES_KIND : 0;
	if (!kinds && !(fuzz.opts.set && fuzz.opts.other_events))
		kinds = 1 << PDIS_KIND;
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

/* It is told where this transfer has gone to. */
static bool has_gone(const struct model *model)
{
	return model->transfer && !model->flushed && model->adr1 &&
		!model_bits(model->hdrev, 40, 1);
}

static bool is_branch(const struct model *model)
{
	bool calls = fuzz.setup.asked & ASKED_CALLS, returns = fuzz.setup.asked & ASKED_RETURNS;

	if (fuzz.setup.more & MORE_PIECES && !has_gone(model))
		return false;
	if (!calls && !returns)
		return model->ip_flags;
	return (calls && model->ip_flags & 2) || (returns && model->ip_flags & 4);
}

static uint64_t kinds_of(const struct model *model, const struct queue *q)
{
	bool access = model->access && !model->flushed;
	bool l1 = access && model_bits(model->hdrev, 39, 1);
	uint64_t kinds = 1 << PDIS_KIND;
	unsigned int i;

	kinds |= access ? 1 << 1 | 1 << 5 | 1 << 7 : 0;
	kinds |= l1 ? 1 << 0 : 0;
	kinds |= access && model_bits(model->hdrev, 40, 1) ? 1 << 2 : 0;
	kinds |= l1 && model_bits(q->has, 40, 1) ? 1 << 3 : 0;
	kinds |= access && model_bits(model->hdrev, 45, 1) ? 1 << 4 : 0;
	kinds |= is_branch(model) ? 1 << 6 : 0;
	kinds |= model->flushed ? 0 : 1 << 8;
	for (i = 0; i < MODEL_CYCLES; i++)
		kinds |= !model->flushed && model->cycles[i] ? 1 << (CYCLES_KIND + i) : 0;
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

	model_read(&model, at, q->rv32, q->has, q->core);
	if (!model.known) {
		q->sorted = false;
		add_item(q, 1, at);
		return;
	}
	/* 0 is no time. */
	if (!model.time)
		model.time = q->time;
	else if (q->rv32)
		model.time = nearest(q->time ?: q->reference, model.time);
	if (model.time < q->time || model.time > 1ULL << 40)
		q->sorted = false;
	if (model.time > q->time)
		q->time = model.time < ULLONG_MAX ? model.time : ULLONG_MAX - 1;
	add_item(q, 0, at);
	item->own_time = model.time;
}

/**
 * fuzz_add_buffer() - what is to be told of a buffer
 * @q: the queue it is in
 * @at: its data
 * @size: how much
 * @beyond: it says that it is longer than the file
 */
void fuzz_add_buffer(struct queue *q, const uint8_t *at, size_t size, bool beyond)
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
	model_read(&model, q->item[q->next].at, q->rv32, q->has, q->core);
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

/**
 * fuzz_on_error() - perf tells an error, which is to be the next
 * @tool: who is told
 * @session: its session
 * @event: the error
 *
 * Return: 0.
 */
int fuzz_on_error(const struct perf_tool *tool, struct perf_session *session,
		  union perf_event *event)
{
	const struct perf_record_auxtrace_error *error = &event->auxtrace_error;
	struct queue *q;

	must(tool == &fuzz.tool && session == &fuzz.session);
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

/* Half of 64 bits are the kernel's, and three of eight parts of 32 bits. */
static bool is_kernel(uint64_t address, bool rv32)
{
	return rv32 ? model_bits(address, 29, 3) >= 5 : model_bits(address, 63, 1);
}

/* Is there an entry for the transfer before? In a piece code leads straight from there. */
static bool has_prior(const struct model *model, bool rv32)
{
	if (!(fuzz.setup.more & MORE_PIECES))
		return model->transfer && !model->flushed && model->adr2;
	if (!has_gone(model) || !model->adr2 || model->adr2 > model->pc)
		return false;
	return !is_kernel(model->adr2, rv32) && !is_kernel(model->pc, rv32);
}

static void check_stack(const struct perf_sample *sample, const struct model *model, bool rv32)
{
	bool went = has_gone(model), prior = has_prior(model, rv32);
	const struct branch_stack *stack = sample->branch_stack;
	const struct branch_entry *entry = stack->entries;

	must(stack->nr == (uint64_t)went + prior);
	if (went) {
		must(entry->from == model->pc && entry->to == model->adr1);
		must(entry->flags.value == model->branch_flags);
		entry++;
	}
	if (prior)
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
	must(sample->weight3 == model->execution);
	must(sample->flags == model->ip_flags);
	must(sample->cpumode == (is_kernel(model->pc, rv32) ? PERF_RECORD_MISC_KERNEL :
							      PERF_RECORD_MISC_USER));
}

/**
 * fuzz_pid_of() - the process of a thread
 * @tid: the thread
 *
 * Return: the process.
 */
int fuzz_pid_of(int tid)
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
		must((int)sample->pid == fuzz_pid_of(tid));
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

static uint64_t period_of(const struct model *model, unsigned int kind)
{
	if (!has_event())
		return 0;
	if (kind < CYCLES_KIND || kind >= PDIS_KIND)
		return PERIOD;
	return (uint64_t)PERIOD * model->cycles[kind - CYCLES_KIND];
}

/* The first of those that are to be told. */
static void check_event(const struct perf_sample *sample, const struct model *model,
			struct queue *q, struct evsel *evsel)
{
	unsigned int kind;

	must(q->kinds);
	kind = __builtin_ctzll(q->kinds);
	must(sample->period == period_of(model, kind));
	if (kind < COUNTER_KIND) {
		must(!strcmp(evsel__name(evsel), kind_name[kind]));
	} else {
		must(sample->id == counted(q, kind - COUNTER_KIND));
		must(evsel->core.attr.type == fuzz_type_of(sample->id));
	}
	q->begun = true;
	q->kinds &= q->kinds - 1;
	if (!q->kinds)
		pass(q);
}

/**
 * fuzz_on_sample() - perf tells a sample, which is to be the next
 * @tool: who is told
 * @event: the sample
 * @sample: the same, parsed
 * @machine: where
 *
 * Return: 0.
 */
int fuzz_on_sample(const struct perf_tool *tool, union perf_event *event,
		   struct perf_sample *sample, struct machine *machine)
{
	struct evsel *evsel = evlist__id2evsel(fuzz.session.evlist, sample->id);
	struct queue *q = find_queue(sample->cpu, sample->tid);
	const struct item *item;
	struct model model;

	must(tool == &fuzz.tool && machine == &fuzz.session.machines.host);
	must(event->header.type == PERF_RECORD_SAMPLE);
	must(evsel && sample->evsel == evsel);
	must(q);
	skip_untold(q);
	while (!is_next_sample(q, sample))
		must(skip_unwanted(q));
	item = &q->item[q->next];
	model_read(&model, item->at, q->rv32, q->has, q->core);
	check_meaning(sample, &model, q->rv32);
	check_thread(sample, q);
	check_order(item);
	if (has_raw()) {
		check_stack(sample, &model, q->rv32);
		check_raw(sample, item->at, q->rv32 ? 32 : 64);
	}
	find_kinds(q);
	check_event(sample, &model, q, evsel);
	return 0;
}

/**
 * fuzz_check_told() - all that is older has been told
 */
void fuzz_check_told(void)
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
