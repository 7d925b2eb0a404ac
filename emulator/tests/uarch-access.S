/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Accesses of several lines, vectors of each kind, and code that is data. Nothing
 * is compressed; each function begins with a line of its own.
 */
#include "function.inc"

	.text
	.option	norvc
	.option	arch, +v
	.option	arch, +zicboz

/* first(from, to): of every other line, load its first bytes */
each	first, 128, ld t0, 0(a0)

/* second(from, to): and of the others */
each	second, 128, ld t0, 64(a0)

/* crossing(from, to): a load that begins in it and ends in the next one */
each	crossing, 128, ld t0, 60(a0)

/* crossing_store(from, to) */
each	crossing_store, 128, sd zero, 60(a0)

/* unit(from, to): vectors of 128 bytes */
function unit
	vsetivli zero, 16, e64, m8, ta, ma
1:	vle64.v	v8, (a0)
	addi	a0, a0, 128
	bltu	a0, a1, 1b
	ret

/* whole(from, to): the same by whole registers of 128 bits */
each	whole, 128, vl8re64.v v8, (a0)

/* strided(from, stride): a vector of 16 elements */
function strided
	vsetivli zero, 16, e64, m8, ta, ma
	vlse64.v v8, (a0), a1
	ret

/* kinds(memory): of each kind another number, see the table in uarch-access.c */
function kinds
	vsetivli zero, 2, e64, m1, ta, ma
	vsetvli	t0, zero, e64, m1, ta, ma
	vmv.v.i	v4, 0
	vmv.v.i	v1, 0
	li	t0, 8
	.rept	3
	vle64.v	v2, (a0)
	.endr
	.rept	4
	vluxei64.v v2, (a0), v4
	.endr
	.rept	5
	vlse64.v v2, (a0), t0
	.endr
	.rept	6
	vloxei64.v v2, (a0), v4
	.endr
	.rept	7
	vse64.v	v2, (a0)
	.endr
	.rept	8
	vsuxei64.v v2, (a0), v4
	.endr
	.rept	9
	vsse64.v v2, (a0), t0
	.endr
	.rept	10
	vsoxei64.v v2, (a0), v4
	.endr
	.rept	11
	vadd.vv	v1, v1, v1
	.endr
	.rept	12
	vmul.vx	v1, v1, t0
	.endr
	.rept	13
	vfadd.vv v1, v1, v1
	.endr
	fcvt.d.l fa0, zero
	.rept	14
	vfmul.vf v1, v1, fa0
	.endr
	ret

/* pairs(from, to): two loads of each line */
function pairs
1:	ld	t0, 0(a0)
	ld	t1, 8(a0)
	addi	a0, a0, 64
	bltu	a0, a1, 1b
	ret

/* merging(from, to): a load of each of two lines, and one of both of them */
function merging
1:	ld	t0, 0(a0)
	ld	t1, 64(a0)
	ld	t2, 60(a0)
	addi	a0, a0, 128
	bltu	a0, a1, 1b
	ret

/* merging_second(from, to): the same with a load of the second one before */
function merging_second
1:	ld	t1, 64(a0)
	ld	t2, 60(a0)
	addi	a0, a0, 128
	bltu	a0, a1, 1b
	ret

/* store_pairs(from, to) */
function store_pairs
1:	sd	zero, 0(a0)
	sd	zero, 8(a0)
	addi	a0, a0, 64
	bltu	a0, a1, 1b
	ret

/* read(from, to), write(from, to): each line */
each	read, 64, ld t0, 0(a0)

each	write, 64, sd zero, 0(a0)

/* zero(from, to): the same with blocks of zeros */
each	zero, 64, cbo.zero 0(a0)

/* back(behind, from): the same from the last line on */
function back
1:	addi	a0, a0, -64
	ld	t0, 0(a0)
	bltu	a1, a0, 1b
	ret

/* both(one, other): each line of two pages by turns */
function both
	li	t1, 64
1:	ld	t0, 0(a0)
	ld	t0, 0(a1)
	addi	a0, a0, 64
	addi	a1, a1, 64
	addi	t1, t1, -1
	bnez	t1, 1b
	ret

/* limping(from, to): steps of one line and of two by turns; not the last few */
function limping
	addi	a1, a1, -192
1:	ld	t0, 0(a0)
	ld	t0, 64(a0)
	addi	a0, a0, 192
	bltu	a0, a1, 1b
	ret

/* pointers(pointer, n) */
function pointers
1:	ld	a0, 0(a0)
	addi	a1, a1, -1
	bnez	a1, 1b
	ret

/* run(from, to): call the function that is in each line */
function run
	mv	t6, ra
1:	jalr	a0
	addi	a0, a0, 64
	bltu	a0, a1, 1b
	jr	t6

/* read_run(from, to): the same when it has been read */
function read_run
	mv	t6, ra
1:	lw	t0, 0(a0)
	jalr	a0
	addi	a0, a0, 64
	bltu	a0, a1, 1b
	jr	t6

/* write_run(from, to): or written */
function write_run
	mv	t6, ra
1:	lw	t0, 0(a0)
	sw	t0, 0(a0)
	jalr	a0
	addi	a0, a0, 64
	bltu	a0, a1, 1b
	jr	t6
