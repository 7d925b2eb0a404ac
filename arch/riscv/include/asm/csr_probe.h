/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Access to CSRs that may not exist.
 *
 * An access that the hart refuses raises an illegal-instruction exception; the
 * exception table turns it into an error code. Works in modules as well.
 */
#ifndef _ASM_RISCV_CSR_PROBE_H
#define _ASM_RISCV_CSR_PROBE_H

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
	int __err = 0;							\
									\
	__asm__ __volatile__ (						\
		"1:	csrr %1, " __ASM_STR(csr) "\n"			\
		"2:\n"							\
		_ASM_EXTABLE_UACCESS_ERR_ZERO(1b, 2b, %0, %1)		\
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
	int __err = 0;							\
									\
	__asm__ __volatile__ (						\
		"1:	csrw " __ASM_STR(csr) ", %1\n"			\
		"2:\n"							\
		_ASM_EXTABLE_UACCESS_ERR(1b, 2b, %0)			\
		: "+r" (__err) : "rK" (__v) : "memory");		\
	__err;								\
})

#endif /* _ASM_RISCV_CSR_PROBE_H */
