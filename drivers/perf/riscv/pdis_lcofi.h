/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The counter overflow interrupt, LCOFI, for instruction samples. They share it with the
 * counters. So they also share the cpu PMU's handler, and the control transfer records
 * that the interrupt freezes.
 */
#ifndef _DRIVERS_PERF_RISCV_PDIS_LCOFI_H
#define _DRIVERS_PERF_RISCV_PDIS_LCOFI_H

#include <linux/perf_event.h>
#include <linux/ptrace.h>
#include <linux/types.h>

/**
 * struct pdis_lcofi_ops - the driver that handles instruction samples
 * @sampled: spdisctl.OF of this CPU is set, or pdis_lcofi_event_recall() was called.
 *	Nothing is sampled until this returns.
 *	siselect may have any value, and may be changed.
 *
 * Context: the interrupt.
 */
struct pdis_lcofi_ops {
	void (*sampled)(struct perf_event *event);
};

int pdis_lcofi_attach(struct pmu *pmu, const struct pdis_lcofi_ops *ops, const char **lacks);
void pdis_lcofi_detach(void);
bool pdis_lcofi_is_on(unsigned int cpu);
int pdis_lcofi_event_init(struct perf_event *event, const struct cpumask *cpus);
int pdis_lcofi_event_add(struct perf_event *event);
void pdis_lcofi_event_del(struct perf_event *event);
void pdis_lcofi_event_lost(struct perf_event *event);
void pdis_lcofi_event_found(struct perf_event *event);
void pdis_lcofi_event_recall(struct perf_event *event);
bool pdis_lcofi_is_serving(void);
int pdis_lcofi_event_drop(struct perf_event *event);
int pdis_lcofi_event_sample(struct perf_event *event,
			    struct perf_sample_data *data, u64 pc, bool away);

#endif /* _DRIVERS_PERF_RISCV_PDIS_LCOFI_H */
