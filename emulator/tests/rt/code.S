/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Code whose length matters. Nothing here is compressed, so that an address
 * is an instruction number times 4.
 */
#include "asm.h"

	.text
	.option	norvc
	.balign	4

/* unsigned long rt_loop(n): retires 2 n + 1 instructions */
	.globl	rt_loop
rt_loop:
1:	addi	a0, a0, -1
	bnez	a0, 1b
	ret

/* void rt_nops(void): RT_NOPS and a return */
	.globl	rt_nops
rt_nops:
	.rept	RT_NOPS
	nop
	.endr
	ret

/*
 * void rt_mix(void *eight_bytes): RT_MIX_INSNS of many kinds and a return. The
 * jumps and branches all go to the next instruction, so that the n-th to
 * execute is the n-th in memory. It must not need more than U-mode.
 */
	.globl	rt_mix
rt_mix:
	REG_L	t0, 0(a0)
	addi	t0, t0, 1
	REG_S	t0, 0(a0)
	beq	zero, zero, 1f
1:	bne	zero, zero, 2f
2:	amoadd.w t1, t0, (a0)
	fence
	jal	t1, 3f
3:	lr.w	t1, (a0)
	sc.w	t2, t1, (a0)
	mul	t1, t1, t0
	auipc	t1, 0
	jalr	t2, 8(t1)
	fence.i
	blt	t0, t0, 4f
4:	lbu	t1, 1(a0)
	sb	t1, 2(a0)
	j	5f
5:	div	t1, t0, t0
	lui	t1, 1
	bgeu	t0, t0, 6f
6:	nop
	ret

/* void rt_hop(void): an instruction, then a jump that goes forward */
	.globl	rt_hop, rt_hop_target
rt_hop:
	nop
	j	rt_hop_target
	.rept	16
	nop
	.endr
rt_hop_target:
	.rept	16
	nop
	.endr
	ret

/* void rt_window_m(void), rt_window_s(void): interrupts on for a while */
	.globl	rt_window_m
rt_window_m:
	csrsi	mstatus, 8
	.rept	16
	nop
	.endr
	csrci	mstatus, 8
	ret

	.globl	rt_window_s
rt_window_s:
	csrsi	sstatus, 2
	.rept	16
	nop
	.endr
	csrci	sstatus, 2
	ret

/*
 * The CSR number is part of the instruction, hence one stub for each number
 * and operation: csrr a0, csrrw, csrrs and csrrc a0 with a0.
 */
	.globl	rt_csr_stubs
	.balign	STUB_SIZE
rt_csr_stubs:
	.set	stub_csr, 0
	.rept	4096
	.word	0x00002573 | stub_csr << 20
	ret
	.word	0x00051573 | stub_csr << 20
	ret
	.word	0x00052573 | stub_csr << 20
	ret
	.word	0x00053573 | stub_csr << 20
	ret
	.set	stub_csr, stub_csr + 1
	.endr
