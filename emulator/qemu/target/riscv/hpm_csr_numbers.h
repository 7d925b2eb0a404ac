/*
 * RISC-V performance monitoring: numbers that nobody has assigned yet
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * PROVISIONAL. The drafts of Sspesa, Smpdis/Sspdis and Ssamb leave the numbers
 * of their CSRs and some bit positions open. These are from the ranges that the
 * privileged architecture sets aside for custom use. Nothing else in the
 * emulator spells them out, so that they can change here alone. On RV32 the
 * high half of a CSR, where there is one, is at +0x10.
 */
#ifndef RISCV_HPM_CSR_NUMBERS_H
#define RISCV_HPM_CSR_NUMBERS_H

/* Sspesa */
#define CSR_SHPMSPC         0x5e0
#define CSR_SHPMSDATA       0x5e1

/* Smpdis, Sspdis */
#define CSR_SPDISCTL        0x5e4
#define CSR_SPDISCOUNTER    0x5e5
#define CSR_SPDISEVMASK     0x5e6
#define CSR_SPDISEVMATCH    0x5e7
#define CSR_SPDISFILTER     0x5e8
#define CSR_SPDISAMBCS      0x5e9
#define CSR_SPDISAMBADDR    0x5ea
#define CSR_SPDISCTLH       0x5f4
#define CSR_SPDISCOUNTERH   0x5f5
#define CSR_SPDISEVMASKH    0x5f6
#define CSR_SPDISEVMATCHH   0x5f7
#define CSR_SPDISAMBCSH     0x5f9
#define CSR_VSPDISCTL       0x6e4
#define CSR_VSPDISCTLH      0x6f4
#define CSR_MPDISCTL        0x7e4
#define CSR_MPDISCTLH       0x7f4

/* siselect, vsiselect: the sample data registers */
#define ISELECT_PDIS_FIRST  0x60
#define ISELECT_PDIS_LAST   0x61

/*
 * menvcfg.PDISS and henvcfg.PDISV. The draft proposes 59, which has become DTE
 * of Ssdbltrp; 58 is used by the draft of self-hosted trace.
 */
#define ENVCFG_PDIS         (1ULL << 57)

/* mstateen0.PDIS and hstateen0.PDIS: the next below CTR */
#define SMSTATEEN0_PDIS     (1ULL << 53)

/* Ssamb: from the draft of self-hosted trace */
#define IRQ_LAMBI           14
#define MIP_LAMBIP          (1 << IRQ_LAMBI)

#endif /* RISCV_HPM_CSR_NUMBERS_H */
