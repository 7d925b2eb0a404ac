/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Delegated counters: what each task switch and each sample does to them. What each
 * of these is for says hpm_backend.h, which is where the others have them from.
 */
#ifndef _DRIVERS_PERF_RISCV_HPM_DELEG_H
#define _DRIVERS_PERF_RISCV_HPM_DELEG_H

#include <asm/csr_smcdeleg.h>
#include <asm/csr_sscofpmf.h>

#include "hpm.h"

/* scounteren: the time CSR is always for everyone. */
#define HPM_SCOUNTEREN_TM	BIT(1)

static __always_inline void hpm_deleg_start(unsigned long mask)
{
	csr_clear(CSR_SCOUNTINHIBIT, mask);
}

static __always_inline void hpm_deleg_stop(unsigned long mask)
{
	csr_set(CSR_SCOUNTINHIBIT, mask);
}

static __always_inline u64 hpm_deleg_read(int idx)
{
	return csr_indirect_read(CSR_SIREG, SISELECT_SSCCFG_BASE, idx);
}

/* A fixed counter has a mode filter at most, and no event. */
static __always_inline bool hpm_deleg_has_config(struct hpm_cpu *cpu, int idx)
{
	return BIT(idx) & HPM_PROGRAMMABLE || BIT(idx) & cpu->pmu->caps.filter;
}

static __always_inline u64 hpm_deleg_config_bits(int idx)
{
	return BIT(idx) & HPM_PROGRAMMABLE ? U64_MAX : ~HPM_SELECTOR;
}

static __always_inline void hpm_deleg_set_config(struct hpm_cpu *cpu, int idx,
						 u64 config)
{
	if (hpm_deleg_has_config(cpu, idx))
		csr_indirect_write(CSR_SIREG2, SISELECT_SSCCFG_BASE, idx,
				   config & hpm_deleg_config_bits(idx));
}

static __always_inline void hpm_deleg_set_value(int idx, u64 value)
{
	csr_indirect_write(CSR_SIREG, SISELECT_SSCCFG_BASE, idx, value);
}

/* Implements COF-042: count and cleared OF go in together. */
static __always_inline void hpm_deleg_load(struct hpm_cpu *cpu, int idx,
					   u64 config, u64 value)
{
	hpm_deleg_set_value(idx, value);
	if (hpm_deleg_has_config(cpu, idx))
		csr_write(CSR_SIREG2, config & hpm_deleg_config_bits(idx));
}

static __always_inline void hpm_deleg_open_to_user(unsigned long mask)
{
	csr_write(CSR_SCOUNTEREN, HPM_SCOUNTEREN_TM | mask);
}

static __always_inline bool hpm_deleg_raise(void)
{
	csr_set(CSR_SIP, SSCOFPMF_LCOFI);
	return csr_read(CSR_SIP) & SSCOFPMF_LCOFI;
}

/*
 * Implements COF-045: the pending bit is cleared before the overflows are
 * looked at, so that one which comes after the look interrupts again.
 * Implements DEL-047: the interrupt may have come between another user's write
 * of siselect and its access.
 */
static __always_inline void hpm_deleg_overflow_begin(struct hpm_overflow *ovf)
{
	csr_clear(CSR_SIP, SSCOFPMF_LCOFI);
	ovf->saved = csr_read(CSR_SISELECT);
	ovf->mask = csr_read(CSR_SCOUNTOVF);
}

static __always_inline void hpm_deleg_overflow_end(struct hpm_overflow *ovf)
{
	csr_write(CSR_SISELECT, ovf->saved);
}

const struct hpm_ops *hpm_deleg_probe(const char **why);

#endif /* _DRIVERS_PERF_RISCV_HPM_DELEG_H */
