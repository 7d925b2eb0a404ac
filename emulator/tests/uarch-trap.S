/* SPDX-License-Identifier: GPL-2.0-only */
/* Instructions that are illegal, or are so for want of a permission. Nothing is compressed. */
#include "function.inc"

	.text
	.option	norvc

/* illegals(n) */
function illegals
1:	unimp
	addi	a0, a0, -1
	bnez	a0, 1b
	ret

/* times(n) */
function times
1:	rdtime	a1
	addi	a0, a0, -1
	bnez	a0, 1b
	ret

/* Handles each exception of U-mode: it goes on behind the instruction. None of these uses t6. */
function skip_insn
	csrr	t6, sepc
	addi	t6, t6, 4
	csrw	sepc, t6
	sret
