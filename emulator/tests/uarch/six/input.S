/* SPDX-License-Identifier: GPL-2.0-only */
/* What zstd compresses */
	.section .rodata
	.balign	64
	.globl	six_input, six_input_end
six_input:
	.incbin	SIX_INPUT, 0, 0x200000
six_input_end:
