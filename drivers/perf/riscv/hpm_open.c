// SPDX-License-Identifier: GPL-2.0-only
/*
 * What events may be opened: attributes, filters, groups, and the counters that can be
 * used.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bitfield.h>
#include <linux/bitops.h>
#include <linux/cpumask.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/perf_event.h>
#include <linux/printk.h>

#include <asm/cpufeature.h>
#include <asm/csr_sscofpmf.h>

#include "hpm.h"
#include "hpm_firmware.h"
#include "hpm_match.h"
#include "isa.h"
#include "pdis_counters.h"

/* A low estimate of cycles or instructions per second */
#define HPM_FREQUENT		100000000

/*
 * Implements COF-050: add the modes to exclude, as bits of hpmevent. User and kernel
 * include those of guests, unless guests are excluded. S-mode cannot filter M-mode, see
 * hpm_open_counters().
 */
static int hpm_open_filter(struct hpm_pmu *pmu, struct perf_event_attr *attr,
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
	if (attr->exclude_guest && !guests && riscv_isa_has_guests())
		pr_notice_once("guests are counted, too: no counter has filters for their modes\n");
	/* Without filters for guests' modes these two bits do not exist. */
	inhibit &= pmu->caps.inhibit;
	if (inhibit == pmu->caps.inhibit)
		return -EINVAL;

	*config |= inhibit;
	return 0;
}

/*
 * Some cores have other events for the cycles of one mode: use these for cycles:u and
 * cycles:k.
 */
static u64 hpm_open_meant(struct hpm_pmu *pmu, const struct perf_event_attr *attr, u64 config)
{
	u64 cycles = hpm_core_cycles(pmu->core, !attr->exclude_user, !attr->exclude_kernel);

	if (!cycles || (config & HPM_SELECTOR) != pmu->hw[PERF_COUNT_HW_CPU_CYCLES])
		return config;
	return (config & ~HPM_SELECTOR) | cycles;
}

/*
 * Do all of these counters that can filter modes count firmware, as all others of the PMU
 * do? Then exclude_hv has to be ignored: perf sets it whenever a mode is given, and ":u"
 * would not work otherwise. If others do not count firmware, the log has no warning that
 * these do.
 */
static bool hpm_open_is_loud(struct hpm_pmu *pmu, unsigned long counters)
{
	return pmu->loud && counters & pmu->caps.filter && !(counters & pmu->caps.quiet_m);
}

/*
 * The counters that interrupt where the event is to be sampled. On a CPU that came late it may
 * be none. A task is sampled where it can be.
 */
static unsigned long hpm_open_interrupting(const struct hpm_pmu *pmu,
					   const struct perf_event *event)
{
	if (event->cpu >= 0 && !(event->attach_state & PERF_ATTACH_TASK) &&
	    !cpumask_test_cpu(event->cpu, &pmu->interrupting))
		return 0;
	return pmu->caps.overflow;
}

/* The counters that can do what the event asks for; empty if none can. */
static unsigned long hpm_open_counters(struct hpm_pmu *pmu,
				       struct perf_event *event, u64 config)
{
	unsigned long counters = hpm_select_counters(pmu, config & HPM_SELECTOR);

	if (event->attr.config2)
		counters &= event->attr.config2;
	if (is_sampling_event(event))
		counters &= hpm_open_interrupting(pmu, event);
	if (config & ~HPM_SELECTOR)
		counters &= pmu->caps.filter;
	if (event->attr.exclude_hv && !hpm_open_is_loud(pmu, counters))
		counters &= pmu->caps.quiet_m;
	if (hpm_user_has_fixed())
		counters &= ~HPM_FIXED;
	return counters;
}

/*
 * The fixed counter for an event that no other counter can count, and that excludes only
 * guests. The counter has no filter and cannot exclude them. But perf excludes guests by
 * default, and refusing the event would leave no way to count cycles.
 */
static unsigned long hpm_open_find_fixed(struct hpm_pmu *pmu, struct perf_event *event,
					 u64 *config)
{
	u64 all = *config & HPM_SELECTOR;
	unsigned long counters = hpm_select_counters(pmu, all);

	if (*config != (all | HPMEVENT_VUINH | HPMEVENT_VSINH) ||
	    hpm_select_able(pmu, all, counters & HPM_PROGRAMMABLE))
		return 0;
	counters = hpm_open_counters(pmu, event, all) & HPM_FIXED;
	counters = hpm_select_able(pmu, all, counters);
	if (!counters)
		return 0;
	pr_notice_once("cycles and instructions of guests are counted, too: their counters have no mode filters\n");
	*config = all;
	return counters;
}

/* The counters that the event can use. A child event can use those of its parent. */
static unsigned long hpm_open_find(struct hpm_pmu *pmu, struct perf_event *event, u64 *config)
{
	unsigned long found;

	if (event->parent) {
		*config = event->parent->hw.config;
		return event->parent->hw.event_base;
	}
	found = hpm_select_able(pmu, *config, hpm_open_counters(pmu, event, *config));
	return found ?: hpm_open_find_fixed(pmu, event, config);
}

/*
 * An event with aux_output is to be included in the instruction sampling records that its
 * group leader makes. Records must support the event, and the counter that it is on.
 */
static int hpm_open_recorded(struct hpm_pmu *pmu, struct perf_event *event,
			     u64 selector)
{
	struct hw_perf_event *hwc = &event->hw;

	if (!event->attr.aux_output)
		return 0;
	hwc->event_base &= pdis_counters_of(event->group_leader);
	if (!hwc->event_base || !hpm_core_records(pmu->core, selector))
		return -EOPNOTSUPP;
	hwc->flags |= HPM_EVENT_RECORDED;
	return 0;
}

/**
 * hpm_open_aux_output_match() - can an event's records include other events?
 * @aux_event: the event
 *
 * Return: whether they can.
 */
int hpm_open_aux_output_match(struct perf_event *aux_event)
{
	return !!pdis_counters_of(aux_event);
}

/* Find a counter for another event of a group, moving those that have one if necessary. */
static bool hpm_open_place(struct perf_event *other, struct perf_event *event,
			   struct hpm_match *match)
{
	bool shares = other->pmu == READ_ONCE(to_hpm_pmu(event->pmu)->sampler);
	int idx;

	if (other->pmu != event->pmu && !shares)
		return true;
	if (!ctr_events_agree(other, event))
		return false;
	if (shares || hpm_is_firmware(other))
		return true;
	idx = hpm_match_find(match, other->hw.event_base);
	if (idx < 0)
		return false;
	match->free &= ~BIT(idx);
	for (; match->from[idx] != HPM_MATCH_END; idx = match->from[idx])
		match->able[idx] = match->able[match->from[idx]];
	match->able[idx] = other->hw.event_base;
	return true;
}

/* Would the event's group, including the event, get counters if it were alone? */
static bool hpm_open_group_fits(struct perf_event *event)
{
	struct perf_event *leader = event->group_leader;
	struct hpm_match match = { .free = HPM_FIXED | HPM_PROGRAMMABLE };
	struct perf_event *sibling;

	if (leader == event)
		return true;
	if (!hpm_open_place(leader, event, &match))
		return false;
	for_each_sibling_event(sibling, leader) {
		if (!hpm_open_place(sibling, event, &match))
			return false;
	}
	return hpm_open_place(event, event, &match);
}

/* Only the hardware knows which selectors it takes. Child events need no check. */
static bool hpm_open_accepted(struct hpm_pmu *pmu, struct perf_event *event,
			      u64 selector)
{
	return event->attr.type != event->pmu->type || event->parent ||
		hpm_select_accepted(pmu, selector);
}

/*
 * Are there bits in config1 to config4 that have no meaning? config2 is a mask of the
 * hart's counters. KVM marks a guest's event in config1; it also sets exclude_host.
 */
static bool hpm_open_extended(const struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;
	bool firmware = hpm_firmware_is_meant(event);
	u64 counters = firmware ? 0 : U32_MAX;
	u64 known = RISCV_PMU_CONFIG1_GUEST_EVENTS |
		(firmware ? 0 : HPM_CONFIG1_DEPTH);

#ifdef PERF_ATTR_SIZE_VER9
	if (attr->config4)
		return true;
#endif
	return attr->config1 & ~known ||
		attr->config2 & ~counters || attr->config3;
}

static int hpm_open_check(struct hpm_pmu *pmu, struct perf_event *event)
{
	if (event->cpu >= 0 && !cpumask_test_cpu(event->cpu, &pmu->cpus))
		return -ENOENT;
	return hpm_open_extended(event) ? -EINVAL : 0;
}

/*
 * For a frequency, perf starts with a period of 1 and adjusts it at interrupts. Cycles
 * and instructions are known to be frequent: start with a better estimate, to avoid a
 * burst of interrupts.
 */
static void hpm_open_first_period(struct hpm_pmu *pmu,
				  struct perf_event *event, u64 selector)
{
	struct hw_perf_event *hwc = &event->hw;

	if (!event->attr.freq || !event->attr.sample_freq)
		return;
	if (selector != pmu->hw[PERF_COUNT_HW_CPU_CYCLES] &&
	    selector != pmu->hw[PERF_COUNT_HW_INSTRUCTIONS])
		return;

	hwc->sample_period = max_t(u64, div64_u64(HPM_FREQUENT, event->attr.sample_freq), 1);
	hwc->last_period = hwc->sample_period;
	local64_set(&hwc->period_left, hwc->sample_period);
}

/* Can the cycles of one mode be sampled, on a core that cannot sample cycles? */
static bool hpm_open_samples_by_mode(struct hpm_pmu *pmu, const struct perf_event *event)
{
	u64 user = hpm_core_cycles(pmu->core, true, false);
	unsigned long counters = hpm_select_counters(pmu, user) &
		hpm_open_interrupting(pmu, event);

	return user && hpm_select_able(pmu, user, counters);
}

/*
 * The error if no counter can count an event. On some cores only fixed counters, which do
 * not interrupt, count cycles and instructions; others have no overflow interrupt, or one of
 * their CPUs has none. That surprises users of perf record, so it is logged. By default perf
 * record asks for cycles, and falls back to a clock only at -ENOENT.
 */
static int hpm_open_lacks(struct hpm_pmu *pmu, struct perf_event *event, u64 selector)
{
	unsigned long counters = hpm_select_counters(pmu, selector);
	bool cycles = event->attr.type == PERF_TYPE_HARDWARE &&
		event->attr.config == PERF_COUNT_HW_CPU_CYCLES;

	if (!is_sampling_event(event) ||
	    hpm_select_able(pmu, selector, counters & hpm_open_interrupting(pmu, event)))
		return -EOPNOTSUPP;
	if (cycles && hpm_open_samples_by_mode(pmu, event))
		pr_notice_once("this core samples cycles of one mode at a time: use cycles:u, cycles:k or cpu-clock\n");
	else if (hpm_select_able(pmu, selector, counters))
		pr_notice_once("counters of event %#llx do not interrupt: it can be counted; for samples use cpu-clock, or another event\n",
			       event->attr.config);
	return cycles ? -ENOENT : -EOPNOTSUPP;
}

/**
 * hpm_open_event() - may this event be opened?
 * @event: the event, which may be another PMU's; initialized on success
 *
 * Context: task context.
 * Return: 0 or an error: -ENOENT if it is not for this PMU.
 */
int hpm_open_event(struct perf_event *event)
{
	struct hpm_pmu *pmu = to_hpm_pmu(event->pmu);
	struct hw_perf_event *hwc = &event->hw;
	u64 config;
	int ret;

	if (hpm_firmware_is_meant(event))
		return hpm_open_check(pmu, event) ?: hpm_firmware_open(pmu, event);
	/* This comes first, since the event may be another PMU's. */
	ret = hpm_select_event(pmu, &event->attr, &config);
	if (ret)
		return ret;
	ret = hpm_open_check(pmu, event);
	if (ret)
		return ret;
	if (!hpm_open_accepted(pmu, event, config))
		return -EINVAL;
	hpm_open_first_period(pmu, event, config);
	ret = hpm_open_filter(pmu, &event->attr, &config);
	if (ret)
		return ret;

	config = hpm_open_meant(pmu, &event->attr, config);
	hwc->event_base = hpm_open_find(pmu, event, &config);
	hwc->config = config;
	hwc->idx = -1;
	hwc->flags = hpm_user_flags(pmu);
	if (!hwc->event_base)
		return hpm_open_lacks(pmu, event, config & HPM_SELECTOR);
	ret = pesa_event_init(&pmu->pesa, event, config & HPM_SELECTOR) ?:
		ctr_event_init(&pmu->ctr, event,
			       FIELD_GET(HPM_CONFIG1_DEPTH, event->attr.config1)) ?:
		hpm_open_recorded(pmu, event, config & HPM_SELECTOR);
	if (!ret && !hpm_open_group_fits(event))
		ret = -EINVAL;
	if (ret) {
		ctr_event_exit(event);
		pesa_event_exit(event);
	}
	return ret;
}
