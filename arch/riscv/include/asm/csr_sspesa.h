/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sspesa: precise event sample attribution, as S-mode sees it.
 *
 * When a counter overflows and makes LCOFI pending, the hart captures the address in
 * shpmspc, and in shpmsdata the counter's number and whatever else the implementation
 * needs to identify the instruction. They do not change while LCOFI is pending. S-mode
 * can access them if counters are delegated.
 *
 * The specification assigns no numbers yet. These are from the ranges that are
 * set aside for custom use.
 */
#ifndef _ASM_RISCV_CSR_SSPESA_H
#define _ASM_RISCV_CSR_SSPESA_H

#include <linux/bits.h>

#define CSR_SHPMSPC		0x5e0
#define CSR_SHPMSDATA		0x5e1

#define SHPMSDATA_CNTRID	GENMASK_ULL(4, 0)	/* the counter, 3 to 31 */
#define SHPMSDATA_METADATA	GENMASK_ULL(63, 5)	/* the implementation's */

#endif /* _ASM_RISCV_CSR_SSPESA_H */
