// SPDX-License-Identifier: GPL-2.0-only
/*
 * Precise decoded instruction sampling (Sspdis) for perf: the PMU riscv_pdis.
 *
 * In each period, one instruction of a kind is followed through the pipeline, and what
 * happened to it is written to memory, 64 bytes for each (RV32: 32). There is an
 * interrupt only when the memory fills up, see amb.c.
 *
 * What hardware writes to the AUX buffer cannot be filtered before the opener sees it. So
 * nothing is recorded that the opener may not see, see pdis_batch_restrict_to_user(). But it
 * is not known what the reserved words of a record may contain: these are cleared before the
 * opener sees them, see pdis_batch_hides().
 */
#include <linux/capability.h>
#include <linux/kconfig.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/smp.h>

#include "pdis.h"
#include "pdis_counters.h"
#include "pdis_hw.h"

/*
 * The counters that records include now. Siblings of the event have the number of their
 * counter in hw.idx, also when they have left it. They are added after the event, and may be
 * added and removed while it is on the CPU.
 */
static u64 pdis_batch_told(struct perf_event *leader)
{
	struct perf_event *sibling;
	u64 told = 0;

	for_each_sibling_event(sibling, leader) {
		if (sibling->attr.aux_output && sibling->state == PERF_EVENT_STATE_ACTIVE)
			told |= BIT_ULL(sibling->hw.idx);
	}
	return told;
}

/* Implements PDIS-MODE-009. The period continues where it was. */
static void pdis_batch_run(struct perf_event *event)
{
	if (event->attr.config & PDIS_CONFIG_JITTER)
		pdis_event_next_period(event);
	pdis_hw_set_control(event->hw.config | pdis_batch_told(event));
}

/* This may be for long, since the buffer may be full: save the position in the period. */
static void pdis_batch_rest(struct perf_event *event)
{
	pdis_hw_set_control(0);
	pdis_event_unload(event);
}

/* Records of RV32 have no reserved words. */
static bool pdis_batch_hides(const struct perf_event *event)
{
	return IS_ENABLED(CONFIG_64BIT) && !pdis_sees_all(event);
}

/* Hardware may end anywhere, but not behind the page, which ends with a record. */
static void pdis_batch_hide(void *records, unsigned long bytes)
{
	struct pdis_hw_record *record = records;

	for (; (void *)record < records + bytes; record++)
		pdis_hw_hide_unknown(record);
}

const struct amb_ops pdis_batch_amb_ops = {
	.read_cs	= pdis_hw_amb_status,
	.write_cs	= pdis_hw_set_amb_status,
	.read_addr	= pdis_hw_amb_address,
	.write_addr	= pdis_hw_set_amb_address,
	.start		= pdis_batch_run,
	.stop		= pdis_batch_rest,
	.hides		= pdis_batch_hides,
	.hide		= pdis_batch_hide,
	.record_size	= sizeof(struct pdis_hw_record),
};

static void pdis_batch_start(struct perf_event *event, int flags)
{
	struct hw_perf_event *hwc = &event->hw;

	if (pdis_event_rests(event))
		return;
	hwc->state = 0;
	pdis_event_load(event);
	if (amb_start(&this_pdis_cpu(event)->amb, event))
		hwc->state = PERF_HES_STOPPED;
}

static void pdis_batch_stop(struct perf_event *event, int flags)
{
	struct hw_perf_event *hwc = &event->hw;

	if (hwc->state & PERF_HES_STOPPED)
		return;
	hwc->state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	amb_stop(&this_pdis_cpu(event)->amb);
}

static bool pdis_batch_is_for(const struct pdis *pdis, unsigned int cpu)
{
	return cpumask_test_cpu(cpu, &pdis->interrupting);
}

static int pdis_batch_add(struct perf_event *event, int flags)
{
	struct pdis_cpu *cpu = this_pdis_cpu(event);

	if (pdis_event_not_on(event->pmu, smp_processor_id()))
		return -ENOENT;
	if (cpu->event)
		return -EAGAIN;
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	if (flags & PERF_EF_START) {
		pdis_batch_start(event, PERF_EF_RELOAD);
		if (event->hw.state & PERF_HES_STOPPED) {
			/*
			 * The buffer is full, and perf_aux_output_begin() has asked that the
			 * event be disabled. perf core does not take this back when add()
			 * fails: event_sched_out() would find it and disable the event the
			 * next time that it leaves the CPU, though there was room again. It is
			 * tried again when its task is switched in.
			 */
			event->pending_disable = 0;
			return -EINVAL;
		}
	}
	cpu->event = event;
	return 0;
}

static void pdis_batch_del(struct perf_event *event, int flags)
{
	pdis_batch_stop(event, PERF_EF_UPDATE);
	this_pdis_cpu(event)->event = NULL;
}

/* There is nothing to read: this PMU does not count. */
static void pdis_batch_read(struct perf_event *event)
{
}

/*
 * An instruction of user mode may have been flushed by one of the kernel, and the control
 * transfer before it may have been the kernel's. A flushed instruction may itself have
 * been fetched by a prediction from another program's history. The address of data is
 * always the program's own, whatever becomes of the access.
 */
static int pdis_batch_restrict_to_user(struct perf_event *event)
{
	const struct pdis_caps *caps = &pdis_of(event)->caps;

	if (event->attr.config & SPDISCTL_EPT ||
	    event->attr.config1 & PDISHDREV_FLUSHED ||
	    !(caps->events & PDISHDREV_FLUSHED))
		return -EACCES;
	event->hw.flags |= PDIS_NO_FLUSHED;
	return 0;
}

/*
 * Implements PDIS-ADR-018. perf has checked already whether the opener may sample the kernel.
 */
static int pdis_batch_check_opener(struct perf_event *event)
{
	if (perfmon_capable()) {
		event->hw.flags |= PDIS_SEES_ALL;
		return 0;
	}
	if (event->attr.config & SPDISCTL_PA)
		return -EACCES;
	return pdis_sees_all(event) ? 0 : pdis_batch_restrict_to_user(event);
}

static int pdis_batch_check(struct perf_event *event)
{
	int ret = pdis_event_check(event);

	if (ret)
		return ret;
	/* There is no interrupt at each sample, by which perf could adjust a frequency. */
	if (event->attr.freq)
		return -EINVAL;
	if (has_branch_stack(event))
		return -EOPNOTSUPP;
	return pdis_batch_check_opener(event);
}

static int pdis_batch_event_init(struct perf_event *event)
{
	int ret = 0;

	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	if (!event->parent)
		ret = pdis_batch_check(event) ?: pdis_event_check_guests(event);
	if (ret)
		return ret;
	pdis_event_set_up(event);
	event->hw.config |= SPDISCTL_MEM | SPDISCTL_OF;
	return 0;
}

/* The counters that the event's records can include, if it is one of this PMU. */
static unsigned long pdis_batch_counters(const struct perf_event *event)
{
	if (event->pmu->event_init != pdis_batch_event_init)
		return 0;
	return to_pdis_pmu(event->pmu)->pdis->caps.config & SPDISCTL_HPM;
}

static void pdis_batch_counter_comes(int idx)
{
	pdis_hw_tell(BIT_ULL(idx));
}

static void pdis_batch_counter_goes(int idx)
{
	pdis_hw_tell_not(BIT_ULL(idx));
}

static const struct pdis_counters_ops pdis_batch_counters_ops = {
	.counters	= pdis_batch_counters,
	.comes		= pdis_batch_counter_comes,
	.goes		= pdis_batch_counter_goes,
};

/**
 * pdis_batch_init() - register the PMU riscv_pdis
 * @pdis: the CPUs
 *
 * Does nothing if there can be no batches.
 *
 * Context: task context.
 * Return: 0 or an error.
 */
int pdis_batch_init(struct pdis *pdis)
{
	int ret;

	if (!pdis_has_batches(pdis))
		return 0;
	pdis->batch = (struct pdis_pmu) {
		.pdis	= pdis,
		.is_for	= pdis_batch_is_for,
		.pmu	= {
			.module		= THIS_MODULE,
			.task_ctx_nr	= perf_sw_context,
			.capabilities	= PERF_PMU_CAP_EXCLUSIVE |
					  PERF_PMU_CAP_ITRACE,
			.attr_groups	= pdis_attr_groups,
			.event_init	= pdis_batch_event_init,
			.add		= pdis_batch_add,
			.del		= pdis_batch_del,
			.start		= pdis_batch_start,
			.stop		= pdis_batch_stop,
			.read		= pdis_batch_read,
			.check_period	= pdis_event_check_period,
			.filter		= pdis_event_not_on,
			.setup_aux	= amb_setup_aux,
			.free_aux	= amb_free_aux,
		},
	};
	pdis_counters_register(&pdis_batch_counters_ops);
	ret = perf_pmu_register(&pdis->batch.pmu, "riscv_pdis", -1);
	if (ret)
		pdis_counters_unregister();
	return ret;
}

/**
 * pdis_batch_exit() - undo pdis_batch_init()
 * @pdis: the CPUs
 *
 * Context: task context.
 */
void pdis_batch_exit(struct pdis *pdis)
{
	if (!pdis_has_batches(pdis))
		return;
	perf_pmu_unregister(&pdis->batch.pmu);
	pdis_counters_unregister();
}
