/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Harts that do what they are told in S-mode, and wait there, and what they are told.
 * Nothing is compressed; each function begins with a line of its own.
 */
#include PLATFORM_HEADER
#include "asm.h"
#include "function.inc"

	.text
	.option	norvc
	.option	arch, +a

#define STACK_BITS	11
#define CLINT_MSIP	0x2000000
#define MSTATUS_MPP	0x1800
#define MSTATUS_MPP_S	0x800
#define MIE_MSIE	8

/* Where other harts than that of the test begin */
function share_entry
	csrr	a0, mhartid
	la	sp, stacks
	addi	t0, a0, 1
	slli	t0, t0, STACK_BITS
	add	sp, sp, t0
	la	t0, back
	csrw	mtvec, t0
	li	t0, -1
	csrw	pmpaddr0, t0
	li	t0, 0x1f
	csrw	pmpcfg0, t0
	csrwi	mie, MIE_MSIE
	j	share_hart

/*
 * share_run(a, b, function, done, inhibit): call it in S-mode, write 1 to a register,
 * interrupt hart 0, and wait there until somebody interrupts, which is the way back.
 * mcountinhibit is as told meanwhile, all ones before and after.
 */
function share_run
	addi	sp, sp, -112
	sd	ra, 0(sp)
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
	sd	s\n, 8 + 8 * \n(sp)
	.endr
	csrw	mscratch, sp
	li	t0, MSTATUS_MPP
	csrc	mstatus, t0
	li	t0, MSTATUS_MPP_S
	csrs	mstatus, t0
	la	t0, wait
	csrw	mepc, t0
	csrw	mcountinhibit, a4
	mret

	.balign	64
wait:	jalr	a2
	li	t0, CLINT_MSIP
	li	t1, 1
	sw	t1, 0(a3)
	sw	t1, 0(t0)
1:	wfi
	j	1b

	.balign	64
back:	csrr	t0, mcause
	bgez	t0, back
	li	t0, -1
	csrw	mcountinhibit, t0
	csrr	sp, mscratch
	ld	ra, 0(sp)
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
	ld	s\n, 8 + 8 * \n(sp)
	.endr
	addi	sp, sp, 112
	csrr	t0, mhartid
	slli	t0, t0, 2
	li	t1, CLINT_MSIP
	add	t0, t0, t1
	sw	zero, 0(t0)
	ret

/* nothing() */
function nothing
	ret

/* add(address, n): n times, one to what is there; more(address): once, by an AMO */
function add
1:	ld	t0, 0(a0)
	addi	t0, t0, 1
	sd	t0, 0(a0)
	addi	a1, a1, -1
	bnez	a1, 1b
	ret

function more
	li	t0, 1
	amoadd.d t1, t0, (a0)
	ret

/* reserve(address), conditional(address): by two harts, or in two turns, it fails */
function reserve
	lr.d	t0, (a0)
	ret

function conditional
	sc.d	t0, zero, (a0)
	ret

/* read(from, to), write(from, to), code(from, to): each line, the latter as a function */
each	read, 64, ld t0, 0(a0)

each	write, 64, sd zero, 0(a0)

function code
	li	t0, 0x00008067
1:	sd	t0, 0(a0)
	addi	a0, a0, 64
	bltu	a0, a1, 1b
	ret

/* run(from, to): call the function that is in each line */
function run
	mv	t6, ra
	fence.i
1:	jalr	a0
	addi	a0, a0, 64
	bltu	a0, a1, 1b
	jr	t6

/* read_run(from, to): the same when it has been read */
function read_run
	mv	t6, ra
	fence.i
1:	lw	t0, 0(a0)
	jalr	a0
	addi	a0, a0, 64
	bltu	a0, a1, 1b
	jr	t6

/* chase(pointer, n) */
function chase
1:	ld	a0, 0(a0)
	addi	a1, a1, -1
	bnez	a1, 1b
	ret

/* link(from, to): a chain through each line from the first to the last, and back to that */
function link
	mv	t1, a0
1:	addi	t0, a0, 64
	bltu	t0, a1, 2f
	mv	t0, t1
2:	sd	t0, 0(a0)
	addi	a0, a0, 64
	bltu	a0, a1, 1b
	ret

/* ping(address, n), pong(address, n): n times, wait for an even (odd) number, add one */
function ping
1:	ld	t0, 0(a0)
	andi	t1, t0, 1
	bnez	t1, 1b
	addi	t0, t0, 1
	sd	t0, 0(a0)
	addi	a1, a1, -1
	bnez	a1, 1b
	ret

function pong
1:	ld	t0, 0(a0)
	andi	t1, t0, 1
	beqz	t1, 1b
	addi	t0, t0, 1
	sd	t0, 0(a0)
	addi	a1, a1, -1
	bnez	a1, 1b
	ret

/* lead(from, to): write something to each line, much slower than it can be read */
function lead
	li	t0, 1
1:	sd	t0, 0(a0)
	.rept	12
	nop
	.endr
	addi	a0, a0, 64
	bltu	a0, a1, 1b
	ret

/* follow(from, to): as soon as there is something in a line go on to the next one */
function follow
1:	ld	t0, 0(a0)
	beqz	t0, 1b
	addi	a0, a0, 64
	bltu	a0, a1, 1b
	ret

	.bss
	.balign	64
stacks:	.skip	5 << STACK_BITS
