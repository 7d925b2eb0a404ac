/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sspdis: precise decoded instruction sampling, as S-mode sees it.
 *
 * spdiscounter counts decoded instructions of the kind and in the modes that
 * spdisctl selects. When it overflows it starts again from its initial value,
 * and the next of these instructions is followed through the pipeline; what
 * became of it is a sample.
 *
 * The specification assigns no numbers yet. These are from the ranges that are
 * set aside for custom use.
 */
#ifndef _ASM_RISCV_CSR_SSPDIS_H
#define _ASM_RISCV_CSR_SSPDIS_H

#include <linux/bits.h>

#define CSR_SPDISCTL		0x5e4
#define CSR_SPDISCTLH		0x5f4	/* RV32: the high half, of all with an H */
#define CSR_SPDISCOUNTER	0x5e5
#define CSR_SPDISCOUNTERH	0x5f5

/* spdisctl. All but U, S and OF may be missing. */
#define SPDISCTL_SEL		GENMASK_ULL(2, 0)	/* 0: any instruction */
#define SPDISCTL_MEM		BIT_ULL(32)	/* write samples to memory */
#define SPDISCTL_U		BIT_ULL(60)	/* sample U-mode */
#define SPDISCTL_S		BIT_ULL(61)	/* sample S/HS-mode */
#define SPDISCTL_OF		BIT_ULL(63)	/* no interrupt for samples */

/* spdiscounter: it overflows as the topmost bit of COUNT goes from 1 to 0. */
#define SPDISCOUNTER_COUNT	GENMASK_ULL(31, 0)
#define SPDISCOUNTER_INITVAL	GENMASK_ULL(63, 32)

#endif /* _ASM_RISCV_CSR_SSPDIS_H */
