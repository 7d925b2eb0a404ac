/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Registers that are reached indirectly (Smcsrind/Sscsrind).
 *
 * siselect chooses a register file entry, which then appears in sireg and its siblings.
 * siselect is one register per hart that every user of the mechanism shares (interrupt
 * controller, counters, branch records), so select and access must not be separated by
 * another user: these accessors are for use with interrupts off, and an interrupt handler
 * that could have interrupted another user must restore the siselect it found.
 *
 * Linux 7.3 has this file, with accessors that switch interrupts off themselves.
 */
#ifndef _ASM_RISCV_CSR_INDIRECT_H
#define _ASM_RISCV_CSR_INDIRECT_H

#include <asm/csr.h>

#ifndef CSR_SIREG2
#define CSR_SIREG2	0x152
#define CSR_SIREG3	0x153
#define CSR_SIREG4	0x155
#define CSR_SIREG5	0x156
#define CSR_SIREG6	0x157
#endif

/**
 * csr_indirect_read() - read an indirect register
 * @iregcsr: CSR_SIREG to CSR_SIREG6, a compile-time constant
 * @iselbase: the first siselect of its range
 * @iseloff: its offset in this range
 *
 * Context: interrupts off; siselect is left set, to access siblings of the register.
 * Return: the register's value.
 */
#define csr_indirect_read(iregcsr, iselbase, iseloff)			\
({									\
	csr_write(CSR_SISELECT, (iselbase) + (iseloff));		\
	csr_read(iregcsr);						\
})

/**
 * csr_indirect_write() - write an indirect register
 * @iregcsr: CSR_SIREG to CSR_SIREG6, a compile-time constant
 * @iselbase: the first siselect of its range
 * @iseloff: its offset in this range
 * @value: value to write
 *
 * Context: interrupts off; siselect is left set, to access siblings of the register.
 */
#define csr_indirect_write(iregcsr, iselbase, iseloff, value)		\
do {									\
	csr_write(CSR_SISELECT, (iselbase) + (iseloff));		\
	csr_write(iregcsr, value);					\
} while (0)

#endif /* _ASM_RISCV_CSR_INDIRECT_H */
