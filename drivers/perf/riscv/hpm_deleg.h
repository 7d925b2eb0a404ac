/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The hot operations on delegated counters. Other files use them through hpm_backend.h,
 * which documents them.
 */
#ifndef _DRIVERS_PERF_RISCV_HPM_DELEG_H
#define _DRIVERS_PERF_RISCV_HPM_DELEG_H

#include <asm/csr_smcdeleg.h>
#include <asm/csr_sscofpmf.h>
#include <asm/csr_wide.h>

#include "hpm.h"

/* scounteren: user space may always read the time CSR. */
#define HPM_SCOUNTEREN_TM	BIT(1)

static __always_inline void hpm_deleg_start(unsigned long mask)
{
	csr_clear(CSR_SCOUNTINHIBIT, mask);
}

static __always_inline void hpm_deleg_stop(unsigned long mask)
{
	csr_set(CSR_SCOUNTINHIBIT, mask);
}

/*
 * Select a counter: sireg and sireg4 are its count, sireg2 and sireg5 its event register.
 */
static __always_inline void hpm_deleg_select(int idx)
{
	csr_write(CSR_SISELECT, SISELECT_SSCCFG_BASE + idx);
}

static __always_inline u64 hpm_deleg_read(int idx)
{
	hpm_deleg_select(idx);
	return csr_wide_read(CSR_SIREG, CSR_SIREG4);
}

/* A fixed counter has no event selector, and may have a mode filter. */
static __always_inline bool hpm_deleg_has_config(struct hpm_cpu *cpu, int idx)
{
	return hpm_is_programmable(idx) || BIT(idx) & cpu->pmu->caps.filter;
}

static __always_inline void hpm_deleg_put_config(struct hpm_cpu *cpu, int idx,
						 u64 config)
{
	if (hpm_deleg_has_config(cpu, idx))
		csr_wide_write(CSR_SIREG2, CSR_SIREG5,
			       hpm_is_programmable(idx) ? config : config & ~HPM_SELECTOR);
}

static __always_inline void hpm_deleg_set_config(struct hpm_cpu *cpu, int idx,
						 u64 config)
{
	hpm_deleg_select(idx);
	hpm_deleg_put_config(cpu, idx, config);
}

static __always_inline u64 hpm_deleg_get_config(int idx)
{
	hpm_deleg_select(idx);
	return csr_wide_read(CSR_SIREG2, CSR_SIREG5);
}

/*
 * A hart may let a counter count on for a moment after it has been stopped. So on RV32
 * the lower half is cleared first: then it cannot carry into the upper half while that is
 * written.
 */
static __always_inline void hpm_deleg_put_value(u64 value)
{
	if (!IS_ENABLED(CONFIG_64BIT)) {
		csr_write(CSR_SIREG, 0);
		csr_write(CSR_SIREG4, csr_wide_high(value));
	}
	csr_write(CSR_SIREG, value);
}

static __always_inline void hpm_deleg_set_value(int idx, u64 value)
{
	hpm_deleg_select(idx);
	hpm_deleg_put_value(value);
}

/*
 * Implements COF-042: write the count, and clear OF. The counter has just been read, and so
 * is selected.
 */
static __always_inline void hpm_deleg_reload(struct hpm_cpu *cpu, int idx,
					     u64 config, u64 value)
{
	hpm_deleg_put_value(value);
	hpm_deleg_put_config(cpu, idx, config);
}

static __always_inline void hpm_deleg_load(struct hpm_cpu *cpu, int idx,
					   u64 config, u64 value)
{
	hpm_deleg_select(idx);
	hpm_deleg_reload(cpu, idx, config, value);
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

static __always_inline unsigned long hpm_deleg_overflowed(void)
{
	return csr_read(CSR_SCOUNTOVF);
}

/*
 * Implements COF-045: clear the pending bit before reading the overflows, so that a later
 * overflow interrupts again.
 * Implements DEL-047: save siselect, since the interrupt may have come between another
 * user's write of it and the access.
 */
static __always_inline struct hpm_overflow hpm_deleg_overflow_begin(void)
{
	struct hpm_overflow ovf;

	csr_clear(CSR_SIP, SSCOFPMF_LCOFI);
	ovf.saved = csr_read(CSR_SISELECT);
	ovf.mask = hpm_deleg_overflowed();
	return ovf;
}

static __always_inline void hpm_deleg_overflow_end(struct hpm_overflow ovf)
{
	csr_write(CSR_SISELECT, ovf.saved);
}

bool hpm_deleg_has_lcofi(void);
const struct hpm_ops *hpm_deleg_probe(const char **why);

#endif /* _DRIVERS_PERF_RISCV_HPM_DELEG_H */
