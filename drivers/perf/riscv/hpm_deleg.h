/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Delegated counters: what each task switch and each sample does to them.
 *
 * Each of these is a few instructions. A call through struct hpm_ops would
 * be five times that, and would make every caller save its registers.
 */
#ifndef _DRIVERS_PERF_RISCV_HPM_DELEG_H
#define _DRIVERS_PERF_RISCV_HPM_DELEG_H

#include <asm/csr_smcdeleg.h>
#include <asm/csr_sscofpmf.h>

#include "hpm.h"

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

/**
 * hpm_overflow_begin() - stop the running counters, claim the interrupt, look
 * @cpu: the calling CPU
 * @ovf: set to what hpm_overflow_end() needs, and the counters that overflowed
 *
 * Implements COF-045: the pending bit is cleared before the overflows are
 * looked at, so that one which comes after the look interrupts again.
 * Implements DEL-047: the interrupt may have come between another user's write
 * of siselect and its access.
 * What has been captured is taken before, for it is kept only until then.
 * Implements PDIS-INH-007.
 *
 * Context: the overflow interrupt.
 */
static __always_inline void hpm_overflow_begin(struct hpm_cpu *cpu,
					       struct hpm_overflow *ovf)
{
	hpm_stop(cpu->running | cpu->inhibit);
	if (unlikely(cpu->pesa.users))
		pesa_overflow_begin(cpu);
	csr_clear(CSR_SIP, SSCOFPMF_LCOFI);
	ovf->saved = csr_read(CSR_SISELECT);
	ovf->mask = csr_read(CSR_SCOUNTOVF);
}

/**
 * hpm_overflow_end() - the counterpart of hpm_overflow_begin(); starts nothing
 * @ovf: what hpm_overflow_begin() set
 *
 * Context: the overflow interrupt.
 */
static __always_inline void hpm_overflow_end(struct hpm_overflow *ovf)
{
	csr_write(CSR_SISELECT, ovf->saved);
}

#endif /* _DRIVERS_PERF_RISCV_HPM_DELEG_H */
