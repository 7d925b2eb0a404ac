/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * unsigned long rt_path(void *sixteen_bytes): code in which an instruction is
 * seldom followed by the one behind it. It has both lengths, loads, stores, and
 * transfers forward and back; each instruction executes once. rt_path_pc[] has
 * their addresses in the order of execution, the two of rt_leave included;
 * rt_path_kind[] tells what each is: i(nteger), l(oad), s(tore), a(mo),
 * t(aken transfer), n(ot taken branch), e(call). It runs in any mode.
 */
#include "asm.h"

	.text
	.option	push
	.option	rvc
	.balign	16
	.globl	rt_path
rt_path:
	/* 1 to 7; what could be compressed is written so that it is */
p1:	addi	t0, t1, 5
p2:	c.nop
p3:	c.nop
p4:	lw	t2, 0(a0)
p5:	c.nop
p6:	bne	zero, zero, nowhere
p7:	beq	zero, zero, p8
	c.ebreak
p10:	sw	t2, 4(a0)
p11:	c.nop
p12:	c.j	p13
	c.ebreak
p8:	c.nop
p9:	c.j	p10
nowhere:
	c.ebreak
p13:	jal	t1, p14
	c.ebreak
p14:	auipc	t1, 0
p15:	jalr	t2, 10(t1)		# p16
	c.ebreak
p16:	amoadd.w t2, t0, (a0)
p17:	c.nop
p18:	mul	t2, t0, t0
p19:	c.jr	ra
	.option	pop

	.section .rodata
	.balign	8
	.globl	rt_path_pc, rt_path_kind
rt_path_pc:
	.irp	n, 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19
#if __riscv_xlen == 64
	.dword	p\n
#else
	.word	p\n
#endif
	.endr
#if __riscv_xlen == 64
	.dword	rt_leave, rt_leave + 4
#else
	.word	rt_leave, rt_leave + 4
#endif
rt_path_kind:
	.asciz	"iiilintitsittitaiitie"
