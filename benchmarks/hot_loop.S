/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A hot loop, which executes its instructions in the order of their addresses: each
 * branch, taken or not, leads to the next instruction. So it is known how many have
 * been executed between two of them, as a turn is longer than interrupts are late.
 * There are loads, branches that are always taken, and some that nobody can predict.
 *
 * To be linked with hot_loop at an address that scripts/bench knows.
 */
#ifndef TURNS
#define TURNS	110000
#endif

	.option	norvc
	.option	norelax
	.text
	.globl	hot_loop, _start
	.type	hot_loop, @function
hot_loop:
	.rept	20
	ld	t0, 0(sp)
	slli	t1, a1, 13
	xor	a1, a1, t1
	srli	t1, a1, 7
	xor	a1, a1, t1
	slli	t1, a1, 17
	xor	a1, a1, t1
	bgez	a1, 1f
1:	beqz	zero, 1f
1:
	.endr
	addi	a0, a0, -1
	bnez	a0, hot_loop
	li	a7, 93
	ecall

_start:
	li	a0, TURNS
	li	a1, 1
	j	hot_loop

	.section .note.GNU-stack, "", @progbits
