/* SPDX-License-Identifier: GPL-2.0-only */
/* Trap returns that lead to the next instruction, in the same mode. Nothing is compressed. */
#include "function.inc"

	.text
	.option	norvc

/* name(n): by this return, with these registers */
.macro	returns name, insn, status, epc, pp, pie
function \name
	li	t1, \pp
	li	t2, \pie
0:	la	t0, 1f
	csrw	\epc, t0
	csrs	\status, t1
	csrc	\status, t2
	\insn
1:	beqz	zero, 2f
2:	addi	a0, a0, -1
	bnez	a0, 0b
	ret
.endm

	/* MPP and MPIE, SPP and SPIE: interrupts stay off. */
	returns	mrets, mret, mstatus, mepc, 3 << 11, 1 << 7
	returns	srets, sret, sstatus, sepc, 1 << 8, 1 << 5
