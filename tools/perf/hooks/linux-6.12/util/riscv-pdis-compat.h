/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * RISC-V sampled instructions (Sspdis): what newer kernels' perf has and this one has
 * not. The Build includes it before all else.
 */
#ifndef PERF_RISCV_PDIS_COMPAT_H
#define PERF_RISCV_PDIS_COMPAT_H

#include <string.h>

#include "auxtrace.h"
#include "evlist.h"
#include "evsel.h"
#include "pmu.h"
#include "sample.h"
#include "synthetic-events.h"

/* The last of the three weights. */
#define weight3		retire_lat

#define evlist__core(evlist)	(&(evlist)->core)
#define evlist__put(evlist)	evlist__delete(evlist)

#define evlist__set_session(evlist, session)					\
	((evlist)->env = &(session)->header.env)

#define evsel__set_config_if_unset(evsel, name, value)				\
	evsel__set_config_if_unset(evsel__find_pmu(evsel), evsel, name, value)

/* All branch stacks have an index here. */
static inline size_t sample_event_size(const struct perf_sample *sample, u64 type,
				       u64 read_format, u64 branches __maybe_unused)
{
	return perf_event__sample_event_size(sample, type, read_format);
}

static inline int synthesize_sample(union perf_event *event, u64 type, u64 read_format,
				    u64 branches __maybe_unused,
				    const struct perf_sample *sample)
{
	return perf_event__synthesize_sample(event, type, read_format, sample);
}

#define perf_event__sample_event_size	sample_event_size
#define perf_event__synthesize_sample	synthesize_sample

static inline int process_auxtrace_info(const struct perf_tool *tool __maybe_unused,
					struct perf_session *session, union perf_event *event)
{
	return perf_event__process_auxtrace_info(session, event);
}

#define perf_event__process_auxtrace_info	process_auxtrace_info

static inline void perf_sample__init(struct perf_sample *sample, bool all __maybe_unused)
{
	memset(sample, 0, sizeof(*sample));
}

static inline void perf_sample__exit(struct perf_sample *sample __maybe_unused)
{
}

static inline u64 auxtrace_synth_id_range_start(struct evsel *evsel)
{
	return evsel->core.id[0] + 1000000000;
}

#ifndef HAVE_AUXTRACE_SUPPORT
static inline void riscv_pdis_init_pmu(struct perf_pmu *pmu __maybe_unused)
{
}
#endif

#endif /* PERF_RISCV_PDIS_COMPAT_H */
