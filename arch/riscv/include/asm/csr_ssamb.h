/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Ssamb: the asynchronous memory buffer, to which a hart writes records.
 *
 * A buffer has two registers. sambaddr is the address of the next byte; its upper bits
 * are the base, since the buffer is aligned to its size. sambcs is below. Addresses are
 * translated as in S-mode.
 */
#ifndef _ASM_RISCV_CSR_SSAMB_H
#define _ASM_RISCV_CSR_SSAMB_H

#include <linux/bits.h>
#include <linux/types.h>

#include <asm/csr.h>
#include <asm/csr_probe.h>

/* The interrupt, in sie and sip. */
#define IRQ_LAMBI		14
#define SSAMB_LAMBI		BIT(IRQ_LAMBI)

/*
 * sambcs; on RV32 its upper half is a register of its own. It may be written only while
 * nothing is recorded and EMPTY is set.
 */
#define SAMBCS_EN		BIT_ULL(0)	/* data is written to memory */
#define SAMBCS_TF		BIT_ULL(1)	/* a page has no translation */
#define SAMBCS_BMI		BIT_ULL(2)	/* the threshold was reached */
#define SAMBCS_SIZE		GENMASK_ULL(11, 7)	/* 4 KiB << SIZE */
#define SAMBCS_TFPTR		GENMASK_ULL(31, 12)	/* the page, from the base */
#define SAMBCS_BMITH		GENMASK_ULL(33, 32)	/* quarter; 0: the end */
#define SAMBCS_BMIEN		BIT_ULL(34)	/* interrupt at the threshold */
#define SAMBCS_SOF		BIT_ULL(35)	/* stop when full */
#define SAMBCS_WRAP		BIT_ULL(61)	/* the end was reached */
#define SAMBCS_EMPTY		BIT_ULL(62)	/* all data is in memory */
#define SAMBCS_TRV		BIT_ULL(63)	/* the page is translated */

/**
 * ssamb_is_delegated() - can this hart take the interrupt in S-mode?
 *
 * Its bit in sie is read-only zero unless firmware has delegated it.
 *
 * Context: interrupts off.
 * Return: whether it can.
 */
static inline bool ssamb_is_delegated(void)
{
	return csr_sie_settable(SSAMB_LAMBI);
}

/**
 * ssamb_clear_pending() - clear the pending interrupt
 */
static inline void ssamb_clear_pending(void)
{
	csr_clear(CSR_SIP, SSAMB_LAMBI);
}

#endif /* _ASM_RISCV_CSR_SSAMB_H */
