// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any info header and any AUX data, for libFuzzer: perf's own session is given them, with
 * threads that come and go in between, and all samples and errors that it makes of them
 * are those that the model expects, in this order.
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

#include "debug.h"
#include "event.h"
#include "evlist.h"
#include "evsel.h"
#include "fuzz.h"
#include "header.h"
#include "machine.h"
#include "model.h"
#include "riscv-pdis.h"
#include "sample.h"

struct fuzz fuzz;

static struct item items[QUEUES][MAX_ITEMS];

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#if __has_include("riscv-pdis-compat.h")
/* There perf does not say who is told of errors, and says besides of which event samples are. */
static int on_error(struct perf_session *session, union perf_event *event)
{
	return fuzz_on_error(session->tool, session, event);
}

static int on_sample(const struct perf_tool *tool, union perf_event *event,
		     struct perf_sample *sample, struct evsel *evsel, struct machine *machine)
{
	must(sample->evsel == evsel);
	return fuzz_on_sample(tool, event, sample, machine);
}

#define fuzz_on_error	on_error
#define fuzz_on_sample	on_sample
#endif

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
	fuzz.timed = fuzz_word(5) & 1 && conv->time_mult && conv->time_shift <= 32;
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
		.set		= asked || fuzz.setup.more & (MORE_CYCLES | MORE_PIECES) ||
				  options & (OPTION_QUICK | OPTION_SILENT | OPTION_NO_LOSS |
					     OPTION_RANGES),
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
		.cycles		= fuzz.setup.more & MORE_CYCLES,
		.last_branch	= fuzz.setup.more & MORE_PIECES,
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
			.type		= fuzz_type_of(id),
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
	fuzz.tool.sample = fuzz_on_sample;
	fuzz.tool.auxtrace_error = fuzz_on_error;
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
	evlist__set_session(session->evlist, session);
	add_attr(FIRST_ID);
	add_attr(FIRST_ID + 1);
}

static void end(void)
{
	struct perf_session *session = &fuzz.session;

	if (session->auxtrace)
		session->auxtrace->free(session);
	must(!session->auxtrace);
	evlist__put(session->evlist);
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
	err = perf_event__process_auxtrace_info(&fuzz.tool, &fuzz.session, event);
	free(event);
	must(err == (fuzz_header_holds() ? 0 : -EINVAL));
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
		.pid	= fuzz_pid_of(step->tid),
		.time	= fuzz.timed ? tsc_to_perf_time(step->time * 256ULL, &fuzz.tc) : 0,
		.id	= FIRST_ID + step->claimed % NR_IDS,
	};

	fuzz.until = 0;
	if (fuzz.timed && sample.time && sample.time != ULLONG_MAX)
		fuzz.until = perf_time_to_tsc(sample.time, &fuzz.tc);
	must(!auxtrace->process_event(&fuzz.session, event, &sample, &fuzz.tool));
	fuzz_check_told();
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

	event.itrace_start.pid = fuzz_pid_of(step->tid);
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
	uint32_t samples = fuzz_word(4);

	if (nr >= NR_COUNTERS || id == FIRST_ID + NR_IDS - 1 || fuzz_type_of(id) == samples ||
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
	block = fuzz_block(q->cpu);
	q->rv32 = block && fuzz_word(block + 5) & 1;
	q->has = block ? fuzz_word(block + 6) : 0;
	q->core = block && model_is_core(fuzz_word(block + 1), fuzz_word(block + 2),
					 fuzz_word(block + 3));
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
	fuzz_add_buffer(q, fuzz.file + at, step->size, size != step->size);
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
	fuzz_check_told();
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
