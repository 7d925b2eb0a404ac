/* SPDX-License-Identifier: GPL-2.0-only */
/* Loads of two places, and of one. Nothing is compressed. */
#include "function.inc"

	.text
	.option	norvc

/* by_turns(one, other): many times a load from here and one from there */
function by_turns
	li	t1, 500
1:	lw	t0, 0(a0)
	lw	t0, 0(a1)
	addi	t1, t1, -1
	bnez	t1, 1b
	ret

/* once(pointer): a load, and what waits for it longer than for all else */
function once
	lw	t0, 0(a0)
	.rept	100
	addi	t0, t0, 1
	.endr
	ret
