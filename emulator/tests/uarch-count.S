/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Code whose misses and cycles can be worked out. Nothing is compressed; each
 * function begins with a line of its own.
 */
#include "function.inc"

	.text
	.option	norvc

/* walk(from, to): load a doubleword from each of 8 bytes */
each	walk, 8, ld t0, 0(a0)

/* fill(from, to): the same with stores */
each	fill, 8, sd zero, 0(a0)

/* swap(from, to): an AMO for each line */
function swap
	li	t1, 64
1:	amoadd.d zero, t1, (a0)
	add	a0, a0, t1
	bltu	a0, a1, 1b
	ret

/* lines(from): 64 loads, each of another line */
function lines
	.set	offset, 0
	.rept	64
	ld	t0, 0(a0)
	addi	a0, a0, 64
	.endr
	ret

/* chase(pointer, n) */
function chase
1:	ld	a0, 0(a0)
	addi	a1, a1, -1
	bnez	a1, 1b
	ret

/* loop(n) */
function loop
1:	addi	a0, a0, -1
	bnez	a0, 1b
	ret

/* alternate(n): a branch that is taken every other time, first not */
function alternate
	li	t0, 0
1:	bnez	t0, 2f
2:	xori	t0, t0, 1
	addi	a0, a0, -1
	bnez	a0, 1b
	ret

/* fused(n): LUI and ADDI, SLLI and SRLI, and the end of the loop */
function fused
1:	lui	t0, 1
	addi	t0, t0, 1
	slli	t1, t0, 32
	srli	t1, t1, 32
	addi	a0, a0, -1
	bnez	a0, 1b
	ret

/* nest(n): n calls, one in the other, and n returns */
function nest
	mv	t1, ra
	mv	t2, sp
	call	3f
	mv	ra, t1
	mv	sp, t2
	jr	t1
3:	addi	sp, sp, -16
	sd	ra, 0(sp)
	addi	a0, a0, -1
	beqz	a0, 4f
	jal	ra, 3b
4:	ld	ra, 0(sp)
	addi	sp, sp, 16
	ret

/* flip(n): an indirect jump with two targets in turn */
function flip
	lla	t1, 2f
	lla	t2, 3f
1:	jr	t1
2:	xor	t1, t1, t2
	xor	t2, t1, t2
	xor	t1, t1, t2
	addi	a0, a0, -1
	bnez	a0, 1b
	ret
3:	xor	t1, t1, t2
	xor	t2, t1, t2
	xor	t1, t1, t2
	addi	a0, a0, -1
	bnez	a0, 1b
	ret

/* straight(): 1023 instructions and a return, 64 lines */
function straight
	.rept	1023
	nop
	.endr
	ret

	loads_of_pages

/* late_store(p): n times a store whose data is late, and a load of it */
function late_store
	li	t0, 3
1:	mul	t1, t0, t0
	sd	t1, 0(a0)
	ld	t2, 0(a0)
	addi	a1, a1, -1
	bnez	a1, 1b
	ret
