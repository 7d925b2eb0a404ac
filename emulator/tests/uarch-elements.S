/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Vector instructions of which it is known how many elements they compute: see
 * the table in uarch-elements.c. a0 is the memory with the mask.
 */
#include "function.inc"

	.text
	.option	norvc
	.option	arch, +v
	.option	arch, +zvfh

/* A function with the mask in v0, vl and vtype */
.macro	vectors name, vl, sew, lmul
function \name
	vl1re8.v v0, (a0)
	li	t0, \vl
	vsetvli	zero, t0, \sew, \lmul, ta, ma
.endm

vectors	add8, 16, e8, m1
	.rept	3
	vadd.vv	v1, v1, v1
	.endr
	ret

vectors	add16, 8, e16, m1
	vadd.vx	v1, v1, t0
	ret

vectors	add32, 4, e32, m1
	vadd.vi	v1, v1, 1
	ret

vectors	add64, 2, e64, m1
	vmul.vv	v1, v1, v1
	ret

vectors	fadd16, 7, e16, m1
	vfadd.vv v1, v1, v1
	ret

vectors	fadd32, 3, e32, m1
	fmv.w.x	fa0, zero
	vfmul.vf v1, v1, fa0
	ret

vectors	fadd64, 2, e64, m1
	vfmacc.vv v1, v1, v1
	ret

vectors	masked8, 16, e8, m1
	vadd.vv	v1, v1, v1, v0.t
	ret

vectors	masked16, 8, e16, m1
	vadd.vv	v1, v1, v1, v0.t
	ret

vectors	masked32, 4, e32, m1
	vfadd.vv v1, v1, v1, v0.t
	ret

/* Eight registers: the mask has two doublewords. */
vectors	masked_many, 128, e8, m8
	vadd.vv	v8, v8, v8, v0.t
	ret

/* The result is another mask, in the place of the one that it was masked by. */
vectors	overwrites, 16, e8, m1
	vmv.v.i	v1, 1
	vmseq.vi v0, v1, 0, v0.t
	ret

vectors	carries, 16, e8, m1
	vadc.vvm v1, v1, v1, v0
	vmadc.vvm v2, v1, v1, v0
	vsbc.vxm v1, v1, t0, v0
	vmsbc.vvm v2, v1, v1, v0
	vadc.vim v1, v1, 1, v0
	ret

vectors	merges, 4, e32, m1
	vmerge.vvm v1, v1, v1, v0
	vmerge.vim v1, v1, 1, v0
	ret

vectors	merges_fp, 4, e32, m1
	vfmerge.vfm v1, v1, fa0, v0
	ret

vectors	starts, 16, e8, m1
	csrwi	vstart, 3
	vadd.vv	v1, v1, v1
	csrwi	vstart, 3
	vadd.vv	v1, v1, v1, v0.t
	ret

/* It ends before it begins. */
vectors	starts_late, 2, e8, m1
	csrwi	vstart, 3
	vadd.vv	v1, v1, v1
	ret

vectors	none, 0, e8, m1
	vadd.vv	v1, v1, v1
	vmv.s.x	v1, t0
	ret

/* Registers of 128 bits, whatever vl is */
vectors	whole, 2, e16, m1
	vmv4r.v	v4, v8
	vmv1r.v	v1, v2
	ret

vectors	scalar, 16, e8, m1
	vmv.x.s	t1, v1
	vmv.s.x	v1, t1
	ret

vectors	scalar_fp, 4, e32, m1
	vfmv.f.s fa0, v1
	vfmv.s.f v1, fa0
	ret

/* It writes the first element, though it begins behind that, but not behind all. */
vectors	scalar_late, 4, e32, m1
	csrwi	vstart, 1
	vmv.s.x	v1, t1
	csrwi	vstart, 4
	vmv.s.x	v1, t1
	ret

/* It moves the first element of none. */
vectors	scalar_none, 0, e8, m1
	vmv.x.s	t1, v1
	ret

vectors	widens, 4, e16, m1
	vwadd.vv v2, v1, v1
	ret

vectors	narrows, 4, e16, m1
	vnsrl.wi v1, v2, 0
	ret

/* To twice the width of the integers, and back */
vectors	converts8, 5, e8, m1
	vfwcvt.f.x.v v2, v1
	vfncvt.x.f.w v1, v4
	ret

vectors	converts16, 3, e16, m1
	vfwcvt.f.xu.v v2, v1
	vfncvt.rtz.xu.f.w v1, v4
	ret

/* Here it is the integers that are wider, or nothing is. */
vectors	converts32, 2, e32, m1
	vfwcvt.x.f.v v2, v1
	vfncvt.f.x.w v1, v4
	vfcvt.f.x.v v1, v1
	vfwcvt.f.f.v v2, v1
	ret

vectors	reduces, 16, e8, m1
	vredsum.vs v1, v1, v1
	ret

vectors	of_masks, 16, e8, m1
	vmand.mm v1, v2, v3
	vcpop.m	t0, v2
	ret

/* Neither of them computes. */
vectors	others, 16, e8, m1
	vle8.v	v1, (a0)
	vse8.v	v1, (a0)
	vsetivli zero, 4, e32, m1, ta, ma
	add	t0, t0, t0
	ret

/* Each instruction adds 16. */
vectors	due, 16, e8, m1
	.globl	due_at
	vadd.vv	v1, v1, v1
due_at:
	vadd.vv	v1, v1, v1
	vadd.vv	v1, v1, v1
	ret
