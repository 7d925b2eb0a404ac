/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The hot operations on the calling CPU's counters, for both backends.
 *
 * With delegated counters each of these takes a few instructions. An indirect call
 * through struct hpm_ops would take five times as long, and would make every caller save
 * its registers. So a static key selects the backend, which is set when the PMU comes up.
 */
#ifndef _DRIVERS_PERF_RISCV_HPM_BACKEND_H
#define _DRIVERS_PERF_RISCV_HPM_BACKEND_H

#include "hpm_deleg.h"
#include "hpm_sbi.h"
#include "hpm_sbi_lcofi.h"

/* Does the event count on from the counter's current count? See hpm_event_continue(). */
static __always_inline bool hpm_claims_as_it_is(struct perf_event *event)
{
	return !is_sampling_event(event) && !hpm_user_reads(event);
}

/**
 * hpm_claim() - find a counter for an event
 * @cpu: the calling CPU
 * @event: the event
 *
 * Context: interrupts off; may change siselect.
 * Return: the counter, or -EAGAIN.
 */
static __always_inline int hpm_claim(struct hpm_cpu *cpu,
				     struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;
	unsigned long free = hwc->event_base & cpu->free;

	if (hpm_sbi_is_used())
		return hpm_sbi_claim(cpu, hwc->config, free, hwc->idx,
				     hpm_claims_as_it_is(event));
	return hpm_choose_counter(free, hwc->idx);
}

/**
 * hpm_start() - start counters, all at once
 * @cpu: the calling CPU
 * @mask: the counters
 *
 * Context: interrupts off.
 */
static __always_inline void hpm_start(struct hpm_cpu *cpu, unsigned long mask)
{
	if (hpm_sbi_is_used())
		hpm_sbi_start(cpu, mask);
	else
		hpm_deleg_start(mask);
}

/**
 * hpm_start_simply() - hpm_start(), unless that makes a call
 * @mask: the counters
 *
 * Context: interrupts off.
 * Return: whether the counters have been started.
 */
static __always_inline bool hpm_start_simply(unsigned long mask)
{
	if (!mask)
		return true;
	if (hpm_sbi_is_used())
		return false;
	hpm_deleg_start(mask);
	return true;
}

/**
 * hpm_stop() - stop counters, all at once
 * @cpu: the calling CPU
 * @mask: the counters
 *
 * Context: interrupts off.
 */
static __always_inline void hpm_stop(struct hpm_cpu *cpu, unsigned long mask)
{
	if (hpm_sbi_is_used())
		hpm_sbi_stop(cpu, mask);
	else
		hpm_deleg_stop(mask);
}

/**
 * hpm_read() - read a counter
 * @cpu: the calling CPU
 * @idx: the counter
 *
 * Context: interrupts off; may change siselect.
 * Return: its count.
 */
static __always_inline u64 hpm_read(struct hpm_cpu *cpu, int idx)
{
	return hpm_sbi_is_used() ? hpm_sbi_read(cpu, idx) : hpm_deleg_read(idx);
}

/**
 * hpm_read_resident() - read the counter of a resident, see hpm_event_resides()
 * @idx: the counter
 *
 * Makes no call, so that its caller need not save registers.
 *
 * Context: interrupts off; may change siselect.
 * Return: its count.
 */
static __always_inline u64 hpm_read_resident(int idx)
{
	return hpm_sbi_is_used() ? hpm_sbi_read_resident(idx) : hpm_deleg_read(idx);
}

/**
 * hpm_load() - set a counter's configuration and count, and clear its overflow flag
 * @cpu: the calling CPU
 * @idx: the counter, which is stopped
 * @config: the configuration. Of this a fixed counter takes only the mode filter, if
 *	it has one.
 * @value: the count
 *
 * Context: interrupts off; may change siselect.
 */
static __always_inline void hpm_load(struct hpm_cpu *cpu, int idx, u64 config,
				     u64 value)
{
	if (hpm_sbi_is_used())
		hpm_sbi_load(cpu, idx, config, value);
	else
		hpm_deleg_load(cpu, idx, config, value);
}

/**
 * hpm_reload() - hpm_load() for the counter that hpm_read() has read just before
 * @cpu: the calling CPU
 * @idx: the counter, which is stopped
 * @config: the configuration
 * @value: the count
 *
 * Context: interrupts off.
 */
static __always_inline void hpm_reload(struct hpm_cpu *cpu, int idx, u64 config,
				       u64 value)
{
	if (hpm_sbi_is_used())
		hpm_sbi_load(cpu, idx, config, value);
	else
		hpm_deleg_reload(cpu, idx, config, value);
}

/**
 * hpm_set_config() - set a counter's configuration and clear its overflow flag
 * @cpu: the calling CPU
 * @idx: the counter, which is stopped
 * @config: the configuration
 *
 * Context: interrupts off; may change siselect.
 */
static __always_inline void hpm_set_config(struct hpm_cpu *cpu, int idx,
					   u64 config)
{
	if (hpm_sbi_is_used())
		hpm_sbi_set_config(cpu, idx, config);
	else
		hpm_deleg_set_config(cpu, idx, config);
}

/**
 * hpm_set_value() - set a counter's count only
 * @cpu: the calling CPU
 * @idx: the counter, which is stopped
 * @value: the count
 *
 * Context: interrupts off; may change siselect.
 */
static __always_inline void hpm_set_value(struct hpm_cpu *cpu, int idx, u64 value)
{
	if (hpm_sbi_is_used())
		hpm_sbi_set_value(cpu, idx, value);
	else
		hpm_deleg_set_value(idx, value);
}

/**
 * hpm_open_to_user() - let user space read these counters and no others
 * @mask: the counters
 *
 * Context: interrupts off.
 */
static __always_inline void hpm_open_to_user(unsigned long mask)
{
	hpm_deleg_open_to_user(mask);
}

/**
 * hpm_raise() - ask for the overflow interrupt
 * @cpu: the calling CPU
 *
 * Context: interrupts off.
 * Return: whether it will be taken. Not all harts let S-mode raise it.
 */
static __always_inline bool hpm_raise(struct hpm_cpu *cpu)
{
	return hpm_sbi_is_used() ? hpm_sbi_lcofi_raise(cpu) : hpm_deleg_raise();
}

/**
 * hpm_overflow_begin() - clear the interrupt, and get the overflowed counters
 * @cpu: the calling CPU
 *
 * What the hart has captured must be read before: it is kept only until this call.
 *
 * Context: the overflow interrupt, with all counters stopped.
 * Return: the counters that overflowed, and what hpm_overflow_end() needs.
 */
static __always_inline struct hpm_overflow hpm_overflow_begin(struct hpm_cpu *cpu)
{
	return hpm_sbi_is_used() ? hpm_sbi_lcofi_begin(cpu) : hpm_deleg_overflow_begin();
}

/**
 * hpm_overflowed() - which counters may have overflowed?
 *
 * Context: interrupts off, on a CPU that takes the overflow interrupt.
 * Return: these counters; by the SBI that is not known at once.
 */
static __always_inline unsigned long hpm_overflowed(void)
{
	return hpm_sbi_is_used() ? ~0UL : hpm_deleg_overflowed();
}

/**
 * hpm_overflow_end() - the counterpart of hpm_overflow_begin(); starts nothing
 * @ovf: what hpm_overflow_begin() has returned
 *
 * Context: the overflow interrupt.
 */
static __always_inline void hpm_overflow_end(struct hpm_overflow ovf)
{
	if (hpm_sbi_is_used())
		hpm_sbi_lcofi_end(ovf);
	else
		hpm_deleg_overflow_end(ovf);
}

#endif /* _DRIVERS_PERF_RISCV_HPM_BACKEND_H */
