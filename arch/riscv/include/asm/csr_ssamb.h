/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Ssamb: the asynchronous memory buffer that a hart writes what it records to.
 *
 * A buffer has two registers. One says where the next byte goes; its upper bits
 * are the base, for the buffer is aligned to its size. The other one is below.
 * Addresses are those of S-mode.
 */
#ifndef _ASM_RISCV_CSR_SSAMB_H
#define _ASM_RISCV_CSR_SSAMB_H

#include <linux/bits.h>

#include <asm/csr.h>

/* The interrupt, in sie and sip. */
#define IRQ_LAMBI		14
#define SSAMB_LAMBI		BIT(IRQ_LAMBI)

/*
 * sambcs; its upper half is a register of its own on RV32. Written only while nothing is
 * recorded and EMPTY is set.
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
 * ssamb_clear_pending() - the interrupt is being served, or was raised before
 *
 * What raises it is new from now on.
 */
static inline void ssamb_clear_pending(void)
{
	csr_clear(CSR_SIP, SSAMB_LAMBI);
}

#endif /* _ASM_RISCV_CSR_SSAMB_H */
