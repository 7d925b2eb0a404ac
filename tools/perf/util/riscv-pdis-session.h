/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * RISC-V sampled instructions (Sspdis): what the parts of the decoder share.
 */
#ifndef PERF_RISCV_PDIS_SESSION_H
#define PERF_RISCV_PDIS_SESSION_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/types.h>

#include "auxtrace.h"
#include "branch.h"
#include "riscv-pdis-decoder.h"
#include "sample.h"
#include "session.h"
#include "tsc.h"

struct evsel;
struct hashmap;
struct machine;
struct names;
struct thread;

/**
 * enum pdis_error - codes of PERF_RECORD_AUXTRACE_ERROR
 * @PDIS_ERROR_FORMAT: a record of another format
 * @PDIS_ERROR_SIZE: a part of a record
 * @PDIS_ERROR_FILE: a buffer that ends after the file
 * @PDIS_ERROR_FULL: nobody had read the buffer
 * @PDIS_ERROR_LATE: the hart was not given a buffer in time
 * @PDIS_ERROR_COLLISION: a sample began while there was another one
 */
enum pdis_error {
	PDIS_ERROR_FORMAT = 1,
	PDIS_ERROR_SIZE,
	PDIS_ERROR_FILE,
	PDIS_ERROR_FULL,
	PDIS_ERROR_LATE,
	PDIS_ERROR_COLLISION,
};

/**
 * struct pdis_cpu - what a CPU was like
 * @nr: its number
 * @rv32: it has 32-bit registers
 * @has: the bits of hdrev that it has
 * @core: what is known of its own codes, or NULL
 */
struct pdis_cpu {
	int nr;
	bool rv32;
	u64 has;
	const struct riscv_pdis_core *core;
};

/**
 * struct pdis_range - a part of the time that is wanted
 * @start: the first tick
 * @end: the last tick
 */
struct pdis_range {
	u64 start;
	u64 end;
};

/* More than there are kinds of. */
#define PDIS_MAX_EVENTS		16

struct pdis;

/**
 * struct pdis_kind - a kind of events
 * @name: as it is told
 * @asked: do these options ask for it? NULL if it is for when none is asked for.
 * @is: is a record one of these?
 * @cycles: how many of these a record has, where they are cycles; else NULL
 */
struct pdis_kind {
	const char *name;
	bool (*asked)(const struct itrace_synth_opts *opts);
	bool (*is)(const struct pdis *pdis, const struct riscv_pdis_record *record, u64 has);
	u64 (*cycles)(const struct riscv_pdis_record *record);
};

/**
 * struct pdis_event - events of a kind that are told
 * @kind: the kind
 * @evsel: what perf knows of them
 * @id: by which they are known
 */
struct pdis_event {
	const struct pdis_kind *kind;
	struct evsel *evsel;
	u64 id;
};

/* Their numbers are the architecture's. */
#define PDIS_MAX_COUNTERS	32

/**
 * struct pdis_counted - what a counter counts
 * @evsel: the event, or NULL if it is not known
 * @id: by which it is known
 */
struct pdis_counted {
	struct evsel *evsel;
	u64 id;
};

/**
 * struct pdis_counters - what counters count
 * @cpu: on this CPU; on any, if negative
 * @tid: while this thread runs; while any does, if negative
 * @of: each counter
 */
struct pdis_counters {
	int cpu;
	pid_t tid;
	struct pdis_counted of[PDIS_MAX_COUNTERS];
};

/**
 * struct pdis_raw - PERF_SAMPLE_RAW, as from riscv_pdis_sample
 * @unused: so that the record is aligned
 * @size: of the record, in a hart's byte order
 * @record: the record
 */
struct pdis_raw {
	u32 unused;
	__le32 size;
	u8 record[sizeof(struct riscv_pdis_record)];
} __aligned(8);

/**
 * struct pdis_stack - a branch stack with what a record knows
 * @nr: how many there are
 * @hw_idx: not known
 * @entry: this transfer, and the one before
 */
struct pdis_stack {
	u64 nr;
	u64 hw_idx;
	struct branch_entry entry[2];
};

/**
 * struct pdis_queue - the records of a CPU, or of a thread
 * @pdis: all of them
 * @queue: perf's part
 * @cpu: the CPU, or NULL if it is not known
 * @buffer: that is being read
 * @at: where in it
 * @left: how much is left of it
 * @record: the first that has not been told yet
 * @raw: the same as it was written
 * @time: no record from here on is older, in ticks
 * @range: those before it have ended
 * @on_heap: there is a record
 * @seen: how much had happened besides when the thread was looked up
 * @tid: the thread that runs
 * @pid: its process
 * @thread: the same, or NULL
 * @counters: what its counters count while this thread runs, and what the last ones
 *	there did; each may be NULL
 */
struct pdis_queue {
	struct pdis *pdis;
	struct auxtrace_queue *queue;
	const struct pdis_cpu *cpu;
	struct auxtrace_buffer *buffer;
	const u8 *at;
	size_t left;
	struct riscv_pdis_record record;
	const u8 *raw;
	u64 time;
	unsigned int range;
	bool on_heap;
	u64 seen;
	pid_t tid;
	pid_t pid;
	struct thread *thread;
	const struct pdis_counters *counters[2];
};

/**
 * struct pdis - a session with sampled instructions
 * @auxtrace: perf's part
 * @queues: of buffers
 * @heap: those queues that have records, the oldest first
 * @seen: how often there was something besides records, which may change what runs
 * @opts: what is to be told
 * @session: the session
 * @machine: the host
 * @pmu_type: of riscv_pdis
 * @cpu: each CPU that is known
 * @nr_cpus: how many there are
 * @any_cpu: what holds for a CPU that is not among them
 * @tc: from ticks to perf's time
 * @timed: there is something to convert, and records have the time
 * @data_queued: all buffers are known from the file's index
 * @range: the time that is wanted, if not all
 * @nr_ranges: how many there are
 * @period: of the events
 * @sample_type: of what is told
 * @event: the kinds of events that are told
 * @nr_events: how many there are
 * @counters: what counters count, if there are any
 * @names: the same, for a dump
 * @skipped: how many have not been told because of --itrace=s
 * @counted: how many instructions have been sampled since one was told
 * @sample: that is being told; most of it never changes
 * @stack: its branch stack
 * @raw_data: its raw data
 * @written: the sample as an event, for who wants to write it
 * @log: each record, or NULL
 */
struct pdis {
	struct auxtrace auxtrace;
	struct auxtrace_queues queues;
	struct auxtrace_heap heap;
	u64 seen;
	struct itrace_synth_opts opts;
	struct perf_session *session;
	struct machine *machine;
	u32 pmu_type;
	struct pdis_cpu *cpu;
	unsigned int nr_cpus;
	struct pdis_cpu any_cpu;
	struct perf_tsc_conversion tc;
	bool timed;
	bool data_queued;
	struct pdis_range *range;
	unsigned int nr_ranges;
	u64 period;
	u64 sample_type;
	struct pdis_event event[PDIS_MAX_EVENTS];
	unsigned int nr_events;
	struct hashmap *counters;
	struct names *names;
	u64 skipped;
	u64 counted;
	struct perf_sample sample;
	struct pdis_stack stack;
	struct pdis_raw raw_data;
	union perf_event *written;
	FILE *log;
};

static inline struct pdis *pdis_of(struct perf_session *session)
{
	return container_of(session->auxtrace, struct pdis, auxtrace);
}

static inline size_t pdis_record_size(const struct pdis_cpu *cpu)
{
	return cpu->rv32 ? sizeof(struct riscv_pdis_record32) :
			   sizeof(struct riscv_pdis_record);
}

/* When it was. One without a time is where it stands: behind the one before. */
static inline u64 pdis_time_of(const struct pdis_queue *q)
{
	return q->record.time ?: q->time;
}

/* riscv-pdis.c */
const struct pdis_cpu *pdis_find_cpu(const struct pdis *pdis, int nr);

/* riscv-pdis-queue.c */
bool pdis_is_in_file(const struct pdis *pdis, const struct auxtrace_buffer *buffer);
int pdis_run_until(struct pdis *pdis, u64 end);
void pdis_free_queues(struct perf_session *session);

/* riscv-pdis-counters.c */
void pdis_find_counters(struct pdis_queue *q);
const struct pdis_counted *pdis_counted(const struct pdis_queue *q, unsigned int nr);
int pdis_counter_told(struct pdis *pdis, u64 nr, const struct perf_sample *sample);
void pdis_free_counters(struct pdis *pdis);
void pdis_find_names(struct pdis *pdis);
void pdis_print_names(const struct pdis *pdis, const struct riscv_pdis_record *record);

/* riscv-pdis-branch.c */
void pdis_set_piece(struct pdis_queue *q);

/* riscv-pdis-synth.c */
extern const char *const pdis_error_text[];
int pdis_tell_error(struct pdis *pdis, enum pdis_error code, int cpu, pid_t pid, pid_t tid,
		    u64 time);
int pdis_queue_error(struct pdis_queue *q, enum pdis_error code);
u8 pdis_cpumode(const struct pdis_queue *q, u64 ip);
int pdis_tell(struct pdis_queue *q);
int pdis_add_events(struct pdis *pdis);

#endif /* PERF_RISCV_PDIS_SESSION_H */
