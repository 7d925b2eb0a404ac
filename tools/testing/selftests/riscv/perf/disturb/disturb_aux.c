// SPDX-License-Identifier: GPL-2.0-only
/*
 * A PMU with an AUX buffer
 *
 * The PMU disturb_aux has an AUX buffer, which is full when somebody writes to "full",
 * and does then what perf expects of a driver, and no more.
 */
#include <linux/errno.h>
#include <linux/irqflags.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>

#include "disturb.h"

static DEFINE_PER_CPU(struct perf_output_handle, disturb_handle);

static int disturb_aux_init(struct perf_event *event)
{
	return event->attr.type == event->pmu->type ? 0 : -ENOENT;
}

static void disturb_aux_start(struct perf_event *event, int flags)
{
	perf_aux_output_begin(this_cpu_ptr(&disturb_handle), event);
}

static void disturb_aux_stop(struct perf_event *event, int flags)
{
	struct perf_output_handle *handle = this_cpu_ptr(&disturb_handle);

	if (handle->event)
		perf_aux_output_end(handle, 0);
}

static int disturb_aux_add(struct perf_event *event, int flags)
{
	if (flags & PERF_EF_START)
		disturb_aux_start(event, flags);
	return 0;
}

static void disturb_aux_nothing(struct perf_event *event)
{
}

static void *disturb_aux_setup(struct perf_event *event, void **pages, int nr_pages,
			       bool snapshot)
{
	return pages;
}

static void disturb_aux_free(void *aux)
{
}

static struct pmu disturb_aux = {
	.module		= THIS_MODULE,
	.task_ctx_nr	= perf_sw_context,
	.capabilities	= PERF_PMU_CAP_ITRACE,
	.event_init	= disturb_aux_init,
	.add		= disturb_aux_add,
	.del		= disturb_aux_stop,
	.start		= disturb_aux_start,
	.stop		= disturb_aux_stop,
	.read		= disturb_aux_nothing,
	.setup_aux	= disturb_aux_setup,
	.free_aux	= disturb_aux_free,
};

static int disturb_full(const char *value, const struct kernel_param *kp)
{
	struct perf_output_handle *handle;
	unsigned long flags;

	local_irq_save(flags);
	handle = this_cpu_ptr(&disturb_handle);
	if (handle->event) {
		perf_aux_output_flag(handle, PERF_AUX_FLAG_TRUNCATED);
		perf_aux_output_end(handle, 0);
	}
	local_irq_restore(flags);
	return 0;
}

static const struct kernel_param_ops disturb_full_ops = {
	.set = disturb_full,
};
module_param_cb(full, &disturb_full_ops, NULL, 0200);
MODULE_PARM_DESC(full, "an AUX buffer is full");

int disturb_aux_register(void)
{
	return perf_pmu_register(&disturb_aux, "disturb_aux", -1);
}

void disturb_aux_unregister(void)
{
	perf_pmu_unregister(&disturb_aux);
}
