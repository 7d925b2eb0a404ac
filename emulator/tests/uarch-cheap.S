/* SPDX-License-Identifier: GPL-2.0-only */
/* What the cheap clock has to tell apart. Nothing is compressed. */
#include "function.inc"

	.text
	.option	norvc

/* straight(): 511 instructions and a return */
function straight
	.rept	511
	nop
	.endr
	ret

/* lines(from): 64 loads, each of another line */
function lines
	.rept	64
	ld	t0, 0(a0)
	addi	a0, a0, 64
	.endr
	ret

/* walk(from, to): load a doubleword from each of 64 bytes */
each	walk, 64, ld t0, 0(a0)

/* fill(from, to): the same with stores */
each	fill, 64, sd zero, 0(a0)

/* alternate(n): a branch that is taken every other time, first not */
function alternate
	li	t0, 0
1:	bnez	t0, 2f
2:	xori	t0, t0, 1
	addi	a0, a0, -1
	bnez	a0, 1b
	ret

	loads_of_pages

/*
 * readings(from, n): read mcycle n times, with a load that may miss in between, and each time
 * once more right behind, where the least step back shows; how often it has been less than
 * before
 */
function readings
	li	t0, 0
	li	t2, 0
1:	csrr	t1, mcycle
	csrr	t4, mcycle
	sltu	t3, t1, t0
	add	t2, t2, t3
	sltu	t3, t4, t1
	add	t2, t2, t3
	mv	t0, t4
	ld	t3, 0(a0)
	addi	a0, a0, 72
	addi	a1, a1, -1
	bnez	a1, 1b
	mv	a0, t2
	ret
