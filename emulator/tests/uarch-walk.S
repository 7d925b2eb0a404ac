/* SPDX-License-Identifier: GPL-2.0-only */
/* Loads whose translation takes time that can be worked out. Nothing is compressed. */
#include "function.inc"

	.text
	.option	norvc

	loads_of_pages

/* by_turns(one, other): many times a load from here and one from there */
function by_turns
	li	t1, 500
1:	ld	t0, 0(a0)
	ld	t0, 0(a1)
	addi	t1, t1, -1
	bnez	t1, 1b
	ret

/* read(from, to): each line */
each	read, 64, ld t0, 0(a0)

/* chase(pointer, n) */
function chase
1:	ld	a0, 0(a0)
	addi	a1, a1, -1
	bnez	a1, 1b
	ret

/* once(pointer): a load, and what waits for it longer than for all else */
function once
	ld	t0, 0(a0)
	.rept	100
	addi	t0, t0, 1
	.endr
	ret
