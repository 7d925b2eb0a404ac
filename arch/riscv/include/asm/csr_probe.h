/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Access to CSRs that may not exist, or that may not have all of their bits.
 *
 * An access that the hart refuses raises an illegal-instruction exception; the
 * exception table turns it into an error code. Works in modules as well.
 */
#ifndef _ASM_RISCV_CSR_PROBE_H
#define _ASM_RISCV_CSR_PROBE_H

#include <linux/errno.h>
#include <linux/types.h>

#include <asm/asm-extable.h>
#include <asm/csr.h>

/**
 * csr_try_read() - read a CSR that may not exist
 * @csr: CSR number, a compile-time constant
 * @val: unsigned long lvalue; 0 if the access is refused
 *
 * Return: 0, or -EFAULT if the hart refused the access.
 */
#define csr_try_read(csr, val)						\
({									\
	unsigned long __v = 0;						\
	int __err = -EFAULT;						\
									\
	__asm__ __volatile__ (						\
		"1: csrr %1, " __ASM_STR(csr) "\n"			\
		"   li %0, 0\n"						\
		"2:\n"							\
		_ASM_EXTABLE(1b, 2b)					\
		: "+r" (__err), "+r" (__v) : : "memory");		\
	(val) = __v;							\
	__err;								\
})

/**
 * csr_try_write() - write a CSR that may not exist
 * @csr: CSR number, a compile-time constant
 * @val: value to write
 *
 * Return: 0, or -EFAULT if the hart refused the access.
 */
#define csr_try_write(csr, val)						\
({									\
	unsigned long __v = (unsigned long)(val);			\
	int __err = -EFAULT;						\
									\
	__asm__ __volatile__ (						\
		"1: csrw " __ASM_STR(csr) ", %1\n"			\
		"   li %0, 0\n"						\
		"2:\n"							\
		_ASM_EXTABLE(1b, 2b)					\
		: "+r" (__err) : "rK" (__v) : "memory");		\
	__err;								\
})

/**
 * csr_readable() - can a CSR be read?
 * @csr: CSR number, a compile-time constant
 *
 * Return: false if the hart refuses.
 */
#define csr_readable(csr)						\
({									\
	unsigned long __unused;						\
	int __ret = csr_try_read(csr, __unused);			\
									\
	(void)__unused;							\
	!__ret;								\
})

/**
 * csr_indirect_readable() - can an indirect register be read?
 * @iregcsr: CSR_SIREG to CSR_SIREG6, a compile-time constant
 * @iselbase: the first siselect of its range
 * @iseloff: its offset in this range
 *
 * Context: interrupts off; changes siselect, if there is one.
 * Return: false if the hart refuses.
 */
#define csr_indirect_readable(iregcsr, iselbase, iseloff)		\
	(!csr_try_write(CSR_SISELECT, (iselbase) + (iseloff)) &&	\
	 csr_readable(iregcsr))

/**
 * csr_sie_settable() - can interrupts be enabled?
 * @bits: their bits in sie, which are as before afterwards
 *
 * The bits of interrupts that M-mode has not delegated are read-only zero.
 *
 * Context: interrupts off.
 * Return: whether all of them can.
 */
static inline bool csr_sie_settable(unsigned long bits)
{
	unsigned long before = csr_read_set(CSR_SIE, bits);
	bool set = (csr_read(CSR_SIE) & bits) == bits;

	csr_clear(CSR_SIE, bits & ~before);
	return set;
}

#endif /* _ASM_RISCV_CSR_PROBE_H */
