// SPDX-License-Identifier: GPL-2.0-only
/*
 * RISC-V sampled instructions (Sspdis): samples and errors.
 *
 * Each record becomes one sample that has all of it, unless --itrace asks for certain
 * kinds of events.
 */
#include <endian.h>
#include <string.h>

#include <linux/bitfield.h>
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/perf_event.h>
#include <linux/zalloc.h>

#include "debug.h"
#include "event.h"
#include "evlist.h"
#include "evsel.h"
#include "riscv-pdis-session.h"
#include "synthetic-events.h"

/* Kinds of events. */

static bool is_done(const struct riscv_pdis_record *record)
{
	return !riscv_pdis_is_flushed(record);
}

static bool is_access(const struct pdis *pdis __maybe_unused,
		      const struct riscv_pdis_record *record, u64 has __maybe_unused)
{
	return riscv_pdis_is_access(record) && is_done(record);
}

static bool is_l1_miss(const struct pdis *pdis, const struct riscv_pdis_record *record, u64 has)
{
	return is_access(pdis, record, has) && record->hdrev & PDISHDREV_L1MISS;
}

/* A hart that does not tell what missed the last cache tells not what was there. */
static bool is_llc_access(const struct pdis *pdis, const struct riscv_pdis_record *record,
			  u64 has)
{
	return has & PDISHDREV_LLMISS && is_l1_miss(pdis, record, has);
}

static bool is_llc_miss(const struct pdis *pdis, const struct riscv_pdis_record *record, u64 has)
{
	return is_access(pdis, record, has) && record->hdrev & PDISHDREV_LLMISS;
}

static bool is_tlb_miss(const struct pdis *pdis, const struct riscv_pdis_record *record, u64 has)
{
	return is_access(pdis, record, has) && record->hdrev & PDISHDREV_L1TLBMISS;
}

static bool is_branch(const struct pdis *pdis, const struct riscv_pdis_record *record,
		      u64 has __maybe_unused)
{
	u32 flags = riscv_pdis_ip_flags(record);

	if (pdis->opts.last_branch && !pdis->stack.nr)
		return false;
	if (!pdis->opts.calls && !pdis->opts.returns)
		return flags;
	return (pdis->opts.calls && flags & PERF_IP_FLAG_CALL) ||
		(pdis->opts.returns && flags & PERF_IP_FLAG_RETURN);
}

static bool is_instruction(const struct pdis *pdis __maybe_unused,
			   const struct riscv_pdis_record *record, u64 has __maybe_unused)
{
	return is_done(record);
}

/* Cycles of what retired: samples of these stand for more, the longer it took. */

static u64 cycles_of(const struct riscv_pdis_record *record, enum riscv_pdis_latency which)
{
	int cycles = riscv_pdis_cycles(record, which);

	return cycles > 0 ? cycles : 0;
}

static u64 oldest_cycles(const struct riscv_pdis_record *record)
{
	return cycles_of(record, RISCV_PDIS_OLDEST_LAT);
}

static u64 total_cycles(const struct riscv_pdis_record *record)
{
	return FIELD_GET(PDISLAT_TOTAL, record->lat);
}

static u64 dispatch_cycles(const struct riscv_pdis_record *record)
{
	return cycles_of(record, RISCV_PDIS_DISPATCH_LAT);
}

static u64 issue_cycles(const struct riscv_pdis_record *record)
{
	return cycles_of(record, RISCV_PDIS_ISSUE_LAT);
}

static u64 execution_cycles(const struct riscv_pdis_record *record)
{
	return cycles_of(record, RISCV_PDIS_EXEC_LAT);
}

static u64 retire_cycles(const struct riscv_pdis_record *record)
{
	return cycles_of(record, RISCV_PDIS_RETIRE_LAT);
}

static bool is_any(const struct pdis *pdis __maybe_unused,
		   const struct riscv_pdis_record *record __maybe_unused,
		   u64 has __maybe_unused)
{
	return true;
}

static bool asks_l1(const struct itrace_synth_opts *opts)
{
	return opts->flc;
}

static bool asks_llc(const struct itrace_synth_opts *opts)
{
	return opts->llc;
}

static bool asks_tlb(const struct itrace_synth_opts *opts)
{
	return opts->tlb;
}

static bool asks_branches(const struct itrace_synth_opts *opts)
{
	return opts->branches;
}

static bool asks_memory(const struct itrace_synth_opts *opts)
{
	return opts->mem;
}

static bool asks_cycles(const struct itrace_synth_opts *opts)
{
	return opts->cycles;
}

static bool asks_instructions(const struct itrace_synth_opts *opts)
{
	return opts->instructions;
}

static const struct pdis_kind kinds[] = {
	{ "l1d-miss",		asks_l1,		is_l1_miss,	NULL },
	{ "l1d-access",		asks_l1,		is_access,	NULL },
	{ "llc-miss",		asks_llc,		is_llc_miss,	NULL },
	{ "llc-access",		asks_llc,		is_llc_access,	NULL },
	{ "tlb-miss",		asks_tlb,		is_tlb_miss,	NULL },
	{ "tlb-access",		asks_tlb,		is_access,	NULL },
	{ "branches",		asks_branches,		is_branch,	NULL },
	{ "memory",		asks_memory,		is_access,	NULL },
	{ "instructions",	asks_instructions,	is_instruction,	NULL },
	{ "oldest-cycles",	asks_cycles,		is_instruction,	oldest_cycles },
	{ "total-cycles",	asks_cycles,		is_instruction,	total_cycles },
	{ "dispatch-cycles",	asks_cycles,		is_instruction,	dispatch_cycles },
	{ "issue-cycles",	asks_cycles,		is_instruction,	issue_cycles },
	{ "execution-cycles",	asks_cycles,		is_instruction,	execution_cycles },
	{ "retire-cycles",	asks_cycles,		is_instruction,	retire_cycles },
};

static const struct pdis_kind any_kind = { "pdis", NULL, is_any, NULL };

/* Errors. */

const char *const pdis_error_text[] = {
	[PDIS_ERROR_FORMAT]	= "Record of an unknown format",
	[PDIS_ERROR_SIZE]	= "Part of a record",
	[PDIS_ERROR_FILE]	= "Data beyond the end of the file",
	[PDIS_ERROR_FULL]	= "Lost records: the buffer was full",
	[PDIS_ERROR_LATE]	= "Lost records: the buffer came late",
	[PDIS_ERROR_COLLISION]	= "Lost records: one at a time",
};

/**
 * pdis_tell_error() - say that something is wrong, if that is asked for
 * @pdis: the session
 * @code: what
 * @cpu: on this CPU, if not negative
 * @pid: in this process
 * @tid: in this thread
 * @time: at this time
 *
 * Return: 0 or an error of who is told.
 */
int pdis_tell_error(struct pdis *pdis, enum pdis_error code, int cpu, pid_t pid, pid_t tid,
		    u64 time)
{
	union perf_event event;

	if (!pdis->opts.errors)
		return 0;
	if (code >= PDIS_ERROR_FULL && pdis->opts.error_minus_flags & AUXTRACE_ERR_FLG_DATA_LOST)
		return 0;
	auxtrace_synth_error(&event.auxtrace_error, PERF_AUXTRACE_ERROR_ITRACE, code, cpu, pid,
			     tid, 0, pdis_error_text[code], time);
	return perf_session__deliver_synth_event(pdis->session, &event, NULL);
}

static u64 perf_time(struct pdis *pdis, u64 ticks)
{
	return pdis->timed ? tsc_to_perf_time(ticks, &pdis->tc) : 0;
}

/**
 * pdis_queue_error() - the same, of a queue
 * @q: the queue
 * @code: what
 *
 * Return: 0 or an error of who is told.
 */
int pdis_queue_error(struct pdis_queue *q, enum pdis_error code)
{
	return pdis_tell_error(q->pdis, code, q->queue->cpu, q->pid, q->tid,
			       perf_time(q->pdis, q->time));
}

/* Samples. */

/* What branch stacks have. */
#define BRANCHES	(PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_HW_INDEX | \
			 PERF_SAMPLE_BRANCH_TYPE_SAVE)

static int deliver(struct pdis *pdis, struct evsel *evsel, u64 id, u64 sample_type)
{
	struct perf_sample *sample = &pdis->sample;
	union perf_event *written = pdis->written;

	if (pdis->skipped < pdis->opts.initial_skip) {
		pdis->skipped++;
		return 0;
	}
	sample->evsel = evsel;
	sample->id = id;
	sample->stream_id = id;
	written->header = (struct perf_event_header) {
		.type = PERF_RECORD_SAMPLE,
		.misc = sample->cpumode,
		.size = sizeof(struct perf_event_header),
	};
	if (pdis->opts.inject) {
		int err;

		written->header.size = perf_event__sample_event_size(sample, sample_type, 0,
								     BRANCHES);
		err = perf_event__synthesize_sample(written, sample_type, 0, BRANCHES, sample);
		if (err)
			return err;
	}
	return perf_session__deliver_synth_event(pdis->session, written, sample);
}

/**
 * pdis_cpumode() - whose is this address?
 * @q: of records of this queue
 * @ip: the address
 *
 * There is no kernel below the middle of 64 bits. Of 32 bits it has the last 1.5 GiB, of which
 * the first third is for modules and other code that is made as it runs (VMALLOC_START).
 *
 * Return: PERF_RECORD_MISC_KERNEL or PERF_RECORD_MISC_USER.
 */
u8 pdis_cpumode(const struct pdis_queue *q, u64 ip)
{
	u64 kernel = q->cpu->rv32 ? 0xa0000000 : 1ULL << 63;

	return ip >= kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER;
}

/* A transfer that was not taken went nowhere. */
static void set_stack(struct pdis *pdis, const struct riscv_pdis_record *record, u64 has)
{
	struct pdis_stack *stack = &pdis->stack;

	stack->nr = 0;
	if (!riscv_pdis_is_transfer(record) || riscv_pdis_is_flushed(record))
		return;
	if (record->adr1 && !(record->hdrev & PDISHDREV_NTBR)) {
		struct branch_entry *entry = &stack->entry[stack->nr++];

		entry->from = record->pc;
		entry->to = record->adr1;
		riscv_pdis_branch_flags(record, has, &entry->flags);
	}
	if (record->adr2)
		stack->entry[stack->nr++] = (struct branch_entry) { .to = record->adr2 };
}

/* There are two sizes: to copy one that the compiler knows is quicker. */
static void set_raw(struct pdis *pdis, const struct pdis_queue *q)
{
	u32 size = pdis_record_size(q->cpu);

	pdis->raw_data.size = htole32(size);
	if (q->cpu->rv32)
		memcpy(pdis->raw_data.record, q->raw, sizeof(struct riscv_pdis_record32));
	else
		memcpy(pdis->raw_data.record, q->raw, sizeof(struct riscv_pdis_record));
	pdis->sample.raw_size = sizeof(u32) + size;
}

static void set_sample(struct pdis_queue *q)
{
	const struct riscv_pdis_record *record = &q->record;
	struct pdis *pdis = q->pdis;
	struct perf_sample *sample = &pdis->sample;

	sample->ip = record->pc;
	sample->cpumode = pdis_cpumode(q, record->pc);
	sample->pid = q->pid;
	sample->tid = q->tid;
	sample->cpu = q->queue->cpu;
	sample->time = perf_time(pdis, pdis_time_of(q));
	sample->addr = riscv_pdis_addr(record);
	sample->phys_addr = riscv_pdis_phys_addr(record);
	sample->data_src = riscv_pdis_data_src(record, q->cpu->has, q->cpu->core);
	sample->weight = FIELD_GET(PDISLAT_TOTAL, record->lat);
	sample->ins_lat = issue_cycles(record);
	sample->weight3 = execution_cycles(record);
	sample->flags = riscv_pdis_ip_flags(record);
	sample->insn_len = 0;
	if (pdis->opts.quick)
		return;
	if (!pdis->opts.last_branch)
		set_stack(pdis, record, q->cpu->has);
	set_raw(pdis, q);
}

/* Of instructions perhaps only one each so many is wanted, and of cycles there may be none. */
static bool is_due(struct pdis *pdis, const struct pdis_event *event,
		   const struct riscv_pdis_record *record)
{
	pdis->sample.period = pdis->period;
	if (event->kind->cycles) {
		pdis->sample.period *= event->kind->cycles(record);
		return pdis->sample.period;
	}
	if (event->kind->asked != asks_instructions ||
	    pdis->opts.period_type != PERF_ITRACE_PERIOD_INSTRUCTIONS)
		return true;
	pdis->counted += pdis->period;
	if (pdis->counted < pdis->opts.period)
		return false;
	pdis->sample.period = pdis->counted;
	pdis->counted = 0;
	return true;
}

/* Of most records nothing may be wanted: a sample is made for the first who wants one. */
static void need_sample(struct pdis_queue *q, bool *set)
{
	if (*set)
		return;
	set_sample(q);
	*set = true;
}

/* An instruction that a counter counts is a sample of the counter's event, too. */
static int tell_counters(struct pdis_queue *q, bool set)
{
	struct pdis *pdis = q->pdis;
	u64 bits = q->record.hdrev & PDISHDREV_HPM;
	unsigned int nr;
	int err;

	if (!bits || !pdis->opts.other_events)
		return 0;
	for (nr = 0; nr < PDIS_MAX_COUNTERS; nr++) {
		const struct pdis_counted *counted = NULL;

		if (bits & BIT_ULL(nr))
			counted = pdis_counted(q, nr);
		if (!counted)
			continue;
		need_sample(q, &set);
		pdis->sample.period = pdis->period;
		err = deliver(pdis, counted->evsel, counted->id,
			      counted->evsel->core.attr.sample_type);
		if (err)
			return err;
	}
	return 0;
}

static void log_record(struct pdis_queue *q)
{
	char text[RISCV_PDIS_TEXT_SIZE];

	riscv_pdis_text(&q->record, q->cpu->core, text, sizeof(text));
	fprintf(q->pdis->log, "cpu %d tid %d: %s\n", q->queue->cpu, q->tid, text);
}

/**
 * pdis_tell() - make samples of a record
 * @q: the queue that has it
 *
 * Return: 0 or an error of who is told.
 */
int pdis_tell(struct pdis_queue *q)
{
	struct pdis *pdis = q->pdis;
	bool set = false;
	unsigned int i;
	int err;

	if (pdis->log)
		log_record(q);
	/* Whether there is one decides what is told. */
	if (pdis->opts.last_branch)
		pdis_set_piece(q);
	for (i = 0; i < pdis->nr_events; i++) {
		const struct pdis_event *event = &pdis->event[i];

		if (!event->kind->is(pdis, &q->record, q->cpu->has) ||
		    !is_due(pdis, event, &q->record))
			continue;
		need_sample(q, &set);
		err = deliver(pdis, event->evsel, event->id, pdis->sample_type);
		if (err)
			return err;
	}
	return tell_counters(q, set);
}

/* Which events there are. */

static struct evsel *find_evsel(struct pdis *pdis)
{
	struct evsel *evsel;

	evlist__for_each_entry(pdis->session->evlist, evsel) {
		if (evsel->core.attr.type == pdis->pmu_type)
			return evsel;
	}
	return NULL;
}

static int add_event(struct pdis *pdis, const struct pdis_kind *kind,
		     struct perf_event_attr *attr, u64 first_id)
{
	struct pdis_event *event = &pdis->event[pdis->nr_events];
	int err;

	event->kind = kind;
	event->id = first_id + pdis->nr_events++;
	err = perf_session__deliver_synth_attr_event(pdis->session, attr, event->id);
	if (err)
		return err;
	event->evsel = evlist__id2evsel(pdis->session->evlist, event->id);
	if (event->evsel) {
		zfree(&event->evsel->name);
		event->evsel->name = strdup(kind->name);
	}
	return 0;
}

/* Events of one file say in the same way which they are. */
static u64 sample_type(const struct pdis *pdis, const struct evsel *evsel)
{
	u64 type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
		PERF_SAMPLE_ADDR | PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_DATA_SRC |
		PERF_SAMPLE_WEIGHT_STRUCT;

	type |= evsel->core.attr.sample_type &
		(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID);
	if (pdis->timed)
		type |= PERF_SAMPLE_TIME;
	if (!pdis->opts.quick)
		type |= PERF_SAMPLE_RAW | PERF_SAMPLE_BRANCH_STACK;
	return type;
}

/* Like the event that was recorded, where it matters. */
static void set_attr(struct pdis *pdis, struct perf_event_attr *attr, const struct evsel *evsel)
{
	const struct perf_event_attr *recorded = &evsel->core.attr;

	*attr = (struct perf_event_attr) {
		.size		= sizeof(*attr),
		.type		= PERF_TYPE_HARDWARE,
		.config		= PERF_COUNT_HW_INSTRUCTIONS,
		.sample_type	= pdis->sample_type,
		.sample_period	= pdis->period,
		.sample_id_all	= recorded->sample_id_all,
		.read_format	= recorded->read_format,
		.exclude_user	= recorded->exclude_user,
		.exclude_kernel	= recorded->exclude_kernel,
		.exclude_hv	= recorded->exclude_hv,
		.exclude_host	= recorded->exclude_host,
		.exclude_guest	= recorded->exclude_guest,
	};
	if (pdis->sample_type & PERF_SAMPLE_BRANCH_STACK)
		attr->branch_sample_type = BRANCHES;
}

/* What of a sample is always the same. */
static void set_up_sample(struct pdis *pdis)
{
	pdis->stack.hw_idx = -1ULL;
	if (pdis->opts.quick)
		return;
	pdis->sample.branch_stack = (struct branch_stack *)&pdis->stack;
	pdis->sample.raw_data = &pdis->raw_data.size;
}

/* Misses and accesses are compared best when they are beside each other, as a group, and
 * so are the stages of the pipeline.
 */
static void group_events(struct pdis *pdis)
{
	struct evsel *leader = pdis->event[0].evsel;
	unsigned int i;

	if (!leader || pdis->nr_events < 2 ||
	    !(pdis->opts.flc || pdis->opts.llc || pdis->opts.tlb || pdis->opts.cycles))
		return;
	leader->core.nr_members = 1;
	for (i = 1; i < pdis->nr_events; i++) {
		struct evsel *evsel = pdis->event[i].evsel;

		/* It has to be the next one to be of the group. */
		if (!evsel || evsel->core.idx != leader->core.idx + (int)i)
			break;
		evsel__set_leader(evsel, leader);
		leader->core.nr_members++;
	}
}

/**
 * pdis_add_events() - the kinds of events that are asked for
 * @pdis: the session
 *
 * Return: 0 or an error.
 */
int pdis_add_events(struct pdis *pdis)
{
	struct evsel *evsel = find_evsel(pdis);
	struct perf_event_attr attr;
	unsigned int i;
	u64 id;
	int err;

	if (!evsel || !evsel->core.ids) {
		pr_debug("RISC-V sampled instructions: no event has asked for them\n");
		return 0;
	}
	pdis->period = evsel->core.attr.sample_period ?: 1;
	pdis->sample_type = sample_type(pdis, evsel);
	set_up_sample(pdis);
	set_attr(pdis, &attr, evsel);
	id = auxtrace_synth_id_range_start(evsel);
	for (i = 0; i < ARRAY_SIZE(kinds) && pdis->opts.set; i++) {
		if (!kinds[i].asked(&pdis->opts))
			continue;
		err = add_event(pdis, &kinds[i], &attr, id);
		if (err)
			return err;
	}
	group_events(pdis);
	if (pdis->nr_events || (pdis->opts.set && pdis->opts.other_events))
		return 0;
	return add_event(pdis, &any_kind, &attr, id);
}
