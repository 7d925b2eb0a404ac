/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stores that wait for room in a write buffer of two: the example of uarch.md, shown the
 * second time, each time with lines that no cache has. Then stores to lines here and there.
 */
#include "shift.inc"

	.option	norelax
	.option	norvc
	.globl	_start
	.section .text.start, "ax"
_start:	li	s0, 0x80100000
	li	s1, 2
	.balign	64
again:	fence.i
w1:	sd	zero, 0(s0)
w2:	sd	zero, 8(s0)
w3:	sd	zero, 64(s0)
w4:	sd	zero, 72(s0)
w5:	addi	a0, zero, 1
w6:	ld	a1, 72(s0)
w7:	fence
	addi	s0, s0, 1024
	addi	s1, s1, -1
	bnez	s1, again
	li	s0, 0x80200000
	li	s1, 0xace1		/* never 0 */
	li	s2, 1000
1:	shift_in
	srli	t0, s1, 3		/* 64 KiB, which L1D has not room for */
	slli	t0, t0, 3
	add	t0, t0, s0
	sd	s1, 0(t0)
	andi	t1, s1, 1
	beqz	t1, 2f
	ld	t2, 0(t0)
	mul	t2, t2, t2
	sw	t2, 4(t0)
2:	andi	t1, s1, 6
	bnez	t1, 2f
	xori	t0, t0, 64
	sb	t2, 0(t0)
	amoadd.w t2, t1, (t0)
2:	andi	t1, s1, 31
	bnez	t1, 2f
	fence	rw, w
2:	addi	s2, s2, -1
	bnez	s2, 1b
	li	t0, 0x100000
	li	t1, 0x5555
	sw	t1, 0(t0)
1:	j	1b
