/* SPDX-License-Identifier: GPL-2.0-only */
#include "asm.h"

	.text

.macro	each_reg op
	.irp	n, 3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
	\op	x\n, \n*REG_SIZE(sp)
	.endr
.endm

/*
 * xscratch holds the stack for traps, or 0 while M-mode itself runs: then the
 * stack in use serves. Frame slot 0 is 0 in that case only.
 */
.macro	trap_enter scratch
	csrrw	sp, \scratch, sp
	bnez	sp, 1f
	csrrw	sp, \scratch, sp
1:	addi	sp, sp, -FRAME_SIZE
	REG_S	x1, 1*REG_SIZE(sp)
	each_reg REG_S
	csrrw	t0, \scratch, zero
	REG_S	t0, 0(sp)
	REG_S	t0, 2*REG_SIZE(sp)
	mv	a0, sp
.endm

.macro	trap_leave scratch xret
	REG_L	t0, 0(sp)
	beqz	t0, 1f
	addi	t1, sp, FRAME_SIZE
	csrw	\scratch, t1
1:	REG_L	x1, 1*REG_SIZE(sp)
	beqz	t0, 2f
	each_reg REG_L
	REG_L	sp, 2*REG_SIZE(sp)
	\xret
2:	each_reg REG_L
	addi	sp, sp, FRAME_SIZE
	\xret
.endm

	.balign	4
	.globl	rt_entry_m
rt_entry_m:
	trap_enter mscratch
	call	rt_trap_m
	bnez	a0, rt_lift
	trap_leave mscratch, mret

	.balign	4
	.globl	rt_entry_s
rt_entry_s:
	trap_enter sscratch
	call	rt_trap_s
	trap_leave sscratch, sret

	/* In VS-mode the s* CSRs are the vs* ones. */
	.balign	4
	.globl	rt_entry_vs
rt_entry_vs:
	trap_enter sscratch
	call	rt_trap_vs
	trap_leave sscratch, sret

/*
 * unsigned long rt_drop_mret(a0, a1, sp), rt_drop_sret(...): go on at xepc in
 * the mode that the status registers tell. What the function there returns
 * comes back through rt_leave and rt_lift.
 */
.macro	drop
	addi	sp, sp, -16*REG_SIZE
	REG_S	ra, 0*REG_SIZE(sp)
	REG_S	gp, 1*REG_SIZE(sp)
	REG_S	tp, 2*REG_SIZE(sp)
	.irp	n, 0,1,2,3,4,5,6,7,8,9,10,11
	REG_S	s\n, (3+\n)*REG_SIZE(sp)
	.endr
	csrw	mscratch, sp
	la	ra, rt_leave
	mv	sp, a2
.endm

	.globl	rt_drop_mret, rt_drop_sret
rt_drop_mret:
	drop
	mret

rt_drop_sret:
	drop
	sret

	/* Recording goes on with the SRET. */
	.globl	rt_drop_record, rt_drop_record_sret
rt_drop_record:
	drop
	ctr_thaw
rt_drop_record_sret:
	sret

	/* RT_LEAVE_INSNS counts what retires here. */
	.option	push
	.option	norvc
	.balign	4
	.globl	rt_leave
rt_leave:
	addi	a7, zero, RT_LEAVE
	ecall
	.option	pop

rt_lift:
	REG_L	a0, 10*REG_SIZE(sp)
	addi	sp, sp, FRAME_SIZE
	REG_L	ra, 0*REG_SIZE(sp)
	REG_L	gp, 1*REG_SIZE(sp)
	REG_L	tp, 2*REG_SIZE(sp)
	.irp	n, 0,1,2,3,4,5,6,7,8,9,10,11
	REG_L	s\n, (3+\n)*REG_SIZE(sp)
	.endr
	addi	sp, sp, 16*REG_SIZE
	ret
