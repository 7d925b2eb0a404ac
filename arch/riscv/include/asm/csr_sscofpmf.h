/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sscofpmf: counter overflow and privilege mode filtering.
 *
 * The bits of hpmevent3-31; those of cyclecfg and instretcfg (Smcntrpmf) are
 * the same, without OF and event.
 */
#ifndef _ASM_RISCV_CSR_SSCOFPMF_H
#define _ASM_RISCV_CSR_SSCOFPMF_H

#include <linux/bits.h>
#include <asm/csr.h>

#define HPMEVENT_EVENT		GENMASK_ULL(55, 0)	/* 0: no event */
/* Linux 7.3 has them in csr.h. */
#ifndef HPMEVENT_OF
#define HPMEVENT_VUINH		BIT_ULL(58)	/* do not count in VU-mode */
#define HPMEVENT_VSINH		BIT_ULL(59)	/* do not count in VS-mode */
#define HPMEVENT_UINH		BIT_ULL(60)	/* do not count in U-mode */
#define HPMEVENT_SINH		BIT_ULL(61)	/* do not count in S/HS-mode */
#define HPMEVENT_MINH		BIT_ULL(62)	/* do not count in M-mode */
#define HPMEVENT_OF		BIT_ULL(63)	/* overflowed, interrupt off */
#endif

/* scountovf: bit i is hpmevent i's OF, read-only. */
#ifndef CSR_SCOUNTOVF
#define CSR_SCOUNTOVF		0xda0
#endif

/* The local counter overflow interrupt's bit in sip and sie. */
#define SSCOFPMF_LCOFI		BIT(13)

#endif /* _ASM_RISCV_CSR_SSCOFPMF_H */
