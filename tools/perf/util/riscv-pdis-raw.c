// SPDX-License-Identifier: GPL-2.0-only
/*
 * RISC-V sampled instructions (Sspdis): the raw data of riscv_pdis_sample.
 */
#include <endian.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <linux/types.h>

#include "env.h"
#include "event.h"
#include "evlist.h"
#include "evsel.h"
#include "riscv-pdis.h"
#include "riscv-pdis-decoder.h"
#include "sample.h"

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
	u32 type, size;

	if (event->header.type != PERF_RECORD_SAMPLE || sample->raw_size < sizeof(size))
		return;
	evsel = evlist__event2evsel(evlist, event);
	if (!evsel || !find_sample_pmu(evsel__env(evsel), &type) ||
	    evsel->core.attr.type != type)
		return;
	memcpy(&size, sample->raw_data, sizeof(size));
	size = le32toh(size);
	if (size > sample->raw_size - sizeof(size) ||
	    (size != sizeof(struct riscv_pdis_record) &&
	     size != sizeof(struct riscv_pdis_record32))) {
		printf(". ... Part of a record\n");
		return;
	}
	riscv_pdis_unpack(&record, sample->raw_data + sizeof(size),
			  size == sizeof(struct riscv_pdis_record32));
	riscv_pdis_text(&record, text, sizeof(text));
	printf(". ... %s\n", text);
}
