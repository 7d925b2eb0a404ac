// SPDX-License-Identifier: GPL-2.0-only
/*
 * The cpu PMU: hardware performance counters for perf.
 *
 * This file is the face to perf core: it decides which event is on which
 * counter and keeps the books. It touches no register; that is the backend's
 * part, see hpm.h.
 *
 * A task switch with n events is one stop of all counters, n reads, and one
 * start of all counters: a counter that stands still keeps its count and its
 * configuration, so both are remembered, and an event that comes back to the
 * counter it left, as most do, has nothing to write.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bitops.h>
#include <linux/cpumask.h>
#include <linux/device.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/platform_device.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include <asm/csr_sscofpmf.h>

#include "hpm.h"
#include "hpm_backend.h"
#include "pdis_counters.h"

/* The one PMU there is; else only what is handed a struct pmu knows it. */
static struct hpm_pmu *the_pmu;

/**
 * hpm_pmu_get() - the PMU
 *
 * Return: it, or NULL.
 */
struct hpm_pmu *hpm_pmu_get(void)
{
	return the_pmu;
}

/* Cycles or instructions in a second, on the slow side. */
#define HPM_FREQUENT		100000000

/* Bring the page that user space has mapped up to date. */
static void publish(struct perf_event *event)
{
	if (READ_ONCE(event->rb))
		perf_event_update_userpage(event);
}

/*
 * Counting. What a task switch does for each event calls nothing if nothing is
 * special about the event: it is a good part of what measuring costs.
 */

static __always_inline void fold(struct hpm_cpu *cpu, struct perf_event *event,
				 int idx)
{
	struct hpm_counter *counter = &cpu->counter[idx];
	struct hw_perf_event *hwc = &event->hw;
	u64 before = local64_read(&hwc->prev_count);
	u64 now = hpm_read(idx);
	u64 delta = (now - before) & counter->max;

	counter->value = now;
	/*
	 * Gone round: its overflow flag is set. From so low it must not go on,
	 * for the next time it goes round could not be told by the count.
	 */
	if (unlikely(now < (before & counter->max))) {
		counter->config = HPM_UNKNOWN;
		counter->value = HPM_UNKNOWN;
	}

	/* Not cut to the counter's width, see start_count(). */
	local64_set(&hwc->prev_count, before + delta);
	local64_add(delta, &event->count);
	if (is_sampling_event(event)) {
		local64_sub(delta, &hwc->period_left);
		counter->value = HPM_UNKNOWN;
	}
}

/**
 * hpm_event_fold() - add what a counter has counted to its event
 * @cpu: the calling CPU
 * @event: the event, on a counter of this CPU
 *
 * Exact as long as the counter has not gone round twice since the last time;
 * a counter interrupts when it goes round, so that it does not.
 *
 * Context: interrupts off.
 */
void hpm_event_fold(struct hpm_cpu *cpu, struct perf_event *event)
{
	fold(cpu, event, event->hw.idx);
}

/*
 * Begin a new period if the last one is over. Sets @left to the events that
 * remain; returns whether a period has ended.
 */
static bool next_period(struct hw_perf_event *hwc, s64 *left)
{
	s64 period = hwc->sample_period;

	*left = local64_read(&hwc->period_left);
	if (likely(*left > 0))
		return false;

	/* Late by a period or more: samples are lost, begin anew. */
	*left = *left > -period ? *left + period : period;
	local64_set(&hwc->period_left, *left);
	hwc->last_period = period;
	return true;
}

/*
 * The count that a counter starts from if it does not go on from where it is:
 * for sampling, so far below zero that it overflows when the period is over
 * (COF-043). It is also what user space takes off the count that it reads,
 * sign-extended by the counter's width: so it is a 64-bit number, and a narrow
 * counter that user space reads starts in the lower half of its range.
 */
static u64 start_count(struct perf_event *event, s64 left, u64 max)
{
	if (is_sampling_event(event))
		return -min_t(u64, left, max >> 1);
	return max == U64_MAX ? 0 : -(max >> 1);
}

static __always_inline bool reload(struct hpm_cpu *cpu,
				   struct perf_event *event, int idx)
{
	struct hpm_counter *counter = &cpu->counter[idx];
	struct hw_perf_event *hwc = &event->hw;
	bool ended = false;
	u64 start;
	s64 left = 0;

	if (is_sampling_event(event))
		ended = next_period(hwc, &left);
	start = start_count(event, left, counter->max);
	local64_set(&hwc->prev_count, start);
	if (counter->config == hwc->config) {
		hpm_set_value(idx, start & counter->max);
	} else {
		hpm_load(cpu, idx, hwc->config, start & counter->max);
		counter->config = hwc->config;
	}
	return ended;
}

/**
 * hpm_event_load() - make a counter ready to run
 * @cpu: the calling CPU
 * @event: the event, on a counter of this CPU that stands still
 *
 * The overflow flag is clear afterwards for counting events as well, so that
 * they are folded when the counter goes round.
 *
 * Context: interrupts off.
 */
void hpm_event_load(struct hpm_cpu *cpu, struct perf_event *event)
{
	reload(cpu, event, event->hw.idx);
}

/**
 * hpm_event_renew() - fold in a counter that has overflowed, and load it again
 * @cpu: the calling CPU
 * @event: the event, on a counter of this CPU that stands still
 *
 * Context: interrupts off.
 * Return: whether a sampling period has ended.
 */
bool hpm_event_renew(struct hpm_cpu *cpu, struct perf_event *event)
{
	fold(cpu, event, event->hw.idx);
	return reload(cpu, event, event->hw.idx);
}

/*
 * For counting it does not matter where a counter starts, except that one which
 * has been used for sampling is about to go round. To user space it does: the
 * count of those before is not for it to see.
 */
static __always_inline bool goes_on(struct hpm_counter *counter,
				    struct perf_event *event)
{
	return !is_sampling_event(event) && !hpm_user_reads(event) &&
		counter->value != HPM_UNKNOWN;
}

static void load(struct hpm_cpu *cpu, struct perf_event *event, int idx)
{
	struct hpm_counter *counter = &cpu->counter[idx];
	struct hw_perf_event *hwc = &event->hw;

	if (!goes_on(counter, event)) {
		hpm_event_load(cpu, event);
		return;
	}
	local64_set(&hwc->prev_count, counter->value);
	if (counter->config != hwc->config) {
		hpm_set_config(cpu, idx, hwc->config);
		counter->config = hwc->config;
	}
}

static noinline void start_anew(struct hpm_cpu *cpu, struct perf_event *event,
				int idx)
{
	if (pesa_wanted(event))
		pesa_event_load(cpu, event);
	load(cpu, event, idx);
	cpu->running |= BIT(idx);
	if (cpu->enabled)
		hpm_start(BIT(idx));
	if (hpm_user_reads(event))
		hpm_user_set(cpu, cpu->user | BIT(idx));
	publish(event);
}

static __always_inline void start(struct hpm_cpu *cpu, struct perf_event *event,
				  int idx)
{
	struct hpm_counter *counter = &cpu->counter[idx];

	event->hw.state = 0;
	if (unlikely(!goes_on(counter, event) || cpu->enabled ||
		     counter->config != event->hw.config ||
		     READ_ONCE(event->rb))) {
		start_anew(cpu, event, idx);
		return;
	}
	local64_set(&event->hw.prev_count, counter->value);
	cpu->running |= BIT(idx);
}

/**
 * hpm_event_lost() - a period has ended, but there will be no sample
 * @event: the event
 *
 * Says so where perf counts those that found no room.
 */
noinline void hpm_event_lost(struct perf_event *event)
{
	struct perf_event *told = event->parent ?: event;

	atomic64_inc(&told->lost_samples);
}

static __always_inline void stop(struct hpm_cpu *cpu, struct perf_event *event,
				 int idx)
{
	cpu->running &= ~BIT(idx);
	if (unlikely(cpu->enabled))
		hpm_stop(BIT(idx));
	fold(cpu, event, idx);
	/*
	 * Interrupts have been off since the period ended, and now that of the
	 * counter cannot come any more. Mostly the task is switched out.
	 */
	if (is_sampling_event(event) &&
	    unlikely(local64_read(&event->hw.period_left) <= 0))
		hpm_event_lost(event);
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

/*
 * An event's counter stands still; it may be without event now. Close it to
 * user space, whether or not the event is mapped any more, see
 * hpm_user_unmapped().
 */
static noinline void close_to_user(struct hpm_cpu *cpu, struct perf_event *event,
				   int idx)
{
	if (cpu->user & BIT(idx))
		hpm_user_set(cpu, cpu->user & ~BIT(idx));
	if (!cpu->counter[idx].event)
		hpm_user_take(cpu, idx);
	publish(event);
}

static __always_inline void stopped(struct hpm_cpu *cpu,
				    struct perf_event *event, int idx)
{
	if (unlikely(cpu->user || READ_ONCE(event->rb)))
		close_to_user(cpu, event, idx);
}

/**
 * hpm_event_start() - start an event
 * @event: the event, on a counter of this CPU
 * @flags: not used: the counter is always made ready
 *
 * Context: interrupts off.
 */
void hpm_event_start(struct perf_event *event, int flags)
{
	if (!WARN_ON_ONCE(!(event->hw.state & PERF_HES_STOPPED)))
		start(this_hpm_cpu(event), event, event->hw.idx);
}

/**
 * hpm_event_stop() - stop an event
 * @event: the event, on a counter of this CPU
 * @flags: not used: the count is always brought up to date
 *
 * Context: interrupts off, also within perf_event_overflow().
 */
void hpm_event_stop(struct perf_event *event, int flags)
{
	struct hpm_cpu *cpu = this_hpm_cpu(event);
	int idx = event->hw.idx;

	if (event->hw.state & PERF_HES_STOPPED)
		return;
	stop(cpu, event, idx);
	stopped(cpu, event, idx);
}

static void hpm_event_read(struct perf_event *event)
{
	if (!(event->hw.state & PERF_HES_UPTODATE))
		fold(this_hpm_cpu(event), event, event->hw.idx);
}

/*
 * Choose a counter: a fixed one first, for these serve few events. Else the one
 * that the event had last, for it may still hold the event's configuration.
 */
static __always_inline int choose_counter(unsigned long free, int last)
{
	if (free & HPM_FIXED)
		free &= HPM_FIXED;
	if (last >= 0 && free & BIT(last))
		return last;
	return free ? __ffs(free) : -EAGAIN;
}

static __always_inline int add(struct hpm_cpu *cpu, struct perf_event *event,
			       int flags)
{
	struct hw_perf_event *hwc = &event->hw;
	int idx = choose_counter(hwc->event_base & cpu->free, hwc->last_tag);

	if (idx < 0)
		return idx;

	cpu->free &= ~BIT(idx);
	cpu->counter[idx].event = event;
	hwc->idx = idx;
	hwc->last_tag = idx;
	if (flags & PERF_EF_START) {
		start(cpu, event, idx);
	} else {
		hwc->state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
		publish(event);
	}
	return 0;
}

/* Does more come and go with the event than its counter? */
static __always_inline bool has_helpers(struct perf_event *event)
{
	return ctr_wanted(event) ||
		unlikely(event->hw.flags & (HPM_EVENT_CAPTURED | HPM_EVENT_RECORDED));
}

static bool is_recorded(struct perf_event *event)
{
	return event->hw.flags & HPM_EVENT_RECORDED;
}

/* Records tell of it from now on, and it is told which it is, if that has changed. */
static void tell_counter(struct perf_event *event, int last)
{
	pdis_counter_comes(event->hw.idx);
	if (event->hw.idx != last)
		perf_report_aux_output_id(event, event->hw.idx);
}

static noinline int add_with_helpers(struct perf_event *event, int flags)
{
	struct hpm_cpu *cpu = this_hpm_cpu(event);
	int last = event->hw.last_tag;
	int ret = 0;

	if (pesa_wanted(event))
		ret = pesa_event_add(cpu, event);
	if (ret)
		return ret;
	if (ctr_wanted(event))
		ret = ctr_event_add(cpu, event);
	if (ret)
		goto err_pesa;
	ret = add(cpu, event, flags);
	if (ret)
		goto err_ctr;
	if (is_recorded(event))
		tell_counter(event, last);
	return 0;

err_ctr:
	if (ctr_wanted(event))
		ctr_event_del(cpu, event);
err_pesa:
	if (pesa_wanted(event))
		pesa_event_del(cpu, event);
	return ret;
}

static int hpm_event_add(struct perf_event *event, int flags)
{
	if (has_helpers(event))
		return add_with_helpers(event, flags);
	return add(this_hpm_cpu(event), event, flags);
}

static __always_inline void del(struct hpm_cpu *cpu, struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;
	int idx = hwc->idx;

	if (!(hwc->state & PERF_HES_STOPPED))
		stop(cpu, event, idx);
	cpu->free |= BIT(idx);
	cpu->counter[idx].event = NULL;
	hwc->idx = -1;
	stopped(cpu, event, idx);
}

static noinline void del_with_helpers(struct perf_event *event)
{
	struct hpm_cpu *cpu = this_hpm_cpu(event);

	if (is_recorded(event))
		pdis_counter_goes(event->hw.idx);
	del(cpu, event);
	if (ctr_wanted(event))
		ctr_event_del(cpu, event);
	if (pesa_wanted(event))
		pesa_event_del(cpu, event);
}

static void hpm_event_del(struct perf_event *event, int flags)
{
	if (has_helpers(event))
		del_with_helpers(event);
	else
		del(this_hpm_cpu(event), event);
}

/* perf wraps whatever changes a context in these two, groups as well. */
static void hpm_pmu_disable(struct pmu *pmu)
{
	struct hpm_cpu *cpu = this_cpu_ptr(to_hpm_pmu(pmu)->cpu);

	cpu->enabled = false;
	if (cpu->running)
		hpm_stop(cpu->running);
}

static void hpm_pmu_enable(struct pmu *pmu)
{
	struct hpm_cpu *cpu = this_cpu_ptr(to_hpm_pmu(pmu)->cpu);

	cpu->enabled = true;
	if (cpu->running)
		hpm_start(cpu->running);
}

/**
 * hpm_sched_task() - a task comes or goes
 * @pmu_ctx: its part for this PMU of the task's perf context, or NULL
 * @task: the task
 * @sched_in: whether it comes
 *
 * Called only while an event that wants branches is on this CPU.
 *
 * Context: interrupts off.
 */
void hpm_sched_task(struct perf_event_pmu_context *pmu_ctx,
		    struct task_struct *task, bool sched_in)
{
	rcu_read_lock();
	ctr_sched_task(this_cpu_ptr(the_pmu->cpu),
		       ctr_task_data(pmu_ctx, task), sched_in);
	rcu_read_unlock();
}

/* Opening. */

/*
 * Implements COF-050: the modes not to be counted in, as bits of hpmevent.
 * User and kernel mean those of guests as well, unless guests are excluded;
 * M-mode is not for us to filter, see event_counters().
 */
static int event_filter(struct hpm_pmu *pmu, struct perf_event_attr *attr,
			u64 *config)
{
	bool guests = pmu->caps.inhibit & HPMEVENT_VSINH;
	u64 inhibit = 0;

	if (attr->exclude_idle || (attr->exclude_host && !guests))
		return -EOPNOTSUPP;
	if (attr->exclude_user || attr->exclude_host)
		inhibit |= HPMEVENT_UINH;
	if (attr->exclude_kernel || attr->exclude_host)
		inhibit |= HPMEVENT_SINH;
	if (attr->exclude_user || attr->exclude_guest)
		inhibit |= HPMEVENT_VUINH;
	if (attr->exclude_kernel || attr->exclude_guest)
		inhibit |= HPMEVENT_VSINH;

	if (inhibit & ~pmu->caps.inhibit & (HPMEVENT_UINH | HPMEVENT_SINH))
		return -EOPNOTSUPP;
	/* Without guests these two bits do not exist, nor does what they do. */
	inhibit &= pmu->caps.inhibit;
	if (inhibit == pmu->caps.inhibit)
		return -EINVAL;

	*config |= inhibit;
	return 0;
}

/* The counters that can do what the event asks for; empty if none can. */
static unsigned long event_counters(struct hpm_pmu *pmu,
				    struct perf_event *event, u64 config)
{
	unsigned long counters = hpm_event_counters(pmu, config & HPMEVENT_EVENT);

	if (is_sampling_event(event))
		counters &= HPM_PROGRAMMABLE;
	if (config & ~HPMEVENT_EVENT)
		counters &= pmu->caps.filter;
	if (event->attr.exclude_hv)
		counters &= pmu->caps.quiet_m;
	if (hpm_user_has_fixed(pmu))
		counters &= ~HPM_FIXED;
	return counters;
}

/*
 * An event for records of sampled instructions, which the leader of its group has
 * made, to tell of: one that they can tell of, on a counter that they can.
 */
static int record_event_init(struct hpm_pmu *pmu, struct perf_event *event,
			     u64 selector)
{
	struct hw_perf_event *hwc = &event->hw;

	if (!event->attr.aux_output)
		return 0;
	hwc->event_base &= pdis_counters(event->group_leader);
	if (!hwc->event_base || !hpm_core_records(pmu->core, selector))
		return -EOPNOTSUPP;
	hwc->flags |= HPM_EVENT_RECORDED;
	return 0;
}

static int hpm_aux_output_match(struct perf_event *aux_event)
{
	return !!pdis_counters(aux_event);
}

/* Finds room for another event of a group, given what the others have used. */
static bool place(struct perf_event *other, struct perf_event *event,
		  unsigned long *used)
{
	int idx;

	if (other->pmu != event->pmu)
		return true;
	if (!ctr_events_agree(other, event))
		return false;
	idx = choose_counter(other->hw.event_base & ~*used, -1);
	if (idx < 0)
		return false;
	*used |= BIT(idx);
	return true;
}

/* Would the event's group, with the event, find counters if it were alone? */
static bool group_fits(struct perf_event *event)
{
	struct perf_event *leader = event->group_leader;
	struct perf_event *sibling;
	unsigned long used = 0;

	if (leader == event)
		return true;
	if (!place(leader, event, &used))
		return false;
	for_each_sibling_event(sibling, leader) {
		if (!place(sibling, event, &used))
			return false;
	}
	return place(event, event, &used);
}

/* Only the hardware knows which selectors it takes; child events are known. */
static bool selector_accepted(struct hpm_pmu *pmu, struct perf_event *event,
			      u64 selector)
{
	unsigned long flags;
	bool accepted;

	if (event->attr.type != PERF_TYPE_RAW || event->parent)
		return true;
	local_irq_save(flags);
	accepted = pmu->ops->accepts(this_cpu_ptr(pmu->cpu), selector,
				     hpm_event_counters(pmu, selector));
	local_irq_restore(flags);
	return accepted;
}

static int check_attr(struct hpm_pmu *pmu, struct perf_event *event,
		      u64 selector)
{
	struct perf_event_attr *attr = &event->attr;

	if (event->cpu >= 0 && !cpumask_test_cpu(event->cpu, &pmu->cpus))
		return -ENOENT;
	if (attr->config1 || attr->config2 || attr->config3)
		return -EINVAL;
	return selector_accepted(pmu, event, selector) ? 0 : -EINVAL;
}

/*
 * perf begins with a period of 1 and learns from the interrupts how often the
 * event happens. These two are known to be frequent: begin nearer to the mark,
 * and spare the system the burst.
 */
static void set_first_period(struct hpm_pmu *pmu, struct perf_event *event,
			     u64 selector)
{
	struct hw_perf_event *hwc = &event->hw;

	if (!event->attr.freq || !event->attr.sample_freq)
		return;
	if (selector != pmu->hw[PERF_COUNT_HW_CPU_CYCLES] &&
	    selector != pmu->hw[PERF_COUNT_HW_INSTRUCTIONS])
		return;

	hwc->sample_period = max_t(u64, HPM_FREQUENT / event->attr.sample_freq, 1);
	hwc->last_period = hwc->sample_period;
	local64_set(&hwc->period_left, hwc->sample_period);
}

static int hpm_event_init(struct perf_event *event)
{
	struct hpm_pmu *pmu = to_hpm_pmu(event->pmu);
	struct hw_perf_event *hwc = &event->hw;
	u64 config;
	int ret;

	/* First, for the event may be another PMU's. */
	ret = hpm_event_selector(pmu, &event->attr, &config);
	if (ret)
		return ret;
	ret = check_attr(pmu, event, config);
	if (ret)
		return ret;
	set_first_period(pmu, event, config);
	ret = event_filter(pmu, &event->attr, &config);
	if (ret)
		return ret;

	hwc->config = config;
	hwc->event_base = event_counters(pmu, event, config);
	hwc->idx = -1;
	hwc->last_tag = -1;
	hwc->flags = hpm_user_flags(pmu);
	if (!hwc->event_base)
		return -EOPNOTSUPP;
	ret = pesa_event_init(pmu, event, config & HPMEVENT_EVENT) ?:
		ctr_event_init(pmu, event) ?:
		record_event_init(pmu, event, config & HPMEVENT_EVENT);
	if (ret)
		return ret;
	return group_fits(event) ? 0 : -EINVAL;
}

/* Coming up. */

/* For the built-in code that fills the mapped page: width - 1. */
static int hpm_counter_width(int idx)
{
	return fls64(the_pmu->caps.max[idx]) - 1;
}

/* The built-in drivers take the same PMU name, interrupt and hotplug state. */
static bool built_in_holds(const char *name)
{
	struct device *dev = bus_find_device_by_name(&platform_bus_type, NULL,
						     name);
	bool bound = dev && dev->driver;

	put_device(dev);
	return bound;
}

static struct hpm_pmu *hpm_pmu_alloc(const struct hpm_ops *ops)
{
	struct hpm_pmu *pmu = kzalloc(sizeof(*pmu), GFP_KERNEL);
	int cpu;

	if (!pmu)
		return NULL;
	pmu->cpu = alloc_percpu(struct hpm_cpu);
	if (!pmu->cpu) {
		kfree(pmu);
		return NULL;
	}

	for_each_possible_cpu(cpu) {
		per_cpu_ptr(pmu->cpu, cpu)->pmu = pmu;
		per_cpu_ptr(pmu->cpu, cpu)->enabled = true;
	}
	memset(&pmu->caps, 0xff, sizeof(pmu->caps));
	pmu->ops = ops;
	pmu->rv.ctr_get_width = hpm_counter_width;
	pmu->rv.pmu = (struct pmu) {
		.module		= THIS_MODULE,
		.capabilities	= PERF_PMU_CAP_EXTENDED_HW_TYPE |
				  PERF_PMU_CAP_AUX_OUTPUT,
		.attr_groups	= hpm_attr_groups,
		.pmu_enable	= hpm_pmu_enable,
		.pmu_disable	= hpm_pmu_disable,
		.event_init	= hpm_event_init,
		.event_mapped	= hpm_user_mapped,
		.event_unmapped	= hpm_user_unmapped,
		.event_idx	= hpm_user_idx,
		.add		= hpm_event_add,
		.del		= hpm_event_del,
		.start		= hpm_event_start,
		.stop		= hpm_event_stop,
		.read		= hpm_event_read,
		.sched_task	= HPM_SCHED_TASK,
		.aux_output_match = hpm_aux_output_match,
	};
	return pmu;
}

static void hpm_pmu_free(struct hpm_pmu *pmu)
{
	free_percpu(pmu->cpu);
	kfree(pmu);
}

static int hpm_pmu_start(struct hpm_pmu *pmu)
{
	int ret;

	ret = hpm_overflow_init(pmu);
	if (ret)
		return ret;
	ctr_detect(pmu);
	pesa_detect(pmu);
	ret = hpm_cpus_init(pmu);
	if (ret)
		goto err_overflow;
	ret = ctr_init(pmu);
	if (ret)
		goto err_cpus;
	pesa_init(pmu);
	ret = hpm_user_init(pmu);
	if (ret)
		goto err_ctr;
	ret = perf_pmu_register(&pmu->rv.pmu, "cpu", PERF_TYPE_RAW);
	if (ret)
		goto err_user;
	return 0;

err_user:
	hpm_user_exit(pmu);
err_ctr:
	ctr_exit(pmu);
err_cpus:
	hpm_cpus_exit(pmu);
err_overflow:
	hpm_overflow_exit(pmu);
	return ret;
}

static void hpm_pmu_stop(struct hpm_pmu *pmu)
{
	perf_pmu_unregister(&pmu->rv.pmu);
	hpm_user_exit(pmu);
	ctr_exit(pmu);
	hpm_cpus_exit(pmu);
	hpm_overflow_exit(pmu);
}

static int __init hpm_init(void)
{
	const struct hpm_ops *ops;
	char records[96];
	int ret;

	if (built_in_holds(RISCV_PMU_SBI_PDEV_NAME) ||
	    built_in_holds(RISCV_PMU_LEGACY_PDEV_NAME)) {
		pr_err("the built-in driver has the counters: boot with initcall_blacklist=pmu_sbi_devinit,riscv_pmu_legacy_devinit\n");
		return -EBUSY;
	}
	ops = hpm_deleg_probe();
	if (!ops)
		return -EOPNOTSUPP;

	the_pmu = hpm_pmu_alloc(ops);
	if (!the_pmu)
		return -ENOMEM;
	ret = hpm_pmu_start(the_pmu);
	if (ret) {
		hpm_pmu_free(the_pmu);
		the_pmu = NULL;
		return ret;
	}
	pr_info("%lu programmable counters, %lu fixed%s%s\n",
		hweight_long(the_pmu->caps.counters & HPM_PROGRAMMABLE),
		hweight_long(the_pmu->caps.counters & HPM_FIXED),
		ctr_describe(the_pmu, records, sizeof(records)),
		pesa_describe(the_pmu));
	return 0;
}
module_init(hpm_init);

static void __exit hpm_exit(void)
{
	hpm_pmu_stop(the_pmu);
	hpm_pmu_free(the_pmu);
}
module_exit(hpm_exit);

MODULE_DESCRIPTION("RISC-V performance counters without firmware calls");
MODULE_AUTHOR("riscv-perf developers");
MODULE_LICENSE("GPL");
