/* SPDX-License-Identifier: GPL-2.0-only */
/* What is not SCTRCLR */
#include "asm.h"

	.text
	.option	norvc
	.balign	4

/* The word is the instruction; its neighbours are not. */
	.globl	clear_fields
clear_fields:
	slli	a0, a0, 3
	la	a1, 1f
	add	a1, a1, a0
	jr	a1
1:	.word	ASM_SCTRCLR | 1 << 7
	ret
	.word	ASM_SCTRCLR | 1 << 15
	ret
	.word	ASM_SCTRCLR | 2 << 20
	ret
