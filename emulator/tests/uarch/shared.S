/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The worked example of two harts in uarch.md: a and c are hart 0, b is hart 1. What is
 * shown there is the second time, when the code is in the caches.
 */
	.option	norelax
	.option	norvc
	.globl	_start

#define CLINT_MSIP	0x2000000
#define MSIP		8

/* Let the other hart go on, and wait until it lets this one. */
.macro	hand_over from, to
	fence
	li	t0, 1
	sw	t0, 4 * \to(s4)
1:	wfi
	csrr	t0, mip
	andi	t0, t0, MSIP
	beqz	t0, 1b
	sw	zero, 4 * \from(s4)
.endm

	.section .text.start, "ax"
_start:	lla	s0, data
	addi	s2, s0, 16
	li	s1, 2
	li	s4, CLINT_MSIP
	csrwi	mie, MSIP
	csrr	t0, mhartid
	bnez	t0, other

	.balign	64
again:	fence.i
a1:	ld	a0, 0(s0)
a2:	addi	a0, a0, 1
a3:	sd	a0, 0(s0)
	hand_over 0, 1
	.balign	64
	fence.i
c1:	ld	a0, 8(s0)
c2:	amoadd.d a1, a0, (s2)
c3:	add	a2, a1, a0
	addi	s1, s1, -1
	bnez	s1, again
	li	t0, 0x100000
	li	t1, 0x5555
	sw	t1, 0(t0)
1:	j	1b

	.balign	64
other:	csrr	t0, mip
	andi	t0, t0, MSIP
	beqz	t0, other
	sw	zero, 4(s4)
	.balign	64
next:	fence.i
b1:	ld	a0, 0(s0)
b2:	addi	a0, a0, 1
b3:	sd	a0, 0(s0)
b4:	ld	a1, 8(s0)
b5:	add	a2, a0, a1
	hand_over 1, 0
	j	next

	.balign	64
data:	.dword	1, 2, 3, 4
