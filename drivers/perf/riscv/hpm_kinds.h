/* SPDX-License-Identifier: GPL-2.0-only */
/* The PMUs: one for each kind of core. */
#ifndef _DRIVERS_PERF_RISCV_HPM_KINDS_H
#define _DRIVERS_PERF_RISCV_HPM_KINDS_H

#include <linux/list.h>
#include <linux/percpu.h>
#include <linux/types.h>

#include "hpm.h"

/* The counters of each CPU in its own PMU; in the first PMU if it belongs to none. */
DECLARE_PER_CPU(struct hpm_cpu *, hpm_kinds_here);

/* All PMUs, in the order of their first CPUs. */
extern struct list_head hpm_kinds;

#define for_each_hpm_pmu(pmu)	list_for_each_entry(pmu, &hpm_kinds, kinds)

struct hpm_pmu *hpm_kinds_first(void);
bool hpm_kinds_several(void);
struct hpm_pmu *hpm_kinds_come(void);
u64 hpm_kinds_max(int idx);
int hpm_kinds_ask(struct hpm_pmu *pmu, int (*ask)(void *data), void *data);
int hpm_kinds_init(void);
void hpm_kinds_drop(struct hpm_pmu *pmu);
void hpm_kinds_exit(void);

#endif /* _DRIVERS_PERF_RISCV_HPM_KINDS_H */
