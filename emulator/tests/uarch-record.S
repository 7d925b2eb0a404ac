/* SPDX-License-Identifier: GPL-2.0-only */
/* A branch that is told where to go each time */
#include "asm.h"

	.text
	.option	norvc
	.balign	4

/* unsigned long told_loop(bits, n): n branches, taken where there is a 1 */
	.globl	told_loop, told_branch
told_loop:
	andi	a2, a0, 1
	srli	a0, a0, 1
told_branch:
	bnez	a2, 1f
	nop
1:	addi	a1, a1, -1
	bnez	a1, told_loop
	ret
