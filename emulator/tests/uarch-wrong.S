/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Mispredicted branches that are long in coming to their end: what would have been
 * executed otherwise has time to be fetched, and to load.
 *
 * A branch is taken every other time; its counter, which is 0 at first, never says so.
 * What it depends on takes a division. Nothing is compressed.
 */
#include "function.inc"

	.text
	.option	norvc

/*
 * name(from | never, end): for each line of @from to @end, in turn: the branch is not
 * taken, and the word at @end, which points to itself, is loaded, and what it points to;
 * it is taken, and @wrong would have been loaded: a0, a line before, or a3, what is said
 * behind the word at @end. With @never, 1, it is never taken. @behind comes in any case.
 */
	.macro	guess name, wrong, behind:vararg
function \name
	andi	t6, a0, 1
	xor	a0, a0, t6
	xori	t6, t6, 1
	mv	t5, a1
	mv	a2, a1
	ld	a3, 8(a1)
	li	t0, 0
	li	t2, 1
	j	1f
	.balign	64
1:	div	t1, t0, t2
	bnez	t1, 2f
	ld	t3, 0(a2)
	ld	t3, 0(t3)
2:	\behind
	xor	t0, t0, t6
	neg	t4, t0
	xor	a2, \wrong, t5
	and	a2, a2, t4
	xor	a2, a2, t5
	addi	a0, a0, 64
	bltu	a0, t5, 1b
	ret
	.endm

	guess	guess, a0, nop
	guess	again, a0, ld t3, 0(a2)
	guess	nowhere, a3, nop

/*
 * fetch(taken): a branch at the end of a line. Behind it are three lines of code, more than
 * there is room for in the window. All other transfers are expected the second time.
 */
function fetch
	mv	t3, ra
	jal	2f
	jr	t3
	.balign	64
2:	li	t2, 1
	.rept	13
	nop
	.endr
	div	t1, a0, t2
	bnez	t1, 1f
	.rept	48
	nop
	.endr
1:	ret

/* leave(taken): the same, but what is behind the branch leads away from its line. */
function leave
	mv	t3, ra
	jal	2f
	jr	t3
	.balign	64
2:	li	t2, 1
	div	t1, a0, t2
	bnez	t1, 1f
	j	3f
1:	ret
	.balign	64
3:	.rept	48
	nop
	.endr
	ret

/* read(from, to): a load of each line */
each	read, 64, ld t0, 0(a0)
