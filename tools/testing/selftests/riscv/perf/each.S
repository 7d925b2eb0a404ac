/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A program that executes, a thousand times, one instruction of each kind for which there
 * is an event, and besides only what is written down here. events.sh has the sums. The
 * numbers count the 38 instructions of the body, which are four bytes wide but for one.
 * "each_few" is the same with less turns.
 */
#ifndef TURNS
#define TURNS	1000
#endif
	.option	norvc
	.option	norelax
	.option	arch, +v
	.data
	.balign	64
memory:	.zero	64

	.text
	.balign	64
	.globl	_start
_start:
	lla	s1, memory		/* two instructions, as all lla */
	lla	s3, leaf
	li	s0, TURNS
	fmv.d.x	fa0, zero
turn:
	ld	t1, 0(s1)		/* 1 */
	sd	t1, 8(s1)
	amoadd.d t1, zero, (s1)
	lr.d	t1, (s1)
	sc.d	t3, t1, (s1)		/* 5 */
	fence	rw, rw
	fence.tso
	fence.i
	add	t1, t1, t3
	mul	t1, t1, t3		/* 10 */
	.option	push
	.option	rvc
	c.li	a3, 1
	c.nop
	.option	pop
	fadd.d	fa0, fa0, fa0
	fld	fa1, 16(s1)
	fsd	fa1, 24(s1)		/* 15 */
	vsetivli zero, 2, e64, m1, ta, ma
	vadd.vv	v1, v1, v1
	vle64.v	v2, (s1)
	vse64.v	v2, (s1)
	beq	zero, zero, 1f		/* 20, taken */
1:	bne	zero, zero, 1f		/* not taken */
1:	j	1f			/* direct jump */
1:	jal	leaf			/* direct call, */
					/* 24 is its return */
	jalr	s3			/* indirect call, */
					/* 26 its return */
	jal	t2, 1f			/* direct jump that links to x7 */
1:	lla	t4, 1f			/* 28, 29 */
	jr	t4			/* indirect jump */
1:	addi	t4, t4, 8
	jalr	t2, 0(t4)		/* 32: indirect jump that links to x7 */
	lla	ra, 1f			/* 33, 34 */
	jalr	t0, 0(ra)		/* co-routine swap */
1:	frflags	t1
	addi	s0, s0, -1		/* 37 */
	bnez	s0, turn
	li	a0, 0
	li	a7, 93
	ecall

leaf:	ret

	.section .note.GNU-stack, "", @progbits
