/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Delegated counters: what each task switch and each sample does to them. What each
 * of these is for says hpm_backend.h, which is where the others have them from.
 */
#ifndef _DRIVERS_PERF_RISCV_HPM_DELEG_H
#define _DRIVERS_PERF_RISCV_HPM_DELEG_H

#include <asm/csr_smcdeleg.h>
#include <asm/csr_sscofpmf.h>
#include <asm/csr_wide.h>

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

/* What of a counter comes next: its count is sireg and sireg4, the rest sireg2 and sireg5. */
static __always_inline void hpm_deleg_select(int idx)
{
	csr_write(CSR_SISELECT, SISELECT_SSCCFG_BASE + idx);
}

static __always_inline u64 hpm_deleg_read(int idx)
{
	hpm_deleg_select(idx);
	return csr_wide_read(CSR_SIREG, CSR_SIREG4);
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
	if (!hpm_deleg_has_config(cpu, idx))
		return;
	hpm_deleg_select(idx);
	csr_wide_write(CSR_SIREG2, CSR_SIREG5, config & hpm_deleg_config_bits(idx));
}

static __always_inline u64 hpm_deleg_get_config(int idx)
{
	hpm_deleg_select(idx);
	return csr_wide_read(CSR_SIREG2, CSR_SIREG5);
}

/*
 * A hart may let a counter count on for a moment after it has been told to stop. On RV32 no
 * carry gets from a lower half of 0 into the upper one before all is written.
 */
static __always_inline void hpm_deleg_set_value(int idx, u64 value)
{
	hpm_deleg_select(idx);
	if (!IS_ENABLED(CONFIG_64BIT)) {
		csr_write(CSR_SIREG, 0);
		csr_write(CSR_SIREG4, csr_wide_high(value));
	}
	csr_write(CSR_SIREG, value);
}

/* Implements COF-042: count and cleared OF go in together. */
static __always_inline void hpm_deleg_load(struct hpm_cpu *cpu, int idx,
					   u64 config, u64 value)
{
	hpm_deleg_set_value(idx, value);
	if (hpm_deleg_has_config(cpu, idx))
		csr_wide_write(CSR_SIREG2, CSR_SIREG5,
			       config & hpm_deleg_config_bits(idx));
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
