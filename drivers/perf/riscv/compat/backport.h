/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For older kernels, such as 6.12: included before everything else, so that the driver's
 * own files need not know.
 *
 * A task's data for a PMU hangs on the PMU's part of the task's context, and
 * pmu::sched_task is not told the task, for it is known to be the current one.
 * There is no context for events of a CPU.
 */
#ifndef _DRIVERS_PERF_RISCV_BACKPORT_H
#define _DRIVERS_PERF_RISCV_BACKPORT_H

/* printk.h is included here, too early for the files to choose this. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/perf_event.h>
#include <linux/sched.h>

static inline void *ctr_task_data(struct perf_event_pmu_context *pmu_ctx,
				  struct task_struct *task)
{
	return pmu_ctx ? pmu_ctx->task_ctx_data : NULL;
}

void hpm_sched_task(struct perf_event_pmu_context *pmu_ctx,
		    struct task_struct *task, bool sched_in);

static inline void compat_sched_task(struct perf_event_pmu_context *pmu_ctx,
				     bool sched_in)
{
	hpm_sched_task(pmu_ctx, current, sched_in);
}

#define HPM_SCHED_TASK compat_sched_task

#endif /* _DRIVERS_PERF_RISCV_BACKPORT_H */
