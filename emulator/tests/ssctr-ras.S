/* SPDX-License-Identifier: GPL-2.0-only */
/* Calls and returns */
#include "asm.h"

	.text
	.option	norvc
	.balign	4

/* Calls and returns with all else in between; two calls stay open. */
	.globl	ras_mixed, ras_call1, ras_call1_to, ras_call2, ras_call2_to
	.globl	ras_call3, ras_call3_to
ras_mixed:
	mv	a5, ra
	j	1f
	nop
1:	beq	zero, zero, ras_call1
	nop
ras_call1:
	jal	ra, ras_call1_to
	nop
ras_call1_to:
	la	t1, 1f
	jr	t1
1:	bne	zero, zero, 1b
ras_call2:
	jal	t0, ras_call2_to
	jal	t2, 1f
1:	la	t1, 2f
	jalr	t2, t1
2:	la	t1, ras_call3_to
ras_call3:
	jalr	ra, t1
ras_call2_to:
	nop
	jr	t0
ras_call3_to:
	jr	a5

/* a0 calls, at most 600, each from within the one before */
	.globl	ras_nest, ras_nest_end
ras_nest:
	mv	a5, ra
	slli	a0, a0, 2
	la	a1, ras_nest_end
	sub	a1, a1, a0
	jr	a1
	.rept	600
	jal	ra, .+4
	.endr
ras_nest_end:
	jr	a5

/* a0 returns */
	.globl	ras_returns
ras_returns:
	mv	a5, ra
1:	beqz	a0, 2f
	addi	a0, a0, -1
	la	ra, 1b
	ret
2:	jr	a5

/* Two swaps, one by each link register */
	.globl	ras_swaps, ras_swap1, ras_swap1_to, ras_swap2, ras_swap2_to
ras_swaps:
	mv	a5, ra
	la	t0, ras_swap1_to
ras_swap1:
	jalr	ra, t0
	nop
ras_swap1_to:
	la	ra, ras_swap2_to
ras_swap2:
	jalr	t0, ra
	nop
ras_swap2_to:
	jr	a5
