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
	/* csrw cycle, zero, which is read-only */
	probe	illegal	.4byte 0xc0001073

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

	/* A division right before the instruction, of which it needs the result */
.macro	after_div name insn:vararg
	.balign	256
	.globl	probe_\name
probe_\name:
	mv	t3, ra
	mv	t1, a0
	li	t2, 1
	.rept	PROBE_NOPS - 4
	nop
	.endr
	div	t2, a0, t2
	\insn
	nop
	.balign	64
	jr	t3
	.balign	64
.endm

	after_div dependent add t1, t2, t2
	after_div independent add t1, a0, a0
	probe	div	div t1, a0, t2

	/* (a0: two words) the time before and after the nop at PROBE_AT */
	.balign	256
	.globl	pdis_timed
pdis_timed:
	.rept	PROBE_NOPS - 1
	nop
	.endr
	csrr	t1, time
	nop
	csrr	t2, time
	REG_S	t1, 0(a0)
	REG_S	t2, REG_SIZE(a0)
	ret

	/*
	 * (a0: where to read, a1: not 0) a branch that nobody can foresee, 64
	 * times, over a load
	 */
	.balign	256
	.globl	pdis_random, pdis_random_branch, pdis_random_load
	.globl	pdis_random_loop, pdis_random_end
pdis_random:
	li	t0, 64
1:	slli	t1, a1, 13
	xor	a1, a1, t1
	srli	t1, a1, 7
	xor	a1, a1, t1
	slli	t1, a1, 17
	xor	a1, a1, t1
	srli	t1, a1, 9
	andi	t1, t1, 1
pdis_random_branch:
	beqz	t1, 2f
pdis_random_load:
	lw	t2, 0(a0)
	add	t2, t2, t2
2:	addi	t0, t0, -1
pdis_random_loop:
	bnez	t0, 1b
	mv	a0, a1
pdis_random_end:
	ret

	/* (a0: eight bytes) a load that might overtake the store to its place */
	.balign	256
	.globl	pdis_order, pdis_order_load, pdis_order_loop, pdis_order_end
pdis_order:
	li	t0, 32
	li	t1, 1
1:	mul	t2, a0, t1
	divu	t2, t2, t1
	sw	t0, 0(t2)
pdis_order_load:
	lw	t2, 0(a0)
	add	t2, t2, t2
	addi	t0, t0, -1
pdis_order_loop:
	bnez	t0, 1b
pdis_order_end:
	ret
