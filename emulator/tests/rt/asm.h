/* SPDX-License-Identifier: GPL-2.0-only */
/* What assembly and C must agree upon. */
#ifndef RT_ASM_H
#define RT_ASM_H

#if __riscv_xlen == 64
#define REG_S		sd
#define REG_L		ld
#define REG_SIZE	8
#else
#define REG_S		sw
#define REG_L		lw
#define REG_SIZE	4
#endif

/* x0 (a flag here) to x31 */
#define FRAME_SIZE	(32 * REG_SIZE)

/* a7 of the ECALL by which a function run in a lower mode returns to M */
#define RT_LEAVE	0x5ea

/* rt_csr_stubs: read, swap, set, clear, each an instruction and a return */
#define STUB_SIZE	32

/* rt_nops() */
#define RT_NOPS		256

/* rt_mix() */
#define RT_MIX_INSNS	22

/* pdis_line(); pdis_stores() and pdis_window() have this many of a kind */
#define PDIS_LINE	4096
#define PDIS_HALF	128
/* Instructions before the one that is sampled */
#define PROBE_NOPS	16

/* What the assembler may not know: CSR_SCTRSTATUS, SCTRCLR */
#define ASM_SCTRSTATUS	0x14f
#define ASM_SCTRCLR	0x10400073

#ifdef __ASSEMBLER__
/* sctrstatus.FROZEN; no control transfer, t6 is lost */
.macro	ctr_frozen op
	li	t6, 1
	slli	t6, t6, 31
	\op	ASM_SCTRSTATUS, t6
.endm

.macro	ctr_freeze
	ctr_frozen csrs
.endm

.macro	ctr_thaw
	ctr_frozen csrc
.endm
#endif

#endif /* RT_ASM_H */
