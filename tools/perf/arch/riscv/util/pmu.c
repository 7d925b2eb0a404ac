// SPDX-License-Identifier: GPL-2.0-only
/*
 * RISC-V: what is particular of some PMUs.
 */
#include <string.h>

#include "../../../util/pmu.h"
#include "../../../util/riscv-pdis.h"
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
	if (!strcmp(pmu->name, RISCV_PDIS_PMU))
		riscv_pdis_init_pmu(pmu);
}
