/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Loads of all kinds and with all bits of their offsets, which are executed, and then
 * flushed behind a branch that nobody expects to be taken, see flushed_differences() of run.
 */
	.option	norelax
	.option	arch, +d, +zcb
	.option	norvc
	.globl	_start
	.section .text.start, "ax"
_start:	li	t0, 1 << 13
	csrs	mstatus, t0
	lla	s0, data
	lla	s1, data
	mv	sp, s0
	li	t1, 0
	li	t2, 1
1:	div	t0, t1, t2
	.rept	6
	div	t0, t0, t2
	.endr
	bnez	t0, ends
begins:
	lb	a2, 2047(s0)
	lbu	a2, -2048(s0)
	lh	a2, 0x554(s0)
	lhu	a2, -0x556(s0)
	lw	a2, 4(s0)
	lwu	a2, 8(s0)
	ld	a2, 16(s0)
	flw	fa2, 0x2a8(s0)
	fld	fa2, -8(s0)
	.option	rvc
	c.lw	a2, 4(s1)
	c.lw	a2, 0x38(s1)
	c.lw	a2, 0x40(s1)
	c.ld	a2, 0x38(s1)
	c.ld	a2, 0xc0(s1)
	c.fld	fa2, 0x88(s1)
	c.lwsp	a2, 0x1c(sp)
	c.lwsp	a2, 0x20(sp)
	c.lwsp	a2, 0xc0(sp)
	c.ldsp	a2, 0x18(sp)
	c.ldsp	a2, 0x20(sp)
	c.ldsp	a2, 0x1c0(sp)
	c.fldsp	fa2, 0x1f8(sp)
	c.lbu	a2, 1(s1)
	c.lbu	a2, 2(s1)
	c.lhu	a2, 2(s1)
	c.lh	a2, 2(s1)
	.option	norvc
	li	t1, 1
	j	1b
ends:	li	t0, 0x100000
	li	t1, 0x5555
	sw	t1, 0(t0)
1:	j	1b

	.balign	4096
	.space	4096
data:	.space	4096
