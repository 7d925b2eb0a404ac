/* SPDX-License-Identifier: GPL-2.0-only */
/* Instructions of which some can be fused with their neighbours. Nothing is compressed. */
#include "function.inc"

	.text
	.option	norvc

/* pairs(): see the table in sspdis-fused.c */
function pairs
	lui	t0, 1
	addi	t0, t0, 1
	addi	t0, t0, 1
	auipc	t1, 0
	addi	t1, t1, 1
	mul	t2, t1, t1
	slli	t2, t2, 32
	srli	t2, t2, 32
	lui	t2, 1
	addi	t1, t2, 1
	lui	t1, 1
	addiw	t1, t1, 1
	ret
