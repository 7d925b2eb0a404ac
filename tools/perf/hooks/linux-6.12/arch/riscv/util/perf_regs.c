// SPDX-License-Identifier: GPL-2.0-only
/*
 * RISC-V: the registers that samples can have, by name.
 */
#include "perf_regs.h"
#include "../../util/perf_regs.h"

static const struct sample_reg sample_reg_masks[] = {
	SMPL_REG(pc, PERF_REG_RISCV_PC),
	SMPL_REG(ra, PERF_REG_RISCV_RA),
	SMPL_REG(sp, PERF_REG_RISCV_SP),
	SMPL_REG(gp, PERF_REG_RISCV_GP),
	SMPL_REG(tp, PERF_REG_RISCV_TP),
	SMPL_REG(t0, PERF_REG_RISCV_T0),
	SMPL_REG(t1, PERF_REG_RISCV_T1),
	SMPL_REG(t2, PERF_REG_RISCV_T2),
	SMPL_REG(s0, PERF_REG_RISCV_S0),
	SMPL_REG(s1, PERF_REG_RISCV_S1),
	SMPL_REG(a0, PERF_REG_RISCV_A0),
	SMPL_REG(a1, PERF_REG_RISCV_A1),
	SMPL_REG(a2, PERF_REG_RISCV_A2),
	SMPL_REG(a3, PERF_REG_RISCV_A3),
	SMPL_REG(a4, PERF_REG_RISCV_A4),
	SMPL_REG(a5, PERF_REG_RISCV_A5),
	SMPL_REG(a6, PERF_REG_RISCV_A6),
	SMPL_REG(a7, PERF_REG_RISCV_A7),
	SMPL_REG(s2, PERF_REG_RISCV_S2),
	SMPL_REG(s3, PERF_REG_RISCV_S3),
	SMPL_REG(s4, PERF_REG_RISCV_S4),
	SMPL_REG(s5, PERF_REG_RISCV_S5),
	SMPL_REG(s6, PERF_REG_RISCV_S6),
	SMPL_REG(s7, PERF_REG_RISCV_S7),
	SMPL_REG(s8, PERF_REG_RISCV_S8),
	SMPL_REG(s9, PERF_REG_RISCV_S9),
	SMPL_REG(s10, PERF_REG_RISCV_S10),
	SMPL_REG(s11, PERF_REG_RISCV_S11),
	SMPL_REG(t3, PERF_REG_RISCV_T3),
	SMPL_REG(t4, PERF_REG_RISCV_T4),
	SMPL_REG(t5, PERF_REG_RISCV_T5),
	SMPL_REG(t6, PERF_REG_RISCV_T6),
	SMPL_REG_END
};

/**
 * arch__intr_reg_mask() - all registers, where a sample interrupted
 *
 * Return: their bits.
 */
uint64_t arch__intr_reg_mask(void)
{
	return PERF_REGS_MASK;
}

/**
 * arch__user_reg_mask() - all registers of the program
 *
 * Return: their bits.
 */
uint64_t arch__user_reg_mask(void)
{
	return PERF_REGS_MASK;
}

/**
 * arch__sample_reg_masks() - the registers' names
 *
 * Return: them.
 */
const struct sample_reg *arch__sample_reg_masks(void)
{
	return sample_reg_masks;
}
