/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sspdis: precise decoded instruction sampling, as S-mode sees it.
 *
 * spdiscounter counts decoded instructions of the kind and in the modes that spdisctl
 * selects. When it overflows it restarts from its initial value, and the next of these
 * instructions is followed through the pipeline. What happens to it is the sample.
 *
 * The specification assigns no numbers yet. These are from the ranges that are
 * set aside for custom use.
 */
#ifndef _ASM_RISCV_CSR_SSPDIS_H
#define _ASM_RISCV_CSR_SSPDIS_H

#include <linux/bits.h>

#define CSR_SPDISCTL		0x5e4
#define CSR_SPDISCTLH		0x5f4	/* RV32: the high half, as all with an H */
#define CSR_SPDISCOUNTER	0x5e5
#define CSR_SPDISCOUNTERH	0x5f5

#define CSR_SPDISEVMASK		0x5e6
#define CSR_SPDISEVMASKH	0x5f6
#define CSR_SPDISEVMATCH	0x5e7
#define CSR_SPDISEVMATCHH	0x5f7
#define CSR_SPDISFILTER		0x5e8
#define CSR_SPDISAMBCS		0x5e9
#define CSR_SPDISAMBCSH		0x5f9
#define CSR_SPDISAMBADDR	0x5ea

/* The bit in scountinhibit. In scountovf it is a copy of spdisctl.OF. */
#define SCOUNT_PDIS		BIT(1)

/*
 * Without a buffer, a sample is in data registers: the words of a record, in order. sireg
 * to sireg6 have the first six with this siselect, and the others with the next one.
 */
#define PDIS_SELECT		0x60UL

/* spdisctl. All but U, S and OF are optional. */
#define SPDISCTL_SEL		GENMASK_ULL(2, 0)	/* 0: any instruction */
#define SPDISCTL_SEL_MAX	4	/* control transfers */
#define SPDISCTL_HPM		GENMASK_ULL(31, 3)	/* include these counters */
#define SPDISCTL_MEM		BIT_ULL(32)	/* write samples to memory */
#define SPDISCTL_ACC		BIT_ULL(33)	/* try again at once if one is filtered */
#define SPDISCTL_TS		BIT_ULL(34)	/* record the time */
#define SPDISCTL_PA		BIT_ULL(35)	/* record physical addresses */
#define SPDISCTL_EPT		BIT_ULL(36)	/* record the prior transfer's target */
#define SPDISCTL_U		BIT_ULL(60)	/* sample U-mode */
#define SPDISCTL_S		BIT_ULL(61)	/* sample S/HS-mode */
#define SPDISCTL_OF		BIT_ULL(63)	/* no interrupt for samples */

/* spdiscounter: it overflows as the topmost bit of COUNT goes from 1 to 0. */
#define SPDISCOUNTER_COUNT	GENMASK_ULL(31, 0)
#define SPDISCOUNTER_INITVAL	GENMASK_ULL(63, 32)

/* spdisfilter. It is 0 without latency filtering. */
#define SPDISFILTER_THRESH	GENMASK_ULL(11, 0)	/* cycles */
#define SPDISFILTER_INV		BIT_ULL(12)	/* below the threshold, not from it on */
#define SPDISFILTER_LATSEL	GENMASK_ULL(15, 13)	/* which latency */
#define SPDISFILTER_LATSEL_MAX	4	/* as the oldest instruction */

/* The bits of pdishdrev that spdisevmask and spdisevmatch are compared with */
#define PDISHDREV_EVENTS	GENMASK_ULL(55, 0)

#endif /* _ASM_RISCV_CSR_SSPDIS_H */
