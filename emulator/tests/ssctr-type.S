/* SPDX-License-Identifier: GPL-2.0-only */
/* Chunks of 16 bytes with one transfer each, 4 bytes before their end */
#include "asm.h"

	.text
	.option	norvc
	.balign	4

#define REGS_2_31 2,3,4,5,6,7,8,9,10,11,12,13,14,15, \
		  16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
#define ALL_REGS 0,1,REGS_2_31
/* There is no C.JR x0: x1 once more. */
#define JUMP_REGS 1,1,REGS_2_31

/*
 * Register rs is made to point to the end of its chunk, whatever it is, so
 * that nothing is left to return by: pair_back restores it all.
 */
.macro	saved	op
	\op	ra, 0*REG_SIZE(a5)
	\op	sp, 1*REG_SIZE(a5)
	\op	gp, 2*REG_SIZE(a5)
	\op	tp, 3*REG_SIZE(a5)
	.irp	n, 0,1,2,3,4,5,6,7,8,9,10,11
	\op	s\n, (4+\n)*REG_SIZE(a5)
	.endr
.endm

	.globl	pair_enter, pair_enter_jr
pair_enter:
	la	a5, pair_save
	saved	REG_S
pair_enter_jr:
	jr	a0
pair_back:
	la	a5, pair_save
	saved	REG_L
	ret

.macro	chunks	name
	.globl	\name
	.balign	16
\name:
.endm

/* Two bytes, and two more */
.macro	short	insn:vararg
	.option	rvc
	\insn
	c.nop
	.option	norvc
.endm

	chunks	pair_jalr
	.irp	rd, ALL_REGS
	.irp	rs, ALL_REGS
	auipc	x\rs, 0
	jalr	x\rd, 12(x\rs)
	nop
	j	pair_back
	.endr
	.endr

	chunks	pair_jal
	.irp	rd, ALL_REGS
	nop
	jal	x\rd, .+8
	nop
	j	pair_back
	.endr

	chunks	pair_cjr
	.irp	rs, JUMP_REGS
	auipc	x\rs, 0
	addi	x\rs, x\rs, 12
	short	c.jr x\rs
	j	pair_back
	.endr

	chunks	pair_cjalr
	.irp	rs, JUMP_REGS
	auipc	x\rs, 0
	addi	x\rs, x\rs, 12
	short	c.jalr x\rs
	j	pair_back
	.endr

/* Six that are taken, six that are not; a4 is -1. */
.macro	branch	op a b
	li	a4, -1
	\op	\a, \b, .+8
	nop
	j	pair_back
.endm

	chunks	pair_branch
	branch	beq, zero, zero
	branch	bne, a4, zero
	branch	blt, a4, zero
	branch	bge, zero, a4
	branch	bltu, zero, a4
	branch	bgeu, a4, zero
	branch	beq, zero, a4
	branch	bne, zero, zero
	branch	blt, zero, a4
	branch	bge, a4, zero
	branch	bltu, a4, zero
	branch	bgeu, zero, a4

/* Each register that C.BEQZ and C.BNEZ can name, 0 and not 0 */
	chunks	pair_cbranch
	.irp	v, 0,-1
	.irp	rs, 8,9,10,11,12,13,14,15
	li	x\rs, \v
	short	c.beqz x\rs, .+8
	nop
	j	pair_back
	li	x\rs, \v
	short	c.bnez x\rs, .+8
	nop
	j	pair_back
	.endr
	.endr

	chunks	pair_cj
	nop
	short	c.j .+8
	nop
	j	pair_back
#if __riscv_xlen == 32
	nop
	short	c.jal .+8
	nop
	j	pair_back
#endif

	.bss
	.balign	8
pair_save:
	.space	16*REG_SIZE
