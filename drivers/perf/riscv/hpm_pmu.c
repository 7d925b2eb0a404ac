// SPDX-License-Identifier: GPL-2.0-only
/*
 * The cpu PMU's perf callbacks: which event is on which counter.
 *
 * A task switch with n events stops all counters at once, reads n counters, and starts
 * all counters at once. A stopped counter keeps its count and its configuration. Both are
 * cached, so that nothing has to be written if an event comes back to the counter that it
 * had last, as most do.
 */
#include <linux/bitops.h>
#include <linux/mm_types.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/smp.h>

#include "hpm.h"
#include "hpm_backend.h"
#include "hpm_event.h"
#include "hpm_firmware.h"
#include "hpm_kinds.h"
#include "hpm_match.h"
#include "pdis_counters.h"

static void hpm_pmu_read(struct perf_event *event)
{
	if (event->hw.state & PERF_HES_UPTODATE)
		return;
	if (unlikely(hpm_is_firmware(event)))
		hpm_firmware_read(event);
	else
		hpm_event_fold(this_hpm_cpu(event), event);
}

static bool hpm_pmu_is_recorded(struct perf_event *event)
{
	return event->hw.flags & HPM_EVENT_RECORDED;
}

/* Include the event in records from now on, and report its counter if that has changed. */
static void hpm_pmu_tell_counter(struct perf_event *event, int last)
{
	pdis_counters_come(event->hw.idx);
	if (event->hw.idx != last)
		perf_report_aux_output_id(event, event->hw.idx);
}

/* Can the event use the counter? With the SBI backend, firmware has to be asked. */
static bool hpm_pmu_can_move(struct hpm_cpu *cpu, struct perf_event *event, int to)
{
	return !hpm_sbi_is_used() ||
		hpm_sbi_claim(cpu, event->hw.config, BIT(to), -1,
			      hpm_claims_as_it_is(event)) == to;
}

/* Give an event a counter, which is free. */
static void hpm_pmu_give(struct hpm_cpu *cpu, struct perf_event *event, int idx)
{
	struct hpm_counter *counter = &cpu->counter[idx];

	/* It may be running for user space, see hpm_user_take(). */
	if (unlikely(cpu->legacy & BIT(idx)))
		hpm_stop(cpu, BIT(idx));
	cpu->free &= ~BIT(idx);
	counter->event = event;
	counter->resident = NULL;
	event->hw.idx = idx;
	event->hw.config_base = (unsigned long)counter;
	event->hw.last_cpu = smp_processor_id();
}

/* Take the counter from an event that has stopped. */
static void hpm_pmu_take(struct hpm_cpu *cpu, struct perf_event *event, int idx)
{
	cpu->free |= BIT(idx);
	cpu->counter[idx].event = NULL;
	hpm_event_ended(cpu, event, idx);
}

/* Move an event to another counter. */
static bool hpm_pmu_move(struct hpm_cpu *cpu, struct perf_event *event, int to)
{
	bool runs = !(event->hw.state & PERF_HES_STOPPED);
	int from = event->hw.idx;

	if (!hpm_pmu_can_move(cpu, event, to))
		return false;
	if (runs)
		hpm_event_end(cpu, event, from);
	if (hpm_pmu_is_recorded(event))
		pdis_counters_go(from);
	hpm_pmu_take(cpu, event, from);
	hpm_pmu_give(cpu, event, to);
	if (runs)
		hpm_event_begin(cpu, event, to);
	if (hpm_pmu_is_recorded(event))
		hpm_pmu_tell_counter(event, from);
	return true;
}

/*
 * All counters that the event can use are taken by other events, which may be able to use
 * others. The PMU is disabled while perf adds events.
 */
static noinline int hpm_pmu_make_room(struct hpm_cpu *cpu, struct perf_event *event)
{
	unsigned long used = (HPM_FIXED | HPM_PROGRAMMABLE) & ~cpu->free;
	struct hpm_match match = { .free = cpu->free };
	int idx;

	for_each_set_bit(idx, &used, HPM_NUM) {
		if (cpu->counter[idx].event)
			match.able[idx] = cpu->counter[idx].event->hw.event_base;
	}
	idx = hpm_match_find(&match, event->hw.event_base);
	if (idx < 0)
		return idx;
	for (; match.from[idx] != HPM_MATCH_END; idx = match.from[idx]) {
		if (!hpm_pmu_move(cpu, cpu->counter[match.from[idx]].event, idx))
			return -EAGAIN;
	}
	return hpm_claim(cpu, event);
}

/* Can the event leave the counter and come back, with nothing to do but to count on? */
static bool hpm_pmu_can_reside(struct hpm_cpu *cpu, struct perf_event *event, int idx)
{
	return hpm_claims_as_it_is(event) && !ctr_wanted(event) &&
		!pesa_wanted(event) && !hpm_pmu_is_recorded(event) &&
		!(cpu->legacy & BIT(idx)) && hpm_sbi_can_have_resident(cpu, idx);
}

static int hpm_pmu_place(struct hpm_cpu *cpu, struct perf_event *event, int flags)
{
	int idx = hpm_claim(cpu, event);

	if (unlikely(idx < 0))
		idx = hpm_pmu_make_room(cpu, event);
	if (idx < 0)
		return idx;

	hpm_pmu_give(cpu, event, idx);
	if (flags & PERF_EF_START) {
		if (hpm_pmu_can_reside(cpu, event, idx))
			cpu->counter[idx].resident = event;
		hpm_event_begin(cpu, event, idx);
	} else {
		event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
		hpm_event_publish(event);
	}
	return 0;
}

/* Find a counter, and whatever else the event needs. */
static noinline int hpm_pmu_add_anew(struct perf_event *event, int flags)
{
	struct hpm_cpu *cpu = this_hpm_cpu(event);
	int last = event->hw.idx;
	int ret = 0;

	if (hpm_is_firmware(event))
		return hpm_firmware_add(event, flags);
	if (pesa_wanted(event))
		ret = pesa_event_add(&cpu->pesa, event);
	if (ret)
		return ret;
	if (ctr_wanted(event))
		ret = ctr_event_add(&cpu->ctr, event);
	if (ret)
		goto err_pesa;
	ret = hpm_pmu_place(cpu, event, flags);
	if (ret)
		goto err_ctr;
	if (hpm_pmu_is_recorded(event))
		hpm_pmu_tell_counter(event, last);
	return 0;

err_ctr:
	if (ctr_wanted(event))
		ctr_event_del(&cpu->ctr, event);
err_pesa:
	if (pesa_wanted(event))
		pesa_event_del(&cpu->pesa, event);
	return ret;
}

/* Makes no call for an event that comes back, and so need not save registers. */
static int hpm_pmu_add(struct perf_event *event, int flags)
{
	struct hpm_counter *counter = hpm_event_counter(event);

	if (likely(flags & PERF_EF_START &&
		   event->hw.last_cpu == smp_processor_id() &&
		   hpm_event_resides(event, counter))) {
		hpm_event_comes_back(event, counter);
		return 0;
	}
	return hpm_pmu_add_anew(event, flags);
}

/* Has a period of one of these counters ended? Some of them have overflowed. */
static noinline bool hpm_pmu_period_ended(struct hpm_cpu *cpu, unsigned long counters)
{
	int idx;

	for_each_set_bit(idx, &counters, HPM_NUM) {
		struct perf_event *event = cpu->counter[idx].event;

		if (!is_sampling_event(event))
			continue;
		hpm_event_fold(cpu, event);
		if (hpm_event_period_ended(event))
			return true;
	}
	return false;
}

/*
 * Has a period of one of these counters ended whose interrupt has not come yet? To read the
 * overflows is much less work than to look what a counter has counted.
 */
static __always_inline bool hpm_pmu_has_sample(struct hpm_cpu *cpu, unsigned long counters)
{
	if (!cpumask_test_cpu(smp_processor_id(), &cpu->pmu->interrupting))
		return false;
	counters &= hpm_overflowed() | cpu->owed;
	return counters && hpm_pmu_period_ended(cpu, counters);
}

/* The counterpart of hpm_pmu_add_anew() */
static noinline void hpm_pmu_del_all(struct perf_event *event)
{
	struct hpm_cpu *cpu = this_hpm_cpu(event);
	int idx = event->hw.idx;

	if (hpm_is_firmware(event)) {
		hpm_firmware_del(event);
		return;
	}
	if (hpm_pmu_is_recorded(event))
		pdis_counters_go(idx);
	if (!(event->hw.state & PERF_HES_STOPPED) && is_sampling_event(event) &&
	    hpm_pmu_has_sample(cpu, BIT(idx)))
		hpm_irq_early(cpu);
	if (!(event->hw.state & PERF_HES_STOPPED))
		hpm_event_end(cpu, event, idx);
	hpm_pmu_take(cpu, event, idx);
	if (ctr_wanted(event))
		ctr_event_del(&cpu->ctr, event);
	if (pesa_wanted(event))
		pesa_event_del(&cpu->pesa, event);
}

/* As hpm_pmu_add() */
static void hpm_pmu_del(struct perf_event *event, int flags)
{
	struct hpm_counter *counter = hpm_event_counter(event);

	if (likely(hpm_event_resides(event, counter)))
		hpm_event_leaves(event, counter);
	else
		hpm_pmu_del_all(event);
}

static void hpm_pmu_start(struct perf_event *event, int flags)
{
	if (hpm_is_firmware(event))
		hpm_firmware_start(event);
	else
		hpm_event_start(event, flags);
}

static void hpm_pmu_stop(struct perf_event *event, int flags)
{
	if (hpm_is_firmware(event))
		hpm_firmware_stop(event);
	else
		hpm_event_stop(event, flags);
}

/* perf calls these two around all changes to a context, including those by groups. */
static void hpm_pmu_disable(struct pmu *pmu)
{
	struct hpm_cpu *cpu = this_cpu_ptr(to_hpm_pmu(pmu)->cpu);

	cpu->enabled = false;
	if (cpu->running)
		hpm_stop(cpu, cpu->running);
}

/* The records come first, so that they are there when a counter overflows. */
static noinline void hpm_pmu_enable_all(struct hpm_cpu *cpu)
{
	if (cpu->ctr.unsettled)
		ctr_settle(&cpu->ctr);
	hpm_start(cpu, cpu->running);
}

/* Most often, this makes no call. */
static void hpm_pmu_enable(struct pmu *pmu)
{
	struct hpm_cpu *cpu = this_cpu_ptr(to_hpm_pmu(pmu)->cpu);

	cpu->enabled = true;
	if (unlikely(cpu->ctr.unsettled || !hpm_start_simply(cpu->running)))
		hpm_pmu_enable_all(cpu);
}

/*
 * perf hands the contexts of two tasks with the same inherited events over from one to the other
 * before it tells. What is sampled then would be taken for the next task's.
 */
static bool hpm_pmu_is_handed_over(struct perf_event_pmu_context *pmu_ctx)
{
	struct task_struct *owner = pmu_ctx ? pmu_ctx->ctx->task : NULL;

	return owner && owner != current;
}

/**
 * hpm_sched_task() - a task is switched in or out
 * @pmu_ctx: the task's perf context for this PMU, or NULL
 * @task: the task
 * @sched_in: whether it is switched in
 *
 * Called only while an event with a branch stack is on this CPU; when a task is switched out,
 * before its events leave. Later the records are no longer the task's, so samples of counters
 * that are due are taken now.
 *
 * Context: interrupts off. Counters may run.
 */
void hpm_sched_task(struct perf_event_pmu_context *pmu_ctx,
		    struct task_struct *task, bool sched_in)
{
	struct hpm_cpu *cpu = this_cpu_read(hpm_kinds_here);

	if (!sched_in && hpm_pmu_has_sample(cpu, cpu->running) &&
	    !hpm_pmu_is_handed_over(pmu_ctx)) {
		ctr_sched_due(&cpu->ctr);
		hpm_irq_early(cpu);
	}
	rcu_read_lock();
	ctr_sched_task(&cpu->ctr, ctr_task_data(pmu_ctx, task), sched_in);
	rcu_read_unlock();
}

/**
 * hpm_exec() - the current task has executed another program
 * @pmu: a PMU that has events with branch stacks
 *
 * May also be called while no such event is on this CPU.
 *
 * Context: interrupts off.
 */
void hpm_exec(struct pmu *pmu)
{
	ctr_exec(&this_cpu_read(hpm_kinds_here)->ctr);
}

/* Events that user space reads. */

static bool hpm_pmu_is_on(struct hpm_cpu *cpu, struct perf_event *event)
{
	int idx = event->hw.idx;

	return idx >= 0 && cpu->counter[idx].event == event;
}

/*
 * Restart the event as one that user space reads. Its count then starts from a fixed
 * value, and reveals nothing about the previous users of the counter.
 */
static void hpm_pmu_open_counter(void *info)
{
	struct perf_event *event = info;

	if (!hpm_pmu_is_on(this_hpm_cpu(event), event) ||
	    event->hw.state & PERF_HES_STOPPED)
		return;
	hpm_event_stop(event, PERF_EF_UPDATE);
	hpm_event_start(event, PERF_EF_RELOAD);
}

static void hpm_pmu_close_counter(void *info)
{
	struct perf_event *event = info;
	struct hpm_cpu *cpu = this_hpm_cpu(event);

	if (!hpm_pmu_is_on(cpu, event))
		return;
	hpm_user_set(cpu, cpu->user & ~BIT(event->hw.idx));
	hpm_event_publish(event);
}

/* The CPU that counts the event updates its page. If none does, that is done here. */
static void hpm_pmu_tell_cpus(struct perf_event *event, struct mm_struct *mm,
			      smp_call_func_t tell)
{
	on_each_cpu_mask(mm_cpumask(mm), tell, event, true);
	if (READ_ONCE(event->state) != PERF_EVENT_STATE_ACTIVE)
		hpm_event_publish(event);
}

/*
 * A process may map an event several times, and another one may have mapped it as well: only
 * the mappings of the process that may use the counter are counted. Two members of struct
 * hw_perf_event that other PMUs use tell whose they are and how many.
 */

/*
 * Returns true for the first mapping. After exec() the task has another mm, and nobody counts any
 * more whether those who share the old one unmap the event.
 */
static bool hpm_pmu_add_mapping(struct hw_perf_event *hwc, struct mm_struct *mm)
{
	if (hwc->last_tag != (unsigned long)mm)
		hwc->event_base_rdpmc = 0;
	hwc->last_tag = (unsigned long)mm;
	return !hwc->event_base_rdpmc++;
}

/* Returns true for the last mapping. */
static bool hpm_pmu_remove_mapping(struct hw_perf_event *hwc, struct mm_struct *mm)
{
	if (!hwc->event_base_rdpmc || hwc->last_tag != (unsigned long)mm)
		return false;
	return !--hwc->event_base_rdpmc;
}

/*
 * Whatever runs on the CPU can read an open counter. So the event must belong to one
 * task, and only that task's process may use the counter: another process would read the
 * counter of the CPU that it runs on itself. An event that is inherited may count a child
 * while the task that has mapped it runs elsewhere, where its counter is closed.
 */
static void hpm_pmu_mapped(struct perf_event *event, struct mm_struct *mm)
{
	struct task_struct *target = event->hw.target;

	guard(mutex)(&to_hpm_pmu(event->pmu)->mapping);
	if (!(event->hw.flags & HPM_EVENT_MAY_USER) || event->attr.inherit ||
	    !target || READ_ONCE(target->mm) != mm ||
	    !hpm_pmu_add_mapping(&event->hw, mm))
		return;
	hpm_change_flags(event, 0, PERF_EVENT_FLAG_USER_READ_CNT);
	hpm_pmu_tell_cpus(event, mm, hpm_pmu_open_counter);
}

static void hpm_pmu_unmapped(struct perf_event *event, struct mm_struct *mm)
{
	guard(mutex)(&to_hpm_pmu(event->pmu)->mapping);
	if (!hpm_pmu_remove_mapping(&event->hw, mm))
		return;
	hpm_change_flags(event, PERF_EVENT_FLAG_USER_READ_CNT, 0);
	hpm_pmu_tell_cpus(event, mm, hpm_pmu_close_counter);
}

/* For arch_perf_update_userpage(): the width less 1 */
static int hpm_pmu_counter_width(int idx)
{
	return fls64(hpm_kinds_max(idx)) - 1;
}

/**
 * hpm_pmu_init() - set up a PMU's perf callbacks
 * @pmu: the PMU, which is not registered yet
 */
void hpm_pmu_init(struct hpm_pmu *pmu)
{
	mutex_init(&pmu->mapping);
	pmu->rv.ctr_get_width = hpm_pmu_counter_width;
	pmu->rv.pmu = (struct pmu) {
		.module		= THIS_MODULE,
		.capabilities	= PERF_PMU_CAP_EXTENDED_HW_TYPE |
				  PERF_PMU_CAP_AUX_OUTPUT,
		.attr_groups	= hpm_attr_groups,
		.pmu_enable	= hpm_pmu_enable,
		.pmu_disable	= hpm_pmu_disable,
		.event_init	= hpm_open_event,
		.event_mapped	= hpm_pmu_mapped,
		.event_unmapped	= hpm_pmu_unmapped,
		.event_idx	= hpm_user_idx,
		.add		= hpm_pmu_add,
		.del		= hpm_pmu_del,
		.start		= hpm_pmu_start,
		.stop		= hpm_pmu_stop,
		.read		= hpm_pmu_read,
		.sched_task	= HPM_SCHED_TASK,
		.aux_output_match = hpm_open_aux_output_match,
	};
	if (!pmu->hwirq)
		pmu->rv.pmu.capabilities |= PERF_PMU_CAP_NO_INTERRUPT;
}
