/* SPDX-License-Identifier: GPL-2.0-only */
/* (a0: 64 bytes, a1: stride) one vector access at PROBE_AT */
#include "asm.h"

	.text
	.option	arch, +v
	.option	norvc

.macro	access name insn:vararg
	.balign	256
	.globl	vector_\name
vector_\name:
	vsetivli zero, 4, e32, m1, ta, ma
	.rept	PROBE_NOPS - 1
	nop
	.endr
	\insn
	.rept	PROBE_NOPS
	nop
	.endr
	ret
.endm

	access	load	vle32.v v0, (a0)
	access	store	vse32.v v0, (a0)
	access	strided	vlse32.v v0, (a0), a1
