// SPDX-License-Identifier: GPL-2.0-only
/*
 * RISC-V: what is particular of some PMUs.
 */
#include <string.h>

#include "../../../util/pmu.h"
#include "../../../util/riscv-pdis.h"
#include "mem-events.h"
#include "riscv-pdis.h"

/**
 * perf_pmu__arch_init() - complete what is known of a PMU
 * @pmu: the PMU
 *
 * The PMU of counters has no events for perf mem: it must not be taken for it.
 */
void perf_pmu__arch_init(struct perf_pmu *pmu)
{
	if (!strcmp(pmu->name, RISCV_PDIS_SAMPLE_PMU)) {
		pmu->is_uncore = false;
		pmu->selectable = true;
	}
#ifdef HAVE_AUXTRACE_SUPPORT
	if (!strcmp(pmu->name, RISCV_PDIS_PMU)) {
		pmu->auxtrace = true;
		pmu->selectable = true;
		pmu->is_uncore = false;
		pmu->perf_event_attr_init_default = riscv_pdis_default_config;
		pmu->mem_events = perf_pmu__has_format(pmu, "latency") ?
			perf_mem_events_riscv : perf_mem_events_riscv_all;
		/* Stores rarely take long: a least latency would leave them out. */
		perf_mem_events__loads_ldlat = 0;
	}
#endif
}
