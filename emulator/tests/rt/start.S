/* SPDX-License-Identifier: GPL-2.0-only */
#include PLATFORM_HEADER
#include "asm.h"

	.section .text.start, "ax"
	.globl	_start
_start:
	csrr	t0, mhartid
	li	t1, PLATFORM_HART
	bne	t0, t1, park

	/* Until mnstatus.NMIE is set, a hart with Smrnmi loses what traps. */
	la	t0, 1f
	csrw	mtvec, t0
	csrsi	0x744, 8
	.balign	4
1:
	la	t0, rt_bss_start
	la	t1, rt_bss_end
1:	bgeu	t0, t1, 2f
	REG_S	zero, 0(t0)
	addi	t0, t0, REG_SIZE
	j	1b

2:	la	sp, rt_stack_m
	csrw	mscratch, zero
	la	t0, rt_entry_m
	csrw	mtvec, t0
	call	rt_init
	call	test_main
	call	tap_finish

	/* Other harts wait until there is something to do for one more. */
park:	la	t0, rt_other_hart
	REG_L	t0, 0(t0)
	.word	0x0100000f	/* PAUSE */
	beqz	t0, park
	fence	r, rw
	la	sp, rt_stack_low
	jr	t0

	.data
	.balign	REG_SIZE
	.globl	rt_other_hart
rt_other_hart:
	.fill	REG_SIZE, 1, 0
