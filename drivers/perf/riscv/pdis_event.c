// SPDX-License-Identifier: GPL-2.0-only
/*
 * Instruction sampling: what events of both PMUs have in common.
 */
#include <linux/bitfield.h>
#include <linux/cpumask.h>
#include <linux/export.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/prandom.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#include <asm/cpufeature.h>

#include "isa.h"
#include "pdis.h"
#include "pdis_hw.h"

static u64 pdis_event_modes(const struct perf_event_attr *attr)
{
	return (attr->exclude_user ? 0 : SPDISCTL_U) |
		(attr->exclude_kernel ? 0 : SPDISCTL_S);
}

/**
 * pdis_event_check_period() - is a period supported?
 * @event: an event of one of the PMUs
 * @period: the period
 *
 * Implements PDIS-CNT-015 and PDIS-CNT-016.
 *
 * Return: 0 or -EINVAL.
 */
int pdis_event_check_period(struct perf_event *event, u64 period)
{
	return period < pdis_of(event)->caps.min_period || period > U32_MAX ?
		-EINVAL : 0;
}
EXPORT_SYMBOL_GPL(pdis_event_check_period);

/* Does the event ask for what cannot exist, or contradict itself? */
static bool pdis_event_contradicts(const struct perf_event_attr *attr)
{
#ifdef PERF_ATTR_SIZE_VER9
	if (attr->config4)
		return true;
#endif
	return attr->config & ~(PDIS_CONFIG | PDIS_CONFIG_JITTER) ||
		attr->config1 & ~PDIS_CONFIG1 ||
		attr->config2 & ~PDIS_CONFIG2 || attr->config3 & ~PDIS_CONFIG3 ||
		attr->config1 & attr->config2 || !pdis_event_modes(attr) ||
		FIELD_GET(SPDISCTL_SEL, attr->config) > SPDISCTL_SEL_MAX;
}

/* Implements PDIS-FLT-028. */
static bool pdis_event_lacks(const struct pdis_caps *caps,
			     const struct perf_event_attr *attr)
{
	return attr->config & PDIS_CONFIG & ~caps->config ||
		(attr->config1 | attr->config2) & ~caps->events ||
		attr->config3 & ~caps->latency;
}

static bool pdis_event_is_ours(const struct perf_event *event)
{
	return event->pmu->check_period == pdis_event_check_period;
}

static bool pdis_event_try_lock(const struct perf_event *leader)
{
	struct perf_event_context *ctx;

	guard(rcu)();
	ctx = READ_ONCE(leader->ctx);
	if (!mutex_trylock(&ctx->mutex))
		return false;
	if (ctx == leader->ctx)
		return true;
	mutex_unlock(&ctx->mutex);
	return false;
}

/**
 * pdis_event_lock_group() - keep the events of a group from coming and going
 * @leader: the leader of an event that is being opened
 *
 * perf does this only for PMUs whose events are in the context of hardware events. The
 * leader cannot go, because whoever opens the event holds it. But perf may move it to another
 * context, and free the one that it was in. To sleep until the mutex of that is free would
 * take a reference to the context, and modules have no way to drop one.
 *
 * Context: process, may sleep. The caller holds no mutex of the leader's context.
 */
void pdis_event_lock_group(const struct perf_event *leader)
{
	while (!pdis_event_try_lock(leader))
		schedule_timeout_uninterruptible(1);
}
EXPORT_SYMBOL_GPL(pdis_event_lock_group);

/**
 * pdis_event_unlock_group() - undo pdis_event_lock_group()
 * @leader: the leader, which has stayed in its context
 *
 * As soon as the mutex is free, the leader may be moved and the context be freed.
 */
void pdis_event_unlock_group(const struct perf_event *leader)
{
	guard(rcu)();
	mutex_unlock(&leader->ctx->mutex);
}
EXPORT_SYMBOL_GPL(pdis_event_unlock_group);

/**
 * pdis_event_rests() - is an event not to be started, since its CPU is about to go offline?
 * @event: the event, which is on this CPU and stopped
 *
 * If the CPU stays after all, the event is started then.
 *
 * Context: interrupts off.
 * Return: whether it is so.
 */
bool pdis_event_rests(struct perf_event *event)
{
	if (likely(cpumask_test_cpu(smp_processor_id(), &pdis_of(event)->cpus)))
		return false;
	this_pdis_cpu(event)->resting = true;
	return true;
}
EXPORT_SYMBOL_GPL(pdis_event_rests);

static bool pdis_event_is_in(struct perf_event *leader)
{
	struct perf_event *sibling;

	if (pdis_event_is_ours(leader))
		return true;
	for_each_sibling_event(sibling, leader) {
		if (pdis_event_is_ours(sibling))
			return true;
	}
	return false;
}

/* Two in a group could never be on a hart at the same time. */
static bool pdis_event_is_alone(const struct perf_event *event)
{
	struct perf_event *leader = event->group_leader;
	bool alone;

	if (leader == event)
		return true;
	pdis_event_lock_group(leader);
	alone = !pdis_event_is_in(leader);
	pdis_event_unlock_group(leader);
	return alone;
}

/**
 * pdis_event_check() - is an event supported?
 * @event: an event of one of the PMUs
 *
 * Guests are checked separately, see pdis_event_check_guests().
 *
 * Return: 0; -ENOENT if its CPU does not sample; -EINVAL if it contradicts itself;
 * -EOPNOTSUPP if the harts cannot do it.
 */
int pdis_event_check(struct perf_event *event)
{
	struct perf_event_attr *attr = &event->attr;
	struct pdis *pdis = pdis_of(event);

	if (event->cpu >= 0 && pdis_event_not_on(event->pmu, event->cpu))
		return -ENOENT;
	if (pdis_event_contradicts(attr))
		return -EINVAL;
	if (pdis_event_lacks(&pdis->caps, attr) || attr->exclude_idle ||
	    attr->exclude_host)
		return -EOPNOTSUPP;
	if (!is_sampling_event(event) || !pdis_event_is_alone(event))
		return -EINVAL;
	if (attr->freq)
		return 0;
	return pdis_event_check_period(event, event->hw.sample_period);
}
EXPORT_SYMBOL_GPL(pdis_event_check);

/**
 * pdis_event_check_guests() - does an event exclude guests?
 * @event: an event of one of the PMUs, which has passed all other checks
 *
 * Guests are never sampled, so an event has to exclude them. If there can be no guests,
 * that makes no difference.
 *
 * This has to be the last check. The perf tool excludes guests when it gets this error,
 * and no longer excludes them when it gets -EINVAL: if it got one and then the other, it
 * would try for ever.
 *
 * Return: 0 or -EOPNOTSUPP.
 */
int pdis_event_check_guests(const struct perf_event *event)
{
	return !event->attr.exclude_guest && riscv_isa_has_guests() ?
		-EOPNOTSUPP : 0;
}
EXPORT_SYMBOL_GPL(pdis_event_check_guests);

/**
 * pdis_event_not_on() - pmu->filter(): keep events off CPUs that the PMU is not for
 * @pmu: one of the PMUs
 * @cpu: the CPU's number
 *
 * Return: true if it is not for the CPU.
 */
bool pdis_event_not_on(struct pmu *pmu, int cpu)
{
	const struct pdis_pmu *pdis_pmu = to_pdis_pmu(pmu);

	return !pdis_pmu->is_for(pdis_pmu->pdis, cpu);
}
EXPORT_SYMBOL_GPL(pdis_event_not_on);

/**
 * pdis_event_set_up() - set up an event that has passed all checks
 * @event: the event, or one that a child process inherits. An inherited event is not
 *	checked, since the process that forks has not opened it. It has the rights of its
 *	parent event.
 *
 * Events compete for the hart when they are added to a CPU: only one can be.
 *
 * Context: task context.
 */
void pdis_event_set_up(struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;

	hwc->config = (event->attr.config & PDIS_CONFIG) | pdis_event_modes(&event->attr);
	if (event->parent)
		hwc->flags |= event->parent->hw.flags & (PDIS_SEES_ALL | PDIS_NO_FLUSHED);
	local64_set(&hwc->period_left, hwc->sample_period);
}
EXPORT_SYMBOL_GPL(pdis_event_set_up);

/* What perf has found for a frequency may be out of range. */
static u32 pdis_event_period_of(struct perf_event *event)
{
	return clamp_t(u64, event->hw.sample_period,
		       pdis_of(event)->caps.min_period, U32_MAX);
}

/*
 * Vary a period by up to an eighth, with the same average. The kernel's better random
 * numbers take a lock that may sleep.
 */
static u32 pdis_event_disperse(struct perf_event *event, u32 period)
{
	u32 random = prandom_u32_state(&this_pdis_cpu(event)->random);
	u32 spread = period / 8;
	u64 other = (u64)period - spread + random % (2 * spread + 1);

	return clamp_t(u64, other, pdis_of(event)->caps.min_period, U32_MAX);
}

static u64 pdis_event_counter(u64 count, u64 period)
{
	return FIELD_PREP(SPDISCOUNTER_COUNT, (u32)-count) |
		FIELD_PREP(SPDISCOUNTER_INITVAL, (u32)-period);
}

/**
 * pdis_event_load() - set up all registers but spdisctl
 * @event: an event that is to start
 *
 * Implements PDIS-CNT-014 and PDIS-FLT-027. This also filters out what the opener may not
 * see. The period of the event continues where it was. If it is a new one, nothing has been
 * counted of it (hw.prev_count).
 *
 * Context: interrupts off, nothing is being sampled.
 */
void pdis_event_load(struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;
	struct hw_perf_event *hwc = &event->hw;
	u32 period = pdis_event_period_of(event);
	u64 hidden = hwc->flags & PDIS_NO_FLUSHED ? PDISHDREV_FLUSHED : 0;
	u64 left = local64_read(&hwc->period_left);

	/*
	 * perf has set another period, and has reset what was left of the old one; or it is that
	 * of a parent, for which perf has found a period that is too long.
	 */
	if (!left || left > U32_MAX) {
		left = period;
		hwc->last_period = period;
		local64_set(&hwc->prev_count, 0);
	}
	pdis_hw_set_counter(pdis_event_counter(left, period));
	pdis_hw_set_filter(attr->config1 | attr->config2 | hidden, attr->config1,
			   attr->config3);
}
EXPORT_SYMBOL_GPL(pdis_event_load);

/* Where a period ends COUNT may go so far before it is loaded anew (PDIS-CNT-012). */
#define RELOAD_SLACK	1024U

/**
 * pdis_event_unload() - save the position in the period, or that it is over
 * @event: an event that has stopped
 *
 * Context: interrupts off.
 */
void pdis_event_unload(struct perf_event *event)
{
	u32 count = FIELD_GET(SPDISCOUNTER_COUNT, pdis_hw_counter());
	u32 left = count < RELOAD_SLACK ? 0 : -count;

	local64_set(&event->hw.period_left, left);
}
EXPORT_SYMBOL_GPL(pdis_event_unload);

static u32 pdis_event_initval(u64 counter)
{
	return -FIELD_GET(SPDISCOUNTER_INITVAL, counter);
}

/**
 * pdis_event_begun() - get the length of the period that has begun
 *
 * Context: interrupts off.
 * Return: the period.
 */
u32 pdis_event_begun(void)
{
	return pdis_event_initval(pdis_hw_counter());
}
EXPORT_SYMBOL_GPL(pdis_event_begun);

/**
 * pdis_event_next_period() - set the period after the one that has begun
 * @event: an event that is on this CPU
 *
 * The period changes if perf adjusts it to a frequency, or by jitter, which keeps samples
 * from being in step with the program.
 *
 * Implements PDIS-CNT-010.
 *
 * Context: interrupts off, nothing is being sampled.
 */
void pdis_event_next_period(struct perf_event *event)
{
	u64 now = pdis_hw_counter();
	u32 period = pdis_event_period_of(event);

	if (event->attr.config & PDIS_CONFIG_JITTER)
		period = pdis_event_disperse(event, period);
	if (period != pdis_event_initval(now))
		pdis_hw_set_counter((now & SPDISCOUNTER_COUNT) |
				    FIELD_PREP(SPDISCOUNTER_INITVAL, (u32)-period));
}
EXPORT_SYMBOL_GPL(pdis_event_next_period);
