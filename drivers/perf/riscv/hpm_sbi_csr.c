// SPDX-License-Identifier: GPL-2.0-only
/*
 * Read counters by number: what is not inline in hpm_sbi_csr.h.
 */
#include "hpm_sbi_csr.h"

/**
 * hpm_sbi_csr_try() - hpm_sbi_csr_pick() as a function
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
