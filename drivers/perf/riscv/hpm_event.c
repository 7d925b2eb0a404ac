// SPDX-License-Identifier: GPL-2.0-only
/*
 * The arithmetic of one event on one counter: what is not inline in hpm_event.h.
 */
#include <linux/bitops.h>
#include <linux/perf_event.h>

#include "hpm.h"
#include "hpm_event.h"

/**
 * hpm_event_recall() - an event that is owed a sample is loaded again
 * @cpu: the calling CPU
 * @event: the event
 * @idx: its counter
 *
 * Raises the interrupt that will deliver the sample. Until then the period stays over, and
 * the counter must not overflow once more. If the interrupt cannot be raised, the counter
 * has to overflow at the next event.
 *
 * Context: interrupts off.
 * Return: after how many events the counter is to overflow.
 */
s64 hpm_event_recall(struct hpm_cpu *cpu, struct perf_event *event, int idx)
{
	cpu->owed |= BIT(idx);
	return hpm_raise(cpu) ? S64_MAX : 1;
}

/**
 * hpm_event_load() - make a counter ready to run
 * @cpu: the calling CPU
 * @event: the event, on a counter of this CPU that is stopped
 *
 * Clears the overflow flag for counting events as well, so that a wrap of the counter
 * interrupts.
 *
 * Context: interrupts off.
 */
void hpm_event_load(struct hpm_cpu *cpu, struct perf_event *event)
{
	hpm_event_reload(cpu, event, event->hw.idx, false);
}

/* Reload a counter that has wrapped: if it continued, the next wrap could be missed. */
static noinline void hpm_event_rewind(struct hpm_cpu *cpu,
				      struct perf_event *event)
{
	unsigned long running = cpu->enabled ? BIT(event->hw.idx) : 0;

	hpm_stop(cpu, running);
	hpm_event_renew(cpu, event, event->hw.idx);
	hpm_event_publish(event);
	hpm_start(cpu, running);
}

/**
 * hpm_event_fold() - add what a counter has counted to its event, which runs
 * @cpu: the calling CPU
 * @event: the event, on a counter of this CPU
 *
 * If the counter of a counting event has wrapped, reload it at once. Its interrupt may be
 * late, and if the event is removed before, nothing shows that the counter must not
 * continue from this count. The counter of a sampling event must keep its overflow flag
 * for the handler, and is always reloaded anyway.
 *
 * Context: interrupts off.
 */
void hpm_event_fold(struct hpm_cpu *cpu, struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;
	u64 delta = hpm_event_count(cpu, event, hwc->idx);

	/* Not truncated to the counter's width, see hpm_event_first_count(). */
	local64_set(&hwc->prev_count, local64_read(&hwc->prev_count) + delta);
	if (unlikely(cpu->counter[hwc->idx].config == HPM_UNKNOWN) &&
	    !is_sampling_event(event))
		hpm_event_rewind(cpu, event);
}

/*
 * A counting event can continue from the counter's current count, unless the counter was
 * last used for sampling and may be about to wrap. An event that user space reads must
 * not, since it would reveal what was counted for others.
 */
static void hpm_event_continue(struct hpm_cpu *cpu, struct perf_event *event,
			       int idx)
{
	struct hpm_counter *counter = &cpu->counter[idx];
	struct hw_perf_event *hwc = &event->hw;

	if (counter->spent || !hpm_claims_as_it_is(event)) {
		hpm_event_reload(cpu, event, idx, false);
	} else if (counter->config != hwc->config) {
		hpm_set_config(cpu, idx, hwc->config);
		counter->config = hwc->config;
	}
}

/**
 * hpm_event_begin() - start an event on its counter
 * @cpu: the calling CPU
 * @event: the event
 * @idx: its counter, of this CPU
 *
 * Implements XSPMU-057: the counter is written and opened to user space before it runs.
 *
 * Context: interrupts off.
 */
void hpm_event_begin(struct hpm_cpu *cpu, struct perf_event *event, int idx)
{
	event->hw.state = 0;
	if (pesa_wanted(event))
		pesa_event_load(&cpu->pesa, event);
	hpm_event_continue(cpu, event, idx);
	cpu->running |= BIT(idx);
	if (hpm_user_reads(event))
		hpm_user_set(cpu, cpu->user | BIT(idx));
	if (cpu->enabled)
		hpm_start(cpu, BIT(idx));
	hpm_event_publish(event);
}

/**
 * hpm_event_lost() - count a sample as lost
 * @event: the event
 *
 * perf reports it together with the samples that did not fit into the ring buffer.
 */
void hpm_event_lost(struct perf_event *event)
{
	struct perf_event *told = event->parent ?: event;

	atomic64_inc(&told->lost_samples);
}

/**
 * hpm_event_found() - undo hpm_event_lost(): the sample is about to be delivered
 * @event: the event
 */
void hpm_event_found(struct perf_event *event)
{
	struct perf_event *told = event->parent ?: event;

	atomic64_dec(&told->lost_samples);
}

/**
 * hpm_event_drop() - drop a sample
 * @event: the event
 *
 * Still accounts the interrupt: perf needs it to throttle the event and to adjust its
 * frequency.
 *
 * Context: the overflow handler.
 * Return: whether to stop the event.
 */
int hpm_event_drop(struct perf_event *event)
{
	hpm_event_lost(event);
	return perf_event_account_interrupt(event);
}

/**
 * hpm_event_owe() - an event has stopped before the sample of its period was taken
 * @cpu: the calling CPU
 * @event: the event, which has just been stopped
 *
 * The period ended while interrupts were off, and the counter's interrupt cannot be taken
 * any more: the task is switched out, or perf has stopped the event to change its period.
 * The sample is taken when the event starts again. Until then it counts as lost.
 *
 * Context: interrupts off.
 */
void hpm_event_owe(struct hpm_cpu *cpu, struct perf_event *event)
{
	cpu->owed &= ~BIT(event->hw.idx);
	if (event->hw.flags & HPM_EVENT_OWED)
		return;
	hpm_change_flags(event, 0, HPM_EVENT_OWED);
	hpm_event_lost(event);
	if (pesa_wanted(event))
		pesa_event_keep(&cpu->pesa, event);
}

/**
 * hpm_event_settle() - an event is about to get the sample that it is owed
 * @cpu: the calling CPU
 * @event: the event, on a counter of this CPU
 *
 * Context: the overflow handler.
 */
void hpm_event_settle(struct hpm_cpu *cpu, struct perf_event *event)
{
	cpu->owed &= ~BIT(event->hw.idx);
	hpm_change_flags(event, HPM_EVENT_OWED, 0);
	hpm_event_found(event);
}

/**
 * hpm_event_close() - close the counter of a stopped event to user space
 * @cpu: the calling CPU
 * @event: the event, which may be unmapped by now, see hpm_pmu_unmapped()
 * @idx: the counter, of this CPU; it may not have an event any more
 *
 * Context: interrupts off.
 */
void hpm_event_close(struct hpm_cpu *cpu, struct perf_event *event, int idx)
{
	if (cpu->user & BIT(idx))
		hpm_user_set(cpu, cpu->user & ~BIT(idx));
	if (!cpu->counter[idx].event)
		hpm_user_take(cpu, idx);
	hpm_event_publish(event);
}

/**
 * hpm_event_start() - start an event
 * @event: the event, on a counter of this CPU
 * @flags: unused; the counter is always reloaded if it has to be
 *
 * Context: interrupts off.
 */
void hpm_event_start(struct perf_event *event, int flags)
{
	if (!WARN_ON_ONCE(!(event->hw.state & PERF_HES_STOPPED)))
		hpm_event_begin(this_hpm_cpu(event), event, event->hw.idx);
}

/**
 * hpm_event_stop() - stop an event
 * @event: the event, on a counter of this CPU
 * @flags: unused; the count is always updated
 *
 * Context: interrupts off, also within perf_event_overflow().
 */
void hpm_event_stop(struct perf_event *event, int flags)
{
	struct hpm_cpu *cpu = this_hpm_cpu(event);
	int idx = event->hw.idx;

	if (event->hw.state & PERF_HES_STOPPED)
		return;
	hpm_event_end(cpu, event, idx);
	hpm_event_ended(cpu, event, idx);
}
