/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The arithmetic of one event on one counter.
 *
 * What most task switches and samples need for each event is inline, since it is much of
 * the overhead of counting. The rest is in hpm_event.c.
 */
#ifndef _DRIVERS_PERF_RISCV_HPM_EVENT_H
#define _DRIVERS_PERF_RISCV_HPM_EVENT_H

#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/perf_event.h>

#include "hpm.h"
#include "hpm_backend.h"

void hpm_event_fold(struct hpm_cpu *cpu, struct perf_event *event);
void hpm_event_load(struct hpm_cpu *cpu, struct perf_event *event);
s64 hpm_event_recall(struct hpm_cpu *cpu, struct perf_event *event, int idx);
void hpm_event_start(struct perf_event *event, int flags);
void hpm_event_stop(struct perf_event *event, int flags);
void hpm_event_lost(struct perf_event *event);
void hpm_event_found(struct perf_event *event);
int hpm_event_drop(struct perf_event *event);
void hpm_event_owe(struct hpm_cpu *cpu, struct perf_event *event);
void hpm_event_settle(struct hpm_cpu *cpu, struct perf_event *event);
void hpm_event_begin(struct hpm_cpu *cpu, struct perf_event *event, int idx);
void hpm_event_close(struct hpm_cpu *cpu, struct perf_event *event, int idx);

/**
 * hpm_event_publish() - update the event's user page, if it is mapped
 * @event: the event
 */
static inline void hpm_event_publish(struct perf_event *event)
{
	if (READ_ONCE(event->rb))
		perf_event_update_userpage(event);
}

/**
 * hpm_event_counter() - the counter that an event is on, or was on last
 * @event: the event
 *
 * Return: it, which may be another CPU's, or NULL if there is none.
 */
static inline struct hpm_counter *hpm_event_counter(struct perf_event *event)
{
	return (struct hpm_counter *)event->hw.config_base;
}

/**
 * hpm_event_advance() - bring a counter's @value up to date
 * @counter: the counter
 * @now: its count
 *
 * Exact unless the counter has gone through its whole range since the last call. Where
 * counters interrupt, the interrupt at the first wrap prevents that.
 *
 * Return: how much it has counted.
 */
static __always_inline u64 hpm_event_advance(struct hpm_counter *counter, u64 now)
{
	u64 before = counter->value;

	counter->value = now;
	/*
	 * The counter has wrapped, and its overflow flag is set. It must not continue
	 * from such a low count, since another wrap could not be told from the count.
	 */
	if (unlikely(now < before)) {
		counter->config = HPM_UNKNOWN;
		counter->spent = true;
		counter->resident = NULL;
	}
	return (now - before) & counter->max;
}

/**
 * hpm_event_count() - add what a counter has counted to its event
 * @cpu: the calling CPU
 * @event: the event
 * @idx: its counter, of this CPU
 *
 * Context: interrupts off.
 * Return: how much that is.
 */
static __always_inline u64 hpm_event_count(struct hpm_cpu *cpu,
					   struct perf_event *event, int idx)
{
	u64 delta = hpm_event_advance(&cpu->counter[idx], hpm_read(cpu, idx));
	struct hw_perf_event *hwc = &event->hw;

	local64_add(delta, &event->count);
	if (is_sampling_event(event))
		local64_set(&hwc->period_left, local64_read(&hwc->period_left) - delta);
	return delta;
}

/* Has the period of an event ended? It has just been counted. */
static __always_inline bool hpm_event_period_ended(struct perf_event *event)
{
	return is_sampling_event(event) && local64_read(&event->hw.period_left) <= 0;
}

/*
 * Start a new period if the last one has ended. Sets @left to the number of events left
 * in the period. Returns how many periods have ended, which is more than one if
 * interrupts were off for long.
 *
 * perf refuses periods of more than 63 bits, but KVM sets the period directly, also at an
 * overflow. Such a period never ends.
 */
static __always_inline u64 hpm_event_next_period(struct hw_perf_event *hwc, s64 *left)
{
	s64 period = hwc->sample_period;
	u64 ended = 1;

	*left = local64_read(&hwc->period_left);
	if (likely(*left > 0))
		return 0;

	if (unlikely(period < 0))
		period = S64_MAX;
	if (unlikely(*left <= -period))
		ended += div64_u64(-*left, period);
	*left += ended * period;
	local64_set(&hwc->period_left, *left);
	hwc->last_period = period;
	return ended;
}

/*
 * The count to load into a counter. For sampling it is as far below zero as there are
 * events left, so that the counter overflows when the period ends (COF-043). User space
 * subtracts it from the count that it reads, sign-extended from the counter's width. So
 * this is a 64-bit number, and a narrow counter starts in the negative half of its range.
 */
static __always_inline u64 hpm_event_first_count(bool samples, s64 left, u64 max)
{
	if (samples)
		return -min_t(u64, left, max >> 1);
	return max == U64_MAX ? 0 : -(max >> 1);
}

/**
 * hpm_event_reload() - make a counter ready to run
 * @cpu: the calling CPU
 * @event: the event
 * @idx: its counter, of this CPU, which is stopped
 * @is_read: hpm_read() has just read it
 *
 * Context: interrupts off.
 * Return: how many sampling periods have ended.
 */
static __always_inline u64 hpm_event_reload(struct hpm_cpu *cpu, struct perf_event *event,
					    int idx, bool is_read)
{
	struct hpm_counter *counter = &cpu->counter[idx];
	struct hw_perf_event *hwc = &event->hw;
	bool samples = is_sampling_event(event);
	u64 config = hwc->config;
	u64 max = counter->max;
	u64 ended = 0;
	s64 left = 0;
	u64 start;

	if (unlikely(hwc->flags & HPM_EVENT_OWED))
		left = hpm_event_recall(cpu, event, idx);
	else if (samples)
		ended = hpm_event_next_period(hwc, &left);
	start = hpm_event_first_count(samples, left, max);
	local64_set(&hwc->prev_count, start);
	start &= max;
	if (is_read)
		hpm_reload(cpu, idx, config, start);
	else if (counter->config == config)
		hpm_set_value(cpu, idx, start);
	else
		hpm_load(cpu, idx, config, start);
	counter->config = config;
	counter->value = start;
	counter->spent = samples;
	return ended;
}

/**
 * hpm_event_renew() - fold in the count of a counter that has overflowed, and reload it
 * @cpu: the calling CPU
 * @event: the event
 * @idx: its counter, of this CPU, which is stopped
 *
 * Context: interrupts off.
 * Return: how many sampling periods have ended.
 */
static __always_inline u64 hpm_event_renew(struct hpm_cpu *cpu,
					   struct perf_event *event, int idx)
{
	hpm_event_count(cpu, event, idx);
	return hpm_event_reload(cpu, event, idx, true);
}

/**
 * hpm_event_end() - stop an event
 * @cpu: the calling CPU
 * @event: the event, which runs
 * @idx: its counter, of this CPU
 *
 * Must be followed by hpm_event_ended().
 *
 * Context: interrupts off.
 */
static __always_inline void hpm_event_end(struct hpm_cpu *cpu,
					  struct perf_event *event, int idx)
{
	cpu->running &= ~BIT(idx);
	if (unlikely(cpu->enabled))
		hpm_stop(cpu, BIT(idx));
	cpu->counter[idx].resident = NULL;
	hpm_event_count(cpu, event, idx);
	if (unlikely(hpm_event_period_ended(event)))
		hpm_event_owe(cpu, event);
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

/**
 * hpm_event_ended() - tell user space that an event has stopped
 * @cpu: the calling CPU
 * @event: the event, which has been stopped
 * @idx: the counter, of this CPU; it may not have an event any more
 *
 * Context: interrupts off.
 */
static __always_inline void hpm_event_ended(struct hpm_cpu *cpu,
					    struct perf_event *event, int idx)
{
	if (unlikely(cpu->user || READ_ONCE(event->rb)))
		hpm_event_close(cpu, event, idx);
}

/*
 * Most events that a task switch removes come back to the counter that they had, which
 * nobody has used meanwhile. They are its residents: counting events that user space does
 * not read and that need nothing but the counter. perf has disabled the PMU when it adds
 * or removes events.
 */

/**
 * hpm_event_resides() - is the event the resident of its counter?
 * @event: the event
 * @counter: the counter that it is on, or was on last, or NULL
 *
 * An event with a user page has to update that as well.
 *
 * Return: whether the functions below can be used, on the CPU of the counter.
 */
static __always_inline bool hpm_event_resides(struct perf_event *event,
					      const struct hpm_counter *counter)
{
	return counter && counter->resident == event && !READ_ONCE(event->rb);
}

/**
 * hpm_event_comes_back() - add a resident to its counter again
 * @event: the event
 * @counter: the counter
 *
 * Context: interrupts off, with the PMU disabled.
 */
static __always_inline void hpm_event_comes_back(struct perf_event *event,
						 struct hpm_counter *counter)
{
	unsigned long mask = counter->mask;
	struct hpm_cpu *cpu = counter->cpu;

	event->hw.state = 0;
	counter->event = event;
	cpu->free &= ~mask;
	cpu->running |= mask;
}

/**
 * hpm_event_leaves() - remove a resident from its counter
 * @event: the event
 * @counter: the counter
 *
 * Context: interrupts off, with the PMU disabled.
 */
static __always_inline void hpm_event_leaves(struct perf_event *event,
					     struct hpm_counter *counter)
{
	u64 delta = hpm_event_advance(counter, hpm_read_resident(counter->idx));
	unsigned long mask = counter->mask;
	struct hpm_cpu *cpu = counter->cpu;

	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	counter->event = NULL;
	cpu->free |= mask;
	cpu->running &= ~mask;
	local64_add(delta, &event->count);
}

#endif /* _DRIVERS_PERF_RISCV_HPM_EVENT_H */
