/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The counter overflow interrupt, LCOFI, for samples of instructions: these share
 * it with the counters, and so they share with the cpu PMU what it does when it
 * comes, and the control transfer records that it freezes.
 */
#ifndef _DRIVERS_PERF_RISCV_PDIS_LCOFI_H
#define _DRIVERS_PERF_RISCV_PDIS_LCOFI_H

#include <linux/perf_event.h>
#include <linux/ptrace.h>
#include <linux/types.h>

/**
 * struct pdis_lcofi_ops - who takes samples of instructions
 * @sampled: spdisctl.OF of this CPU is set; samples no more until it returns.
 *	Finds siselect at any value and may change it.
 *
 * Context: the interrupt.
 */
struct pdis_lcofi_ops {
	void (*sampled)(struct perf_event *event);
};

int pdis_lcofi_attach(struct pmu *pmu, const struct pdis_lcofi_ops *ops);
void pdis_lcofi_detach(void);
int pdis_lcofi_event_init(struct perf_event *event, const struct cpumask *cpus);
int pdis_lcofi_event_add(struct perf_event *event);
void pdis_lcofi_event_del(struct perf_event *event);
void pdis_lcofi_event_lost(struct perf_event *event);
int pdis_lcofi_event_drop(struct perf_event *event);
int pdis_lcofi_event_sample(struct perf_event *event,
			    struct perf_sample_data *data, u64 pc);

#endif /* _DRIVERS_PERF_RISCV_PDIS_LCOFI_H */
