/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * 64-bit registers: each is one CSR on RV64 and two on RV32.
 */
#ifndef _ASM_RISCV_CSR_WIDE_H
#define _ASM_RISCV_CSR_WIDE_H

#include <linux/kconfig.h>
#include <linux/types.h>

#include <asm/csr.h>

/**
 * csr_wide_high() - the upper half of a value, which is a register of its own on RV32
 * @value: the value
 *
 * Return: the upper half; 0 on RV64, where there is no such register.
 */
static __always_inline unsigned long csr_wide_high(u64 value)
{
	return IS_ENABLED(CONFIG_64BIT) ? 0 : value >> 32;
}

/**
 * csr_wide_of() - combine the two halves of a value
 * @low: the lower one; on RV64 all of the value
 * @high: the upper one
 *
 * Return: the value.
 */
static __always_inline u64 csr_wide_of(unsigned long low, unsigned long high)
{
	return IS_ENABLED(CONFIG_64BIT) ? low : (u64)high << 32 | low;
}

/**
 * csr_wide_read() - read a register that may be counting
 * @csr: CSR number of it, or of its lower half, a compile-time constant
 * @csrh: CSR number of its upper half
 *
 * On RV32 this reads until the upper half is the same before and after the lower half is
 * read: then there was no carry in between.
 *
 * Return: the register's value.
 */
#define csr_wide_read(csr, csrh)					\
({									\
	unsigned long __low, __high = 0, __before;			\
	unsigned int __looks = 0;					\
									\
	do {								\
		__before = __high;					\
		__low = csr_read(csr);					\
		if (!IS_ENABLED(CONFIG_64BIT))				\
			__high = csr_read(csrh);			\
	} while (!IS_ENABLED(CONFIG_64BIT) &&				\
		 (!__looks++ || __high != __before));			\
	csr_wide_of(__low, __high);					\
})

/**
 * csr_wide_write() - write a register that is not counting
 * @csr: CSR number of it, or of its lower half, a compile-time constant
 * @csrh: CSR number of its upper half
 * @value: value to write
 *
 * The upper half is written last.
 */
#define csr_wide_write(csr, csrh, value)				\
do {									\
	u64 __value = (value);						\
									\
	csr_write(csr, __value);					\
	if (!IS_ENABLED(CONFIG_64BIT))					\
		csr_write(csrh, csr_wide_high(__value));		\
} while (0)

#endif /* _ASM_RISCV_CSR_WIDE_H */
