/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Smcdeleg/Ssccfg: counters delegated to supervisor mode.
 *
 * M-mode delegates counter i by setting menvcfg.CDE and mcounteren bit i.
 * S-mode then reaches it by siselect 0x40 + i, except 1 (time): the count is
 * sireg (and sireg4, its high half, on RV32), the event or mode filter register
 * is sireg2 (and sireg5).
 */
#ifndef _ASM_RISCV_CSR_SMCDELEG_H
#define _ASM_RISCV_CSR_SMCDELEG_H

#include <asm/csr_indirect.h>
#include <asm/csr_probe.h>

/* Linux 7.3 has these two in csr.h. */
#ifndef SISELECT_SSCCFG_BASE
/* Bit i set: counter i stands still. Not delegated: reads 0, write ignored. */
#define CSR_SCOUNTINHIBIT	0x120
#define SISELECT_SSCCFG_BASE	0x40UL
#endif

#endif /* _ASM_RISCV_CSR_SMCDELEG_H */
