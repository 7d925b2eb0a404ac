// SPDX-License-Identifier: GPL-2.0-only
/*
 * What may be opened: attributes, filters, groups, and the counters that can do it.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bitfield.h>
#include <linux/bitops.h>
#include <linux/cpumask.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/perf_event.h>
#include <linux/printk.h>

#include <asm/csr_sscofpmf.h>
#include <asm/hwcap.h>

#include "hpm.h"
#include "hpm_firmware.h"
#include "hpm_match.h"
#include "pdis_counters.h"

/* Cycles or instructions in a second, on the slow side. */
#define HPM_FREQUENT		100000000

/*
 * Implements COF-050: the modes not to be counted in, as bits of hpmevent.
 * User and kernel mean those of guests as well, unless guests are excluded;
 * M-mode is not for us to filter, see hpm_open_counters().
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
	if (attr->exclude_guest && !guests && riscv_isa_extension_available(NULL, h))
		pr_notice_once("guests are counted, too: no counter knows their modes\n");
	/* Without guests these two bits do not exist, nor does what they do. */
	inhibit &= pmu->caps.inhibit;
	if (inhibit == pmu->caps.inhibit)
		return -EINVAL;

	*config |= inhibit;
	return 0;
}

/* Where cycles of some modes are another event than cycles, it is that one which is meant. */
static u64 hpm_open_meant(struct hpm_pmu *pmu, const struct perf_event_attr *attr, u64 config)
{
	u64 cycles = hpm_core_cycles(pmu->core, !attr->exclude_user, !attr->exclude_kernel);

	if (!cycles || (config & HPM_SELECTOR) != pmu->hw[PERF_COUNT_HW_CPU_CYCLES])
		return config;
	return (config & ~HPM_SELECTOR) | cycles;
}

/*
 * Do all of these counters that know our modes count firmware, as all others do? perf sets
 * exclude_hv whenever it is told a mode: without it there would be no ":u". Where others do
 * not, nobody has been told that these do.
 */
static bool hpm_open_is_loud(struct hpm_pmu *pmu, unsigned long counters)
{
	return pmu->loud && counters & pmu->caps.filter && !(counters & pmu->caps.quiet_m);
}

/* The counters that can do what the event asks for; empty if none can. */
static unsigned long hpm_open_counters(struct hpm_pmu *pmu,
				       struct perf_event *event, u64 config)
{
	unsigned long counters = hpm_select_counters(pmu, config & HPM_SELECTOR);

	if (event->attr.config2)
		counters &= event->attr.config2;
	if (is_sampling_event(event))
		counters &= pmu->caps.overflow;
	if (config & ~HPM_SELECTOR)
		counters &= pmu->caps.filter;
	if (event->attr.exclude_hv && !hpm_open_is_loud(pmu, counters))
		counters &= pmu->caps.quiet_m;
	if (hpm_user_has_fixed())
		counters &= ~HPM_FIXED;
	return counters;
}

/*
 * The fixed counter of an event that no other counter has, and that is to exclude guests only.
 * It cannot without a filter, and perf excludes guests unless it is told otherwise: to refuse
 * the event would be to have no cycles at all.
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
	pr_notice_once("cycles and instructions of guests are counted, too: their counters do not know modes\n");
	*config = all;
	return counters;
}

/* The counters that can have the event. A child event can do what its parent can. */
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
 * An event for records of sampled instructions, which the leader of its group has
 * made, to tell of: one that they can tell of, on a counter that they can.
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
 * hpm_open_aux_output_match() - can records that an event makes tell of others?
 * @aux_event: the event
 *
 * Return: whether they can.
 */
int hpm_open_aux_output_match(struct perf_event *aux_event)
{
	return !!pdis_counters_of(aux_event);
}

/* Finds room for another event of a group, and lets those move that have some already. */
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

/* Would the event's group, with the event, find counters if it were alone? */
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

/* Only the hardware knows which selectors it takes; child events are known. */
static bool hpm_open_accepted(struct hpm_pmu *pmu, struct perf_event *event,
			      u64 selector)
{
	return event->attr.type != event->pmu->type || event->parent ||
		hpm_select_accepted(pmu, selector);
}

/*
 * Nothing is known of what else there is to configure, so it is not asked for. The
 * counters that a user chooses, in config2, are the hart's. KVM says that an event is a
 * guest's, which it excludes the host from besides.
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
 * perf begins with a period of 1 and learns from the interrupts how often the
 * event happens. These two are known to be frequent: begin nearer to the mark,
 * and spare the system the burst.
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

/* Are there samples of cycles of one mode, where there are none of cycles? */
static bool hpm_open_samples_by_mode(struct hpm_pmu *pmu)
{
	u64 user = hpm_core_cycles(pmu->core, true, false);
	unsigned long counters = hpm_select_counters(pmu, user) & pmu->caps.overflow;

	return user && hpm_select_able(pmu, user, counters);
}

/*
 * The error if no counter can have an event. A core may count cycles and instructions with
 * its fixed counters only, which do not interrupt, and others have no interrupt at all: that
 * is not what one expects of perf record. If it is not told which event to sample it asks
 * for cycles, and takes a clock instead only if there is no such event.
 */
static int hpm_open_lacks(struct hpm_pmu *pmu, struct perf_event *event, u64 selector)
{
	unsigned long counters = hpm_select_counters(pmu, selector);
	bool cycles = event->attr.type == PERF_TYPE_HARDWARE &&
		event->attr.config == PERF_COUNT_HW_CPU_CYCLES;

	if (!is_sampling_event(event) ||
	    hpm_select_able(pmu, selector, counters & pmu->caps.overflow))
		return -EOPNOTSUPP;
	if (cycles && hpm_open_samples_by_mode(pmu))
		pr_notice_once("this core samples cycles of one mode at a time: use cycles:u, cycles:k or cpu-clock\n");
	else if (hpm_select_able(pmu, selector, counters))
		pr_notice_once("counters of event %#llx do not interrupt: it can be counted; for samples use cpu-clock, or another event\n",
			       event->attr.config);
	return cycles ? -ENOENT : -EOPNOTSUPP;
}

/**
 * hpm_open_event() - may this event be opened?
 * @event: the event, perhaps another PMU's; set up if it may
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
	/* First, for the event may be another PMU's. */
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
	hwc->last_tag = -1;
	hwc->flags = hpm_user_flags(pmu);
	if (!hwc->event_base)
		return hpm_open_lacks(pmu, event, config & HPM_SELECTOR);
	ret = pesa_event_init(&pmu->pesa, event, config & HPM_SELECTOR) ?:
		ctr_event_init(&pmu->ctr, event,
			       FIELD_GET(HPM_CONFIG1_DEPTH, event->attr.config1)) ?:
		hpm_open_recorded(pmu, event, config & HPM_SELECTOR);
	if (!ret && !hpm_open_group_fits(event))
		ret = -EINVAL;
	if (ret)
		pesa_event_exit(event);
	return ret;
}
