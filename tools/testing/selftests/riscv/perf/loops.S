/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Code whose every event is known. Each loop has the signature
 *
 *	void loop(unsigned long n, void *buf)
 *
 * runs its body n times (n > 0) and ends with one ret. What one pass through
 * the body does, instruction by instruction, is written down in loops.c; the
 * two files must be changed together. Everything is four bytes wide except
 * where a loop says otherwise.
 */

	.text
	.option	norvc
	.option	norelax

	.macro	loop name
	.balign	64
	.globl	\name
	.type	\name, @function
\name:
	.endm

/*
 * long counted(int fd, unsigned long flags, loop_fn *fn, unsigned long n,
 *		void *buf)
 *
 * Enable event fd, run fn(n, buf), disable the event. Both calls are made
 * here so that what user space executes in between is known exactly: seven
 * instructions, the loop and an ecall. Returns 0 or the error of either call.
 */
#define PERF_EVENT_IOC_ENABLE	0x2400
#define PERF_EVENT_IOC_DISABLE	0x2401
#define NR_ioctl		29

	loop	counted
	addi	sp, sp, -64
	sd	ra, 0(sp)
	sd	s0, 8(sp)
	sd	s1, 16(sp)
	sd	s2, 24(sp)
	sd	s3, 32(sp)
	sd	s4, 40(sp)
	sd	s5, 48(sp)
	mv	s0, a0
	mv	s1, a1
	mv	s2, a2
	mv	s3, a3
	mv	s4, a4
	li	s5, PERF_EVENT_IOC_DISABLE
	mv	a2, a1
	li	a1, PERF_EVENT_IOC_ENABLE
	li	a7, NR_ioctl
	ecall
	.globl	counted_begin
counted_begin:
	mv	a1, s4
	mv	a0, s3
	jalr	s2
	.globl	counted_end
counted_end:
	mv	a2, s1
	mv	a1, s5
	mv	a0, s0
	li	a7, NR_ioctl
	ecall
	.globl	counted_after
counted_after:
	ld	s5, 48(sp)
	ld	s4, 40(sp)
	ld	s3, 32(sp)
	ld	s2, 24(sp)
	ld	s1, 16(sp)
	ld	s0, 8(sp)
	ld	ra, 0(sp)
	addi	sp, sp, 64
	ret

	loop	loop_alu
	addi	t0, t0, 1
	xor	t1, t1, t0
	slli	t2, t1, 3
	mul	t2, t2, t0
	addi	a0, a0, -1
	bnez	a0, loop_alu
	ret

	loop	loop_load
	ld	t0, 0(a1)
	lw	t1, 8(a1)
	lbu	t2, 13(a1)
	add	t0, t0, t1
	addi	a0, a0, -1
	bnez	a0, loop_load
	ret

	loop	loop_store
	sd	t0, 0(a1)
	sw	t1, 8(a1)
	sh	t2, 12(a1)
	sb	t3, 14(a1)
	addi	a0, a0, -1
	bnez	a0, loop_store
	ret

	loop	loop_memory
	ld	t0, 0(a1)
	addi	t0, t0, 1
	sd	t0, 0(a1)
	fld	ft0, 64(a1)
	fsd	ft0, 72(a1)
	addi	a0, a0, -1
	bnez	a0, loop_memory
	ret

	loop	loop_amo
	addi	t1, a1, 128
	amoadd.d t0, t2, (t1)
	amoswap.w t0, t2, (t1)
	addi	a0, a0, -1
	bnez	a0, loop_amo
	ret

	loop	loop_lrsc
	lr.d	t0, (a1)
	sc.d	t1, t0, (a1)
	addi	a0, a0, -1
	bnez	a0, loop_lrsc
	ret

	/* two branches never taken, two always, one nearly always */
	loop	loop_branch
	bne	zero, zero, 1f
	beq	zero, zero, 1f
	addi	t1, t1, 1
1:	andi	t0, a0, 1
	bltu	zero, zero, 2f
	bgeu	zero, zero, 2f
	nop
2:	addi	a0, a0, -1
	bnez	a0, loop_branch
	ret

	loop	loop_jump
	j	2f
1:	jal	zero, 3f
2:	jal	zero, 1b
3:	lla	t1, 4f
	jr	t1
	nop
4:	addi	a0, a0, -1
	bnez	a0, loop_jump
	ret

	/* leaf is called directly and through a register */
	loop	loop_call
	mv	t3, ra
	lla	t1, leaf
	mv	t2, a0
1:	jal	leaf
	jalr	t1
	addi	t2, t2, -1
	bnez	t2, 1b
	mv	ra, t3
	ret
	.globl	leaf
leaf:	addi	t0, t0, 1
	ret

	/* as if leaf and the label were far away, each by two instructions */
	loop	loop_far
	mv	t3, ra
	mv	t2, a0
1:	call	far_leaf
	tail	2f
	nop
2:	addi	t2, t2, -1
	bnez	t2, 1b
	mv	ra, t3
	ret
far_leaf:
	addi	t0, t0, 1
	ret

	loop	loop_fence
	fence	rw, rw
	fence	w, w
	fence.tso
	fence.i
	addi	a0, a0, -1
	bnez	a0, loop_fence
	ret

	loop	loop_csr
	frflags	t0
	csrrs	t1, frm, zero
	fsflags	t0
	addi	a0, a0, -1
	bnez	a0, loop_csr
	ret

	/* getpid, which does nothing that matters here */
	loop	loop_ecall
	mv	t1, a0
	li	a7, 172
1:	ecall
	addi	t1, t1, -1
	bnez	t1, 1b
	ret

	/*
	 * buf holds n pages that were never touched: each store faults, is
	 * not retired, and is executed once more.
	 */
	loop	loop_fault
	lui	t0, 1
1:	sb	zero, 0(a1)
	add	a1, a1, t0
	addi	a0, a0, -1
	bnez	a0, 1b
	ret

	/* loads and stores across a page boundary, at odd addresses */
	loop	loop_misaligned
	lui	t0, 1
	add	t1, a1, t0
1:	ld	t2, -3(t1)
	sd	t2, -5(t1)
	addi	a0, a0, -1
	bnez	a0, 1b
	ret

	.option	push
	.option	rvc
	loop	loop_rvc
	c.ld	a4, 0(a1)
	c.addi	t0, 1
	c.sd	a4, 8(a1)
	xori	t0, t0, 1
	c.addi	a0, -1
	c.bnez	a0, loop_rvc
	.option	pop
	ret

	/* 61 instructions and a branch: long enough to tell samples apart */
	loop	loop_long
	.rept	60
	addi	t0, t0, 1
	.endr
	addi	a0, a0, -1
	bnez	a0, loop_long
	ret

	.section .note.GNU-stack, "", @progbits
