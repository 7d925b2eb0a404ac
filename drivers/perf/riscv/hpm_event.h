/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The arithmetic of one event on one counter.
 *
 * This is the part that a task switch needs for each event. It is inline and makes no
 * calls for an ordinary event, since it is much of the overhead of counting. The rest is
 * in hpm_event.c.
 */
#ifndef _DRIVERS_PERF_RISCV_HPM_EVENT_H
#define _DRIVERS_PERF_RISCV_HPM_EVENT_H

#include <linux/perf_event.h>

#include "hpm.h"
#include "hpm_backend.h"

void hpm_event_fold(struct hpm_cpu *cpu, struct perf_event *event);
void hpm_event_load(struct hpm_cpu *cpu, struct perf_event *event);
u64 hpm_event_renew(struct hpm_cpu *cpu, struct perf_event *event);
void hpm_event_start(struct perf_event *event, int flags);
void hpm_event_stop(struct perf_event *event, int flags);
void hpm_event_lost(struct perf_event *event);
int hpm_event_drop(struct perf_event *event);
void hpm_event_owe(struct hpm_cpu *cpu, struct perf_event *event);
void hpm_event_settle(struct hpm_cpu *cpu, struct perf_event *event);
void hpm_event_begin_anew(struct hpm_cpu *cpu, struct perf_event *event,
			  int idx);
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
 * hpm_event_count() - add what a counter has counted to its event
 * @cpu: the calling CPU
 * @event: the event
 * @idx: its counter, of this CPU
 *
 * Exact unless the counter has wrapped twice since the last call, which the interrupt at
 * the first wrap prevents.
 *
 * Context: interrupts off.
 */
static __always_inline void hpm_event_count(struct hpm_cpu *cpu,
					    struct perf_event *event, int idx)
{
	struct hpm_counter *counter = &cpu->counter[idx];
	struct hw_perf_event *hwc = &event->hw;
	u64 before = local64_read(&hwc->prev_count);
	u64 now = hpm_read(cpu, idx);
	u64 delta = (now - before) & counter->max;

	counter->value = now;
	/*
	 * The counter has wrapped, and its overflow flag is set. It must not continue
	 * from such a low count, since another wrap could not be told from the count.
	 */
	if (unlikely(now < (before & counter->max))) {
		counter->config = HPM_UNKNOWN;
		counter->value = HPM_UNKNOWN;
	}

	/* Not truncated to the counter's width, see hpm_event_first_count(). */
	local64_set(&hwc->prev_count, before + delta);
	local64_add(delta, &event->count);
	if (is_sampling_event(event)) {
		local64_sub(delta, &hwc->period_left);
		counter->value = HPM_UNKNOWN;
	}
}

/**
 * hpm_event_goes_on() - may the counter continue from its current count?
 * @counter: the counter
 * @event: the event that is to use it
 *
 * A counting event can start at any count, unless the counter was last used for sampling
 * and may be about to wrap. An event that user space reads must not continue, since it
 * would reveal what was counted for others.
 *
 * Return: whether it may.
 */
static __always_inline bool hpm_event_goes_on(struct hpm_counter *counter,
					      struct perf_event *event)
{
	return hpm_claims_as_it_is(event) && counter->value != HPM_UNKNOWN;
}

/**
 * hpm_event_begin() - start an event on its counter
 * @cpu: the calling CPU
 * @event: the event
 * @idx: its counter, of this CPU
 *
 * Context: interrupts off.
 */
static __always_inline void hpm_event_begin(struct hpm_cpu *cpu,
					    struct perf_event *event, int idx)
{
	struct hpm_counter *counter = &cpu->counter[idx];

	event->hw.state = 0;
	if (unlikely(!hpm_event_goes_on(counter, event) || cpu->enabled ||
		     counter->config != event->hw.config ||
		     READ_ONCE(event->rb))) {
		hpm_event_begin_anew(cpu, event, idx);
		return;
	}
	local64_set(&event->hw.prev_count, counter->value);
	cpu->running |= BIT(idx);
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
	hpm_event_count(cpu, event, idx);
	if (is_sampling_event(event) &&
	    unlikely(local64_read(&event->hw.period_left) <= 0))
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

#endif /* _DRIVERS_PERF_RISCV_HPM_EVENT_H */
