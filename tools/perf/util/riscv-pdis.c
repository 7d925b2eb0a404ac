// SPDX-License-Identifier: GPL-2.0-only
/*
 * RISC-V sampled instructions (Sspdis): a session that has them in AUX buffers.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <linux/kernel.h>
#include <linux/perf_event.h>
#include <linux/zalloc.h>

#include "data.h"
#include "debug.h"
#include "event.h"
#include "evsel.h"
#include "machine.h"
#include "riscv-pdis.h"
#include "riscv-pdis-session.h"
#include "time-utils.h"
#include "tool.h"

/* A CPU with a greater number is one of a broken file. */
#define MAX_CPU			(1 << 16)

/**
 * pdis_find_cpu() - what a CPU was like
 * @pdis: the session
 * @nr: its number; negative if it is not known
 *
 * Return: it.
 */
const struct pdis_cpu *pdis_find_cpu(const struct pdis *pdis, int nr)
{
	unsigned int i;

	for (i = 0; i < pdis->nr_cpus; i++) {
		if (pdis->cpu[i].nr == nr)
			return &pdis->cpu[i];
	}
	return &pdis->any_cpu;
}

/* What happens besides. */

static int set_running(struct pdis *pdis, const struct perf_sample *sample, pid_t pid, pid_t tid)
{
	int cpu = sample->cpu;

	if (cpu < 0 || cpu >= MAX_CPU || tid == -1)
		return 0;
	return machine__set_current_tid(pdis->machine, cpu, pid, tid);
}

/*
 * Who comes is told by the one that comes. Who goes tells who is next only if the
 * whole CPU is watched, and nobody is if it is not.
 */
static int context_switch(struct pdis *pdis, union perf_event *event, struct perf_sample *sample)
{
	if (event->header.misc & PERF_RECORD_MISC_SWITCH_OUT)
		return 0;
	return set_running(pdis, sample, sample->pid, sample->tid);
}

static int tell_lost(struct pdis *pdis, union perf_event *event, struct perf_sample *sample)
{
	static const struct {
		u64 flag;
		enum pdis_error code;
	} lost[] = {
		{ PERF_AUX_FLAG_TRUNCATED, PDIS_ERROR_FULL },
		{ PERF_AUX_FLAG_PARTIAL, PDIS_ERROR_LATE },
		{ PERF_AUX_FLAG_COLLISION, PDIS_ERROR_COLLISION },
	};
	unsigned int i;
	int err = 0;

	for (i = 0; i < ARRAY_SIZE(lost) && !err; i++) {
		if (event->aux.flags & lost[i].flag)
			err = pdis_tell_error(pdis, lost[i].code, sample->cpu, sample->pid,
					      sample->tid, sample->time);
	}
	return err;
}

static int process_event(struct perf_session *session, union perf_event *event,
			 struct perf_sample *sample, const struct perf_tool *tool)
{
	struct pdis *pdis = pdis_of(session);
	int err = 0;

	if (dump_trace)
		return 0;
	if (!tool->ordered_events) {
		pr_err("RISC-V sampled instructions need events in order\n");
		return -EINVAL;
	}
	if (pdis->timed && sample->time && sample->time != (u64)-1)
		err = pdis_run_until(pdis, perf_time_to_tsc(sample->time, &pdis->tc));
	if (err)
		return err;
	switch (event->header.type) {
	case PERF_RECORD_AUX:
		return tell_lost(pdis, event, sample);
	case PERF_RECORD_ITRACE_START:
		return set_running(pdis, sample, event->itrace_start.pid,
				   event->itrace_start.tid);
	case PERF_RECORD_AUX_OUTPUT_HW_ID:
		return pdis_counter_told(pdis, event->aux_output_hw_id.hw_id, sample);
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		return context_switch(pdis, event, sample);
	default:
		return 0;
	}
}

static void dump(const struct pdis *pdis, const struct pdis_cpu *cpu, const u8 *at, size_t left)
{
	size_t size = pdis_record_size(cpu), offset = 0;
	struct riscv_pdis_record record;
	char text[RISCV_PDIS_TEXT_SIZE];

	printf(".\n. ... RISC-V sampled instructions: size %#zx bytes\n", left);
	for (; left >= size; left -= size, offset += size) {
		riscv_pdis_unpack(&record, at + offset, cpu->rv32);
		riscv_pdis_text(&record, cpu->core, text, sizeof(text));
		printf(".  %08zx: %s", offset, text);
		pdis_print_names(pdis, &record);
		printf("\n");
	}
	if (left)
		printf(".  %08zx: %zu bytes of a record\n", offset, left);
}

static void dump_buffer(struct pdis *pdis, struct auxtrace_buffer *buffer)
{
	int fd = perf_data__fd(pdis->session->data);

	if (!pdis_is_in_file(pdis, buffer)) {
		printf(".\n. ... %s\n", pdis_error_text[PDIS_ERROR_FILE]);
		return;
	}
	if (!buffer->size || !auxtrace_buffer__get_data(buffer, fd))
		return;
	pdis_find_names(pdis);
	dump(pdis, pdis_find_cpu(pdis, buffer->cpu.cpu), buffer->data, buffer->size);
	auxtrace_buffer__put_data(buffer);
}

static int process_auxtrace_event(struct perf_session *session, union perf_event *event,
				  const struct perf_tool *tool __maybe_unused)
{
	struct pdis *pdis = pdis_of(session);
	struct auxtrace_buffer *buffer = NULL;
	int fd = perf_data__fd(session->data);
	off_t offset = 0;
	int err;

	/* perf's own reader goes on from there, and must not go back. */
	if ((s64)event->auxtrace.size < 0)
		return -EINVAL;
	if (pdis->data_queued)
		return 0;
	if (!perf_data__is_pipe(session->data)) {
		offset = lseek(fd, 0, SEEK_CUR);
		if (offset == -1)
			return -errno;
	}
	err = auxtrace_queues__add_event(&pdis->queues, session, event, offset, &buffer);
	if (err)
		return err;
	if (dump_trace && buffer)
		dump_buffer(pdis, buffer);
	return 0;
}

static int flush_events(struct perf_session *session, const struct perf_tool *tool)
{
	if (dump_trace)
		return 0;
	if (!tool->ordered_events)
		return -EINVAL;
	return pdis_run_until(pdis_of(session), ~0ULL);
}

static void free_pdis(struct pdis *pdis)
{
	auxtrace_heap__free(&pdis->heap);
	if (pdis->log && pdis->log != stdout)
		fclose(pdis->log);
	pdis_free_counters(pdis);
	zfree(&pdis->names);
	zfree(&pdis->written);
	zfree(&pdis->range);
	zfree(&pdis->cpu);
	free(pdis);
}

static void free_session(struct perf_session *session)
{
	struct pdis *pdis = pdis_of(session);

	pdis_free_queues(session);
	session->auxtrace = NULL;
	free_pdis(pdis);
}

static bool evsel_is_auxtrace(struct perf_session *session, struct evsel *evsel)
{
	return evsel->core.attr.type == pdis_of(session)->pmu_type;
}

/*
 * What is not within ranges need not be read. Ticks are rounded down, so that the last
 * nanosecond of a range may belong to one more.
 */
static int set_ranges(struct pdis *pdis)
{
	const struct itrace_synth_opts *opts = &pdis->opts;
	int i;

	if (!pdis->timed || !opts->ptime_range || opts->range_num <= 0)
		return 0;
	pdis->range = calloc(opts->range_num, sizeof(*pdis->range));
	if (!pdis->range)
		return -ENOMEM;
	for (i = 0; i < opts->range_num; i++) {
		u64 start = opts->ptime_range[i].start, end = opts->ptime_range[i].end;

		/* The clock may have begun before perf's. */
		if ((s64)(start - pdis->tc.time_zero) > 0)
			start = perf_time_to_tsc(start, &pdis->tc);
		else
			start = 0;
		pdis->range[i].start = start;
		pdis->range[i].end = end ? perf_time_to_tsc(end, &pdis->tc) + 1 : ~0ULL;
	}
	pdis->nr_ranges = opts->range_num;
	return 0;
}

static int set_options(struct pdis *pdis)
{
	const struct itrace_synth_opts *opts = pdis->session->itrace_synth_opts;

	itrace_synth_opts__set_default(&pdis->opts, false);
	if (opts && opts->set) {
		pdis->opts = *opts;
	} else if (opts) {
		pdis->opts.inject = opts->inject;
		pdis->opts.ptime_range = opts->ptime_range;
		pdis->opts.range_num = opts->range_num;
	}
	if (pdis->opts.log && pdis->opts.log_plus_flags & AUXTRACE_LOG_FLG_USE_STDOUT) {
		pdis->log = stdout;
	} else if (pdis->opts.log) {
		pdis->log = fopen("riscv_pdis.log", "w");
		if (!pdis->log)
			return -errno;
	}
	return set_ranges(pdis);
}

/* Without a clock to convert to, or with one that makes no sense, there is no time. */
static void set_clock(struct pdis *pdis, u64 flags)
{
	const struct perf_record_time_conv *conv = &pdis->session->time_conv;

	if (!(flags & RISCV_PDIS_FLAG_TIMES) || !(u32)conv->time_mult ||
	    conv->time_shift > 32)
		return;
	pdis->timed = true;
	pdis->tc.time_shift = conv->time_shift;
	pdis->tc.time_mult = conv->time_mult;
	pdis->tc.time_zero = conv->time_zero;
	if (!event_contains(*conv, time_cycles))
		return;
	pdis->tc.time_cycles = conv->time_cycles;
	pdis->tc.time_mask = conv->time_mask;
	pdis->tc.cap_user_time_zero = conv->cap_user_time_zero;
	pdis->tc.cap_user_time_short = conv->cap_user_time_short;
}

static void print_header(const u64 *header)
{
	if (!dump_trace)
		return;
	printf("  Version            %" PRIu64 "\n", header[RISCV_PDIS_HEADER_VERSION]);
	printf("  PMU type           %" PRIu64 "\n", header[RISCV_PDIS_HEADER_PMU_TYPE]);
	printf("  Flags             %s%s\n",
	       header[RISCV_PDIS_HEADER_FLAGS] & RISCV_PDIS_FLAG_TIMES ? " times" : "",
	       header[RISCV_PDIS_HEADER_FLAGS] & RISCV_PDIS_FLAG_SNAPSHOT ? " snapshot" : "");
}

static void print_cpu(const u64 *block)
{
	if (!dump_trace)
		return;
	printf("  CPU %" PRIu64 ": %#" PRIx64 "-%#" PRIx64 "-%#" PRIx64 " RV%d events %#" PRIx64
	       "\n", block[RISCV_PDIS_CPU_NR], block[RISCV_PDIS_CPU_MVENDORID],
	       block[RISCV_PDIS_CPU_MARCHID], block[RISCV_PDIS_CPU_MIMPID],
	       block[RISCV_PDIS_CPU_CAPS] & RISCV_PDIS_CAP_RV32 ? 32 : 64,
	       block[RISCV_PDIS_CPU_EVENTS]);
}

/* Does it say what it must, and not more than there is? */
static int check_header(const u64 *header, u64 size)
{
	u64 version, header_size, nr, cpu_size;

	if (size < RISCV_PDIS_HEADER_MAX)
		goto too_short;
	version = header[RISCV_PDIS_HEADER_VERSION];
	header_size = header[RISCV_PDIS_HEADER_SIZE];
	nr = header[RISCV_PDIS_HEADER_NR_CPUS];
	cpu_size = header[RISCV_PDIS_HEADER_CPU_SIZE];
	if (version != RISCV_PDIS_VERSION) {
		pr_err("Sampled instructions: version %" PRIu64 " of their header is not known\n",
		       version);
		return -EINVAL;
	}
	if (header_size < RISCV_PDIS_HEADER_MAX || header_size > size)
		goto too_short;
	if (!nr)
		return 0;
	if (cpu_size < RISCV_PDIS_CPU_MAX || cpu_size > size ||
	    nr > (size - header_size) / cpu_size)
		goto too_short;
	return 0;

too_short:
	pr_err("Sampled instructions: their header is too short\n");
	return -EINVAL;
}

static const struct riscv_pdis_core *core_of(const u64 *block)
{
	const struct riscv_pdis_core_id id = {
		.mvendorid = block[RISCV_PDIS_CPU_MVENDORID],
		.marchid = block[RISCV_PDIS_CPU_MARCHID],
		.mimpid = block[RISCV_PDIS_CPU_MIMPID],
	};

	return riscv_pdis_find_core(&id);
}

static int set_cpus(struct pdis *pdis, const u64 *header)
{
	u64 nr = header[RISCV_PDIS_HEADER_NR_CPUS];
	const u64 *block = header + header[RISCV_PDIS_HEADER_SIZE];
	u64 i;

	if (!nr)
		return 0;
	pdis->cpu = calloc(nr, sizeof(*pdis->cpu));
	if (!pdis->cpu)
		return -ENOMEM;
	for (i = 0; i < nr; i++, block += header[RISCV_PDIS_HEADER_CPU_SIZE]) {
		pdis->cpu[i].nr = block[RISCV_PDIS_CPU_NR];
		pdis->cpu[i].rv32 = block[RISCV_PDIS_CPU_CAPS] & RISCV_PDIS_CAP_RV32;
		pdis->cpu[i].has = block[RISCV_PDIS_CPU_EVENTS];
		pdis->cpu[i].core = core_of(block);
		print_cpu(block);
	}
	pdis->nr_cpus = nr;
	/* Whichever a thread's records were made by. */
	pdis->any_cpu = pdis->cpu[0];
	return 0;
}

static void set_callbacks(struct pdis *pdis)
{
	pdis->auxtrace = (struct auxtrace) {
		.process_event		= process_event,
		.process_auxtrace_event	= process_auxtrace_event,
		.flush_events		= flush_events,
		.free_events		= pdis_free_queues,
		.free			= free_session,
		.evsel_is_auxtrace	= evsel_is_auxtrace,
	};
	pdis->session->auxtrace = &pdis->auxtrace;
}

static int set_up(struct pdis *pdis, const u64 *header)
{
	int err;

	pdis->pmu_type = header[RISCV_PDIS_HEADER_PMU_TYPE];
	set_clock(pdis, header[RISCV_PDIS_HEADER_FLAGS]);
	print_header(header);
	err = set_cpus(pdis, header);
	if (err)
		return err;
	err = auxtrace_queues__init(&pdis->queues);
	if (err)
		return err;
	pdis->written = malloc(PERF_SAMPLE_MAX_SIZE);
	if (!pdis->written)
		return -ENOMEM;
	set_callbacks(pdis);
	if (dump_trace)
		return 0;
	err = set_options(pdis);
	if (err)
		return err;
	err = pdis_add_events(pdis);
	if (err)
		return err;
	err = auxtrace_queues__process_index(&pdis->queues, pdis->session);
	pdis->data_queued = pdis->queues.populated;
	return err;
}

/**
 * riscv_pdis_process_auxtrace_info() - there are sampled instructions in a session
 * @event: PERF_RECORD_AUXTRACE_INFO
 * @session: the session
 *
 * Return: 0; -EINVAL if the event cannot be understood; -ENOMEM.
 */
int riscv_pdis_process_auxtrace_info(union perf_event *event, struct perf_session *session)
{
	struct perf_record_auxtrace_info *info = &event->auxtrace_info;
	const u64 *header = (const u64 *)info->priv;
	struct pdis *pdis;
	int err;

	if (info->header.size < sizeof(*info))
		return -EINVAL;
	/* What comes first in a pipe perf takes to be its own machine's. */
	if (session->header.needs_swap && perf_data__is_pipe(session->data)) {
		pr_err("Sampled instructions: perf does not read a pipe of a machine with another byte order\n");
		return -EINVAL;
	}
	err = check_header(header, (info->header.size - sizeof(*info)) / sizeof(u64));
	if (err)
		return err;
	pdis = zalloc(sizeof(*pdis));
	if (!pdis)
		return -ENOMEM;
	pdis->session = session;
	pdis->machine = &session->machines.host;
	err = set_up(pdis, header);
	if (err) {
		session->auxtrace = NULL;
		auxtrace_queues__free(&pdis->queues);
		free_pdis(pdis);
	}
	return err;
}
