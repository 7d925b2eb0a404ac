/* SPDX-License-Identifier: GPL-2.0-only */
/* The jumps of Zcmp and Zcmt, which the assembler need not know */
#include "asm.h"

	.text
	.option	norvc
	.balign	4

/* CM.POPRET{Z} {ra}, 16: ra is at the top of the 16 bytes. */
.macro	popret	name word
	.globl	\name, \name\()_src, \name\()_jr
	.balign	4
\name:
	mv	a5, ra
	mv	a4, sp
	la	a3, \name\()_jr
	addi	sp, sp, -16
	REG_S	a3, 16 - REG_SIZE(sp)
	beqz	a0, \name\()_src
	mv	sp, a0
\name\()_src:
	.half	\word
	.half	1
\name\()_jr:
	mv	sp, a4
	jr	a5
.endm

/* CM.JT and CM.JALT: the table says _dst. */
.macro	table	name word
	.globl	\name, \name\()_src, \name\()_dst, \name\()_jr
	.balign	4
\name:
	mv	a5, ra
\name\()_src:
	.half	\word
	.half	1
\name\()_jr:
	jr	a5
	nop
\name\()_dst:
	j	\name\()_jr
.endm

	popret	zcm_popret, 0xbe42
	popret	zcm_popretz, 0xbc42
	table	zcm_jt, 0xa002 | 3 << 2
	table	zcm_jalt, 0xa002 | 40 << 2
