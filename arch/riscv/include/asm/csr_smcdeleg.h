/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Smcdeleg/Ssccfg: counters delegated to supervisor mode.
 *
 * M-mode delegates counter i by setting menvcfg.CDE and mcounteren bit i. S-mode then
 * accesses it by siselect 0x40 + i, except 1 (time): the count is sireg (and sireg4, its
 * high half, on RV32), the event or mode filter register is sireg2 (and sireg5).
 */
#ifndef _ASM_RISCV_CSR_SMCDELEG_H
#define _ASM_RISCV_CSR_SMCDELEG_H

#include <asm/csr_indirect.h>
#include <asm/csr_probe.h>

/* Linux 7.3 has these two in csr.h. */
#ifndef SISELECT_SSCCFG_BASE
/* Bit i stops counter i. If it is not delegated, the bit reads 0 and ignores writes. */
#define CSR_SCOUNTINHIBIT	0x120
#define SISELECT_SSCCFG_BASE	0x40UL
#endif

#endif /* _ASM_RISCV_CSR_SMCDELEG_H */
