/* SPDX-License-Identifier: GPL-2.0-only */
/* Two jumps with something in between, and mcycle around them */
#include "asm.h"

	.text
	.option	norvc
	.balign	4

.macro	nops	n
	.rept	\n
	nop
	.endr
.endm

/* The first jump; then comes what is to be counted. The span is at a1. */
.macro	from	name csr
	.globl	\name, \name\()_jr
	.balign	4
\name:
	mv	a5, ra
	csrr	a2, \csr
	j	1f
1:	csrr	a3, \csr
.endm

.macro	store	a b c d at
	REG_S	\a, (\at + 0) * REG_SIZE(a1)
	REG_S	\b, (\at + 1) * REG_SIZE(a1)
	REG_S	\c, (\at + 2) * REG_SIZE(a1)
	REG_S	\d, (\at + 3) * REG_SIZE(a1)
.endm

/* The second jump, whose record has the count */
.macro	to	name csr
	csrr	a4, \csr
	j	1f
1:	csrr	a6, \csr
	store	a2, a3, a4, a6, 0
\name\()_jr:
	jr	a5
.endm

	from	cyc_spin_m, mcycle
2:	addi	a0, a0, -1
	bnez	a0, 2b
	to	cyc_spin_m, mcycle

	from	cyc_nops_m, mcycle
	nops	64
	to	cyc_nops_m, mcycle

	from	cyc_many_m, mcycle
	nops	5000
	to	cyc_many_m, mcycle

	from	cyc_nops, cycle
	nops	64
	to	cyc_nops, cycle

/* The word is no instruction; the handler comes back behind it. */
	from	cyc_trap, cycle
	nops	16
	csrr	t1, cycle
	.word	0
	csrr	t0, cycle
	store	zero, zero, t1, t0, 4
	nops	16
	to	cyc_trap, cycle

	from	cyc_frozen, cycle
	li	a0, 1
	slli	a0, a0, 31
	csrr	t1, cycle
	csrs	ASM_SCTRSTATUS, a0
	csrr	a7, cycle
	nops	500
	csrr	t2, cycle
	csrc	ASM_SCTRSTATUS, a0
	csrr	t0, cycle
	store	a7, t2, t1, t0, 4
	nops	16
	to	cyc_frozen, cycle

/* An instruction in the middle of 2 times 64 */
.macro	within	name insn:vararg
	from	\name, mcycle
	nops	64
	\insn
	nops	64
	to	\name, mcycle
.endm

/* These reset the counter: mctrctl, sctrctl, vsctrctl, SCTRCLR. */
	within	cyc_mctrctl, csrw 0x34e, a0
	within	cyc_sctrctl, csrw 0x14e, a0
	within	cyc_vsctrctl, csrw 0x24e, a0
	within	cyc_set, csrs 0x34e, a0
	within	cyc_clear, .word ASM_SCTRCLR

/* These do not. */
	from	cyc_read, mcycle
	nops	64
	csrr	t0, 0x34e
	csrr	t0, 0x14e
	csrr	t0, ASM_SCTRSTATUS
	csrrs	t0, 0x34e, zero
	csrrci	t0, 0x14e, 0
	nops	64
	to	cyc_read, mcycle

/* 14 jumps */
	from	cyc_chain_m, mcycle
	.rept	12
	nops	3
	j	.+8
	nop
	.endr
	to	cyc_chain_m, mcycle

/* A call, in it another one and its return, a third */
	.globl	cyc_ras
cyc_ras:
	mv	a5, ra
	csrr	a2, mcycle
	jal	ra, 1f
1:	csrr	a3, mcycle
	nops	30
	jal	ra, 3f
	nops	20
	csrr	a4, mcycle
	jal	ra, 2f
2:	csrr	a6, mcycle
	store	a2, a3, a4, a6, 0
	jr	a5
3:
	nops	100
	ret
