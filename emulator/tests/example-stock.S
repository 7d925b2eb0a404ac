/* SPDX-License-Identifier: GPL-2.0-only */
/* Instructions whose effect can be seen, for example-stock.c */
#include "asm.h"

#define CSR_MINSTRET	0xb02
#define CSR_MNEPC	0x741
#define CSR_MNSTATUS	0x744
#define MNSTATUS_MNPP	(3 << 11)

	.text
	.option	norvc

/* What MINSTRET counts from one read to the next, with something and 20 NOPs in between */
.macro	counted	name insn
	.globl	\name
	.balign	4
\name:
	csrr	a0, CSR_MINSTRET
	\insn
	.rept	20
	nop
	.endr
	csrr	a1, CSR_MINSTRET
	sub	a0, a1, a0
	ret
.endm

	counted	stock_wfi wfi
	counted	stock_nop nop

	.globl	stock_sctrclr
	.balign	4
stock_sctrclr:
	.word	0x10400073	/* SCTRCLR */
	ret

/* CM.POPRET {ra}, 16 with bit 0 of ra set: back here all the same, and 1 */
	.globl	stock_popret
	.balign	4
stock_popret:
	mv	a5, ra
	mv	a4, sp
	la	a3, 1f
	ori	a3, a3, 1
	addi	sp, sp, -16
	REG_S	a3, 16 - REG_SIZE(sp)
	.half	0xbe42
	.half	1
1:	mv	sp, a4
	li	a0, 1
	jr	a5

/* MNRET to the instruction behind it, in M-mode */
	.globl	stock_mnret, stock_mnret_src, stock_mnret_dst
	.balign	4
stock_mnret:
	la	a0, stock_mnret_dst
	csrw	CSR_MNEPC, a0
	li	a0, MNSTATUS_MNPP
	csrs	CSR_MNSTATUS, a0
stock_mnret_src:
	.word	0x70200073
stock_mnret_dst:
	ret
