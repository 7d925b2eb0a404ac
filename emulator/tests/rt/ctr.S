/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Code whose every control transfer is known. It uses no t3 to t6, which the
 * trap handlers here change, and returns by `jr a5'.
 */
#include "asm.h"

	.text
	.option	norvc
	.balign	4

/*
 * Trap handlers without a transfer of their own but the trap return. They note
 * what happened in ctr_seen, step over the instruction if told to, and mask
 * all interrupts of their mode.
 */
.macro	vector name x
	.globl	ctr_vec_\name, ctr_vec_\name\()_ret
	.balign	4
ctr_vec_\name:
	la	t6, ctr_seen
	csrr	t5, \x\()epc
	REG_S	t5, 0*REG_SIZE(t6)
	csrr	t4, \x\()cause
	REG_S	t4, 1*REG_SIZE(t6)
	csrr	t4, ASM_SCTRSTATUS
	REG_S	t4, 2*REG_SIZE(t6)
	REG_L	t4, 3*REG_SIZE(t6)
	add	t5, t5, t4
	csrw	\x\()epc, t5
	csrw	\x\()ie, zero
.endm

	/* The next trap to M is the one that leaves. */
	vector	m, m
	la	t5, ctr_vec_leave
	csrw	mtvec, t5
ctr_vec_m_ret:
	mret

	vector	s, s
ctr_vec_s_ret:
	sret

	vector	vs, s
ctr_vec_vs_ret:
	sret

/* As ctr_vec_m, but takes a while, and says how long at the least */
	vector	slow, m
	csrr	t4, mcycle
	REG_S	t4, 5*REG_SIZE(t6)
	.rept	1000
	nop
	.endr
	csrr	t4, mcycle
	REG_S	t4, 6*REG_SIZE(t6)
	la	t5, ctr_vec_leave
	csrw	mtvec, t5
ctr_vec_slow_ret:
	mret

	.globl	ctr_vec_leave
	.balign	4
ctr_vec_leave:
	csrr	t5, ASM_SCTRSTATUS
	la	t6, ctr_seen
	REG_S	t5, 4*REG_SIZE(t6)
	ctr_freeze
	la	t6, rt_entry_m
	csrw	mtvec, t6
	j	rt_entry_m

/* unsigned long ctr_run_m(a0, a1, fn): in M-mode, recorded */
	.globl	ctr_run_m, ctr_run_m_call, ctr_run_m_back
ctr_run_m:
	addi	sp, sp, -16
	REG_S	ra, 0(sp)
	mv	t1, a2
	ctr_thaw
ctr_run_m_call:
	jalr	ra, t1
ctr_run_m_back:
	csrr	t5, ASM_SCTRSTATUS
	la	t6, ctr_seen
	REG_S	t5, 4*REG_SIZE(t6)
	ctr_freeze
	REG_L	ra, 0(sp)
	addi	sp, sp, 16
	ret

/* struct ctr_seen */
	.bss
	.balign	8
	.globl	ctr_seen
ctr_seen:
	.space	7*REG_SIZE
	.text

/* One transfer in a list: a label for it, another for where it goes, TYPE */
.macro	word	v
#if __riscv_xlen == 64
	.dword	\v
#else
	.word	\v
#endif
.endm

.macro	xfer	src dst type
	.section .rodata
	word	\src
	word	\dst
	word	\type
	.text
.endm

.macro	list	name
	.section .rodata
	.balign	8
	.globl	\name\()_xfers
\name\()_xfers:
	.text
	.globl	\name
\name:
.endm

/* Each type of jump and branch once, then back: ends with the `jr a5'. */
	list	ctr_jumps
	mv	a5, ra
1:	bne	zero, zero, 2f
	xfer	1b, 2f, 4
2:	beq	zero, zero, 3f
	xfer	2b, 3f, 5
	nop
3:	la	t1, 5f
4:	jalr	ra, t1
	xfer	4b, 5f, 8
	nop
5:	jal	ra, 6f
	xfer	5b, 6f, 9
	nop
6:	la	t1, 8f
7:	jr	t1
	xfer	7b, 8f, 10
	nop
8:	j	9f
	xfer	8b, 9f, 11
	nop
9:	la	t0, 2f
1:	jalr	ra, t0
	xfer	1b, 2f, 12
	nop
2:	la	ra, 4f
3:	ret
	xfer	3b, 4f, 13
	nop
4:	la	t1, 6f
5:	jalr	t2, t1
	xfer	5b, 6f, 14
	nop
6:	jal	t2, 7f
	xfer	6b, 7f, 15
	nop
7:
	.globl	ctr_jumps_jr
ctr_jumps_jr:
	jr	a5

/* One trap, by what can be no instruction */
	.globl	ctr_trap, ctr_trap_src, ctr_trap_jr
ctr_trap:
	mv	a5, ra
ctr_trap_src:
	.word	0
ctr_trap_jr:
	jr	a5

/* A jump, a breakpoint 8 bytes further */
	.globl	ctr_break, ctr_break_j, ctr_break_src, ctr_break_jr
ctr_break:
	mv	a5, ra
ctr_break_j:
	j	1f
	nop
1:
ctr_break_src:
	ebreak
ctr_break_jr:
	jr	a5

	.globl	ctr_cbreak, ctr_cbreak_j, ctr_cbreak_src, ctr_cbreak_jr
ctr_cbreak:
	mv	a5, ra
ctr_cbreak_j:
	j	1f
	nop
1:
ctr_cbreak_src:
	.option	push
	.option	rvc
	c.ebreak
	c.nop
	.option	pop
ctr_cbreak_jr:
	jr	a5

/*
 * Some time for an interrupt to be taken, in M-mode and S-mode with interrupts
 * enabled only in between.
 */
	.globl	ctr_wait, ctr_wait_jr, ctr_wait_s, ctr_wait_s_jr
	.globl	ctr_wait_m, ctr_wait_m_jr
ctr_wait:
	mv	a5, ra
	.rept	32
	nop
	.endr
ctr_wait_jr:
	jr	a5

ctr_wait_s:
	mv	a5, ra
	csrsi	sstatus, 2
	.rept	32
	nop
	.endr
	csrci	sstatus, 2
ctr_wait_s_jr:
	jr	a5

ctr_wait_m:
	mv	a5, ra
	csrsi	mstatus, 8
	.rept	32
	nop
	.endr
	csrci	mstatus, 8
ctr_wait_m_jr:
	jr	a5

/*
 * unsigned long ctr_hops(n): n jumps, each of another address; n at most 600.
 * The last of them goes to ctr_hops_end, the one before starts 8 bytes before
 * it, and so on.
 */
	.globl	ctr_hops, ctr_hops_in, ctr_hops_end
ctr_hops:
	mv	a5, ra
	slli	a0, a0, 3
	la	a1, ctr_hops_end
	sub	a1, a1, a0
ctr_hops_in:
	jr	a1
	.rept	600
	j	1f
	nop
1:
	.endr
ctr_hops_end:
	jr	a5

/* A jump 8 bytes further, as in ctr_break */
	.globl	ctr_hop, ctr_hop_j, ctr_hop_jr
ctr_hop:
	mv	a5, ra
ctr_hop_j:
	j	ctr_hop_jr
	nop
ctr_hop_jr:
	jr	a5

/* SCTRCLR, then back */
	.globl	ctr_clear_insn, ctr_clear_jr
ctr_clear_insn:
	mv	a5, ra
	.word	ASM_SCTRCLR
ctr_clear_jr:
	jr	a5
