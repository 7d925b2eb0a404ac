/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * XiangShan Kunminghu: eight counters at once, round by round with other selectors, all of which
 * count what is between start and stop, and print it. See test_combined() of run, which works it
 * out by the log. migrate has more TURNS, and moves it meanwhile, with FEW selectors: to print is
 * what takes time when it is replayed. With INTERRUPTS, counters overflow in front of instructions
 * that end a cycle, and how often and where they interrupt is printed, too.
 */
	.option	norelax
	.option	norvc

/* mhpmevent11, mhpmcounter11: the first of those of the back end */
	.equ	EVENT, 0x32b
	.equ	COUNTER, 0xb0b
	.equ	COUNTERS, 8
	.equ	UART, 0x10000000
	.equ	LCOFI, 13
	.equ	MIX, 120		/* runs of instructions of one kind */
#ifndef TURNS
#define TURNS	2
#endif

/* A counter overflows when it has counted so much. */
	.equ	ROOM, 100

	.globl	_start
	.section .text.start, "ax"
_start:	lla	t0, handler
	csrw	mtvec, t0
	lla	s0, selectors
	lla	s1, selectors_end
#ifdef INTERRUPTS
	li	s7, 0
	li	s8, 0
	li	t0, 1 << LCOFI
	csrw	mie, t0
	csrsi	mstatus, 8
#endif
	li	s4, 0x80100000		/* lines that no cache has */
round:	li	t0, -1
	csrw	mcountinhibit, t0
	li	t0, -ROOM
	.set	i, 0
	.rept	COUNTERS
	ld	t1, 8 * i(s0)
	csrw	EVENT + i, t1
	csrw	COUNTER + i, t0
	.set	i, i + 1
	.endr
	ld	s5, (s0)
	lla	s3, data
	li	s2, TURNS
	li	a1, 7
	li	a2, 3
start:	csrw	mcountinhibit, zero
again:	call	mix
	/* In front of this all is counted, by the events that there have been until then. */
peek:	csrr	s6, COUNTER + 1
	call	mix
write:	csrw	EVENT + COUNTERS - 1, s5
	call	mix
	addi	s2, s2, -1
	bnez	s2, again
	li	t0, -1
stop:	csrw	mcountinhibit, t0
	mv	a0, s6
	call	print
	.set	i, 0
	.rept	COUNTERS
	csrr	a0, COUNTER + i
	call	print
	.set	i, i + 1
	.endr
	addi	s0, s0, 8 * COUNTERS
	bne	s0, s1, round
#ifdef INTERRUPTS
	mv	a0, s7
	call	print
	mv	a0, s8
	call	print
#endif
	li	a0, 0x1e4d0000		/* the end: no counter comes so far */
	call	print
	li	t0, 0x100000
	li	t1, 0x5555
	sw	t1, 0(t0)
1:	j	1b

/* The lower half of a0, in digits */
print:	li	t0, UART
	li	t1, 8
	slli	a0, a0, 32
1:	srli	t2, a0, 60
	slli	a0, a0, 4
	addi	t2, t2, '0'
	li	t3, '9'
	ble	t2, t3, 2f
	addi	t2, t2, 'a' - '9' - 1
2:	sb	t2, (t0)
	addi	t1, t1, -1
	bnez	t1, 1b
	li	t2, '\n'
	sb	t2, (t0)
	ret

/* One number after the other that looks like chance */
	.macro	draw
	.set	seed, (seed * 1103515245 + 12345) & 0x7fffffff
	.set	drawn, seed >> 16
	.endm

	.macro	one kind
	.if	\kind == 0
	addi	t1, t2, 1
	.elseif	\kind == 1
	ld	t3, 8(s3)
	.elseif	\kind == 2
	sd	t4, 64(s3)
	.elseif	\kind == 3
	bnez	zero, handler
	.elseif	\kind == 4
	j	1f
1:
	.elseif	\kind == 5
	xor	t5, a1, a2
	lw	t4, 16(s3)
	sw	t5, 24(s3)
	beq	a1, a2, handler
	.elseif	\kind == 6
	amoadd.w t6, a1, (s3)
	.elseif	\kind == 7
	div	a3, a1, a2
	.else
	ld	a4, (s4)
	addi	s4, s4, 64
	.endif
	.endm

	.balign	64
#ifdef INTERRUPTS
mix:	.rept	MIX
	one	0
	one	1
	csrr	a5, mscratch
	.endr
	ret
#else
mix:	.set	seed, 20261129
	.rept	MIX
	draw
	.set	kind, drawn % 9
	draw
	.set	often, drawn % 7 + 1
	.if	kind > 5
	.set	often, 1
	.endif
	.rept	often
	one	kind
	.endr
	draw
	.if	drawn % 12 == 0
	lui	a5, 0x12345		/* a pair, if there are any */
	addi	a5, a5, 0x678
	.endif
	draw
	.if	drawn % 20 == 0
	ecall
	.endif
	.endr
	ret
#endif

	.balign	4
handler:
#ifdef INTERRUPTS
	csrr	a6, mepc
	addi	s7, s7, 1
	add	s8, s8, a6
	li	a6, 1 << LCOFI
	csrc	mip, a6
	mret
#endif
	csrr	a6, mepc
	addi	a6, a6, 4
	csrw	mepc, a6
	mret

/* All operators with these four events, in the order of itertools.product() */
	.macro	all_operators e0, e1, e2, e3
	.irp	op0, 0, 1, 2, 4
	.irp	op1, 0, 1, 2, 4
	.irp	op2, 0, 1, 2, 4
	.dword	\op2 << 50 | \op1 << 45 | \op0 << 40 | \e3 << 30 | \e2 << 20 | \e1 << 10 | \e0
	.endr
	.endr
	.endr
	.endm

	.balign	64
selectors:
	all_operators 0x151, 0x154, 0x157, 0x155
#ifndef FEW
	all_operators 0x154, 0x155, 0x14d, 0x151
#endif
selectors_end:
	.balign	64
data:	.space	128
