// SPDX-License-Identifier: GPL-2.0-only
/*
 * RISC-V sampled instructions (Sspdis): the raw data of samples.
 */
#include <endian.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <linux/perf_event.h>
#include <linux/string.h>
#include <linux/types.h>

#include "env.h"
#include "event.h"
#include "evlist.h"
#include "evsel.h"
#include "riscv-pdis.h"
#include "riscv-pdis-decoder.h"
#include "sample.h"

/* Is it a record, with its size before it? */
static bool get_record(const struct perf_sample *sample, struct riscv_pdis_record *record)
{
	u32 size;

	if (sample->raw_size < sizeof(size))
		return false;
	memcpy(&size, sample->raw_data, sizeof(size));
	size = le32toh(size);
	if (size > sample->raw_size - sizeof(size) ||
	    (size != sizeof(struct riscv_pdis_record) &&
	     size != sizeof(struct riscv_pdis_record32)))
		return false;
	riscv_pdis_unpack(record, sample->raw_data + sizeof(size),
			  size == sizeof(struct riscv_pdis_record32));
	return true;
}

static bool is_named(const char *mapping, u32 *type)
{
	char name[sizeof(RISCV_PDIS_SAMPLE_PMU) + 1];

	return sscanf(mapping, "%u:%18s", type, name) == 2 &&
		!strcmp(name, RISCV_PDIS_SAMPLE_PMU);
}

static bool find_sample_pmu(struct perf_env *env, u32 *type)
{
	const char *mapping = perf_env__pmu_mappings(env);
	int nr = perf_env__nr_pmu_mappings(env);

	for (; mapping && nr > 0; nr--) {
		if (is_named(mapping, type))
			return true;
		mapping += strlen(mapping) + 1;
	}
	return false;
}

/**
 * perf_env__has_riscv_pdis() - may there be samples of riscv_pdis_sample?
 * @env: the machine that recorded
 *
 * Return: whether it had that PMU.
 */
bool perf_env__has_riscv_pdis(struct perf_env *env)
{
	u32 type;

	return find_sample_pmu(env, &type);
}

/* The file says of one CPU which core it is, as it does for the names of events. */
static const struct riscv_pdis_core *find_core(const struct perf_env *env)
{
	struct riscv_pdis_core_id id;

	if (!env->cpuid || sscanf(env->cpuid, "%" SCNx64 "-%" SCNx64 "-%" SCNx64, &id.mvendorid,
				  &id.marchid, &id.mimpid) != 3)
		return NULL;
	return riscv_pdis_find_core(&id);
}

/**
 * evlist__riscv_pdis_sample_raw() - print the record in a sample
 * @evlist: the session's events
 * @event: the event
 * @sample: the same, parsed
 *
 * Prints nothing if it is a sample of something else.
 */
void evlist__riscv_pdis_sample_raw(struct evlist *evlist, union perf_event *event,
				   struct perf_sample *sample)
{
	struct riscv_pdis_record record;
	char text[RISCV_PDIS_TEXT_SIZE];
	struct evsel *evsel;
	u32 type;

	if (event->header.type != PERF_RECORD_SAMPLE || sample->raw_size < sizeof(u32))
		return;
	evsel = evlist__event2evsel(evlist, event);
	if (!evsel || !find_sample_pmu(evsel__env(evsel), &type) ||
	    evsel->core.attr.type != type)
		return;
	if (!get_record(sample, &record)) {
		printf(". ... Part of a record\n");
		return;
	}
	riscv_pdis_text(&record, find_core(evsel__env(evsel)), text, sizeof(text));
	printf(". ... %s\n", text);
}

/* What perf calls cycles of instructions, in the order of enum riscv_pdis_latency */
const char *const riscv_pdis_latency_name[RISCV_PDIS_NR_LATENCIES] = {
	"dispatch_lat", "issue_lat", "exec_lat", "retire_lat", "oldest_lat",
};

/**
 * evsel__is_riscv() - was an event recorded on such a machine?
 * @evsel: the event
 *
 * Return: whether it was.
 */
bool evsel__is_riscv(struct evsel *evsel)
{
	struct perf_env *env = evsel__env(evsel);

	/* In a pipe perf may have taken it for its own before the file says what it is. */
	return strstarts(env && env->arch ? env->arch : perf_env__arch(env), "riscv");
}

/* Two of them the kernel tells as weights. Those are 0 as well if the hart does not tell. */
static int latency_of_weight(struct evsel *evsel, const struct perf_sample *sample,
			     enum riscv_pdis_latency which)
{
	if (!(evsel->core.attr.sample_type & PERF_SAMPLE_WEIGHT_STRUCT) || !evsel__is_riscv(evsel))
		return -1;
	if (which == RISCV_PDIS_ISSUE_LAT)
		return sample->ins_lat;
	return which == RISCV_PDIS_EXEC_LAT ? sample->weight3 : -1;
}

/**
 * riscv_pdis_sample_latency() - how many cycles a sampled instruction was in a stage
 * @evsel: the event
 * @sample: a sample of it, of whatever machine
 * @which: the stage
 *
 * Return: so many; -1 if that is not known.
 */
int riscv_pdis_sample_latency(struct evsel *evsel, const struct perf_sample *sample,
			      enum riscv_pdis_latency which)
{
	u32 type = evsel->core.attr.type;
	struct riscv_pdis_record record;

	/* Their raw data is something else. */
	if (type == PERF_TYPE_TRACEPOINT || type == PERF_TYPE_SOFTWARE)
		return -1;
	if (!get_record(sample, &record))
		return latency_of_weight(evsel, sample, which);
	if (!riscv_pdis_is_known(&record) || !evsel__is_riscv(evsel))
		return -1;
	return riscv_pdis_cycles(&record, which);
}
