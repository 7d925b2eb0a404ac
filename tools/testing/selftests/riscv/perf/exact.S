/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A program that executes EXACT_INSTRUCTIONS (loops.h) in user space: 2 to set
 * up, 2 for each of a million iterations, 2 before the exit.
 */
	.option	norvc
	.option	norelax
	.text
	.globl	_start
_start:
	lui	s0, 244
	addiw	s0, s0, 576
1:	addi	s0, s0, -1
	bnez	s0, 1b
	li	a0, 0
	li	a7, 93
	ecall

	.section .note.GNU-stack, "", @progbits
