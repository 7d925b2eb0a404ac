/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Conditional branches whose outcomes follow from those of the last two times around: by
 * turns, every third time, in a loop within a loop. Then some that follow from nothing.
 */
#include "shift.inc"

	.option	norelax
	.globl	_start
	.section .text.start, "ax"
_start:	li	s0, 400
	li	s1, 0xace1		/* never 0 */
	li	s2, 0
	li	s3, 3
again:	andi	t0, s0, 1
by_turns: beqz	t0, 1f
	addi	s2, s2, 1
1:	remu	t0, s0, s3
by_three: bnez	t0, 1f
	addi	s2, s2, 1
1:	li	t1, 3
2:	addi	t1, t1, -1
within:	bnez	t1, 2b
	addi	s0, s0, -1
	bnez	s0, again
	li	s0, 400
3:	shift_in
by_chance: beqz	t0, 1f
	addi	s2, s2, 1
1:	addi	s0, s0, -1
	bnez	s0, 3b
	li	t0, 0x100000
	li	t1, 0x5555
	sw	t1, 0(t0)
1:	j	1b
