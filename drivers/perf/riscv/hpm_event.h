/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The arithmetic of one event on one counter.
 *
 * What a task switch does for each event is here, and calls nothing if nothing is
 * special about the event: it is a good part of what measuring costs. The rest is in
 * hpm_event.c.
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
 * hpm_event_publish() - bring the page that user space has mapped up to date
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
 * Exact as long as the counter has not gone round twice since the last time;
 * a counter interrupts when it goes round, so that it does not.
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
	 * Gone round: its overflow flag is set. From so low it must not go on,
	 * for the next time it goes round could not be told by the count.
	 */
	if (unlikely(now < (before & counter->max))) {
		counter->config = HPM_UNKNOWN;
		counter->value = HPM_UNKNOWN;
	}

	/* Not cut to the counter's width, see hpm_event_first_count(). */
	local64_set(&hwc->prev_count, before + delta);
	local64_add(delta, &event->count);
	if (is_sampling_event(event)) {
		local64_sub(delta, &hwc->period_left);
		counter->value = HPM_UNKNOWN;
	}
}

/**
 * hpm_event_goes_on() - may the counter go on from where it stands?
 * @counter: the counter
 * @event: the event that comes to it
 *
 * For counting it does not matter where a counter starts, except that one which
 * has been used for sampling is about to go round. To user space it does: the
 * count of those before is not for it to see.
 *
 * Return: whether it may.
 */
static __always_inline bool hpm_event_goes_on(struct hpm_counter *counter,
					      struct perf_event *event)
{
	return hpm_claims_as_it_is(event) && counter->value != HPM_UNKNOWN;
}

/**
 * hpm_event_begin() - an event runs from now on
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
 * hpm_event_end() - an event runs no more
 * @cpu: the calling CPU
 * @event: the event, which runs
 * @idx: its counter, of this CPU
 *
 * To be followed by hpm_event_ended().
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
 * hpm_event_ended() - tell user space
 * @cpu: the calling CPU
 * @event: the event, which has ended
 * @idx: the counter, of this CPU; it may be without event now
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
