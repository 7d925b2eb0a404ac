/* SPDX-License-Identifier: GPL-2.0-only */
/* Transfers that fault */
#include "asm.h"

	.text
	.option	norvc
	.balign	4

/* One instruction, and where to go on after it */
.macro	fault	name insn:vararg
	.globl	\name, \name\()_src, \name\()_jr
\name:
	mv	a5, ra
\name\()_src:
	\insn
\name\()_jr:
	jr	a5
.endm

	fault	fault_mret, mret
	fault	fault_sret, sret
	fault	fault_jump, jr a0
	fault	fault_call, jalr ra, a0
