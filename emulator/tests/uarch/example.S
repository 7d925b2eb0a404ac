/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The worked example of uarch.md. What is shown there is the second time: the
 * line of code and that of data are in their caches, and the load at e5 has
 * been caught too early once.
 */
	.option	norelax
	.option	norvc
	.globl	_start
	.section .text.start, "ax"
_start:	lla	s0, data
	li	s1, 2
	.balign	64
again:	fence.i
e1:	ld	a0, 0(s0)
e2:	addi	a1, a0, 1
e3:	mul	a2, a1, a1
e4:	sd	a2, 8(s0)
e5:	ld	a3, 8(s0)
e6:	add	a4, a3, a3
e7:	div	a5, a4, a1
e8:	addi	s1, s1, -1
e9:	bnez	s1, again
e10:	xor	a6, a5, a4
e11:	ld	a7, 64(s0)
e12:	add	a0, a7, a7
	.balign	64
	li	t0, 0x100000
	li	t1, 0x5555
	sw	t1, 0(t0)
1:	j	1b

	.balign	64
data:	.dword	1, 2, 3, 4
	.balign	64
	.dword	5
