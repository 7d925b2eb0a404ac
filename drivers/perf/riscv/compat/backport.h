/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For older kernels, such as 6.12: included before everything else, so that the driver's
 * own files need not know.
 *
 * A task's data for a PMU hangs on the PMU's part of the task's context. There is no
 * context for events of a CPU. Before 6.12.y took over a change of 6.15,
 * pmu::sched_task is not told the task, for it is known to be the current one.
 *
 * perf does not manage to disable an event whose AUX buffer is full.
 */
#ifndef _DRIVERS_PERF_RISCV_BACKPORT_H
#define _DRIVERS_PERF_RISCV_BACKPORT_H

/* printk.h is included here, too early for the files to choose this. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/irq_work.h>
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

/* By its type, as distributions take changes over when they like. */
#define HPM_SCHED_TASK							\
	__builtin_choose_expr(						\
		__same_type(((struct pmu *)NULL)->sched_task,		\
			    &compat_sched_task),			\
		compat_sched_task, hpm_sched_task)

/*
 * An event whose AUX buffer is full or was cut short is to be disabled. perf asks the
 * wrong interrupt to do it.
 */
static inline void compat_disable(struct perf_event *event)
{
	event->pending_disable = 1;
	irq_work_queue(&event->pending_disable_irq);
}

static inline void *compat_aux_output_begin(struct perf_output_handle *handle,
					    struct perf_event *event)
{
	void *aux = perf_aux_output_begin(handle, event);

	if (!aux)
		compat_disable(event);
	return aux;
}

static inline void compat_aux_output_end(struct perf_output_handle *handle,
					 unsigned long size)
{
	bool is_cut = handle->aux_flags & PERF_AUX_FLAG_TRUNCATED;
	struct perf_event *event = handle->event;

	perf_aux_output_end(handle, size);
	if (is_cut)
		compat_disable(event);
}

#define perf_aux_output_begin(handle, event) \
	compat_aux_output_begin(handle, event)
#define perf_aux_output_end(handle, size) compat_aux_output_end(handle, size)

#endif /* _DRIVERS_PERF_RISCV_BACKPORT_H */
