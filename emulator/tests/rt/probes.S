/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One instruction each, at PROBE_AT, with straight-line code before it and
 * after it. Nothing else is compressed; the padding is nops. t3 is how they
 * return, so that ra and t0 are free to jump through.
 */
#include "asm.h"

	.text
	.option	norvc

.macro	probe_begin name
	.balign	256
	.globl	probe_\name
probe_\name:
	mv	t3, ra
	mv	ra, a0
	mv	t0, a0
	mv	t1, a0
	li	t2, 1
	li	a7, 0
	.balign	64
.endm

.macro	probe_end
	nop
	.balign	64
9:	nop
	.balign	64
	jr	t3
	.balign	64
.endm

.macro	probe name insn:vararg
	probe_begin \name
	\insn
	probe_end
.endm

/* The same, compressed; it is followed by a compressed nop. */
.macro	cprobe name insn:vararg
	probe_begin \name
	.option	rvc
	\insn
	.option	norvc
	.2byte	1
	probe_end
.endm

	probe	nop	nop
	probe	mul	mul t2, a0, a0
	probe	fence	fence
	probe	csrr	csrr t2, sscratch
	probe	lb	lb t2, 0(a0)
	probe	lw	lw t2, 0(a0)
	probe	ll	REG_L t2, 0(a0)
	probe	lr	lr.w t2, (a0)
	probe	sb	sb t2, 0(a0)
	probe	sw	sw t2, 0(a0)
	probe	sl	REG_S t2, 0(a0)
	probe	amo	amoadd.w t1, t2, (a0)
#if __riscv_xlen == 64
	probe	amoswap	amoswap.d t1, t2, (a0)
#else
	probe	amoswap	amoswap.w t1, t2, (a0)
#endif
	cprobe	cload	c.lw a1, 0(a0)
	cprobe	cstore	c.sw a1, 0(a0)
	probe	beq_taken beq a0, a0, 9f
	probe	bne_not	bne a0, a0, 9f
	cprobe	cbeqz	c.beqz a1, 9f
	probe	j	j 9f
	cprobe	cj	c.j 9f
	probe	jal_ra	jal ra, 9f
	probe	jal_t0	jal t0, 9f
	probe	jal_t1	jal t1, 9f
	probe	jr	jr t1
	cprobe	cjr	c.jr t1
	probe	jalr_ra	jalr ra, 0(t1)
	probe	jalr_t0	jalr t0, 0(t1)
	probe	jalr_t1	jalr t1, 0(t1)
	cprobe	cjalr	c.jalr t1
	probe	ret_ra	jalr zero, 0(ra)
	probe	ret_t0	jalr zero, 0(t0)
	cprobe	cret	c.jr ra
	probe	swap_ra	jalr ra, 0(t0)
	probe	swap_t0	jalr t0, 0(ra)
	probe	ecall	ecall
	probe	ebreak	ebreak
	probe	illegal	.4byte 0

	/* To the same mode */
	.balign	256
	.globl	probe_sret
probe_sret:
	mv	t3, ra
	csrw	sepc, a0
	li	t0, 0x100
	csrs	sstatus, t0
	.balign	64
	sret
	.balign	64
	nop
	.balign	64
	jr	t3
	.balign	64

	/* Straight-line code of some length, and a return */
	.balign	256
	.globl	pdis_line
pdis_line:
	.rept	PDIS_LINE
	nop
	.endr
	ret

	/* (a0: eight bytes) half of it stores */
	.balign	256
	.globl	pdis_stores
pdis_stores:
	.rept	PDIS_HALF
	nop
	.endr
	.rept	PDIS_HALF
	sw	zero, 0(a0)
	.endr
	ret

	/* Interrupts on, a short line of nops to be sampled, and off again */
	.balign	256
	.globl	pdis_window
pdis_window:
	csrsi	sstatus, 2
	.balign	64
	.rept	PDIS_HALF
	nop
	.endr
	csrci	sstatus, 2
	ret
