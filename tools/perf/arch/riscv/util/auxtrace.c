// SPDX-License-Identifier: GPL-2.0-only
/*
 * RISC-V: who records to AUX buffers.
 */
#include <stddef.h>

#include "../../../util/auxtrace.h"
#include "../../../util/evlist.h"
#include "../../../util/evsel.h"
#include "../../../util/pmu.h"
#include "../../../util/pmus.h"
#include "../../../util/riscv-pdis.h"
#include "riscv-pdis.h"

/**
 * auxtrace_record__init() - find out what records to AUX buffers
 * @evlist: the events
 * @err: an error, or 0
 *
 * Return: that, or NULL if nothing does.
 */
struct auxtrace_record *auxtrace_record__init(struct evlist *evlist, int *err)
{
	struct perf_pmu *pmu = perf_pmus__find(RISCV_PDIS_PMU);
	struct evsel *evsel;

	*err = 0;
	if (!pmu)
		return NULL;
	evlist__for_each_entry(evlist, evsel) {
		if (evsel->core.attr.type == pmu->type)
			return riscv_pdis_recording_init(pmu, err);
	}
	return NULL;
}
