/* SPDX-License-Identifier: GPL-2.0-only */
/* Branches that cannot be predicted; jumps for XLEN=32 */
#include "asm.h"

	.text
	.option	norvc
	.balign	4

/* unsigned long misp_loop(seed, n): n branches by a random pattern */
	.globl	misp_loop, misp_branch
misp_loop:
	slli	a2, a0, 13
	xor	a0, a0, a2
	srli	a2, a0, 17
	xor	a0, a0, a2
	slli	a2, a0, 5
	xor	a0, a0, a2
	srli	a2, a0, 11
	andi	a2, a2, 1
misp_branch:
	beqz	a2, 1f
	nop
1:	addi	a1, a1, -1
	bnez	a1, misp_loop
	ret

/* Legal with any XLEN */
	.globl	narrow_code, narrow_jump, narrow_target
narrow_code:
narrow_jump:
	j	narrow_target
	nop
narrow_target:
	ret
