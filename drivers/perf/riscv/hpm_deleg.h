/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Delegated counters: what each task switch does to them.
 *
 * Each of these is one or two instructions. A call through struct hpm_ops would
 * be five times that, and would make every caller save its registers.
 */
#ifndef _DRIVERS_PERF_RISCV_HPM_DELEG_H
#define _DRIVERS_PERF_RISCV_HPM_DELEG_H

#include <asm/csr_smcdeleg.h>

/**
 * hpm_start() - let counters run, all at once
 * @mask: the counters
 *
 * Context: interrupts off.
 */
static __always_inline void hpm_start(unsigned long mask)
{
	csr_clear(CSR_SCOUNTINHIBIT, mask);
}

/**
 * hpm_stop() - let counters stand still, all at once
 * @mask: the counters
 *
 * Context: interrupts off.
 */
static __always_inline void hpm_stop(unsigned long mask)
{
	csr_set(CSR_SCOUNTINHIBIT, mask);
}

/**
 * hpm_read() - read a counter
 * @idx: the counter
 *
 * Context: interrupts off; leaves siselect at the counter.
 * Return: its count.
 */
static __always_inline u64 hpm_read(int idx)
{
	return csr_ind_read(CSR_SIREG, SMCDELEG_SELECT(idx));
}

#endif /* _DRIVERS_PERF_RISCV_HPM_DELEG_H */
