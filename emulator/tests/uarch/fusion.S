/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pairs that are one operation with uarch-fusion=1. The example of uarch.md, shown the second
 * time; then what is a pair, from p_begin to p_end each two instructions behind the other, and
 * what is none.
 */
	.option	norelax
	.option	norvc
	.globl	_start
	.section .text.start, "ax"
_start:	li	s1, 2
	.balign	64
again:	fence.i
f1:	lui	a0, 0x12345
f2:	addi	a0, a0, 0x678
f3:	mul	a1, a0, a0
f4:	slli	a2, a1, 32
f5:	srli	a2, a2, 32
f6:	add	a3, a2, a2
	addi	s1, s1, -1
	bnez	s1, again
	.balign	64
p_begin: lui	a0, 1
	addiw	a0, a0, 1
	auipc	a1, 0
	addi	a1, a1, 4
	slli	a2, a1, 20
	srli	a2, a2, 10
	.option	rvc
	.balign	64
	c.lui	a3, 1
	c.addi	a3, 1
	c.lui	a4, 2
	c.addiw	a4, 3
	c.slli	a5, 3
	c.srli	a5, 3
	lui	a3, 0x12345
	c.addiw	a3, 3
	c.slli	t2, 7
	srli	t2, t2, 9
	.option	norvc
	.balign	64
p_end:	lui	a0, 1			/* into another register */
	addi	a1, a0, 1
	lui	a0, 1			/* of another one */
	addi	a0, a1, 1
	lui	zero, 1
	addi	zero, zero, 1
	addi	a0, a0, 1		/* the other way round */
	lui	a0, 1
	slli	a0, a0, 1
	srai	a0, a0, 1
	slli	a0, a0, 1
	slli	a0, a0, 1
	lui	a0, 1			/* in two lines, as these are 16 */
	nop
	nop
	lui	a0, 1
	addi	a0, a0, 1
	lui	a0, 1
	j	1f			/* not behind it */
	nop
1:	addi	a0, a0, 1
	lui	a0, 1			/* a pair, and one more */
chain:	addi	a0, a0, 1
	addi	a0, a0, 1
	li	t0, 0x100000
	li	t1, 0x555
	slli	t1, t1, 4
	ori	t1, t1, 5
	sw	t1, 0(t0)
1:	j	1b
