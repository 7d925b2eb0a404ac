// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters by number, as user mode reads them. The number of a CSR is a part of the
 * instruction that reads it, so there is one for each.
 */
#include <linux/errno.h>

#include <asm/csr_probe.h>

#include "hpm_sbi_csr.h"

/* Once in each of the two below: a call more would cost as much as the rest. */
static __always_inline int hpm_sbi_csr_pick(int idx, u64 *value)
{
	switch (idx) {
	case 0:
		return csr_try_read(CSR_CYCLE, *value);
	case 2:
		return csr_try_read(CSR_INSTRET, *value);
	case 3:
		return csr_try_read(CSR_HPMCOUNTER3, *value);
	case 4:
		return csr_try_read(CSR_HPMCOUNTER4, *value);
	case 5:
		return csr_try_read(CSR_HPMCOUNTER5, *value);
	case 6:
		return csr_try_read(CSR_HPMCOUNTER6, *value);
	case 7:
		return csr_try_read(CSR_HPMCOUNTER7, *value);
	case 8:
		return csr_try_read(CSR_HPMCOUNTER8, *value);
	case 9:
		return csr_try_read(CSR_HPMCOUNTER9, *value);
	case 10:
		return csr_try_read(CSR_HPMCOUNTER10, *value);
	case 11:
		return csr_try_read(CSR_HPMCOUNTER11, *value);
	case 12:
		return csr_try_read(CSR_HPMCOUNTER12, *value);
	case 13:
		return csr_try_read(CSR_HPMCOUNTER13, *value);
	case 14:
		return csr_try_read(CSR_HPMCOUNTER14, *value);
	case 15:
		return csr_try_read(CSR_HPMCOUNTER15, *value);
	case 16:
		return csr_try_read(CSR_HPMCOUNTER16, *value);
	case 17:
		return csr_try_read(CSR_HPMCOUNTER17, *value);
	case 18:
		return csr_try_read(CSR_HPMCOUNTER18, *value);
	case 19:
		return csr_try_read(CSR_HPMCOUNTER19, *value);
	case 20:
		return csr_try_read(CSR_HPMCOUNTER20, *value);
	case 21:
		return csr_try_read(CSR_HPMCOUNTER21, *value);
	case 22:
		return csr_try_read(CSR_HPMCOUNTER22, *value);
	case 23:
		return csr_try_read(CSR_HPMCOUNTER23, *value);
	case 24:
		return csr_try_read(CSR_HPMCOUNTER24, *value);
	case 25:
		return csr_try_read(CSR_HPMCOUNTER25, *value);
	case 26:
		return csr_try_read(CSR_HPMCOUNTER26, *value);
	case 27:
		return csr_try_read(CSR_HPMCOUNTER27, *value);
	case 28:
		return csr_try_read(CSR_HPMCOUNTER28, *value);
	case 29:
		return csr_try_read(CSR_HPMCOUNTER29, *value);
	case 30:
		return csr_try_read(CSR_HPMCOUNTER30, *value);
	case 31:
		return csr_try_read(CSR_HPMCOUNTER31, *value);
	default:
		return -EFAULT;
	}
}

/**
 * hpm_sbi_csr_try() - read a counter that may not be there, or not be ours to read
 * @idx: the counter
 * @value: set to its count if it can be read
 *
 * Return: 0 or -EFAULT.
 */
int hpm_sbi_csr_try(int idx, u64 *value)
{
	return hpm_sbi_csr_pick(idx, value);
}

/**
 * hpm_sbi_csr_read() - read a counter
 * @idx: the counter
 *
 * Return: its count, or 0 if it cannot be read.
 */
u64 hpm_sbi_csr_read(int idx)
{
	u64 value = 0;

	hpm_sbi_csr_pick(idx, &value);
	return value;
}
