/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Read counters by number, from the CSRs for user mode. The number of a CSR is part of
 * the instruction that reads it, so each CSR needs an instruction of its own.
 */
#ifndef _DRIVERS_PERF_RISCV_HPM_SBI_CSR_H
#define _DRIVERS_PERF_RISCV_HPM_SBI_CSR_H

#include <linux/errno.h>
#include <linux/types.h>

#include <asm/csr_probe.h>
#include <asm/csr_wide.h>

/* T-Head C9xx: the counters that have overflowed, as far as firmware lets them show */
#define CSR_THEAD_SCOUNTEROF	0x5c5

int hpm_sbi_csr_try(int idx, u64 *value);
u64 hpm_sbi_csr_read(int idx);

/* On RV32 a count is two CSRs. Read both again if the upper one has changed meanwhile. */
#ifdef CONFIG_64BIT
#define HPM_SBI_CSR_TRY(name, value)	csr_try_read(CSR_##name, value)
#else
#define HPM_SBI_CSR_TRY(name, value)					\
({									\
	unsigned long _high, _low, _now;				\
	int _ret;							\
									\
	do {								\
		_ret = csr_try_read(CSR_##name##H, _high) ?:		\
			csr_try_read(CSR_##name, _low) ?:		\
			csr_try_read(CSR_##name##H, _now);		\
	} while (!_ret && _high != _now);				\
	if (!_ret)							\
		(value) = csr_wide_of(_low, _high);			\
	_ret;								\
})
#endif

/**
 * hpm_sbi_csr_pick() - read a counter that may not exist, or may not be accessible
 * @idx: the counter
 * @value: set to its count if it can be read
 *
 * Inlined where a call would cost as much as the rest.
 *
 * Return: 0 or -EFAULT.
 */
static __always_inline int hpm_sbi_csr_pick(int idx, u64 *value)
{
	switch (idx) {
	case 0:
		return HPM_SBI_CSR_TRY(CYCLE, *value);
	case 2:
		return HPM_SBI_CSR_TRY(INSTRET, *value);
	case 3:
		return HPM_SBI_CSR_TRY(HPMCOUNTER3, *value);
	case 4:
		return HPM_SBI_CSR_TRY(HPMCOUNTER4, *value);
	case 5:
		return HPM_SBI_CSR_TRY(HPMCOUNTER5, *value);
	case 6:
		return HPM_SBI_CSR_TRY(HPMCOUNTER6, *value);
	case 7:
		return HPM_SBI_CSR_TRY(HPMCOUNTER7, *value);
	case 8:
		return HPM_SBI_CSR_TRY(HPMCOUNTER8, *value);
	case 9:
		return HPM_SBI_CSR_TRY(HPMCOUNTER9, *value);
	case 10:
		return HPM_SBI_CSR_TRY(HPMCOUNTER10, *value);
	case 11:
		return HPM_SBI_CSR_TRY(HPMCOUNTER11, *value);
	case 12:
		return HPM_SBI_CSR_TRY(HPMCOUNTER12, *value);
	case 13:
		return HPM_SBI_CSR_TRY(HPMCOUNTER13, *value);
	case 14:
		return HPM_SBI_CSR_TRY(HPMCOUNTER14, *value);
	case 15:
		return HPM_SBI_CSR_TRY(HPMCOUNTER15, *value);
	case 16:
		return HPM_SBI_CSR_TRY(HPMCOUNTER16, *value);
	case 17:
		return HPM_SBI_CSR_TRY(HPMCOUNTER17, *value);
	case 18:
		return HPM_SBI_CSR_TRY(HPMCOUNTER18, *value);
	case 19:
		return HPM_SBI_CSR_TRY(HPMCOUNTER19, *value);
	case 20:
		return HPM_SBI_CSR_TRY(HPMCOUNTER20, *value);
	case 21:
		return HPM_SBI_CSR_TRY(HPMCOUNTER21, *value);
	case 22:
		return HPM_SBI_CSR_TRY(HPMCOUNTER22, *value);
	case 23:
		return HPM_SBI_CSR_TRY(HPMCOUNTER23, *value);
	case 24:
		return HPM_SBI_CSR_TRY(HPMCOUNTER24, *value);
	case 25:
		return HPM_SBI_CSR_TRY(HPMCOUNTER25, *value);
	case 26:
		return HPM_SBI_CSR_TRY(HPMCOUNTER26, *value);
	case 27:
		return HPM_SBI_CSR_TRY(HPMCOUNTER27, *value);
	case 28:
		return HPM_SBI_CSR_TRY(HPMCOUNTER28, *value);
	case 29:
		return HPM_SBI_CSR_TRY(HPMCOUNTER29, *value);
	case 30:
		return HPM_SBI_CSR_TRY(HPMCOUNTER30, *value);
	case 31:
		return HPM_SBI_CSR_TRY(HPMCOUNTER31, *value);
	default:
		return -EFAULT;
	}
}

#endif /* _DRIVERS_PERF_RISCV_HPM_SBI_CSR_H */
