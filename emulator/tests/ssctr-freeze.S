/* SPDX-License-Identifier: GPL-2.0-only */
/* An LCOFI that is never taken */
#include "asm.h"

	.text
	.option	norvc
	.balign	4

/* S-mode sees LCOFI pending, and clears it. */
	.globl	poll_lcofi
poll_lcofi:
	csrs	sip, a0
	nop
	csrc	sip, a0
	ret
