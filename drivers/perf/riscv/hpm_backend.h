/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The counters of the calling CPU: what each task switch and each sample does to
 * them, by one name, whichever way leads to them.
 *
 * Each of these is a few instructions. A call through struct hpm_ops would be five
 * times that, and would make every caller save its registers. So a second way has
 * its bodies beside those of hpm_deleg.h, and a static key in each of these chooses.
 */
#ifndef _DRIVERS_PERF_RISCV_HPM_BACKEND_H
#define _DRIVERS_PERF_RISCV_HPM_BACKEND_H

#include "hpm_deleg.h"

/**
 * hpm_start() - let counters run, all at once
 * @mask: the counters
 *
 * Context: interrupts off.
 */
static __always_inline void hpm_start(unsigned long mask)
{
	hpm_deleg_start(mask);
}

/**
 * hpm_stop() - let counters stand still, all at once
 * @mask: the counters
 *
 * Context: interrupts off.
 */
static __always_inline void hpm_stop(unsigned long mask)
{
	hpm_deleg_stop(mask);
}

/**
 * hpm_read() - read a counter
 * @idx: the counter
 *
 * Context: interrupts off; may change siselect.
 * Return: its count.
 */
static __always_inline u64 hpm_read(int idx)
{
	return hpm_deleg_read(idx);
}

/**
 * hpm_load() - give a counter a configuration and a count, and clear its flag
 * @cpu: the calling CPU
 * @idx: the counter, which stands still
 * @config: the configuration. For a fixed counter the mode filter, if it has one, is
 *	all that counts of it.
 * @value: the count
 *
 * Context: interrupts off; may change siselect.
 */
static __always_inline void hpm_load(struct hpm_cpu *cpu, int idx, u64 config,
				     u64 value)
{
	hpm_deleg_load(cpu, idx, config, value);
}

/**
 * hpm_set_config() - the same without the count
 * @cpu: the calling CPU
 * @idx: the counter, which stands still
 * @config: the configuration
 *
 * Context: interrupts off; may change siselect.
 */
static __always_inline void hpm_set_config(struct hpm_cpu *cpu, int idx,
					   u64 config)
{
	hpm_deleg_set_config(cpu, idx, config);
}

/**
 * hpm_set_value() - the same without the configuration and the flag
 * @idx: the counter, which stands still
 * @value: the count
 *
 * Context: interrupts off; may change siselect.
 */
static __always_inline void hpm_set_value(int idx, u64 value)
{
	hpm_deleg_set_value(idx, value);
}

/**
 * hpm_open_to_user() - let user space read counters, and no others
 * @mask: the counters
 *
 * Context: interrupts off.
 */
static __always_inline void hpm_open_to_user(unsigned long mask)
{
	hpm_deleg_open_to_user(mask);
}

/**
 * hpm_overflow_begin() - claim the interrupt, and look
 * @ovf: set to what hpm_overflow_end() needs, and the counters that overflowed
 *
 * What has been captured is kept only until then.
 *
 * Context: the overflow interrupt, all counters stand still.
 */
static __always_inline void hpm_overflow_begin(struct hpm_overflow *ovf)
{
	hpm_deleg_overflow_begin(ovf);
}

/**
 * hpm_overflow_end() - the counterpart of hpm_overflow_begin(); starts nothing
 * @ovf: what hpm_overflow_begin() set
 *
 * Context: the overflow interrupt.
 */
static __always_inline void hpm_overflow_end(struct hpm_overflow *ovf)
{
	hpm_deleg_overflow_end(ovf);
}

#endif /* _DRIVERS_PERF_RISCV_HPM_BACKEND_H */
