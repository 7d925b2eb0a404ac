/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Every instruction that runs here has a label; trace.tsv says in which order
 * they run, and what the model must have seen of each.
 */
	.option	norelax
	.globl	_start
	.section .text.start, "ax"
	.option	norvc
_start:	lla	t0, handler		/* auipc, addi */
s1:	csrw	mtvec, t0
s2:	lla	s0, data
s3:	li	a0, 3
loop:	addi	a0, a0, -1
l1:	bnez	a0, loop
l2:	beqz	a0, m1			/* taken, to the next one */
m1:	ld	a1, 8(s0)
m2:	sd	a1, 16(s0)
m3:	addi	s1, s0, 24
m4:	amoadd.w a2, a0, (s1)
m5:	lr.w	a3, (s1)
m6:	sc.w	a4, a3, (s1)
	.option	rvc
c1:	c.lw	a4, 4(s0)
c2:	c.sw	a4, 0(s0)
c3:	c.nop
	.option	norvc
j1:	jal	ra, func
j2:	lla	t1, func
j3:	jalr	ra, 0(t1)
j4:	jal	zero, t1
	.word	0
t1:	ecall
t2:	li	a5, 0x10
t3:	ld	a6, 0(a5)		/* nothing is there */
t4:	.word	0x0000000b		/* nothing means this */
t5:	lla	t0, user
t6:	csrw	mepc, t0
t7:	li	t2, -1
t8:	csrw	pmpaddr0, t2
t9:	li	t2, 0x1f
t10:	csrw	pmpcfg0, t2
t11:	li	t2, 0x1800
t12:	csrc	mstatus, t2
t13:	mret
user:	beqz	s0, user
u1:	li	a7, 1
u2:	ecall
	.balign	4
func:	addi	a0, a0, 1
f1:	ret
	.balign	4
handler: bnez	a7, exit
h1:	csrr	t2, mepc
h2:	addi	t2, t2, 4
h3:	csrw	mepc, t2
h4:	mret
exit:	li	t0, 0x100000
x1:	li	t1, 0x5555
x2:	addi	t1, t1, 0
x3:	sw	t1, 0(t0)
x4:	j	x4

	.balign	64
data:	.dword	1, 2, 3, 4
