/* SPDX-License-Identifier: GPL-2.0-only */
/* What two modes use in turn. Nothing is compressed. */
#include "function.inc"

	.text
	.option	norvc

/* walk(from, to): load a doubleword from each of 8 bytes */
each	walk, 8, ld t0, 0(a0)

	loads_of_pages

/* jump(to): an indirect jump */
function jump
	jr	a0
	.globl	land_here, land_there
land_here:
	ret
land_there:
	ret

/* again(from, n): n times the loads of HOT bytes from there on, one of 16 */
function again
	li	t2, 8192
1:	mv	t1, a0
	add	t3, a0, t2
2:	ld	t0, 0(t1)
	addi	t1, t1, 16
	bltu	t1, t3, 2b
	addi	a1, a1, -1
	bnez	a1, 1b
	ret
