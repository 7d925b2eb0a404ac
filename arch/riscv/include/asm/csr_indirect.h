/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sscsrind: indirect access to supervisor CSRs.
 *
 * A write to siselect chooses a register file entry, which then appears in
 * sireg and its siblings. siselect is one register per hart that every user of
 * the mechanism shares (interrupt controller, counters, branch records), so
 * select and access must not be separated by another user: these accessors
 * are for use with interrupts off, and an interrupt handler that could have
 * interrupted another user puts back the siselect it found.
 */
#ifndef _ASM_RISCV_CSR_INDIRECT_H
#define _ASM_RISCV_CSR_INDIRECT_H

#include <asm/csr.h>
#include <asm/csr_probe.h>

#ifndef CSR_SIREG2
#define CSR_SIREG2	0x152
#define CSR_SIREG3	0x153
#define CSR_SIREG4	0x155
#define CSR_SIREG5	0x156
#define CSR_SIREG6	0x157
#endif

/**
 * csr_ind_read() - read an indirect register
 * @reg: CSR_SIREG to CSR_SIREG6, a compile-time constant
 * @select: the siselect value
 *
 * Context: interrupts off; leaves siselect at @select.
 * Return: the register's value.
 */
#define csr_ind_read(reg, select)					\
({									\
	csr_write(CSR_SISELECT, select);				\
	csr_read(reg);							\
})

/**
 * csr_ind_write() - write an indirect register
 * @reg: CSR_SIREG to CSR_SIREG6, a compile-time constant
 * @select: the siselect value
 * @val: value to write
 *
 * Context: interrupts off; leaves siselect at @select.
 */
#define csr_ind_write(reg, select, val)					\
do {									\
	csr_write(CSR_SISELECT, select);				\
	csr_write(reg, val);						\
} while (0)

/**
 * csr_ind_readable() - can an indirect register be read?
 * @reg: CSR_SIREG to CSR_SIREG6, a compile-time constant
 * @select: the siselect value
 *
 * Context: interrupts off; leaves siselect at @select, if there is one.
 * Return: false if the hart refuses.
 */
#define csr_ind_readable(reg, select)					\
	(!csr_try_write(CSR_SISELECT, select) && csr_readable(reg))

#endif /* _ASM_RISCV_CSR_INDIRECT_H */
