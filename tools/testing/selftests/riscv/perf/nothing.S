/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A program of three instructions, none of which accesses memory or jumps: nearly all that
 * events count does not happen.
 */
	.option	norvc
	.text
	.balign	64
	.globl	_start
_start:
	li	a0, 0
	li	a7, 93
	ecall

	.section .note.GNU-stack, "", @progbits
