/* SPDX-License-Identifier: GPL-2.0-only */
#include "asm.h"

#define TURNS	30

	.text
	.option	push
	.option	norvc
	.balign	4

/*
 * unsigned long state(unsigned long *word): a1, sscratch and *word count
 * instructions, for S-mode. Each TURN: the n-th adds 1 to a1, the next stores it,
 * the third copies it to sscratch.
 */
	.globl	state
state:
	li	a1, 0
	csrw	sscratch, a1
	.rept	TURNS
	addi	a1, a1, 1
	REG_S	a1, 0(a0)
	csrw	sscratch, a1
	.endr
	ret

/* In place of rt_entry_m: what was seen at an interrupt, and no more of those */
	.globl	state_entry
	.balign	4
state_entry:
	csrrw	sp, mscratch, sp
	addi	sp, sp, -4*REG_SIZE
	REG_S	t0, 0*REG_SIZE(sp)
	REG_S	t1, 1*REG_SIZE(sp)
	csrr	t0, mcause
	bgez	t0, 1f
	la	t0, state_seen
	csrr	t1, mepc
	REG_S	t1, 0*REG_SIZE(t0)
	REG_S	a1, 1*REG_SIZE(t0)
	csrr	t1, sscratch
	REG_S	t1, 2*REG_SIZE(t0)
	REG_L	t1, 0(a0)
	REG_S	t1, 3*REG_SIZE(t0)
	csrw	mie, zero
1:	csrr	t0, mcause
	slt	t1, t0, zero
	REG_L	t0, 0*REG_SIZE(sp)
	bnez	t1, 2f
	REG_L	t1, 1*REG_SIZE(sp)
	addi	sp, sp, 4*REG_SIZE
	csrrw	sp, mscratch, sp
	j	rt_entry_m
2:	REG_L	t1, 1*REG_SIZE(sp)
	addi	sp, sp, 4*REG_SIZE
	csrrw	sp, mscratch, sp
	mret
	.option	pop
