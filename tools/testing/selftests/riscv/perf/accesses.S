/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Loops whose misses, mispredictions and slots are known: see events.sh, which has the
 * numbers. Each is
 *
 *	void loop(unsigned long n, void **table, unsigned long entries)
 *
 * and nothing in it is compressed where it does not say so.
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

	/* n times: for each entry of the table, load it, and from where it points to */
	loop	loads
	slli	a2, a2, 3
	add	a2, a1, a2
1:	mv	t0, a1
2:	ld	t1, 0(t0)
	ld	t2, 0(t1)
	addi	t0, t0, 8
	bltu	t0, a2, 2b
	addi	a0, a0, -1
	bnez	a0, 1b
	ret

	/* the same with stores to where it points to */
	loop	stores
	slli	a2, a2, 3
	add	a2, a1, a2
1:	mv	t0, a1
2:	ld	t1, 0(t0)
	sd	zero, 0(t1)
	addi	t0, t0, 8
	bltu	t0, a2, 2b
	addi	a0, a0, -1
	bnez	a0, 1b
	ret

	/* Both of each line: the second one while it is on its way */
	loop	loads_pair
	slli	a2, a2, 3
	add	a2, a1, a2
1:	mv	t0, a1
2:	ld	t1, 0(t0)
	ld	t2, 0(t1)
	ld	t3, 8(t1)
	addi	t0, t0, 8
	bltu	t0, a2, 2b
	addi	a0, a0, -1
	bnez	a0, 1b
	ret

	loop	stores_pair
	slli	a2, a2, 3
	add	a2, a1, a2
1:	mv	t0, a1
2:	ld	t1, 0(t0)
	sd	zero, 0(t1)
	sd	zero, 8(t1)
	addi	t0, t0, 8
	bltu	t0, a2, 2b
	addi	a0, a0, -1
	bnez	a0, 1b
	ret

	/*
	 * n times: load from where the entries of the table point to, up to an empty one, and
	 * store to where those behind it point to; so many bytes apart, each time
	 */
	.macro	mix name, loads, stores
	loop	\name
1:	mv	t0, a1
2:	ld	t1, 0(t0)
	addi	t0, t0, 8
	beqz	t1, 3f
	.irp	at, \loads
	ld	t2, \at(t1)
	.endr
	j	2b
3:	ld	t1, 0(t0)
	addi	t0, t0, 8
	beqz	t1, 4f
	.irp	at, \stores
	sd	zero, \at(t1)
	.endr
	j	3b
4:	addi	a0, a0, -1
	bnez	a0, 1b
	ret
	.endm
	mix	mixed, 0, 0
	mix	merges, "0, 8, 16", "0, 8, 16, 24, 32"

	/* n times: increment where each entry of the table points to */
	loop	updates
	slli	a2, a2, 3
	add	a2, a1, a2
1:	mv	t0, a1
2:	ld	t1, 0(t0)
	ld	t2, 0(t1)
	addi	t2, t2, 1
	sd	t2, 0(t1)
	addi	t0, t0, 8
	bltu	t0, a2, 2b
	addi	a0, a0, -1
	bnez	a0, 1b
	ret

	/*
	 * n times: load from behind the code where the first two entries point to, store behind
	 * that of the third one, and call the first one, which goes on through all
	 */
	loop	snoops
	mv	t6, ra
	ld	t3, 0(a1)
	ld	t4, 8(a1)
	ld	t5, 16(a1)
1:	ld	t2, 32(t3)
	ld	t2, 32(t4)
	sd	zero, 32(t5)
	jalr	t3
	addi	a0, a0, -1
	bnez	a0, 1b
	jr	t6

	/* n loads, each from where the one before says; the table is where to begin */
	loop	chase
	ld	a1, 0(a1)
1:	ld	a1, 0(a1)
	addi	a0, a0, -1
	bnez	a0, 1b
	ret

	/* The same, and then as many turns of divisions */
	loop	chase_divides
	mv	t2, a0
	li	t0, 1
	li	t1, -1
	ld	a1, 0(a1)
1:	ld	a1, 0(a1)
	addi	a0, a0, -1
	bnez	a0, 1b
2:	.rept	8
	divu	t1, t1, t0
	.endr
	addi	t2, t2, -1
	bnez	t2, 2b
	ret

	/* The same as "chase", eight in a turn */
	loop	chase_l1
	ld	a1, 0(a1)
1:	.rept	8
	ld	a1, 0(a1)
	.endr
	addi	a0, a0, -1
	bnez	a0, 1b
	ret

	/*
	 * A branch that is taken every other time. At first it is not, so often that it is
	 * predicted never to be.
	 */
	loop	taken_by_turns
	li	t0, 4
	li	t1, 0
1:	bnez	t1, 2f
2:	addi	t0, t0, -1
	bgtz	t0, 1b
	xori	t1, t1, 1
	addi	a0, a0, -1
	bnez	a0, 1b
	ret

	/* the other way round */
	loop	not_taken_by_turns
	li	t0, 4
	li	t1, 0
1:	beqz	t1, 2f
2:	addi	t0, t0, -1
	bgtz	t0, 1b
	xori	t1, t1, 1
	addi	a0, a0, -1
	bnez	a0, 1b
	ret

	/* An indirect transfer that goes to two places by turns, and how it links */
	.macro	flip name, link
	loop	\name
	mv	t6, ra
	lla	t3, 2f
	lla	t4, 3f
1:	jalr	\link, 0(t3)
	nop
2:	xor	t3, t3, t4
	xor	t4, t3, t4
	xor	t3, t3, t4
	addi	a0, a0, -1
	bnez	a0, 1b
	jr	t6
	nop
3:	xor	t3, t3, t4
	xor	t4, t3, t4
	xor	t3, t3, t4
	addi	a0, a0, -1
	bnez	a0, 1b
	jr	t6
	.endm
	flip	calls_by_turns, ra
	flip	jumps_by_turns, zero
	flip	links_by_turns, t2

	/* Swaps that do not go where the one before was called from */
	loop	swaps
	mv	t6, ra
	lla	ra, 2f
1:	jalr	t0, 0(ra)
	nop
2:	addi	a0, a0, -1
	bnez	a0, 1b
	jr	t6

	/* Two coroutines: each swap goes to where the one before was called from. */
	loop	swaps_back
	mv	t6, ra
	lla	ra, 2f
1:	jalr	t0, 0(ra)
	addi	a0, a0, -1
	bnez	a0, 1b
	jr	t6
2:	jalr	ra, 0(t0)
	j	2b

	/* A direct call and an indirect one, and their returns */
	loop	calls
	mv	t6, ra
	lla	t1, 2f
1:	jal	2f
	jalr	t1
	addi	a0, a0, -1
	bnez	a0, 1b
	jr	t6
2:	ret

	.macro	times number, instruction:vararg
	.rept	\number
	\instruction
	.endr
	.endm

	/* to the next instruction but one, by way of a register, and how it links */
	.macro	onwards number, link, by
	.rept	\number
	auipc	\by, 0
	jalr	\link, 8(\by)
	.endr
	.endm

	/*
	 * Of each kind of transfer another number that are predicted, and another one that are
	 * not. Indirect ones of which the places are 128 bytes apart take the predictor's entry
	 * from each other; swaps and returns go to where nobody was called from. A branch that
	 * is taken every other time is never expected to be if at first it was not for long,
	 * which it is when the loop begins; nor is the end of the little loop around it.
	 */
	loop	transfers_mixed
	mv	t6, ra
	addi	a0, a0, 1
	li	t4, 0
	li	a3, 0
	j	5f
	.balign	128
1:	onwards	3, ra, t1
	onwards	4, zero, t1
	onwards	3, t2, t1
	/* The other place of these has none. */
	onwards	1, ra, t1
	onwards	1, zero, t1
	onwards	3, t2, t1
	.balign	128
	onwards	3, ra, t1
	onwards	5, zero, t1
	onwards	2, t2, t1
	.rept	3
	jal	ra, 6f
	jalr	ra, 0(t0)
	.endr
	times	12, jal ra, 7f
	onwards	18, ra, t0
	onwards	11, zero, ra
	times	15, beqz zero, . + 4
	times	13, bnez zero, . + 4
	times	14, jal zero, . + 4
	times	4, jal t2, . + 4
5:	li	t5, 4
2:	xor	t4, t4, a3
	bnez	t4, 3f
3:	addi	t5, t5, -1
	bnez	t5, 2b
	li	a3, 1
	addi	a0, a0, -1
	bnez	a0, 1b
	jr	t6
	/* a swap back to whoever called, which swaps to the return */
6:	jalr	t0, 0(ra)
7:	ret

	/*
	 * Of each kind of instruction another number, and of all that an event counts another
	 * sum, so that one that is counted for another shows. What is accessed is where the
	 * table says.
	 */
	.option	push
	.option	arch, +v, +zawrs
	loop	kinds
	mv	t6, ra
	ld	a1, 0(a1)
1:	times	7, vsetivli zero, 1, e64, m1, ta, ma
	vmv.v.i	v2, 0
	times	3, ld t1, 0(a1)
	times	5, sd zero, 0(a1)
	times	2, amoadd.d t1, zero, (a1)
	times	4, fence rw, rw
	times	6, fadd.d ft0, ft0, ft0
	times	8, vle64.v v1, (a1)
	times	9, vse64.v v1, (a1)
	times	10, vluxei64.v v1, (a1), v2
	times	11, vsuxei64.v v1, (a1), v2
	times	12, vlse64.v v1, (a1), zero
	times	13, vsse64.v v1, (a1), zero
	times	14, vloxei64.v v1, (a1), v2
	times	15, vsoxei64.v v1, (a1), v2
	times	30, vadd.vv v1, v1, v1
	times	33, vfadd.vv v1, v1, v1
	times	18, frcsr t1
	/* of SYSTEM, and no access to a CSR: most others trap in user mode */
	times	17, wrs.sto
	.option	push
	.option	rvc
	times	38, c.nop
	.option	pop
	times	19, bnez zero, 9f
	times	34, beqz zero, . + 4
	times	19, jal ra, . + 4
	times	22, jal zero, . + 4
	times	32, jal t2, . + 4
	onwards	24, ra, t1
	onwards	16, zero, t1
	onwards	26, t2, t1
	onwards	27, ra, t0
	onwards	28, zero, ra
	addi	a0, a0, -1
	beqz	a0, 9f
	j	1b
9:	jr	t6
	.option	pop

	/*
	 * Elements of each width, as many as make the count of each event another one. One bit of
	 * eight is set in the mask, the first one.
	 */
	.option	push
	.option	arch, +v, +zvfh
	loop	elements
1:	vsetivli zero, 16, e8, m1, ta, ma
	vmv.v.i	v0, 1
	vadd.vv	v1, v1, v1, v0.t
	vsetivli zero, 8, e16, m1, ta, ma
	vadd.vv	v1, v1, v1
	times	2, vadd.vv v1, v1, v1, v0.t
	vsetivli zero, 4, e32, m1, ta, ma
	vadd.vv	v1, v1, v1
	times	2, vadd.vv v1, v1, v1, v0.t
	vsetivli zero, 2, e64, m1, ta, ma
	times	3, vadd.vv v1, v1, v1
	vadd.vv	v1, v1, v1, v0.t
	vsetivli zero, 7, e16, m1, ta, ma
	times	2, vfadd.vv v1, v1, v1
	vfadd.vv v1, v1, v1, v0.t
	vsetivli zero, 3, e32, m1, ta, ma
	vfadd.vv v1, v1, v1
	times	2, vfadd.vv v1, v1, v1, v0.t
	vsetivli zero, 2, e64, m1, ta, ma
	times	6, vfadd.vv v1, v1, v1
	vfadd.vv v1, v1, v1, v0.t
	addi	a0, a0, -1
	bnez	a0, 1b
	ret
	.option	pop

	/*
	 * Each scalar instruction of a class once, but loads more often than stores, which would
	 * be as many otherwise. These are all of F, D and Zfa; other parts of floating point the
	 * hart has not.
	 */
	.option	push
	.option	arch, +zfa
	loop	floats
	ld	a1, 0(a1)
	addi	sp, sp, -16
	fsd	ft1, 0(sp)
1:	.irp	f, s, d
	.irp	fused, fmadd.\f, fmsub.\f, fnmsub.\f, fnmadd.\f
	\fused	ft0, ft1, ft2, ft3
	.endr
	.irp	two, fadd.\f, fsub.\f, fmul.\f, fdiv.\f, fsgnj.\f, fsgnjn.\f, fsgnjx.\f, \
			fmin.\f, fmax.\f, fminm.\f, fmaxm.\f
	\two	ft0, ft1, ft2
	.endr
	.irp	one, fsqrt.\f, fround.\f, froundnx.\f
	\one	ft0, ft1
	.endr
	.irp	compared, feq.\f, flt.\f, fle.\f, fleq.\f, fltq.\f
	\compared t1, ft1, ft2
	.endr
	.irp	integer, fcvt.w.\f, fcvt.wu.\f, fcvt.l.\f, fcvt.lu.\f
	\integer t1, ft1, rtz
	.endr
	.irp	float, fcvt.\f\().w, fcvt.\f\().wu, fcvt.\f\().l, fcvt.\f\().lu
	\float	ft0, t2
	.endr
	fclass.\f t1, ft1
	fli.\f	ft0, 1.0
	.endr
	fcvt.s.d ft0, ft1
	fcvt.d.s ft0, ft1
	fcvtmod.w.d t1, ft1, rtz
	fmv.x.w	t1, ft1
	fmv.w.x	ft0, zero
	fmv.x.d	t1, ft1
	fmv.d.x	ft0, zero
	times	2, flw ft0, 0(a1)
	times	3, fld ft0, 0(a1)
	fsw	ft1, 0(a1)
	fsd	ft1, 0(a1)
	.option	push
	.option	rvc
	c.fld	fa0, 0(a1)
	c.fsd	fa1, 0(a1)
	c.fldsp	ft0, 0(sp)
	c.fsdsp	ft1, 0(sp)
	.option	pop
	addi	a0, a0, -1
	bnez	a0, 1b
	addi	sp, sp, 16
	ret
	.option	pop

	/* All of the base and of M that compute with integers, and AMOs */
	loop	integers
	ld	a1, 0(a1)
	li	t1, 3
	li	t2, 5
1:	.irp	op, addi, slti, sltiu, xori, ori, andi, slli, srli, srai, \
			addiw, slliw, srliw, sraiw
	\op	t3, t1, 7
	.endr
	.irp	op, add, sub, sll, slt, sltu, xor, srl, sra, or, and, \
			addw, subw, sllw, srlw, sraw, \
			mul, mulh, mulhsu, mulhu, div, divu, rem, remu, \
			mulw, divw, divuw, remw, remuw
	\op	t3, t1, t2
	.endr
	lui	t3, 1
	auipc	t3, 1
	.irp	op, swap, add, xor, and, or, min, max, minu, maxu
	amo\op\().w	t3, t1, (a1)
	amo\op\().d	t3, t1, (a1)
	.endr
	addi	a0, a0, -1
	bnez	a0, 1b
	ret

	/* to the next instruction, by way of a register, in 16 bits */
	.macro	onwards_rvc number, instruction, by
	.rept	\number
	auipc	\by, 0
	addi	\by, \by, 10
	.option	push
	.option	rvc
	\instruction \by
	.option	pop
	.endr
	.endm

	/*
	 * All that are compressed, but for c.ebreak: quadrant by quadrant. No load is there as
	 * often as its store, nor one of an integer as often as that of a floating point number.
	 */
	loop	compressed
	mv	t6, ra
	ld	a1, 0(a1)
	addi	sp, sp, -48
1:	.option	push
	.option	rvc
	c.addi4spn a2, sp, 16
	times	3, c.fld fa0, 0(a1)
	times	2, c.lw a2, 0(a1)
	times	2, c.ld a2, 0(a1)
	times	2, c.fsd fa0, 0(a1)
	c.sw	a2, 0(a1)
	c.sd	a2, 0(a1)
	c.nop
	c.addi	a2, 1
	c.addiw	a2, 1
	c.li	a2, 1
	c.addi16sp sp, 16
	c.addi16sp sp, -16
	c.lui	a2, 1
	c.srli	a2, 1
	c.srai	a2, 1
	c.andi	a2, 1
	.irp	op, sub, xor, or, and, subw, addw
	c.\op	a2, a3
	.endr
	c.j	. + 2
	c.beqz	a2, . + 2
	c.bnez	a2, . + 2
	c.slli	a2, 1
	times	4, c.fldsp fa0, 0(sp)
	times	2, c.lwsp a2, 0(sp)
	times	2, c.ldsp a2, 0(sp)
	c.mv	a2, a3
	c.add	a2, a3
	times	2, c.fsdsp fa0, 8(sp)
	c.swsp	a2, 8(sp)
	c.sdsp	a2, 8(sp)
	.option	pop
	onwards_rvc 1, c.jr, t1
	onwards_rvc 1, c.jalr, t1
	addi	a0, a0, -1
	bnez	a0, 1b
	addi	sp, sp, 48
	jr	t6

	/*
	 * Transfers of all forms, of most another number: first four bytes wide, then two.
	 * Registers stand for those that are like them: ra and t0 link, t1 and t2 do not.
	 */
	loop	forms
	mv	t6, ra
	li	a4, 0
	li	a5, 1
1:	beq	a4, zero, . + 4
	bne	a5, zero, . + 4
	blt	zero, a5, . + 4
	bge	a5, zero, . + 4
	bltu	zero, a5, . + 4
	bgeu	a5, zero, . + 4
	.rept	2
	beq	a5, zero, . + 4
	bne	a4, zero, . + 4
	blt	a5, zero, . + 4
	bge	zero, a5, . + 4
	bltu	a5, zero, . + 4
	bgeu	zero, a5, . + 4
	.endr
	times	3, jal zero, . + 4
	times	5, jal ra, . + 4
	times	4, jal t0, . + 4
	times	2, jal t2, . + 4
	onwards	4, zero, t1
	onwards	3, ra, t1
	onwards	2, t0, t1
	onwards	1, t2, t1
	/* Who jumps by the register that links calls. */
	onwards	4, ra, ra
	onwards	8, t0, t0
	/* These swap, */
	onwards	1, ra, t0
	onwards	2, t0, ra
	/* and these return. */
	onwards	1, zero, ra
	onwards	2, zero, t0
	onwards	4, t2, ra
	onwards	8, t2, t0
	.option	push
	.option	rvc
	times	7, c.beqz a4, . + 2
	times	8, c.beqz a5, . + 2
	times	9, c.bnez a5, . + 2
	times	10, c.bnez a4, . + 2
	times	11, c.j . + 2
	.option	pop
	onwards_rvc 6, c.jr, t1
	onwards_rvc 13, c.jr, ra
	onwards_rvc 14, c.jr, t0
	onwards_rvc 15, c.jalr, t1
	onwards_rvc 16, c.jalr, t0
	addi	a0, a0, -1
	bnez	a0, 1b
	jr	t6

	/* Returns from what nobody has called */
	loop	returns
	mv	t6, ra
	lla	ra, 2f
1:	ret
	nop
2:	addi	a0, a0, -1
	bnez	a0, 1b
	jr	t6

	/*
	 * The same, and where they go is known only when a division is over. Meanwhile the
	 * front end goes on where the call would have come back to, where nothing ever retires.
	 */
	loop	late_returns
	mv	t6, ra
	li	t1, 1
	lla	t2, 3f
1:	jal	2f
	times	160, nop
2:	divu	ra, t2, t1
	ret
3:	addi	a0, a0, -1
	bnez	a0, 1b
	jr	t6

	/* Pairs that can be one operation, in one line; those behind them are none. */
	loop	pairs
1:	lui	t1, 0x12345
	addi	t1, t1, 0x678
	lui	t1, 0x12345
	addiw	t1, t1, 0x678
	auipc	t1, 0
	addi	t1, t1, 8
	slli	t1, t1, 32
	srli	t1, t1, 32
	srli	t1, t1, 8
	slli	t1, t1, 8
	addi	t2, t1, 8
	addi	a0, a0, -1
	bnez	a0, 1b
	ret

	/*
	 * Once in a turn a load comes before a store that it depends on. It would wait the next
	 * time, but for what is executed in between: behind 16384 instructions the pipeline has
	 * forgotten which loads do.
	 */
	loop	rollbacks
	ld	a1, 0(a1)
	li	t0, 3
1:	mul	t1, t0, t0
	sd	t1, 0(a1)
	ld	t2, 0(a1)
	li	t3, 8192
2:	addi	t3, t3, -1
	bnez	t3, 2b
	addi	a0, a0, -1
	bnez	a0, 1b
	ret

	/*
	 * The same of 32 loads, which is as many of those that are so far apart as the pipeline
	 * can tell from each other.
	 */
	loop	rollbacks_many
	ld	a1, 0(a1)
	li	t0, 3
1:	.rept	32
	mul	t1, t0, t0
	sd	t1, 0(a1)
	ld	t2, 0(a1)
	.endr
	li	t3, 256
2:	addi	t3, t3, -1
	.rept	62
	nop
	.endr
	bnez	t3, 2b
	addi	a0, a0, -1
	bnez	a0, 1b
	ret

	/* A store whose data is late, and a load of it, at the address in the table */
	loop	forwards
	ld	a1, 0(a1)
	li	t0, 3
1:	mul	t1, t0, t0
	sd	t1, 0(a1)
	ld	t2, 0(a1)
	addi	a0, a0, -1
	bnez	a0, 1b
	ret

	/* Divisions that wait for each other */
	loop	divides
	li	t0, 1
	li	t1, -1
1:	.rept	8
	divu	t1, t1, t0
	.endr
	addi	a0, a0, -1
	bnez	a0, 1b
	ret

	loop	fences
1:	fence	rw, rw
	addi	a0, a0, -1
	bnez	a0, 1b
	ret

	/* Fences of code, behind each of which it is fetched again */
	.option	push
	.option	arch, +zifencei
	loop	code_fences
1:	fence.i
	addi	a0, a0, -1
	bnez	a0, 1b
	ret
	.option	pop

	/*
	 * Two divisions that wait for each other, so much behind them that more than three quarters
	 * of the pipeline's 32 places are taken, and a fence, before which nothing is left
	 */
	loop	crowds
	li	t0, 1
	li	t1, -1
1:	divu	t1, t1, t0
	divu	t1, t1, t0
	times	26, nop
	fence	rw, rw
	addi	a0, a0, -1
	bnez	a0, 1b
	ret

	/* Environment calls, of getpid */
	loop	ecalls
	mv	t1, a0
	li	a7, 172
1:	ecall
	addi	t1, t1, -1
	bnez	t1, 1b
	ret

	/* Stores to fresh pages, which begin where the table says */
	loop	data_faults
	ld	a1, 0(a1)
	lui	t0, 1
1:	sb	zero, 0(a1)
	add	a1, a1, t0
	addi	a0, a0, -1
	bnez	a0, 1b
	ret

	/* Instructions that are illegal, for each of which there is a signal */
	loop	illegals
1:	unimp
	addi	a0, a0, -1
	bnez	a0, 1b
	ret

	/* Reads of time, which firmware emulates where the hart has no such CSR */
	loop	time_reads
1:	rdtime	a1
	addi	a0, a0, -1
	bnez	a0, 1b
	ret

	/* Calls of what each entry points to */
	loop	code_faults
	mv	t6, ra
1:	ld	t1, 0(a1)
	jalr	t1
	addi	a1, a1, 8
	addi	a0, a0, -1
	bnez	a0, 1b
	jr	t6

	/* Whoever catches the signal goes on behind the instruction. */
	loop	misaligned_loads
	ld	a1, 0(a1)
	addi	a1, a1, 1
1:	lr.d	t0, (a1)
	addi	a0, a0, -1
	bnez	a0, 1b
	ret

	loop	misaligned_stores
	ld	a1, 0(a1)
	addi	a1, a1, 1
1:	amoadd.d t0, zero, (a1)
	addi	a0, a0, -1
	bnez	a0, 1b
	ret

	/* The table says where there is nothing to be executed; who catches it returns. */
	loop	no_code
	mv	t6, ra
	ld	a1, 0(a1)
1:	jalr	a1
	addi	a0, a0, -1
	bnez	a0, 1b
	jr	t6

	/* Stores to a device */
	loop	devices_stored
	ld	a1, 0(a1)
1:	sw	zero, 0(a1)
	addi	a0, a0, -1
	bnez	a0, 1b
	ret

	/* Loads from a device */
	loop	devices
	ld	a1, 0(a1)
1:	lw	t0, 0(a1)
	addi	a0, a0, -1
	bnez	a0, 1b
	ret

	/* Where the first entry points to is a device, where the second one does is none. */
	loop	devices_mixed
	ld	a2, 8(a1)
	ld	a1, 0(a1)
1:	times	2, lw t0, 0(a1)
	times	3, sw zero, 0(a1)
	times	4, lw t0, 0(a2)
	times	7, sw zero, 8(a2)
	addi	a0, a0, -1
	bnez	a0, 1b
	ret

	.section .note.GNU-stack, "", @progbits
