/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A load of two lines, of which the first one is there, see CROSSING of run. Behind each
 * load a fence waits until it has its data.
 */
	.option	norelax
	.option	norvc
	.globl	_start
	.section .text.start, "ax"
_start:	lla	s0, data
c1:	ld	a0, 0(s0)
	fence
c2:	ld	a1, 60(s0)
	fence
c3:	ld	a2, 64(s0)
	li	t0, 0x100000
	li	t1, 0x5555
	sw	t1, 0(t0)
1:	j	1b

	.balign	128
data:	.dword	1
	.balign	64
	.dword	2
	.balign	64
